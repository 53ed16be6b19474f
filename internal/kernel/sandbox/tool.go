package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// Tool describes one program to run and what belongs to it. All paths are
// absolute.
type Tool struct {
	// Executable is the file that runs. Its installation and the interpreters that
	// it needs come with it, unless it lies in one of the granted directories: then
	// it may be anyone's work, and names nothing but what the system or the search
	// path has. It may be a link; the hops are followed.
	Executable string
	// Path is the search path in which "#!/usr/bin/env name" is resolved, as PATH
	// has it.
	Path string
	// Env is the child's environment. Only variables that name trust stores and
	// the roots of toolchains are looked at; what they name may be read, and in a
	// toolchain also run.
	Env []string
	// Home and Temp are the private directories of the run, read-write.
	Home, Temp string
	// RealHome is the user's own home. Nothing that contains it is granted, and of
	// what lies inside only installations that are known to hold no secrets.
	RealHome string
	// ReadWrite, ReadExec and ReadOnly are granted besides and must exist.
	ReadWrite, ReadExec, ReadOnly []string
	// Protected are paths that no grant may contain, such as the store.
	Protected []string
	// Network and Unix are taken over into the profile.
	Network Network
	Unix    bool
}

// ForTool writes the profile for a tool: Base, the tool's installation, and what
// the caller grants. A grant of the caller's that contains the real home or a
// protected path is a fault; an installation that would is reduced to the file.
func ForTool(t Tool) (Profile, error) {
	p := Base()
	p.Network, p.Unix = t.Network, t.Unix
	guard := newGuard(t)
	for _, g := range []struct {
		into  *[]string
		paths []string
	}{
		{&p.ReadWrite, append([]string{t.Home, t.Temp}, t.ReadWrite...)},
		{&p.ReadExec, t.ReadExec},
		{&p.ReadOnly, t.ReadOnly},
	} {
		for _, path := range g.paths {
			if path == "" || slices.Contains(*g.into, path) {
				continue
			}
			if err := guard.admit(path); err != nil {
				return Profile{}, err
			}
			*g.into = append(*g.into, path)
			p.Required = append(p.Required, path)
		}
	}
	links := chain(t.Executable, t.Path, guard)
	p.ReadExec = append(p.ReadExec, installation(links, guard)...)
	p.ReadExec = append(p.ReadExec, named(t.Env, rootVariables[:], guard)...)
	p.ReadOnly = append(p.ReadOnly, settings(links, guard)...)
	p.ReadOnly = append(p.ReadOnly, named(t.Env, trustVariables[:], guard)...)
	return p, nil
}

// guard knows what must stay out of reach.
type guard struct {
	home      string // resolved; "" when not known
	protected []string
	own       []string // what the caller granted, resolved
}

// owns says whether a path lies in what the caller granted.
func (g guard) owns(path string) bool {
	return slices.ContainsFunc(g.own, func(dir string) bool { return within(path, dir) })
}

func newGuard(t Tool) guard {
	g := guard{home: resolved(t.RealHome)}
	if t.RealHome != "" {
		g.protected = append(g.protected, g.home)
	}
	for _, path := range t.Protected {
		if path != "" && path != t.RealHome {
			g.protected = append(g.protected, resolved(path))
		}
	}
	return g
}

// contained returns the protected path that a grant of path would open, or "".
func (g guard) contained(path string) string {
	real := resolved(path)
	for _, p := range g.protected {
		if within(p, real) {
			return p
		}
	}
	return ""
}

// admit takes a path that the caller grants, unless it is too wide.
func (g *guard) admit(path string) error {
	if !filepath.IsAbs(path) {
		return fault.Newf(CodePathMissing, "sandbox path %q is not absolute", path).WithHint("name it from the root on")
	}
	real := resolved(path)
	for _, p := range g.protected {
		if within(p, real) {
			return fault.Newf(CodeTooWide, "granting %q would open %q, which must stay closed", path, p).
				WithHint("work in a directory below it")
		}
	}
	g.own = append(g.own, real)
	return nil
}

// within says whether path is dir or lies below it; both are clean.
func within(path, dir string) bool {
	if dir == "/" || path == dir {
		return true
	}
	return strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}

// resolved follows all links as far as the path exists.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	if real, ok := resolveFast(path); ok {
		return real
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	path = filepath.Clean(path)
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}

// trustVariables name files or directories of certificates.
var trustVariables = [...]string{
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
	"NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "AWS_CA_BUNDLE", "PIP_CERT",
	"CARGO_HTTP_CAINFO", "DENO_CERT", "OPENSSL_CONF",
}

// rootVariables name directories of whole toolchains, without credentials.
var rootVariables = [...]string{
	"JAVA_HOME", "GOROOT", "RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR",
	"SDKMAN_DIR", "DOTNET_ROOT", "MISE_DATA_DIR", "PYTHONHOME",
}

// named are the existing paths that the variables name.
func named(env, variables []string, g guard) []string {
	var paths []string
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		if !slices.Contains(variables, name) {
			continue
		}
		for _, path := range filepath.SplitList(value) {
			if filepath.IsAbs(path) && !slices.Contains(paths, path) && g.contained(path) == "" && exists(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
