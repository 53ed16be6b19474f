package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// fuzzAll runs every fuzz target of the repository for a short while. The
// targets are found, not listed, so that none can be forgotten. A package's
// test is built once and several packages are on the way at a time, since
// building takes longer than fuzzing.
func fuzzAll(ctx context.Context, r *runner) error {
	out, err := r.output(ctx, "test", "-list", "^Fuzz", "./...")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(r.temp, "fuzz")
	if err != nil {
		return err
	}
	var (
		group  sync.WaitGroup
		mu     sync.Mutex
		errs   []error
		places = make(chan struct{}, runtime.GOMAXPROCS(0))
	)
	for i, p := range fuzzed(targets(out)) {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			log, err := r.fuzz(ctx, filepath.Join(dir, strconv.Itoa(i)), p)
			mu.Lock()
			defer mu.Unlock()
			fmt.Print(log)
			errs = append(errs, err)
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// fuzz runs the targets of one package, with one worker each.
func (r *runner) fuzz(ctx context.Context, dir string, p fuzzedPackage) (log string, err error) {
	folder, err := r.output(ctx, "list", "-f", "{{.Dir}}", p.path)
	if err != nil {
		return folder, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "fuzz.test")
	if log, err := r.output(ctx, "test", "-c", "-fuzz", ".", "-o", program, p.path); err != nil {
		return log, err
	}
	var errs []error
	for _, name := range p.names {
		cmd := exec.CommandContext(ctx, program, "-test.run", "^$", "-test.fuzz", "^"+name+"$",
			"-test.fuzztime", r.fuzzTime, "-test.fuzzcachedir", filepath.Join(dir, "cache"), "-test.parallel", "1")
		cmd.Env, cmd.Dir = r.env, strings.TrimSpace(folder)
		said, err := cmd.CombinedOutput()
		log += "   " + p.path + " " + name + "\n"
		if err != nil {
			log += string(said)
			errs = append(errs, fmt.Errorf("%s %s: %w", p.path, name, err))
		}
	}
	return log, errors.Join(errs...)
}

// fuzzedPackage is a package and its targets.
type fuzzedPackage struct {
	path  string
	names []string
}

func fuzzed(all []target) []fuzzedPackage {
	var found []fuzzedPackage
	for _, t := range all {
		if len(found) == 0 || found[len(found)-1].path != t.pkg {
			found = append(found, fuzzedPackage{path: t.pkg})
		}
		last := &found[len(found)-1]
		last.names = append(last.names, t.name)
	}
	return found
}

// target is one fuzz function.
type target struct{ pkg, name string }

// targets reads `go test -list`: the names of a package's targets come before
// the line that names the package.
func targets(list string) []target {
	var found []target
	var names []string
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		switch {
		case len(fields) > 0 && strings.HasPrefix(fields[0], "Fuzz"):
			names = append(names, fields[0])
		case len(fields) > 1:
			for _, name := range names {
				found = append(found, target{fields[1], name})
			}
			names = nil
		}
	}
	return found
}
