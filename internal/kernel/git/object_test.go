package git

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bridle/internal/kernel/fault"
)

var formats = []Format{SHA1, SHA256}

// bothFormats runs a test on an empty repository of each format.
func bothFormats(t *testing.T, lines string, test func(t *testing.T, r *Repository, dir string)) {
	for _, f := range formats {
		t.Run(f.String(), func(t *testing.T) {
			r, dir := made(t, "git init -q -b main --object-format="+f.String()+" repo && cd repo\n"+lines)
			if r.Format() != f {
				t.Fatalf("format = %s", r.Format())
			}
			test(t, r, filepath.Join(dir, "repo"))
		})
	}
}

func TestNewObjectsAreGitsOwn(t *testing.T) {
	for _, count := range []int{1, maxLoose + 30} {
		bothFormats(t, "", func(t *testing.T, r *Repository, dir string) {
			b := r.NewBatch()
			var entries []Entry
			for i := range count {
				text := fmt.Sprintf("content %d\n", i)
				id := b.Blob([]byte(text))
				entries = append(entries, Entry{ModeFile, fmt.Sprintf("file-%d", i), id})
				if want := one(t, dir, fmt.Sprintf("echo content %d | git hash-object --stdin", i)); string(id) != want {
					t.Fatalf("id %s, git says %s", id, want)
				}
			}
			sub := b.Tree(entries)
			top := b.Tree([]Entry{{ModeTree, "file", sub}, {ModeExec, "file.x", entries[0].ID}, {ModeLink, "a\nb\xff", entries[0].ID}})
			when := time.Date(2026, 3, 1, 1, 2, 3, 0, time.FixedZone("", -5400))
			commit := b.Commit(Commit{Tree: top, Author: Signature{"Ä", "a@example.org", when}, Committer: Signature{"", "c@example.org", time.Time{}}, Message: "first\n\nmore\n"})
			second := b.Commit(Commit{Tree: top, Parents: []OID{commit}, Author: Signature{"a", "a@example.org", when}, Committer: Signature{"a", "a@example.org", when}, Extra: []Header{{"x-note", "one\ntwo"}}, Message: "m"})
			ok(t, b.Flush(t.Context()))
			sound(t, dir)
			if got := one(t, dir, "git ls-tree -r "+string(second)+" | wc -l"); got != fmt.Sprint(count+2) {
				t.Errorf("git lists %s files", got)
			}
			if got := one(t, dir, "git log -1 --format=%an:%ae:%ai:%cn:%ci "+string(commit)); got != "Ä:a@example.org:2026-03-01 01:02:03 -0130::2026-03-01 12:00:00 +0000" {
				t.Errorf("git shows %q", got)
			}
			read, err := r.Commit(t.Context(), second)
			ok(t, err)
			if read.Tree != top || !slices.Equal(read.Parents, []OID{commit}) || !read.Author.When.Equal(when) || len(read.Extra) != 1 || read.Extra[0].Value != "one\ntwo" || read.Message != "m" {
				t.Errorf("commit = %+v", read)
			}
			if missing, err := r.Exists(t.Context(), second, top, sub); err != nil || len(missing) != 0 {
				t.Errorf("missing %v, %v", missing, err)
			}
		})
	}
}

func TestWhatIsThereIsNotWrittenAgain(t *testing.T) {
	bothFormats(t, "echo a > a; git add a; git commit -qm a; git gc -q", func(t *testing.T, r *Repository, dir string) {
		before := script(t, dir, "find .git/objects -type f | sort")
		b := r.NewBatch()
		b.Blob([]byte("a\n"))
		ok(t, b.Flush(t.Context()))
		if after := script(t, dir, "find .git/objects -type f | sort"); !slices.Equal(before, after) {
			t.Errorf("objects %v became %v", before, after)
		}
	})
}

func TestWhatIsUsedAgainIsMadeYoung(t *testing.T) {
	r, dir := made(t, "git init -q repo; cd repo; echo packed > p; git add p; git commit -qm p; git repack -qad; echo loose | git hash-object -w --stdin; find .git/objects -type f -exec touch -d 2001-01-01 {} +")
	age := func() []string {
		return script(t, dir, "find repo/.git/objects -name '*.pack' -newermt 2020-01-01 | wc -l; find repo/.git/objects -type f -path '*/??/*' -newermt 2020-01-01 | wc -l")
	}
	if got := age(); strings.Join(got, " ") != "0 0" {
		t.Fatalf("young files: %q", got)
	}
	b := r.NewBatch()
	b.Blob([]byte("packed\n"))
	b.Blob([]byte("loose\n"))
	ok(t, b.Flush(t.Context()))
	if got := age(); strings.Join(got, " ") != "1 1" {
		t.Errorf("young files: %q", got)
	}
}

