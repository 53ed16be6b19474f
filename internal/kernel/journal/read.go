package journal

import (
	"bytes"
	"slices"

	"bridle/internal/kernel/durable"
)

// Read returns the newest lines that filter lets pass, at most limit of them,
// in the order in which they were written. A nil filter lets all pass; a limit
// of 0 or less is none. It reads from the end and no further than it must. A
// journal that does not exist has no lines. Read does not check the chain, and
// passes over what is no line; Verify tells of it.
func Read(path string, filter func(Line) bool, limit int) ([]Line, error) {
	files, err := openAll(path)
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	var found []Line
	for _, f := range slices.Backward(files) {
		info, err := f.Stat()
		if err != nil {
			return nil, durable.Explain("read", f.Name(), err)
		}
		for raw, err := range backward(f, info.Size(), 64<<10) {
			if err != nil {
				return nil, durable.Explain("read", f.Name(), err)
			}
			if !raw.ended {
				continue // still being written
			}
			line, ok := parse(raw.text)
			if !ok || line.healed != nil || filter != nil && !filter(line) {
				continue
			}
			line.Raw = bytes.Clone(line.Raw)
			found = append(found, line)
			if len(found) == limit {
				slices.Reverse(found)
				return found, nil
			}
		}
	}
	slices.Reverse(found)
	return found, nil
}
