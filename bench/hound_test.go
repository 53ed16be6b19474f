package bench

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// driverText answers whatever it is asked, and does nothing.
const driverText = `#!/bin/sh
read -r request
echo '{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"completed","data":{}}'
`

const driverManifest = `{"schema_version":"hound.driver.v1","id":"nothing","protocol":"hound.protocol.v1","owner":{"repo":"../tree"},` +
	`"exec":["%s"],"capabilities":{"nothing":{"effect":"read","gate":"none"}}}`

// guarded is a repository of so many files with a driver that does nothing.
type guarded struct {
	hound, git, tree, driver, manifest, cache string
	env                                       []string
}

func guard(b *testing.B, hound string, files int) guarded {
	b.Helper()
	dir, err := filepath.EvalSymlinks(scratch(b))
	if err != nil {
		b.Fatal(err)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		b.Fatal(err)
	}
	g := guarded{
		hound: hound, git: git, tree: filepath.Join(dir, "tree"), driver: filepath.Join(dir, "driver"),
		manifest: filepath.Join(dir, "manifest", "driver.json"), cache: filepath.Join(dir, "cache"),
		env: []string{"HOME=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "PATH=/usr/bin:/bin"},
	}
	for path, text := range map[string]string{g.driver: driverText, g.manifest: fmt.Sprintf(driverManifest, g.driver)} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	plant(b, g.tree, files)
	g.sh(b, `printf '*.log\n' > .gitignore; git init -q -b main .; git config gc.auto 0; git config user.name t; git config user.email t@example.org
		git add .gitignore '*.txt'; git commit -q -m x; git repack -q -ad; git status >/dev/null`)
	return g
}

func (g guarded) sh(b *testing.B, script string) {
	b.Helper()
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Dir, cmd.Env = g.tree, g.env
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}

// plant makes files of 3.3 kB on average, 40 in a folder: nine of ten to be
// tracked, the others ignored or untracked. They are older than the index will be:
// files of the second in which it is written are read again at every look of git's
// that may not write it, and whether that second is over by then is chance.
func plant(b *testing.B, root string, count int) {
	b.Helper()
	text := strings.Repeat("0123456789abcdef\n", 4096)
	old := time.Now().Add(-time.Hour)
	for i := range count {
		folder := filepath.Join(root, fmt.Sprintf("d%02d", i/40%50), fmt.Sprintf("e%04d", i/40))
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
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(fmt.Sprint(i)+text[:size]), 0o644); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(folder, name), old, old); err != nil {
			b.Fatal(err)
		}
	}
}

func (g guarded) invoke(flags ...string) racer {
	argv := append([]string{g.hound, "invoke", "--driver", g.manifest, "--operation", "nothing"}, flags...)
	return racer{name: "hound invoke", argv: argv, env: g.env, dir: g.tree}
}

func (g guarded) gitRacer(args ...string) racer {
	return racer{name: "git " + args[0], argv: append([]string{g.git, "--no-optional-locks"}, args...), env: g.env, dir: g.tree}
}

// BenchmarkHoundStart is the program's start, against that of one that does
// nothing.
func BenchmarkHoundStart(b *testing.B) {
	hound := build(b, scratch(b), "./cmd/hound")
	empty := build(b, scratch(b), "./bench/empty")
	m := race(b, 60, racer{name: "hound --version", argv: []string{hound, "--version"}, env: []string{}}, racer{name: emptyProgram.name, argv: []string{empty}, env: []string{}})
	report(b, "hound --version", m[0], emptyProgram.name, m[1], "it comes up twice in a call, once as the supervisor")
}

// BenchmarkHoundRead is what a read costs beside its driver: the start of the
// program, the looks before and after, supervision, and the receipt.
func BenchmarkHoundRead(b *testing.B) {
	hound := build(b, scratch(b), "./cmd/hound")
	for _, size := range []struct {
		files, rounds int
		most          time.Duration
	}{{1000, 30, 15 * time.Millisecond}, {10000, 20, 60 * time.Millisecond}, {50000, 10, 250 * time.Millisecond}} {
		b.Run(fmt.Sprint(size.files), func(b *testing.B) {
			g := guard(b, hound, size.files)
			m := race(b, size.rounds, g.invoke(), g.gitRacer("status", "--porcelain=v2", "--ignored"), racer{name: "driver", argv: []string{g.driver}, env: g.env, dir: g.tree})
			what := fmt.Sprintf("added by hound invoke, %d files", size.files)
			if size.files >= 10000 {
				report(b, what, m[0]-m[2], "git status --ignored", m[1], "at most 2.5")
			}
			statusOf(size.files).holds(b, what, m[0]-m[2], m[1], size.most)
		})
	}
}

// BenchmarkHoundFull is a read that trusts nothing that is remembered, against
// two full hashes of the tree. The check of the object store counts apart, as long as
// it takes alone: what of it happens beside the files is gained.
func BenchmarkHoundFull(b *testing.B) {
	g := guard(b, build(b, scratch(b), "./cmd/hound"), 10000)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	var first, paranoid, fsck, twice, driver []time.Duration
	for range 10 {
		if err := os.RemoveAll(g.cache); err != nil {
			b.Fatal(err)
		}
		first = append(first, g.invoke().run(b, null))
		paranoid = append(paranoid, g.invoke("--paranoid").run(b, null))
		fsck = append(fsck, g.gitRacer("fsck", "--no-dangling").run(b, null))
		start := time.Now()
		for range 2 {
			hashAll(b, g.tree)
		}
		twice = append(twice, time.Since(start))
		driver = append(driver, racer{name: "driver", argv: []string{g.driver}, env: g.env, dir: g.tree}.run(b, null))
	}
	m := paired(twice, first, paranoid, fsck, driver)
	apart := m[3] + m[4]
	report(b, "a first read but for fsck", m[1]-apart, "two full hashes", m[0], "at most 1.1")
	report(b, "a read --paranoid but for fsck", m[2]-apart, "two full hashes", m[0], "at most 1.1")
}

// hashAll hashes every file of a tree, two at a time, each with one buffer.
func hashAll(b *testing.B, root string) {
	b.Helper()
	files := make(chan string, 256)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			buf, h := make([]byte, 128<<10), sha256.New()
			for path := range files {
				file, err := os.Open(path)
				if err != nil {
					b.Error(err)
					continue
				}
				h.Reset()
				if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{file}, buf); err != nil {
					b.Error(err)
				}
				h.Sum(buf[:0])
				file.Close()
			}
		})
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files <- path
		}
		return err
	})
	close(files)
	workers.Wait()
	if err != nil {
		b.Fatal(err)
	}
}