func TestObjectsAreReadAsGitReadsThem(t *testing.T) {
	// A history whose packs have deltas, by offset and by name, and which borrows.
	lines := `
seq 1 3000 > big; for i in 1 2 3 4 5; do echo "line $i" >> big; echo $i > f$i; mkdir -p d/$i; cp big d/$i/copy$i; git add -A; git commit -qm "c $i"; done
git tag -a -m tag v1
git repack -q -adf --depth=50 --window=50
echo late > late; git add late; git commit -qm late`
	bothFormats(t, lines, func(t *testing.T, r *Repository, dir string) {
		check := func(r *Repository, dir string) {
			t.Helper()
			for _, line := range script(t, dir, "git cat-file --batch-all-objects --batch-check") {
				id, rest, _ := strings.Cut(line, " ")
				kind, data, err := r.Object(t.Context(), OID(id))
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if got := fmt.Sprintf("%s %d", kind, len(data)); got != rest {
					t.Errorf("%s: %s, git says %s", id, got, rest)
				}
			}
		}
		check(r, dir)
		script(t, dir, "git clone -q --shared . ../borrower")
		check(opened(t, filepath.Join(dir, "../borrower"), Options{}), filepath.Join(dir, "../borrower"))
		script(t, dir, "git -c repack.useDeltaBaseOffset=false repack -q -adf; git -c pack.indexVersion=1 repack -q -adf")
		check(opened(t, dir, Options{}), dir)
		// The repository that is already open follows what others repack.
		check(r, dir)
	})
}

func TestTreesAreReadAsGitListsThem(t *testing.T) {
	bothFormats(t, `
mkdir -p a/b 'sp ace'; echo 1 > a/b/c; echo 2 > a.b; echo 3 > a-b; ln -s nowhere link; echo 4 > x; chmod +x x; printf 5 > "$(printf 'n\nl\377')"
git add -A; git commit -qm one`, func(t *testing.T, r *Repository, dir string) {
		head, err := r.Head(t.Context())
		ok(t, err)
		entries, err := r.Tree(t.Context(), head.Commit)
		ok(t, err)
		var got bytes.Buffer
		for _, e := range entries {
			kind := "blob"
			if e.IsTree() {
				kind = "tree"
			}
			fmt.Fprintf(&got, "%06o %s %s\t%s\x00", e.Mode, kind, e.ID, e.Name)
		}
		script(t, dir, "git ls-tree -z HEAD > ../listing")
		if want := content0(t, filepath.Join(dir, "../listing")); got.String() != want {
			t.Errorf("%q\ngit says\n%q", got.String(), want)
		}
	})
}

func content0(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	ok(t, err)
	return string(data)
}

