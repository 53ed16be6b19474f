package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bridle/hcp"
	hcpruntime "bridle/hcp/runtime"
	hcpstore "bridle/internal/hcp/store"
)

const rounds = 60

// calls are the rounds of what takes milliseconds and is held to a bound closely:
// so many that two runs agree within some hundredths.
const calls = 8 * rounds

// BenchmarkStart is what a user waits for before anything happens.
func BenchmarkStart(b *testing.B) {
	dir := scratch(b)
	hcpx, empty := build(b, dir, "./cmd/hcpx"), build(b, dir, "./bench/empty")
	for b.Loop() {
		m := race(b, calls, racer{name: "hcpx --version", argv: []string{hcpx, "--version"}}, racer{name: "empty", argv: []string{empty}})
		report(b, "hcpx --version", m[0], "empty Go program", m[1], "at most 1.6")
	}
}

// BenchmarkInit is what the packages of hcpx do before its main function, as the Go
// runtime tells it.
func BenchmarkInit(b *testing.B) {
	dir := scratch(b)
	hcpx, empty := build(b, dir, "./cmd/hcpx"), build(b, dir, "./bench/empty")
	initialised := func() time.Duration {
		cmd := exec.Command(hcpx, "--version")
		cmd.Env = []string{"GODEBUG=inittrace=1"}
		var trace strings.Builder
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		return initTime(b, trace.String())
	}
	stick := once(b, racer{name: "empty", argv: []string{empty}})
	for b.Loop() {
		m := compare(calls, initialised, timed(stick))
		emptyProgram.holds(b, "initialisation of hcpx", m[0], m[1], 500*time.Microsecond)
	}
}

// initTime adds up a trace of lines "init pkg @1.2 ms, 0.03 ms clock, …". The
// runtime's own initialisation is that of every Go program.
func initTime(b *testing.B, trace string) (sum time.Duration) {
	b.Helper()
	for line := range strings.Lines(trace) {
		words := strings.Fields(line)
		if len(words) < 7 || words[0] != "init" || words[6] != "clock," {
			b.Fatalf("unexpected line of a trace: %q", line)
		}
		took, err := strconv.ParseFloat(words[4], 64)
		if err != nil {
			b.Fatal(err)
		}
		if words[1] != "runtime" {
			sum += time.Duration(took * float64(time.Millisecond))
		}
	}
	return sum
}

// BenchmarkExec is one governed read as agents make them, hundreds of times:
// resolved, authorised, confined, audited.
func BenchmarkExec(b *testing.B) {
	dir := scratch(b)
	hcpx := build(b, dir, "./cmd/hcpx")
	small := store(b, hcpx, filepath.Join(dir, "one"), 0)
	large := store(b, hcpx, filepath.Join(dir, "thousand"), 1000)
	call := []string{hcpx, "exec", "transit", "status", "--json"}
	bin := filepath.Join(dir, "one", "packs", "transit", "bin", "transit")
	governed := racer{name: "exec", argv: call, env: small, dir: dir}
	m := race(b, calls, governed,
		racer{name: "exec among 1000", argv: call, env: large, dir: dir},
		racer{name: "bare child", argv: []string{bin, "status", "--json"}, env: []string{"PATH=/usr/bin:/bin"}, dir: dir})
	report(b, "hcpx exec transit status", m[0], "the bare child", m[2], "at most 5")
	report(b, "the same among 1,000 packs", m[1], "among 2", m[0], "about 1")
	if node, err := exec.LookPath("node"); err == nil { // in a race of its own, since it leaves nothing in the caches
		m := race(b, rounds, governed, racer{name: "node", argv: []string{node, "-e", "0"}, env: os.Environ(), dir: dir})
		report(b, "hcpx exec transit status", m[0], "node -e 0", m[1], "at most 0.1")
	}
}

