package hcpruntime

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bridle/hcp"
)

// The benchmarks start the same child in turn: bare, as Go's standard library
// does, and as a command of a pack, through the pipeline, in the sandbox, with
// its output parsed and audited. Taking turns keeps the load of the machine out
// of the ratio, and medians keep out the worst of it.
//
//	go test ./hcp/runtime -run - -bench AgainstBare -benchtime 1000x

func BenchmarkExecAgainstBare(b *testing.B) {
	root := benchPack(b, "")
	againstBare(b, root, open(b, Options{PackDirs: []string{root}, StateDir: b.TempDir()}))
}

func BenchmarkExecInProjectAgainstBare(b *testing.B) {
	root, project := benchPack(b, "project"), b.TempDir()
	if out, err := exec.Command("git", "init", "-q", project).CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	againstBare(b, root, open(b, Options{PackDirs: []string{root}, StateDir: b.TempDir(), ProjectDir: project}))
}

func benchPack(b *testing.B, workspace string) string {
	b.Helper()
	return writePack(b, b.TempDir(), "tool", packOptions{workspace: workspace}, verb{key: "x", script: `echo '{"ok":true}'`})
}

func againstBare(b *testing.B, root string, r *Runtime) {
	b.Helper()
	ctx := b.Context()
	// A file that was just written is read again on every call: its times could
	// not show a second change.
	time.Sleep(3 * time.Second)
	r.Exec(ctx, "tool", "x", hcp.Args{})
	bare, full := make([]time.Duration, 0, b.N), make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for range b.N {
		began := time.Now()
		if _, err := exec.Command(filepath.Join(root, "bin", "tool"), "x").Output(); err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(began))
		began = time.Now()
		if got := r.Exec(ctx, "tool", "x", hcp.Args{}); !got.OK || string(got.Result) != `{"ok":true}` {
			b.Fatalf("%+v", got)
		}
		full = append(full, time.Since(began))
	}
	report := func(name string, at func(n int) int) {
		slices.Sort(bare)
		slices.Sort(full)
		one, other := bare[at(b.N)], full[at(b.N)]
		b.ReportMetric(float64(one.Microseconds()), name+"-bare-µs")
		b.ReportMetric(float64(other.Microseconds()), name+"-exec-µs")
		b.ReportMetric(float64(other)/float64(one), name+"-ratio")
	}
	report("median", func(n int) int { return n / 2 })
	report("best", func(n int) int { return n / 20 })
}