func TestTreesThatWouldAttackAreNotMade(t *testing.T) {
	id := SHA1.ID(KindBlob, nil)
	for _, entries := range [][]Entry{
		{{ModeFile, "", id}},
		{{ModeFile, ".", id}},
		{{ModeFile, "..", id}},
		{{ModeFile, "a/b", id}},
		{{ModeFile, "a\x00b", id}},
		{{ModeFile, ".git", id}},
		{{ModeTree, ".GIT", id}},
		{{ModeFile, "git~1", id}},
		{{ModeFile, ".git.", id}},
		{{ModeFile, ".git ", id}},
		{{ModeFile, ".git::$INDEX_ALLOCATION", id}},
		{{ModeFile, ".g\u200cit", id}},
		{{ModeFile, "a", id}, {ModeFile, "a", id}},
		{{ModeFile, "a", id}, {ModeFile, "a.b", id}, {ModeTree, "a", id}},
		{{0o100666, "a", id}},
		{{ModeFile, "a", "xyz"}},
		{{ModeFile, "a", SHA1.Zero()}},
	} {
		if _, err := encodeTree(SHA1, entries); err == nil {
			t.Errorf("%v was made", entries)
		}
	}
	for _, name := range []string{"git", ".gitignore", ".gitmodules", "a.git", ".github", "git~2", "ä", "\xff"} {
		if _, err := encodeTree(SHA1, []Entry{{ModeFile, name, id}}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestABatchTellsWhatItCouldNotMake(t *testing.T) {
	r, _ := made(t, "git init -q repo")
	b := r.NewBatch()
	if id := b.Tree([]Entry{{ModeFile, "..", "x"}}); id != "" {
		t.Errorf("id = %s", id)
	}
	wantCode(t, b.Flush(t.Context()), CodeBadObject)
	for _, c := range []Commit{
		{Tree: "x"},
		{Author: Signature{"a\nb", "x", noon}},
		{Author: Signature{"a<b", "x", noon}},
		{Message: "a\x00b"},
		{Extra: []Header{{"a b", "c"}}},
	} {
		if c.Tree == "" {
			c.Tree = SHA1.EmptyTree()
		}
		if c.Author == (Signature{}) {
			c.Author = Signature{"a", "a", noon}
		}
		c.Committer = Signature{"a", "a", noon}
		b := r.NewBatch()
		if id := b.Commit(c); id != "" || b.Flush(t.Context()) == nil {
			t.Errorf("%+v was made", c)
		}
	}
}

func TestMissingAndDamagedObjectsAreSaid(t *testing.T) {
	bothFormats(t, "echo a > a; git add a; git commit -qm a", func(t *testing.T, r *Repository, dir string) {
		id := r.Format().ID(KindBlob, []byte("a\n"))
		_, err := r.Blob(t.Context(), r.Format().ID(KindBlob, []byte("other")))
		wantCode(t, err, CodeMissingObject)
		_, err = r.Blob(t.Context(), "zz")
		wantCode(t, err, CodeBadID)
		_, err = r.Commit(t.Context(), id)
		wantCode(t, err, CodeBadObject)
		path := loosePath(filepath.Join(dir, ".git/objects"), id)
		good := content0(t, path)
		ok(t, os.Chmod(path, 0o644))
		other, err := deflate(nil, []byte("blob 2\x00b\n"))
		ok(t, err)
		for _, bad := range []string{good[:len(good)-3], "", "hello", string(other), good + "x"} {
			ok(t, os.WriteFile(path, []byte(bad), 0o644))
			_, err := r.Blob(t.Context(), id)
			if bad == good+"x" {
				continue // git, too, reads no further than the end of the stream
			}
			if !fault.Is(err, CodeCorrupt) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		// An empty file, as a crash leaves it, does not keep the object away for ever.
		ok(t, os.WriteFile(path, nil, 0o644))
		b := r.NewBatch()
		b.Blob([]byte("a\n"))
		ok(t, b.Flush(t.Context()))
		if data, err := r.Blob(t.Context(), id); err != nil || string(data) != "a\n" {
			t.Errorf("%q, %v", data, err)
		}
	})
}

func TestCommitsComeBackAsTheyWere(t *testing.T) {
	id := SHA1.EmptyTree()
	for _, c := range []Commit{
		{Tree: id, Message: ""},
		{Tree: id, Message: "\n\n"},
		{Tree: id, Message: "no end", Parents: []OID{id, id}},
		{Tree: id, Message: "x\n", Extra: []Header{{"gpgsig", "-----BEGIN\n\n x\n-----END"}, {"encoding", "latin1"}}},
	} {
		c.Author, c.Committer = Signature{"A B", "a@b", noon}, Signature{"", "c@d", noon.In(time.FixedZone("+0530", 19800))}
		data, err := encodeCommit(SHA1, c)
		ok(t, err)
		back, err := decodeCommit(SHA1, data)
		ok(t, err)
		again, err := encodeCommit(SHA1, back)
		ok(t, err)
		if !bytes.Equal(data, again) {
			t.Errorf("%q became %q", data, again)
		}
		if back.Message != c.Message || !cmp.Equal(back.Extra, c.Extra) || !slices.Equal(back.Parents, c.Parents) {
			t.Errorf("%+v became %+v", c, back)
		}
	}
}

func FuzzTree(f *testing.F) {
	good, err := encodeTree(SHA1, []Entry{{ModeFile, "a", SHA1.EmptyTree()}, {ModeTree, "b", SHA1.EmptyTree()}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("100644 a\x00short"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := decodeTree(SHA1, data)
		if err != nil {
			return
		}
		back, err := encodeTree(SHA1, entries)
		if err != nil {
			return // git never made it
		}
		again, err := decodeTree(SHA1, back)
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%q became %q", data, back)
		}
	})
}

func FuzzCommit(f *testing.F) {
	data, err := encodeCommit(SHA1, Commit{Tree: SHA1.EmptyTree(), Author: Signature{"a", "b", noon}, Committer: Signature{"a", "b", noon}, Message: "x"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("tree x\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeCommit(SHA1, data)
		if err == nil && SHA1.Check(c.Tree) != nil {
			t.Fatalf("%q has the tree %q", data, c.Tree)
		}
	})
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte("0123456789"), []byte("\x0a\x03\x91\x02\x03"))
	f.Add([]byte(""), []byte("\x00\x00"))
	f.Fuzz(func(_ *testing.T, base, delta []byte) { _, _ = applyDelta(base, delta) })
}

func FuzzPackIndex(f *testing.F) {
	s := &store{format: SHA1}
	index, err := s.indexOf([]packedObject{{id: SHA1.EmptyTree().raw(), offset: 12}}, make([]byte, 20))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(index)
	f.Add(index[:100])
	f.Fuzz(func(_ *testing.T, data []byte) {
		x, err := parsePackIndex(SHA1, data)
		if err != nil {
			return
		}
		if n, ok := x.find(SHA1.EmptyTree().raw()); ok {
			x.offset(n)
		}
		for n := range min(x.count, 10) {
			x.offset(n)
		}
	})
}
