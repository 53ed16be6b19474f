package snapshot

import (
	"slices"
	"strings"
	"testing"
)

// seedIndex is an index of one entry, in version 2, and of two in version 4, with
// checksums that were not made.
var seedIndexes = []string{
	"DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + strings.Repeat("\x00", 24) + "\x00\x00\x81\xa4" + strings.Repeat("\x00", 12) +
		strings.Repeat("a", 20) + "\x00\x01x\x00" + strings.Repeat("\x00", 20),
	"DIRC\x00\x00\x00\x04\x00\x00\x00\x02" + strings.Repeat("\x00", 40) + strings.Repeat("a", 20) + "\x00\x02\x00xy\x00" +
		strings.Repeat("\x00", 40) + strings.Repeat("b", 20) + "\x40\x02\x20\x00\x01z\x00" + strings.Repeat("\x00", 20),
	"DIRC\x00\x00\x00\x02\x00\x00\x00\x00link\x00\x00\x00\x00" + strings.Repeat("\x00", 20),
	"DIRC\x00\x00\x00\x02\xff\xff\xff\xff" + strings.Repeat("\x00", 20),
}

func FuzzIndex(f *testing.F) {
	for _, seed := range seedIndexes {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, wide bool) {
		size := 20
		if wide {
			size = 32
		}
		x, err := parseIndex(data, size)
		if err != nil {
			return
		}
		for _, e := range x.entries {
			if len(e.id) != size || strings.IndexByte(e.path, 0) >= 0 {
				t.Fatalf("%+v", e)
			}
		}
		if again, err := parseIndex(data, size); err != nil || again.sum != x.sum {
			t.Fatal("read twice, it is another one", err)
		}
	})
}

func TestIndexSeedsAreRead(t *testing.T) {
	x, err := parseIndex([]byte(seedIndexes[0]), 20)
	if err != nil || len(x.entries) != 1 || x.entries[0].path != "x" || x.entries[0].mode != 0o100644 {
		t.Errorf("%+v %v", x, err)
	}
	x, err = parseIndex([]byte(seedIndexes[1]), 20)
	if err != nil || len(x.entries) != 2 || x.entries[1].path != "xz" || x.entries[1].flags != flagIntended {
		t.Errorf("%+v %v", x, err)
	}
	for _, seed := range seedIndexes[2:] {
		if _, err := parseIndex([]byte(seed), 20); err == nil {
			t.Errorf("%q was read", seed)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"[core]\n\thooksPath = \"a b\" ; c\n", "[a \"b\\\"c\"] d=e\\\n f\n[x.Y]\nz", "[include]path=~/x#y", "\ufeff[a]\nb = c \\\\ \n", "[", "[a\"", "=\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range parseConfig(text) {
			if !strings.Contains(s.key, ".") {
				t.Fatalf("%+v", s)
			}
		}
	})
}

func TestConfigurationIsReadAsGitReadsIt(t *testing.T) {
	got := parseConfig("\ufeff[Core]\n\tHooksPath = \"a b\"  c ; comment\n[IncludeIf \"gitdir:X/\"] path = x\\\ny\n# no\n[a.B]\nflag\n[d \"e\\\"f\"]\nk = \"q;\" # z\n")
	want := []setting{
		{"core.hookspath", "a b  c"}, {"includeif.gitdir:X/.path", "xy"}, {"a.b.flag", "true"}, {`d.e"f.k`, "q;"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func FuzzMemory(f *testing.F) {
	s := &Snapshot{git: &gitState{}, files: &tree{nodes: map[string]*node{"": {entries: []entry{
		{name: "a", kind: Regular, settled: true, size: 1, ctime: -1}, {name: "b", kind: Link, settled: true, link: "a"}, {name: "c", kind: Directory},
	}}}}}
	f.Add(encodeMemory(s, "x")[len(memoryMagic):])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		d := decoder{rest: string(data)}
		_ = d.text()
		_ = d.text()
		if tree := d.tree(); tree != nil && d.bad {
			return
		}
	})
}

func TestMemoryIsKeptWhole(t *testing.T) {
	entries := []entry{
		{name: "a", kind: Regular, settled: true, mode: 0o4755, uid: 1, gid: 2, dev: 3, ino: 1 << 60, size: 1 << 40, mtime: -5, ctime: 7, sum: [32]byte{9}},
		{name: "b", kind: Link, settled: true, link: "a\xff"},
		{name: "c"},
	}
	s := &Snapshot{signature: "sig", rests: true, git: &gitState{}, files: &tree{nodes: map[string]*node{"": {entries: entries}, "d": {path: "d"}}}}
	s.git.trees[1] = &tree{nodes: map[string]*node{"": {entries: entries[:1]}}}
	got, err := decodeMemory(encodeMemory(s, "here"), "here")
	if err != nil {
		t.Fatal(err)
	}
	if got.signature != "sig" || !slices.Equal(got.files.nodes[""].entries, entries) || got.files.nodes["d"] == nil ||
		got.git.trees[0] != nil || !slices.Equal(got.git.trees[1].nodes[""].entries, entries[:1]) {
		t.Errorf("%+v", got)
	}
	if _, err := decodeMemory(encodeMemory(s, "here"), "there"); err == nil {
		t.Error("a memory of another place was read")
	}
}
