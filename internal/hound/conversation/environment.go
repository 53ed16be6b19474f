package conversation

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bridle/hound"
	"bridle/internal/hound/credential"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

// SystemPath is the PATH of every driver.
const SystemPath = "/bin:/usr/bin"

// Lookup returns a variable of the caller's environment.
type Lookup func(name string) (value string, set bool)

// Environment is what a driver is given.
type Environment struct {
	variables []variable
}

type variable struct {
	name    string
	value   redact.Secret
	present bool
}

// EnvironmentOf collects the variables that an operation may see. A check has no
// operation, "".
func EnvironmentOf(m *manifest.Manifest, operation string, lookup Lookup) (Environment, error) {
	var env Environment
	for _, name := range m.Environment(operation) {
		value, set := lookup(name)
		if !set {
			env.variables = append(env.variables, variable{name: name})
			continue
		}
		if !utf8.ValidString(value) {
			return env, fault.Newf(hound.CodeBadEnv, "the variable %q is not UTF-8", name).WithExit(hound.ExitRefused)
		}
		if isEndpointName(name) && !isEndpoint(value) {
			return env, fault.Newf(hound.CodeBadEnv, "the variable %q is no root URL of a service", name).
				WithHint("it must be http or https with a host and perhaps a port, without user, path, query and fragment, since it may appear in records").
				WithExit(hound.ExitRefused)
		}
		env.variables = append(env.variables, variable{name: name, value: redact.NewSecret(value), present: true})
	}
	return env, nil
}

// isEndpointName reports whether the variable holds a public address.
func isEndpointName(name string) bool { return strings.HasSuffix(strings.ToUpper(name), "_ENDPOINT") }

// isEndpoint reports whether text is the root of a service and no more.
func isEndpoint(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) || strings.ContainsAny(text, "?#@") {
		return false
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.User != nil {
		return false
	}
	return (u.Scheme == "http" || u.Scheme == "https") && isHost(u) && isPort(u.Port()) && (u.Path == "" || u.Path == "/")
}

// isHost reports whether a URL names a host: an address, or words of letters,
// digits, hyphens and underscores. What else would pass in a name is no host, and
// has room for what must not be in a record.
func isHost(u *url.URL) bool {
	if strings.HasPrefix(u.Host, "[") {
		at, err := netip.ParseAddr(u.Hostname())
		return err == nil && at.Is6() && at.Zone() == ""
	}
	const longest = 253
	name := strings.TrimSuffix(u.Hostname(), ".")
	if len(name) > longest {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		odd := func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		if label == "" || strings.ContainsFunc(label, odd) {
			return false
		}
	}
	return true
}

// isPort reports whether text is a port, or none.
func isPort(text string) bool {
	if text == "" {
		return true
	}
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// list is the whole environment of the process.
func (e Environment) list() []string {
	list := []string{"PATH=" + SystemPath}
	for _, v := range e.variables {
		if v.present {
			list = append(list, v.name+"="+v.value.Reveal())
		}
	}
	return list
}

// Names lists the variables that are handed over, and those that are allowed
// and not set.
func (e Environment) Names() (set, unset []string) {
	for _, v := range e.variables {
		if v.present {
			set = append(set, v.name)
		} else {
			unset = append(unset, v.name)
		}
	}
	return set, unset
}

// Digest binds names and values without showing a value. A value that is easy to
// guess can be guessed from it.
func (e Environment) Digest() (string, error) {
	type entry struct {
		Name        string `json:"name"`
		Present     bool   `json:"present"`
		ValueSHA256 string `json:"value_sha256,omitempty"`
	}
	entries := make([]entry, len(e.variables))
	for i, v := range e.variables {
		entries[i] = entry{Name: v.name, Present: v.present}
		if v.present {
			entries[i].ValueSHA256 = document.Sum([]byte(v.value.Reveal()))
		}
	}
	return document.Digest(struct {
		SystemPathSHA256 string  `json:"system_path_sha256"`
		Variables        []entry `json:"variables"`
	}{document.Sum([]byte(SystemPath)), entries})
}

// scanner finds the values that promise to be secrets.
func (e Environment) scanner() *credential.Scanner {
	var secrets []redact.Secret
	for _, v := range e.variables {
		if v.present && credential.IsSecretVariable(v.name, v.value.Reveal()) {
			secrets = append(secrets, v.value)
		}
	}
	return credential.NewScanner(secrets...)
}
