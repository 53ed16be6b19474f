package hcpruntime

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"bridle/hcp"
)

// The two benchmarks run the same child: BenchmarkBare starts it as Go's
// standard library does, BenchmarkExec as a command of a pack, through the
// pipeline, in the sandbox, with its output parsed and audited.
//
//	go test ./hcp/runtime -run - -bench 'Bare|Exec' -count 10

const benchScript = `echo '{"ok":true}'`

func BenchmarkBare(b *testing.B) {
	root := writePack(b, b.TempDir(), "tool", packOptions{}, verb{key: "x", script: benchScript})
	for b.Loop() {
		if out, err := exec.Command(filepath.Join(root, "bin", "tool"), "x").Output(); err != nil || len(out) == 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkExec(b *testing.B) {
	root := writePack(b, b.TempDir(), "tool", packOptions{}, verb{key: "x", script: benchScript})
	r := open(b, Options{PackDirs: []string{root}, StateDir: b.TempDir()})
	benchExec(b, r)
}

func BenchmarkExecInProject(b *testing.B) {
	root := writePack(b, b.TempDir(), "tool", packOptions{workspace: "project"}, verb{key: "x", script: benchScript})
	project := b.TempDir()
	if out, err := exec.Command("git", "init", "-q", project).CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	r := open(b, Options{PackDirs: []string{root}, StateDir: b.TempDir(), ProjectDir: project})
	benchExec(b, r)
}

func benchExec(b *testing.B, r *Runtime) {
	b.Helper()
	ctx := b.Context()
	// A file that was just written is read again on every call: its times could
	// not show a second change.
	time.Sleep(3 * time.Second)
	for b.Loop() {
		if got := r.Exec(ctx, "tool", "x", hcp.Args{}); !got.OK || string(got.Result) != `{"ok":true}` {
			b.Fatalf("%+v", got)
		}
	}
}
