package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func checkFormat(ctx context.Context, r *runner) error {
	out, err := r.output(ctx, "tool", "-modfile=tools/go.mod", "gofumpt", "-l", ".")
	if err != nil {
		return err
	}
	if out = strings.TrimSpace(out); out != "" {
		return fmt.Errorf("not formatted by gofumpt: %s", strings.Join(strings.Fields(out), ", "))
	}
	return nil
}

func checkTidy(ctx context.Context, r *runner) error {
	return errors.Join(
		r.command(ctx, nil, "mod", "tidy", "-diff"),
		r.command(ctx, nil, "-C", "tools", "mod", "tidy", "-diff"),
	)
}

// crossCompile type-checks tests and code for the other systems, and builds for
// the other processor with the oldest Go that go.mod promises.
func crossCompile(ctx context.Context, r *runner) error {
	var errs []error
	for _, platform := range []string{"darwin/arm64", "windows/amd64"} {
		system, arch, _ := strings.Cut(platform, "/")
		fmt.Println("   " + platform)
		env := []string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0"}
		errs = append(errs, r.command(ctx, env, "vet", "./..."))
	}
	fmt.Println("   linux/arm64, Go 1.26")
	oldest := []string{"GOTOOLCHAIN=" + oldestGo, "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"}
	errs = append(errs, r.command(ctx, oldest, "build", "./..."))
	return errors.Join(errs...)
}

// runDemo runs the tour, which checks what it says.
func runDemo(ctx context.Context, r *runner) error {
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "demo")
	cmd.Env = r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		fmt.Printf("%s", out)
		return fmt.Errorf("make demo: %w", err)
	}
	return nil
}

// oldestGo is the oldest release of the Go version in go.mod that is tried.
const oldestGo = "go1.26.8"

// checkVulnerabilities asks the vulnerability database without the network:
// the database is a module, and its own tool makes the index that govulncheck
// reads.
func checkVulnerabilities(ctx context.Context, r *runner) error {
	const module = "golang.org/x/vulndb"
	out, err := r.output(ctx, "list", "-modfile=tools/go.mod", "-m", "-f", "{{.Version}} {{.Dir}}", module)
	if err != nil {
		return err
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(out), " ")
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	index := filepath.Join(cache, "bridle", "vulndb-"+version)
	if _, err := os.Stat(index); err != nil {
		if err := makeIndex(ctx, r, index, filepath.Join(dir, "data", "osv")); err != nil {
			return err
		}
	}
	return r.tool(ctx, "govulncheck", "-db", "file://"+index, "./...")
}

func makeIndex(ctx context.Context, r *runner, index, osv string) error {
	if err := os.MkdirAll(filepath.Dir(index), 0o755); err != nil {
		return err
	}
	// Written aside and moved, so that an interrupted run leaves no half index.
	draft, err := os.MkdirTemp(filepath.Dir(index), "draft-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	if err := r.tool(ctx, "indexdb", "-out", draft, "-vulns", osv); err != nil {
		return err
	}
	if err := os.Rename(draft, index); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// tempDir returns a directory for the tests' files, in memory where there is
// room and programs may run from it, since tests write many small files and
// sync them. The directory is removed afterwards.
func tempDir() (dir string, remove func(), err error) {
	parent := ""
	if os.Getenv("TMPDIR") == "" && usable("/dev/shm") {
		parent = "/dev/shm"
	}
	dir, err = os.MkdirTemp(parent, "ci")
	if err != nil {
		return "", nil, err
	}
	// Tests also run as another user; what they make is theirs alone.
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// usable reports whether a script can be run from dir and there is room for
// what the tests write.
func usable(dir string) bool {
	if free(dir) < 2<<30 {
		return false
	}
	probe, err := os.CreateTemp(dir, "ci-probe-")
	if err != nil {
		return false
	}
	defer os.Remove(probe.Name())
	_, err = probe.WriteString("#!/bin/sh\nexit 0\n")
	if err = errors.Join(err, probe.Chmod(0o700), probe.Close()); err != nil {
		return false
	}
	return exec.Command(probe.Name()).Run() == nil
}
