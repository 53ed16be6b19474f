package proc_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

func file(t *testing.T, name, text string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStartFaultsSayWhatIsWrong(t *testing.T) {
	outside := file(t, "tool", "#!/bin/sh\n", 0o755)
	base := sandbox.Base()
	missing := sandbox.Base()
	missing.ReadOnly = append(missing.ReadOnly, "/nonexistent/required")
	missing.Required = []string{"/nonexistent/required"}
	ok := proc.Spec{Path: "/bin/true", Timeout: limit}
	with := func(change func(*proc.Spec)) proc.Spec {
		s := ok
		change(&s)
		return s
	}
	at := func(path string) proc.Spec { return with(func(s *proc.Spec) { s.Path = path }) }
	for _, c := range []struct {
		name string
		spec proc.Spec
		code string
		part string
	}{
		{"missing", at("/nonexistent/tool"), proc.CodeMissing, `"/nonexistent/tool"`},
		{"below a file", at("/etc/passwd/tool"), proc.CodeMissing, "does not exist"},
		{"directory", at("/usr"), proc.CodeNotExecutable, "regular file"},
		{"not executable", at(file(t, "plain", "#!/bin/sh\n", 0o644)), proc.CodeNotExecutable, "executed"},
		{"no format", at(file(t, "noise", "\x00\x01\x02", 0o755)), proc.CodeNotExecutable, "format"},
		{"no first line", at(file(t, "bare", "echo x\n", 0o755)), proc.CodeNotExecutable, "format"},
		{"missing interpreter", at(file(t, "script", "#!/nonexistent/sh\n", 0o755)), proc.CodeBadInterpreter, "interpreter"},
		{"relative", at("true"), proc.CodeBadSpec, "absolute"},
		{"relative directory", with(func(s *proc.Spec) { s.Dir = "x" }), proc.CodeBadSpec, "absolute"},
		{"missing directory", with(func(s *proc.Spec) { s.Dir = "/nonexistent/dir" }), proc.CodeDirMissing, "/nonexistent/dir"},
		{"no deadline", with(func(s *proc.Spec) { s.Timeout = 0 }), proc.CodeBadSpec, "time limit"},
		{"NUL in argument", with(func(s *proc.Spec) { s.Args = []string{"a\x00b"} }), proc.CodeBadSpec, `"a\x00b"`},
		{"NUL in name", with(func(s *proc.Spec) { s.Argv0 = "\x00" }), proc.CodeBadSpec, "NUL"},
		{"NUL in environment", with(func(s *proc.Spec) { s.Env = []string{"TOKEN=very\x00secret"} }), proc.CodeBadSpec, "TOKEN"},
		{"too long", with(func(s *proc.Spec) { s.Args = []string{strings.Repeat("x", 4<<20)} }), proc.CodeArgsTooLong, "longer"},
		{"outside the sandbox", with(func(s *proc.Spec) { s.Path = outside; s.Profile = &base }), proc.CodeOutsideSandbox, "sandbox"},
		{"missing in the sandbox", with(func(s *proc.Spec) { s.Path = "/nonexistent/tool"; s.Profile = &base }), proc.CodeMissing, "exist"},
		{"missing path of the profile", with(func(s *proc.Spec) { s.Profile = &missing }), sandbox.CodePathMissing, "/nonexistent/required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := proc.Run(t.Context(), c.spec)
			f, ok := errors.AsType[*fault.Error](err)
			if !ok {
				t.Fatalf("%v is no fault", err)
			}
			if f.Code != c.code || !strings.Contains(f.Message, c.part) {
				t.Fatalf("%s: %s", f.Code, f.Message)
			}
			if f.Hint == "" && c.code != proc.CodeBadSpec {
				t.Fatal("no hint")
			}
			if strings.Contains(f.Message+f.Hint, "secret") || strings.HasSuffix(f.Message, ".") {
				t.Fatalf("message: %s", f.Message)
			}
		})
	}
}

func TestProgramThatIsStillBeingWrittenIsTriedAgain(t *testing.T) {
	path := file(t, "tool", "#!/bin/sh\nexit 4\n", 0o755)
	binary := filepath.Join(t.TempDir(), "true")
	data, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, data, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, binary} {
		writer, err := os.OpenFile(p, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := proc.Run(t.Context(), proc.Spec{Path: p, Timeout: limit}); !fault.Is(err, proc.CodeBusy) {
			t.Fatalf("while it is written: %v", err)
		}
		time.AfterFunc(5*time.Millisecond, func() { writer.Close() })
		if _, err := proc.Run(t.Context(), proc.Spec{Path: p, Timeout: limit}); err != nil && !fault.Is(err, proc.CodeBusy) {
			t.Fatalf("after it was written: %v", err)
		}
		writer.Close()
		if _, err := proc.Run(t.Context(), proc.Spec{Path: p, Timeout: limit}); err != nil {
			t.Fatalf("closed: %v", err)
		}
	}
}

func TestNothingLeaksFromFailedStarts(t *testing.T) {
	before := descriptors(t)
	base := sandbox.Base()
	for range 20 {
		for _, p := range []*sandbox.Profile{nil, &base} {
			if _, err := proc.Run(t.Context(), proc.Spec{Path: "/nonexistent", Timeout: limit, Profile: p, Stdin: strings.NewReader("x")}); err == nil {
				t.Fatal("no error")
			}
			if _, err := proc.Run(t.Context(), proc.Spec{Path: "/bin/true", Timeout: limit, Profile: p, Stdin: strings.NewReader("x")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if after := descriptors(t); after > before {
		t.Fatalf("%d descriptors before, %d after", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
