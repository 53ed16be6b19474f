package git

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// The first names of an index are read in every form that git writes it in.
func TestTheFirstStagedPathsAreRead(t *testing.T) {
	for _, objects := range []string{"sha1", "sha256"} {
		for _, form := range []string{
			"git update-index --index-version 2", "git update-index --index-version 4", "git add -N zz && git update-index --skip-worktree b/c",
			"git update-index --split-index", "git update-index --split-index && echo x > aa && git add aa && git rm -q --cached aa",
		} {
			dir := real(t, t.TempDir())
			script(t, dir, "git init -q --object-format="+objects+" .; mkdir b; for f in a b/c b/d x y z; do echo $f > $f; done; echo > zz; git add a b x y z; "+form)
			repo := opened(t, dir, Options{})
			w := worktree(t, repo)
			var got []string
			ok(t, w.StagedBefore(context.Background(), "x", func(path string) bool { got = append(got, path); return true }))
			if want := []string{"a", "b/c", "b/d"}; !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q", objects, form, got)
			}
			got = nil
			ok(t, w.StagedBefore(context.Background(), "x", func(path string) bool { got = append(got, path); return false }))
			if want := []string{"a"}; !slices.Equal(got, want) {
				t.Errorf("%s, %s: it went on to %q", objects, form, got)
			}
		}
	}
}

func TestNoIndexHasNoStagedPaths(t *testing.T) {
	dir := real(t, t.TempDir())
	script(t, dir, "git init -q .")
	repo := opened(t, dir, Options{})
	w := worktree(t, repo)
	for _, text := range []string{"", "DIRC", "DIRC\x00\x00\x00\x09\x00\x00\x00\x01", "DIRC\x00\x00\x00\x04\x00\x00\x00\x09" + strings.Repeat("\xff", 400)} {
		ok(t, os.WriteFile(filepath.Join(w.GitDir(), "index"), []byte(text), 0o600))
		ok(t, w.StagedBefore(context.Background(), "x", func(path string) bool { t.Errorf("%q has the path %q", text, path); return true }))
	}
}

// Both readers of an index name the same paths, whatever its bytes are.
func FuzzFirstStagedPaths(f *testing.F) {
	for _, format := range formats {
		data := encodeIndex(sampleIndex(format))
		f.Add(data, format == SHA256)
		f.Add(data[:len(data)/2], format == SHA256)
	}
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		format := SHA1
		if long {
			format = SHA256
		}
		x, err := parseIndex(format, data)
		if err != nil {
			x = nil
		}
		paths := firstPaths{in: bufio.NewReader(bytes.NewReader(data)), size: format.Size()}
		n := 0
		for paths.next() {
			if x != nil && (n >= len(x.entries) || x.entries[n].path != paths.path) {
				t.Fatalf("path %d is %q", n, paths.path)
			}
			n++
		}
		if x != nil && n != len(x.entries) {
			t.Fatalf("%d of %d paths", n, len(x.entries))
		}
	})
}

func TestTheDisksTroubleIsToldApartFromOthers(t *testing.T) {
	for said, want := range map[string]string{
		"error: file write error: No space left on device\nfatal: unable to write":           durable.CodeDiskFull,
		"fatal: write error: Disk quota exceeded":                                            durable.CodeDiskFull,
		"fatal: Unable to create '/x/.git/index.lock': Read-only file system":                durable.CodeReadOnly,
		"fatal: cannot read: Input/output error":                                             durable.CodeIO,
		"error: insufficient permission for adding an object to repository database objects": durable.CodeNotPermitted,
		"remote: fatal: write error: No space left on device\nfatal: the remote end hung up": "",
		"fatal: Unable to create '/x/.git/refs/hop.lock': Permission denied":                 durable.CodeNotPermitted,
		"fatal: fsck error in packed object":                                                 "",
		"user@host: Permission denied (publickey).":                                          "",
	} {
		if code, hint := diskTrouble([]byte(said)); code != want || (code == "") != (hint == "") {
			t.Errorf("%q: %q, hint %q", said, code, hint)
		}
	}
}

// An index that cannot be moved is told from one that holds somebody's change.
func TestAnIndexThatIsNotMovedSaysWhy(t *testing.T) {
	ctx := context.Background()
	dir := real(t, t.TempDir())
	out := script(t, dir, `
git init -q . && echo 1 > a && echo 1 > b && git add a b && git commit -q -m one && git rev-parse HEAD
echo 2 > a && git commit -q -a -m two && git rev-parse HEAD && git reset -q --hard HEAD~1`)
	repo := opened(t, dir, Options{})
	w := worktree(t, repo)
	script(t, dir, "echo 3 > a && git add a")
	if f := wantCode(t, w.MoveIndex(ctx, OID(out[0]), OID(out[1])), CodeStaged); !strings.Contains(f.Message, `"a"`) {
		t.Error(f.Message)
	}
	script(t, dir, "git reset -q --hard && echo 3 > b && git add b && touch .git/index.lock")
	if err := w.MoveIndex(ctx, OID(out[0]), OID(out[1])); !fault.Is(err, CodeFailed) || !strings.Contains(err.Error(), "index.lock") {
		t.Error(err)
	}
	script(t, dir, "rm .git/index.lock")
	ok(t, w.MoveIndex(ctx, OID(out[0]), OID(out[1])))
}
