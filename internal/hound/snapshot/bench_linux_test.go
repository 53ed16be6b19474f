package snapshot_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/internal/hound/snapshot"
	"bridle/internal/kernel/git"
)

// populate makes a repository of so many files, 40 in a directory: nine of ten
// tracked, the others ignored or untracked, of 3.3 kB on average.
func populate(b *testing.B, count int) *repo {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	program, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("0123456789abcdef\n", 4096)
	for i := range count {
		folder := filepath.Join(dir, fmt.Sprintf("d%02d", i/40%50), fmt.Sprintf("e%04d", i/40))
		if i%40 == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		name := fmt.Sprintf("file%05d.txt", i)
		switch i % 20 {
		case 7:
			name = fmt.Sprintf("file%05d.log", i)
		case 13:
			name = fmt.Sprintf("untracked%05d", i)
		}
		size := 200 + i*7919%2400
		if i%16 == 0 {
			size += i * 104729 % 32000
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(fmt.Sprint(i)+text[:size]), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	r := &repo{b, dir, snapshot.Options{Git: program}}
	r.sh(`printf '*.log\n' > .gitignore; git init -q -b main .; git config gc.auto 0; git add .gitignore '*.txt'; git commit -q -m x; git repack -q -ad; git status >/dev/null`)
	return r
}

// BenchmarkReadCall measures what a read call that changes nothing costs beside
// the driver: a snapshot before it with what is remembered, one after it, and
// their comparison. The ratio is to git's own look at the same tree in the same
// round.
func BenchmarkReadCall(b *testing.B) {
	for _, count := range []int{1000, 10000, 50000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			r := populate(b, count)
			r.o.CacheDir = b.TempDir()
			r.take(nil)
			var status, call float64
			for b.Loop() {
				status += milliseconds(func() {
					cmd := exec.Command("git", "--no-optional-locks", "status", "--porcelain=v2", "--ignored")
					cmd.Dir = r.dir
					if err := cmd.Run(); err != nil {
						b.Fatal(err)
					}
				})
				call += milliseconds(func() {
					before := r.take(nil)
					if changes := snapshot.Compare(before, r.take(before)); len(changes) != 0 {
						b.Fatal(changes)
					}
				})
			}
			b.ReportMetric(status/float64(b.N), "git-ms")
			b.ReportMetric(call/float64(b.N), "call-ms")
			b.ReportMetric(call/status, "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkParanoid measures two full hashes.
func BenchmarkParanoid(b *testing.B) {
	r := populate(b, 10000)
	r.o.Paranoid = true
	for b.Loop() {
		r.take(nil)
	}
}

func milliseconds(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start)) / float64(time.Millisecond)
}