// BenchmarkAccess is what the settings cost a read: none, and a file with a
// thousand rules and approvals by people.
func BenchmarkAccess(b *testing.B) {
	dir := scratch(b)
	hcpx := build(b, dir, "./cmd/hcpx")
	without := store(b, hcpx, filepath.Join(dir, "without"), 0)
	few := store(b, hcpx, filepath.Join(dir, "few"), 0)
	many := store(b, hcpx, filepath.Join(dir, "many"), 0)
	settings := func(home string, rules int) {
		list := make([]string, rules)
		for i := range list {
			list[i] = fmt.Sprintf(`{"match":"pack%d.command","decision":"ask","when":{"max":{"amount":%d}}}`, i, i)
		}
		text := `{"mode":"auto","approvals":"human","rules":[` + strings.Join(list, ",") + `]}`
		if err := os.WriteFile(filepath.Join(dir, home, "access.json"), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	settings("few", 10)
	settings("many", 1000)
	call := []string{hcpx, "exec", "transit", "status", "--json"}
	m := race(b, calls, racer{name: "without", argv: call, env: without, dir: dir},
		racer{name: "few", argv: call, env: few, dir: dir}, racer{name: "many", argv: call, env: many, dir: dir},
		racer{name: "empty", argv: []string{build(b, dir, "./bench/empty")}})
	emptyProgram.holds(b, "added to a read by 10 rules", m[1]-m[0], m[3], 300*time.Microsecond)
	emptyProgram.holds(b, "added to a read by 1,000 rules", m[2]-m[0], m[3], 300*time.Microsecond)
}

// BenchmarkVerify is the look at an activated pack before each of its commands.
func BenchmarkVerify(b *testing.B) {
	dir := scratch(b)
	hcpx, empty := build(b, dir, "./cmd/hcpx"), build(b, dir, "./bench/empty")
	home := filepath.Join(dir, "home")
	store(b, hcpx, home, 0)
	s, err := hcpstore.Open(b.Context(), home, hcpstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // until files just written are old enough to be known by their times
	const many = 20
	verify := func() {
		for range many {
			if _, err := s.Verify(b.Context(), "transit"); err != nil {
				b.Fatal(err)
			}
		}
	}
	verify()
	took, floor := alternate(b, calls, verify, racer{name: "empty", argv: []string{empty}})
	emptyProgram.holds(b, "looking at a pack before a command", took/many, floor, 100*time.Microsecond)
}

// BenchmarkRuntimeExec is the same call from a Go program.
func BenchmarkRuntimeExec(b *testing.B) {
	dir := scratch(b)
	hcpx := build(b, dir, "./cmd/hcpx")
	store(b, hcpx, filepath.Join(dir, "home"), 0)
	pack := filepath.Join(dir, "home", "packs", "transit")
	ctx := context.Background()
	rt, err := hcpruntime.Create(ctx, hcpruntime.Options{PackDirs: []string{pack}})
	if err != nil {
		b.Fatal(err)
	}
	if err := rt.Activate(ctx, "transit"); err != nil {
		b.Fatal(err)
	}
	bare := racer{name: "bare child", argv: []string{filepath.Join(pack, "bin", "transit"), "status", "--json"}, env: []string{"PATH=/usr/bin:/bin"}, dir: pack}
	inProcess, spawned := alternate(b, calls, func() {
		if res := rt.Exec(ctx, "transit", "status", hcp.Args{}); !res.OK {
			b.Fatalf("%+v", res)
		}
	}, bare)
	report(b, "runtime.Exec in process", inProcess, "a bare spawn of the child", spawned, "at most 1.6")
}

// store makes a store with transit active and extra copies of it installed.
func store(b *testing.B, hcpx, home string, extra int) []string {
	b.Helper()
	env := []string{"HCP_HOME=" + home, "HOME=" + filepath.Dir(home), "PATH=/usr/local/bin:/usr/bin:/bin"}
	must := func(args ...string) {
		b.Helper()
		cmd := exec.Command(hcpx, args...)
		cmd.Env = env
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("hcpx %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	must("install", "packs/transit", "--json")
	must("activate", "transit", "--json")
	for i := range extra {
		id := fmt.Sprintf("transit-%d", i)
		if err := os.CopyFS(filepath.Join(home, "packs", id), os.DirFS(filepath.Join(home, "packs", "transit"))); err != nil {
			b.Fatal(err)
		}
	}
	return env
}
