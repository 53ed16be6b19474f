package wrap

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
)

// Host is what of the machine's environment reaches a command. Everything in it
// is a plain value that the host program chose.
type Host struct {
	// Path is the search path in native-local mode.
	Path string
	// Home is the user's own home in native-local mode; empty keeps the private
	// one.
	Home string
	// Zone is the value of TZ; empty leaves it unset.
	Zone string
	// Certificates are NAME=value entries that say where certificate bundles
	// are. Names other than those of CertificateNames are dropped.
	Certificates []string
	// MCP says that the call came through an MCP server.
	MCP bool
}

// CertificateNames are the variables by which programs find certificate
// bundles. Their values are paths, not credentials. Proxy variables are not
// among them: their values often carry a password.
func CertificateNames() []string {
	return []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO"}
}

// plainPath is what every command finds its helpers on.
const plainPath = "/usr/local/bin:/usr/bin:/bin"

// environment makes a command's environment from nothing. Later entries win
// over earlier ones: the base, the pack's defaults, the place's and the
// Binding's variables, and last the markers, which nothing can set aside.
func environment(r adapter.Request, place Place, host Host) (env, notes []string) {
	vars := map[string]string{
		"PATH":     searchPath(r, host),
		"LANG":     "C.UTF-8",
		"TERM":     "dumb",
		"NO_COLOR": "1",
		"TMPDIR":   place.Tmp,
		"HOME":     place.Home,
	}
	if r.Sandbox == hcp.NativeLocal && host.Home != "" {
		vars["HOME"] = host.Home
	}
	if host.Zone != "" {
		vars["TZ"] = host.Zone
	}
	set(vars, host.Certificates, func(name string) bool { return slices.Contains(CertificateNames(), name) })
	notes = agentEnv(vars, r, place)
	for _, name := range place.HomeEnv {
		if name != "HOME" && (!isName(name) || ReservedEnv(name)) {
			notes = append(notes, "home_env "+quoted(name)+" of the pack is reserved and was left out")
			continue
		}
		vars[name] = place.Home
	}
	set(vars, place.Env, isName)
	for name, secret := range r.Credential.Env {
		if isName(name) {
			vars[name] = secret.Reveal()
		}
	}
	maps.Copy(vars, markers(r, host))
	env = make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env, notes
}

// markers tell the command, and any runtime it might start, where it is: inside
// a call, for an agent.
func markers(r adapter.Request, host Host) map[string]string {
	mode := r.Sandbox
	if mode != hcp.NativeLocal {
		mode = hcp.Sandboxed
	}
	m := map[string]string{
		"HCP_SANDBOX":      string(mode),
		"HCP_AGENT":        "1",
		"HCP_BINDING_MODE": string(r.Credential.Mode),
	}
	if host.MCP {
		m["HCP_MCP"] = "1"
	}
	return m
}

// agentEnv adds the pack's defaults. A pack may not decide where programs,
// libraries, certificates and the home are found, nor stand in for the markers,
// and no variable can ask for a mock (§8.4.3): such entries are left out.
func agentEnv(vars map[string]string, r adapter.Request, place Place) (notes []string) {
	if r.Pack.Manifest.Wrap == nil {
		return nil
	}
	declared := r.Pack.Manifest.Wrap.AgentEnv
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		value := declared[name]
		if !isName(name) || strings.ContainsRune(value, 0) || ReservedEnv(name) || slices.Contains(place.HomeEnv, name) {
			notes = append(notes, "agent_env "+quoted(name)+" of the pack is reserved and was left out")
			continue
		}
		vars[name] = value
	}
	return notes
}

// ReservedEnv reports whether agent_env of a pack may not set the variable, nor
// its home_env, but for HOME.
func ReservedEnv(name string) bool {
	upper := strings.ToUpper(name)
	for _, prefix := range []string{"HCP_", "LD_", "DYLD_"} {
		if strings.HasPrefix(upper, prefix) {
			return true
		}
	}
	if upper == "MOCK" || strings.HasSuffix(upper, "_MOCK") || strings.HasSuffix(upper, "_PROXY") {
		return true
	}
	return slices.Contains([]string{"PATH", "HOME", "TMPDIR", "TMP", "TEMP", "SHELL", "IFS", "ENV", "BASH_ENV"}, upper) ||
		slices.Contains(CertificateNames(), upper)
}

// searchPath is the fixed path, with the directories of a script's interpreters
// where they lie elsewhere, and the directory of the executable last.
func searchPath(r adapter.Request, host Host) string {
	if r.Sandbox == hcp.NativeLocal && host.Path != "" {
		return host.Path
	}
	standard := strings.Split(plainPath, ":")
	var dirs []string
	add := func(file string) {
		dir := filepath.Dir(file)
		if filepath.IsAbs(dir) && !strings.Contains(dir, ":") && !slices.Contains(standard, dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, file := range r.Bin.Interpreters {
		add(file)
	}
	before := len(dirs)
	add(r.Bin.Path)
	return strings.Join(slices.Concat(dirs[:before], standard, dirs[before:]), ":")
}

// set adds NAME=value entries whose name is welcome.
func set(vars map[string]string, entries []string, welcome func(string) bool) {
	for _, entry := range entries {
		if name, value, ok := strings.Cut(entry, "="); ok && welcome(name) && !strings.ContainsRune(value, 0) {
			vars[name] = value
		}
	}
}

// isName reports whether a program can have a variable of this name.
func isName(name string) bool {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
