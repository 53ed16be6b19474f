package bench

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bridle/hound"
	"bridle/internal/hound/anchor"
	"bridle/internal/hound/approval"
	"bridle/internal/hound/manifest"
	"bridle/internal/hound/plan"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/seal"
	houndspec "bridle/spec/hound"
)

const recordedRun = "ed2aa55077cd4b89f9553589016ba54dc1b2fa31a0e87ed23c339b81de72dac8"

// samples times functions in turn, round by round, and returns what paired makes of
// their times.
func samples(rounds int, calls ...func()) []time.Duration {
	all := make([]func() time.Duration, len(calls))
	for i, call := range calls {
		all[i] = timed(call)
	}
	return compare(rounds, all...)
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// recordFiles are the files of a small run.
func recordFiles(b *testing.B) map[string][]byte {
	b.Helper()
	files := map[string][]byte{}
	dir := "interop/elsewhere/run/" + recordedRun
	entries, err := houndspec.Interop.ReadDir(dir)
	must(b, err)
	for _, entry := range entries {
		files[entry.Name()], err = houndspec.Interop.ReadFile(dir + "/" + entry.Name())
		must(b, err)
	}
	return files
}

// BenchmarkHoundVerify is the whole check of a small record, against reading its
// six files and hashing them.
func BenchmarkHoundVerify(b *testing.B) {
	dir := filepath.Join(scratch(b), recordedRun)
	must(b, os.Mkdir(dir, 0o700))
	files := recordFiles(b)
	for name, data := range files {
		must(b, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	const many = 50
	empty := emptyStick(b)
	m := samples(40, func() {
		for range many {
			_, err := record.VerifyRun(dir)
			must(b, err)
		}
	}, func() {
		for range many {
			for name := range files {
				data, err := os.ReadFile(filepath.Join(dir, name))
				must(b, err)
				sha256.Sum256(data)
			}
		}
	}, empty)
	report(b, fmt.Sprintf("verify of a small record, %.0f a second", many/m[0].Seconds()), m[0]/many, "reading and hashing it", m[1]/many, "at least 2000 a second")
	emptyProgram.holds(b, "verify of a small record", m[0]/many, m[2], time.Second/2000)
}

// BenchmarkHoundClose is the closing pass of a run's record, against writing the
// two files that change, synced.
func BenchmarkHoundClose(b *testing.B) {
	files := recordFiles(b)
	p, err := plan.Parse(files[hound.PlanFile])
	must(b, err)
	m, err := manifest.Parse(files[hound.ManifestFile])
	must(b, err)
	a, err := approval.Parse(files[hound.ApprovalFile])
	must(b, err)
	var result hound.RunResult
	must(b, json.Unmarshal(files[hound.ResultFile], &result))
	empty := emptyStick(b)
	for _, place := range []struct{ name, dir string }{{"in memory", scratch(b)}, {"on the disk", b.TempDir()}} {
		var closing, floor, stick []time.Duration
		for i := range 30 {
			root := filepath.Join(place.dir, fmt.Sprint(i))
			must(b, os.Mkdir(root, 0o700))
			d, err := record.Create(root, "runs/"+recordedRun, record.Run{Manifest: m, Plan: p, Approval: a})
			must(b, err)
			closing = append(closing, timed(func() { must(b, d.Finish(result)) })())
			floor = append(floor, timed(func() {
				for _, name := range []string{hound.ResultFile, hound.IndexFile} {
					must(b, durable.WriteFile(filepath.Join(root, name), files[name], 0o600))
				}
			})())
			stick = append(stick, timed(empty)())
		}
		took := paired(closing, floor, stick)
		report(b, "closing pass of a record, "+place.name, took[0], "its two files written", took[1], "at most 3 ms")
		emptyProgram.holds(b, "closing pass of a record, "+place.name, took[0], took[2], 3*time.Millisecond)
	}
}

// BenchmarkHoundAnchor is one record logged under a signed checkpoint, against
// the signature alone.
func BenchmarkHoundAnchor(b *testing.B) {
	ctx := context.Background()
	log, err := anchor.Make(filepath.Join(scratch(b), "log"), "hound/bench")
	must(b, err)
	key, err := seal.NewKey("bench", make([]byte, 32))
	must(b, err)
	const many = 50
	n := 0
	empty := emptyStick(b)
	m := samples(40, func() {
		for range many {
			n++
			_, err := log.Add(ctx, key, sha256.Sum256(fmt.Append(nil, n)))
			must(b, err)
		}
	}, func() {
		for range many {
			_, err := key.Sign("checkpoint\n1\nroot\n")
			must(b, err)
		}
	}, empty)
	report(b, "a record anchored and signed", m[0]/many, "the signature", m[1]/many, "at most 0.1 ms")
	emptyProgram.holds(b, "a record anchored and signed", m[0]/many, m[2], 100*time.Microsecond)
}

// Two programs that leave processes behind: daemons, and chains of processes each
// of which makes the next and ends.
const (
	daemonsText = `i=0; while [ $i -lt 50 ]; do (setsid sleep 300 >/dev/null 2>&1 &); i=$((i+1)); done; echo`
	chainsText  = `c() { c & }; i=0; while [ $i -lt 64 ]; do c & i=$((i+1)); done >/dev/null 2>&1; echo`
)

// BenchmarkHoundCleanup is from a program's last word until nothing of it is
// left and that is proven, by each method of this machine.
func BenchmarkHoundCleanup(b *testing.B) {
	supervisor := build(b, scratch(b), "./cmd/hound")
	for _, c := range []struct {
		what, text string
		most       time.Duration
		rounds     int
	}{{"50 daemons", daemonsText, 10 * time.Millisecond, 12}, {"64 chains of forks", chainsText, 50 * time.Millisecond, 6}} {
		for _, method := range []proc.Method{proc.PIDNamespace, proc.Cgroup, proc.Subreaper} {
			took, stick := cleanup(b, supervisor, c.text, method, c.rounds)
			if took < 0 {
				fmt.Printf("%-44s not given by this machine\n", "ending "+c.what+", "+string(method))
				continue
			}
			what := "ending " + c.what + ", " + string(method)
			if method == proc.Subreaper {
				report(b, what, took, emptyShell.name, stick, "where there is nothing better: bounded")
				continue
			}
			emptyShell.holds(b, what, took, stick, c.most)
		}
	}
}

// lastWord is when a program last wrote.
type lastWord struct{ at time.Time }

func (w *lastWord) Write(p []byte) (int, error) {
	w.at = time.Now()
	return len(p), nil
}

// cleanup returns what that took and a shell that does nothing, run in turn; or -1
// where the method is not given.
func cleanup(b *testing.B, supervisor, text string, method proc.Method, rounds int) (took, stick time.Duration) {
	b.Helper()
	sh := shellStick(b)
	var all, shells []time.Duration
	for range rounds {
		shells = append(shells, timed(sh)())
		end := &lastWord{}
		spec := proc.Spec{Path: "/bin/sh", Args: []string{"-c", text}, Env: []string{"PATH=/usr/bin:/bin"}, Timeout: time.Minute, TeeStdout: end}
		_, proof, err := proc.Supervise(b.Context(), spec, proc.Supervision{Program: supervisor, Methods: []proc.Method{method, proc.Subreaper}})
		if err != nil || proof.Method != method {
			return -1, 0
		}
		if !proof.Proven {
			fmt.Printf("%s: unproven: %s\n", method, proof.Reason)
		}
		all = append(all, time.Since(end.at))
	}
	m := paired(all, shells)
	return m[0], m[1]
}
