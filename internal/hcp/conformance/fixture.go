package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
)

// lay puts a pack into a directory below dir and returns its path.
func (s *Suite) lay(v Vector, name, dir string) (string, error) {
	derived, differs := v.Packs[name]
	from := name
	if differs {
		from = derived.From
	}
	source := s.pack(from)
	if source == nil {
		return "", fmt.Errorf("there is no pack %q", from)
	}
	root := filepath.Join(dir, name)
	if err := os.CopyFS(root, source); err != nil {
		return "", err
	}
	for _, file := range sorted(derived.Merge) {
		if err := mergeFile(filepath.Join(root, filepath.FromSlash(file)), derived.Merge[file]); err != nil {
			return "", fmt.Errorf("merge %s of %s: %w", file, name, err)
		}
	}
	for _, file := range sorted(derived.Write) {
		if err := writeFile(filepath.Join(root, filepath.FromSlash(file)), derived.Write[file]); err != nil {
			return "", fmt.Errorf("write %s of %s: %w", file, name, err)
		}
	}
	return root, setModes(root)
}

func mergeFile(path string, patch json.RawMessage) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	target, err := canon.Parse(data, canon.Limits{})
	if err != nil {
		return err
	}
	change, err := canon.Parse(patch, canon.Limits{})
	if err != nil {
		return err
	}
	text, err := canon.MarshalIndent(merged(target, change))
	if err != nil {
		return err
	}
	return durable.WriteFile(path, text, 0o644)
}

// merged applies a JSON merge patch (RFC 7396).
func merged(target, patch any) any {
	change, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	result, ok := target.(map[string]any)
	if !ok {
		result = map[string]any{}
	}
	for name, value := range change {
		if value == nil {
			delete(result, name)
			continue
		}
		result[name] = merged(result[name], value)
	}
	return result
}

func writeFile(path string, text *string) error {
	if text == nil {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return durable.WriteFile(path, []byte(*text), 0o644)
}

// setModes makes scripts executable: where packs come from, modes were lost.
func setModes(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path) //nolint:gosec // the tree was written by this process a moment ago
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(data, []byte("#!")) {
			mode = 0o755
		}
		return os.Chmod(path, mode) //nolint:gosec // the same tree
	})
}
