package wrap

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"bridle/hcp"
)

// What is there and is no plain file is the user's: a link may lead to what they
// keep elsewhere, and someone reads the pipe.
func TestResultReplacesPlainFilesOnly(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"link":           func(path string) error { return os.Symlink("kept", path) },
		"link to no one": func(path string) error { return os.Symlink("nowhere", path) },
		"folder":         func(path string) error { return os.Mkdir(path, 0o755) },
		"pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.open()
			w.write(filepath.Join(w.project, "kept"), "kept", 0o644)
			at := filepath.Join(w.project, "result")
			if err := make(at); err != nil {
				t.Fatal(err)
			}
			before := w.kindOf(at)
			p := w.toolPack(`echo new > "$2"`, &hcp.Workspace{Mode: hcp.WorkspaceEphemeral}, map[string][]string{"x": {"--output", "result"}})
			out := w.run(w.request(p, "x", nil))
			if out.Failure == nil || out.Failure.Code != CodeBadFile || w.kindOf(at) != before || w.read(filepath.Join(w.project, "kept")) != "kept" {
				t.Fatalf("%+v, %s", out.Failure, w.kindOf(at))
			}
		})
	}
}

// kindOf is what a name is, without following it.
func (w *world) kindOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return err.Error()
	}
	target, _ := os.Readlink(path)
	return info.Mode().String() + " " + target
}
