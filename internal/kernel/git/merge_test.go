package git

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// files is a tree as a map from paths to contents.
type files map[string]string

// plant stores a tree.
func plant(t *testing.T, r *Repository, f files) OID {
	t.Helper()
	b := r.NewBatch()
	var changes []Change
	for path, text := range f {
		changes = append(changes, Change{Path: path, NewMode: ModeFile, NewID: b.Blob([]byte(text))})
	}
	id, err := b.Edit(t.Context(), "", changes)
	ok(t, err)
	ok(t, b.Flush(t.Context()))
	return id
}

// vary changes a tree at random.
func vary(r *rand.Rand, f files) files {
	f = maps.Clone(f)
	paths := slices.Sorted(maps.Keys(f))
	for range 1 + r.IntN(3) {
		path := paths[r.IntN(len(paths))]
		switch r.IntN(6) {
		case 0:
			delete(f, path)
		case 1: // a rename
			if text, there := f[path]; there {
				delete(f, path)
				add(f, "moved/"+strings.ReplaceAll(path, "/", "-"), text)
			}
		case 2:
			add(f, fmt.Sprintf("new%d", r.IntN(4)), "new")
		case 3:
			add(f, fmt.Sprintf("new%d/in", r.IntN(4)), "new")
		case 4:
			add(f, fmt.Sprintf("d%d/new%d", r.IntN(3), r.IntN(9)), "new")
		default:
			if text, there := f[path]; there {
				f[path] = fmt.Sprintf("%schanged %d\n", text, r.IntN(100))
			}
		}
	}
	return f
}

// add puts a file in, unless a folder is in its place or a file in a folder's.
func add(f files, path, text string) {
	for other := range f {
		if strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
			return
		}
	}
	f[path] = text
}

func TestSidesThatAreApartMergeAsGitMergesThem(t *testing.T) {
	r, _ := made(t, "git init -q repo")
	rnd := rand.New(rand.NewPCG(1, 2))
	base := files{}
	for i := range 12 {
		base[fmt.Sprintf("d%d/f%d", i%3, i)] = strings.Repeat(fmt.Sprintf("line %d\n", i), 9)
	}
	base["top"] = "top\n"
	apart := 0
	for n := range 60 {
		trees := []OID{plant(t, r, base), plant(t, r, vary(rnd, base)), plant(t, r, vary(rnd, base))}
		mine, err := r.Diff(t.Context(), trees[0], trees[1])
		ok(t, err)
		other, err := r.Diff(t.Context(), trees[0], trees[2])
		ok(t, err)
		tree, is, err := r.mergeApart(t.Context(), trees[1], mine, other)
		ok(t, err)
		if !is {
			continue
		}
		apart++
		m, err := r.mergeByGit(t.Context(), trees, append(mine, other...))
		ok(t, err)
		if !m.Clean || m.Tree != tree {
			t.Errorf("round %d: ours %s, git's %+v\nmine %+v\nother %+v", n, tree, m, mine, other)
		}
	}
	if apart < 12 {
		t.Errorf("only %d of the sides are apart", apart)
	}
	sound(t, r.Root())
}

func TestSidesThatMeetAreLeftToGit(t *testing.T) {
	r, _ := made(t, "git init -q repo")
	base := files{"a": "a\n", "d/x": "x\n", "d/y": "y\n"}
	for name, sides := range map[string][2]files{
		"the same path":            {{"a": "1\n", "d/x": "x\n", "d/y": "y\n"}, {"a": "2\n", "d/x": "x\n", "d/y": "y\n"}},
		"a file against a folder":  {{"a": "a\n", "d/x": "x\n", "d/y": "y\n", "n": "1"}, {"a": "a\n", "d/x": "x\n", "d/y": "y\n", "n/m": "2"}},
		"a folder that has moved":  {{"a": "a\n", "e/x": "x\n", "e/y": "y\n"}, {"a": "a\n", "d/x": "x\n", "d/y": "y\n", "d/z": "z\n"}},
		"a change of what is gone": {{"a": "a\n", "d/y": "y\n"}, {"a": "a\n", "d/x": "xx\n", "d/y": "y\n"}},
	} {
		m, err := r.MergeTrees(t.Context(), plant(t, r, base), plant(t, r, sides[0]), plant(t, r, sides[1]))
		ok(t, err)
		if m.Clean || len(m.Conflicts) == 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestEditMakesTheTree(t *testing.T) {
	bothFormats(t, "", func(t *testing.T, r *Repository, dir string) {
		rnd := rand.New(rand.NewPCG(5, 6))
		at := files{"a": "a", "d/e/f": "f", "d/g": "g"}
		for range 25 {
			next := vary(rnd, at)
			if len(next) == 0 {
				next = files{"a": "again"}
			}
			from, to := plant(t, r, at), plant(t, r, next)
			changes, err := r.Diff(t.Context(), from, to)
			ok(t, err)
			b := r.NewBatch()
			got, err := b.Edit(t.Context(), from, changes)
			ok(t, err)
			if got != to {
				t.Errorf("%v to %v by %v: %s, want %s", at, next, changes, got, to)
			}
			at = next
		}
		for _, pair := range [][2]files{
			{{"a/b": "1", "a.b": "2"}, {"a": "1", "a.b": "3"}},
			{{"a": "1", "a.b": "2", "a-": "x"}, {"a/b/c": "1", "a.b": "3"}},
		} {
			for _, p := range [][2]files{pair, {pair[1], pair[0]}} {
				from, to := plant(t, r, p[0]), plant(t, r, p[1])
				changes, err := r.Diff(t.Context(), from, to)
				ok(t, err)
				if got, err := r.NewBatch().Edit(t.Context(), from, changes); err != nil || got != to {
					t.Errorf("%v to %v: %s, %v", p[0], p[1], got, err)
				}
			}
		}
		b := r.NewBatch()
		id := b.Blob(nil)
		if _, err := b.Edit(t.Context(), "", []Change{{Path: "a", NewMode: ModeFile, NewID: id}, {Path: "a/b", NewMode: ModeFile, NewID: id}}); err == nil {
			t.Error("a file is a folder")
		}
		if _, err := b.Edit(t.Context(), "", []Change{{Path: "../b", NewMode: ModeFile, NewID: id}}); err == nil {
			t.Error("a path leads out")
		}
		if got, err := r.NewBatch().Edit(t.Context(), plant(t, r, files{"x/y": "1"}), []Change{{Path: "x/y", OldMode: ModeFile}}); err != nil || got != r.Format().EmptyTree() {
			t.Errorf("%s, %v", got, err)
		}
		sound(t, dir)
	})
}
