package wrap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
)

// What the guard takes away is kept: it may be a person's own change, made while
// a command ran or after one was killed. Kept things are bounded: maxKept bytes
// of each occasion, and the newest keptOccasions of them.
const (
	keptDir       = "kept"
	maxKept       = 8 << 20
	keptOccasions = 64
)

// lost is one thing that was there before a change was undone.
type lost struct {
	Root, Path string
	Item       item
}

// keptItem is one thing in the document of an occasion.
type keptItem struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Mode string `json:"mode,omitempty"`
	// Text is the content, or where a link leads; Bytes where it is no text.
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	// Omitted says that the content was too large to be kept.
	Omitted bool `json:"omitted,omitempty"`
}

// keep writes down what was taken away and says where, as the end of a sentence.
func (g *GitGuard) keep(f findings, id string) string {
	var items []keptItem
	budget := maxKept
	for _, l := range f.lost {
		if l.Item.Kind == absent {
			continue
		}
		k := keptItem{Path: filepath.Join(l.Root, filepath.FromSlash(l.Path)), Kind: l.Item.Kind}
		if l.Item.Kind == file {
			k.Mode = fmt.Sprintf("%04o", l.Item.Mode)
		}
		budget -= len(l.Item.Content)
		switch {
		case budget < 0 || l.Item.Kind == large:
			k.Omitted = true
		case utf8.Valid(l.Item.Content):
			k.Text = string(l.Item.Content)
		default:
			k.Bytes = l.Item.Content
		}
		items = append(items, k)
	}
	if len(items) == 0 {
		return ""
	}
	path := filepath.Join(g.Dir, keptDir, id+".json")
	data, err := canon.MarshalIndent(items)
	if err == nil {
		err = durable.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = durable.WriteFile(path, data, 0o600)
	}
	if err != nil {
		return "; what was taken away could not be kept"
	}
	forgetOldest(filepath.Dir(path))
	return fmt.Sprintf("; what was taken away is in %q", path)
}

// forgetOldest keeps the number of occasions bounded.
func forgetOldest(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= keptOccasions {
		return
	}
	age := func(entry os.DirEntry) int64 {
		info, err := entry.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return int(min(1, max(-1, age(a)-age(b)))) })
	for _, entry := range entries[:len(entries)-keptOccasions] {
		_ = os.Remove(filepath.Join(dir, entry.Name()))
	}
}
