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
	found, _, err := ReadGaps(path, filter, limit)
	return found, err
}

// Gap is where a journal has lines that are none.
type Gap struct {
	File  string `json:"file"`
	Lines int    `json:"lines"`
	// After is the number of the last line before them that is one, 0 where there
	// is none in the file; Before that of the first line behind them.
	After  uint64 `json:"after"`
	Before uint64 `json:"before,omitempty"`
}

// ReadGaps is Read, and tells of what is no line on the way, the newest gap last.
func ReadGaps(path string, filter func(Line) bool, limit int) ([]Line, []Gap, error) {
	files, err := openAll(path)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll(files)
	var found []Line
	var gaps []Gap
	for _, f := range slices.Backward(files) {
		info, err := f.Stat()
		if err != nil {
			return nil, nil, durable.Explain("read", f.Name(), err)
		}
		last, inGap := uint64(0), false
		for raw, err := range backward(f, info.Size(), 64<<10) {
			if err != nil {
				return nil, nil, durable.Explain("read", f.Name(), err)
			}
			if !raw.ended {
				continue // still being written
			}
			line, ok := parse(raw.text)
			switch {
			case ok && inGap:
				gaps[len(gaps)-1].After, inGap = line.Seq, false
			case !ok && inGap:
				gaps[len(gaps)-1].Lines++
			case !ok:
				gaps, inGap = append(gaps, Gap{File: f.Name(), Lines: 1, Before: last}), true
			}
			last = line.Seq
			if !ok || line.healed != nil || filter != nil && !filter(line) {
				continue
			}
			line.Raw = bytes.Clone(line.Raw)
			found = append(found, line)
			if len(found) == limit {
				slices.Reverse(found)
				slices.Reverse(gaps)
				return found, gaps, nil
			}
		}
	}
	slices.Reverse(found)
	slices.Reverse(gaps)
	return found, gaps, nil
}
