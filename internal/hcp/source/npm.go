package source

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/redact"
)

// npmTime bounds one run of npm.
const npmTime = 3 * time.Minute

// npmLocal takes a package that is a folder, or a tarball, of this machine. The
// folder is taken as it is: npm, and with it the package's scripts, is not
// asked.
func (f *fetcher) npmLocal(ctx context.Context) (string, error) {
	path, info, err := f.place()
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return packageDir(path)
	}
	if !info.Mode().IsRegular() || formatOf(path) != formatTarGz {
		return "", badSource(f.argument.Text, "it is no package's folder and no .tgz")
	}
	return f.unpacked(ctx, path)
}

// npmPackage lets npm fetch a published package's tarball, which it checks
// against the registry's digest. Scripts are off.
func (f *fetcher) npmPackage(ctx context.Context) (string, error) {
	tarball, err := f.npmPack(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fetchFailed(f.argument.Text, err)
	}
	return f.unpacked(ctx, tarball)
}

func (f *fetcher) npmPack(ctx context.Context) (string, error) {
	command, err := findNPM(f.opts.Path)
	if err != nil {
		return "", err
	}
	work, err := f.folder("npm")
	if err != nil {
		return "", err
	}
	home, err := f.folder("npm-home")
	if err != nil {
		return "", err
	}
	spec := f.argument.name
	if f.argument.version != "" {
		spec += "@" + f.argument.version
	}
	args := append(slices.Clone(command[1:]), "pack", "--ignore-scripts", "--pack-destination", work, "--loglevel", "error", "--", spec)
	result, err := proc.Run(ctx, proc.Spec{
		Path: command[0], Args: args, Env: f.npmEnvironment(home), Dir: work,
		Timeout: npmTime, MaxStdout: 64 << 10, MaxStderr: 64 << 10,
	})
	switch {
	case err != nil:
		return "", err
	case result.Canceled:
		return "", context.Cause(ctx)
	case result.TimedOut:
		return "", fault.Newf(CodeFetchFailed, "npm took longer than %s", npmTime)
	case result.ExitCode != 0:
		return "", fault.Newf(CodeFetchFailed, "npm failed: %s", npmComplaint(result.Stderr.Head)).
			WithHint("check the name and the registry in your .npmrc")
	}
	found, err := filepath.Glob(filepath.Join(work, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fault.Newf(CodeFetchFailed, "npm made %d tarballs instead of one", len(found))
	}
	return found[0], nil
}

// npmComplaint is npm's error code and first sentence, made safe to print.
func npmComplaint(stderr []byte) string {
	text, _ := redact.ValidUTF8(stderr)
	var said []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{"npm error ", "npm ERR! "} {
			if rest, ok := strings.CutPrefix(line, prefix); ok && len(said) < 2 && rest != "" {
				said = append(said, rest)
			}
		}
	}
	if len(said) == 0 {
		return "it said nothing"
	}
	return redact.Visible(strings.Join(said, ", "))
}

// findNPM returns the words that start npm. On Windows npm is a batch file,
// which would parse arguments once more; there node runs npm's own program.
func findNPM(search string) ([]string, error) {
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if runtime.GOOS != "windows" {
			path := filepath.Join(dir, "npm")
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
				return []string{path}, nil
			}
			continue
		}
		node, cli := filepath.Join(dir, "node.exe"), filepath.Join(dir, "node_modules", "npm", "bin", "npm-cli.js")
		if isFile(node) && isFile(cli) {
			return []string{node, cli}, nil
		}
	}
	return nil, fault.New(CodeFetchFailed, "npm is not on PATH").WithHint("install Node.js with npm, or install the pack from a folder or an archive")
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// npmEnvironment is everything npm sees: a PATH for node, a home of its own,
// the person's .npmrc, and exactly the variables that this file names.
func (f *fetcher) npmEnvironment(home string) []string {
	env := []string{
		"PATH=" + absoluteOnly(f.opts.Path),
		"HOME=" + home,
		"USERPROFILE=" + home,
		"TMPDIR=" + home,
		"npm_config_cache=" + filepath.Join(home, "cache"),
		"npm_config_ignore_scripts=true",
		"npm_config_update_notifier=false",
		"npm_config_audit=false",
		"npm_config_fund=false",
		"npm_config_git=" + filepath.Join(home, "no-git"),
		"NO_COLOR=1",
	}
	if f.opts.UserHome == "" {
		return env
	}
	config := filepath.Join(f.opts.UserHome, ".npmrc")
	if !isFile(config) {
		return env
	}
	env = append(env, "npm_config_userconfig="+config)
	for _, name := range namedVariables(config) {
		if f.opts.Lookup == nil {
			break
		}
		if value, ok := f.opts.Lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// absoluteOnly keeps the entries of a PATH that mean the same everywhere.
func absoluteOnly(search string) string {
	var kept []string
	for _, dir := range filepath.SplitList(search) {
		if filepath.IsAbs(dir) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// namedVariables lists the variables that an .npmrc refers to as ${NAME}.
func namedVariables(path string) []string {
	const longest = 256 << 10
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, longest))
	if err != nil {
		return nil
	}
	var names []string
	for {
		_, rest, found := bytes.Cut(data, []byte("${"))
		if !found {
			return names
		}
		name, after, found := bytes.Cut(rest, []byte("}"))
		if !found {
			return names
		}
		if isVariable(strings.TrimSuffix(string(name), "?")) {
			names = append(names, strings.TrimSuffix(string(name), "?"))
		}
		data = after
	}
}

// isVariable admits names of variables but for those that would change how npm
// and node themselves run.
func isVariable(name string) bool {
	upper := strings.ToUpper(name)
	if name == "" || strings.HasPrefix(upper, "NPM_CONFIG_") || strings.HasPrefix(upper, "NODE_") || upper == "PATH" || upper == "HOME" {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isAlnum(c) && c != '_' {
			return false
		}
	}
	return true
}
