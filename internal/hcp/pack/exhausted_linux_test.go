package pack_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// A machine that has no descriptor left says nothing about the pack.
func TestRunningOutOfFilesIsNotThePacksFault(t *testing.T) {
	dir := t.TempDir()
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = min(was.Cur, 256)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	var open []*os.File
	defer func() {
		for _, f := range open {
			_ = f.Close()
		}
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &was)
	}()
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		open = append(open, f)
	}
	_, err := pack.Load(dir)
	if f := fault.From(err); f.Code != pack.CodeManyFiles || f.Hint == "" {
		t.Errorf("%s: %v, hint %q", f.Code, f, f.Hint)
	}
	// One descriptor for the folder, none for what is in it.
	if err := os.WriteFile(dir+"/surface.json", nil, 0o600); err == nil {
		t.Error("there was a descriptor left")
	}
	_ = open[0].Close()
	open = open[1:]
	if err := os.WriteFile(dir+"/surface.json", []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = pack.Load(dir)
	if f := fault.From(err); f.Code != pack.CodeManyFiles {
		t.Errorf("%s: %v", f.Code, f)
	}
}
