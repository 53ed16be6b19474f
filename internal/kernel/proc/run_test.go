package proc_test

import (
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// limit is a liveness bound: a run that takes as long hangs.
const limit = time.Minute

func shell(script string) proc.Spec {
	return proc.Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Timeout: limit}
}

func mustRun(t *testing.T, s proc.Spec) proc.Result {
	t.Helper()
	r, err := proc.Run(t.Context(), s)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	return r
}

func TestOutputsAndExitCodeComeBack(t *testing.T) {
	s := shell("echo out; echo err >&2; exit 7")
	p := sandbox.Base()
	for name, profile := range map[string]*sandbox.Profile{"unconfined": nil, "confined": &p} {
		s.Profile = profile
		r := mustRun(t, s)
		if r.ExitCode != 7 || r.Signal != "" || string(r.Stdout.Head) != "out\n" || string(r.Stderr.Head) != "err\n" {
			t.Fatalf("%s: %+v %s", name, r, r.Stderr.Head)
		}
	}
}

func TestStdinIsFedToTheEnd(t *testing.T) {
	s := shell("wc -c")
	s.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	if r := mustRun(t, s); strings.TrimSpace(string(r.Stdout.Head)) != "1048576" {
		t.Fatalf("%+v", r)
	}
}

func TestConfinedChildReachesWhatIsGrantedOnly(t *testing.T) {
	work, outside := t.TempDir(), t.TempDir()
	p, err := sandbox.ForTool(sandbox.Tool{Executable: "/bin/sh", ReadWrite: []string{work}})
	if err != nil {
		t.Fatal(err)
	}
	s := shell(`echo in > "$1/f" && cat "$1/f"; echo out > "$2/f"; ls "$2"; cat /etc/shadow; echo end`)
	s.Args = append(s.Args, "sh", work, outside)
	s.Profile = &p
	r := mustRun(t, s)
	if string(r.Stdout.Head) != "in\nend\n" || strings.Count(string(r.Stderr.Head), "denied") != 3 {
		t.Fatalf("stdout %q stderr %q", r.Stdout.Head, r.Stderr.Head)
	}
}
