package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// fuzzAll runs every fuzz target of the repository for a short while. The
// targets are found, not listed, so that none can be forgotten.
func fuzzAll(ctx context.Context, r *runner) error {
	out, err := r.output(ctx, "test", "-list", "^Fuzz", "./...")
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range targets(out) {
		fmt.Printf("   %s %s\n", t.pkg, t.name)
		log, err := r.output(ctx, "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", r.fuzzTime, t.pkg)
		if err != nil {
			fmt.Print(log)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
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
