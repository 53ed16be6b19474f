package git

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOnlyRegularFilesOfABoundedLengthAreRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("file"), []byte("12345678"), 0o600))
	must(os.Symlink("file", at("link")))
	must(os.Symlink("/dev/zero", at("zero")))
	must(os.Symlink("/dev/null", at("null")))
	must(os.Mkdir(at("folder"), 0o700))
	must(syscall.Mkfifo(at("pipe"), 0o600))
	must(os.WriteFile(at("holes"), nil, 0o600))
	must(os.Truncate(at("holes"), 1<<40))
	for name, want := range map[string]error{
		"file": nil, "link": nil, "null": nil, "zero": ErrNotPlain, "folder": ErrNotPlain, "pipe": ErrNotPlain,
		"holes": ErrTooLong, "absent": os.ErrNotExist,
	} {
		data, err := ReadPlain(at(name), 8)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && name != "null" && string(data) != "12345678" {
			t.Errorf("%s: %q", name, data)
		}
	}
	if _, err := ReadPlain(at("file"), 7); !errors.Is(err, ErrTooLong) {
		t.Errorf("a byte too many: %v", err)
	}
}
