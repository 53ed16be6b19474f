package sandbox

import (
	"os"
	"strings"
)

// Base is what every program gets: the system's programs and libraries, the
// parts of /etc that programs read, trust stores, /proc, and the harmless
// devices. It has no home, no temporary directory and nothing to write in.
//
// Left out on purpose: password and sudo files, host keys, private keys under
// /etc/ssl and /etc/pki, terminals (a program that opened the user's terminal
// could read what is typed there), and /dev/shm, which all programs of a user
// share.
func Base() Profile {
	p := Profile{
		ReadExec: make([]string, 0, len(systemPrograms)+8),
		ReadOnly: make([]string, 0, 48),
		Devices:  append([]string(nil), harmlessDevices[:]...),
	}
	for _, dir := range systemPrograms {
		// Where /bin is a link to /usr/bin, /usr says it all.
		if target, err := os.Readlink(dir); err == nil && strings.HasPrefix(strings.TrimPrefix(target, "/"), "usr/") {
			continue
		}
		p.ReadExec = append(p.ReadExec, dir)
	}
	p.ReadOnly = append(p.ReadOnly, systemFacts[:]...)
	p.ReadOnly = append(p.ReadOnly, etcPaths()...)
	return p
}

// etcPaths lists what of the readable parts of /etc exists here. Reading the
// names once is cheaper than trying all, and finds those with a version in them.
func etcPaths() []string {
	dir, err := os.Open("/etc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var paths []string
	for _, name := range names {
		for _, wanted := range etcEntries {
			if name == wanted.name || wanted.versions && strings.HasPrefix(name, wanted.name) {
				paths = append(paths, wanted.below("/etc/"+name)...)
			}
		}
	}
	return paths
}

// The lists are kept short: opening a path costs some microseconds at every run.
// Directories that hold only links, such as /etc/alternatives, are not needed,
// since a link grants nothing and hides nothing.

// systemPrograms is where operating systems keep programs and libraries that all
// users may run; the last two are the stores of Nix and Guix, which hold
// everything there.
var systemPrograms = [...]string{
	"/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store",
}

// systemFacts is what runtimes read about the machine to size themselves.
var systemFacts = [...]string{"/proc", "/sys/devices/system/cpu", "/sys/fs/cgroup"}

var harmlessDevices = [...]string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
}

// etcEntry is something in /etc that may be read: all of it, or only parts.
type etcEntry struct {
	name     string
	versions bool // the name is followed by a version
	parts    []string
}

func (e etcEntry) below(path string) []string {
	if e.parts == nil {
		return []string{path}
	}
	paths := make([]string, len(e.parts))
	for i, part := range e.parts {
		paths[i] = path + "/" + part
	}
	return paths
}

// etcEntries are the readable parts of /etc. A link grants its target, which is
// how a resolv.conf or a trust store that lives elsewhere comes in.
var etcEntries = [...]etcEntry{
	// The loader.
	{name: "ld.so.cache"}, {name: "ld.so.preload"}, {name: "ld-musl-", versions: true},
	// Names, users and services.
	{name: "resolv.conf"}, {name: "hosts"}, {name: "host.conf"}, {name: "nsswitch.conf"}, {name: "gai.conf"},
	{name: "protocols"}, {name: "services"}, {name: "passwd"}, {name: "group"},
	// Trust stores, without the private keys beside them.
	{name: "ssl", parts: []string{"certs", "openssl.cnf", "cert.pem", "ca-bundle.pem"}},
	{name: "pki", parts: []string{"ca-trust", "tls/certs", "tls/cert.pem", "tls/openssl.cnf"}},
	{name: "ca-certificates"}, {name: "crypto-policies"}, {name: "static"},
	// Place, time and the system's name.
	{name: "localtime"}, {name: "timezone"}, {name: "os-release"},
	// Tools' own settings for all users.
	{name: "gitconfig"}, {name: "ssh", parts: []string{"ssh_config", "ssh_config.d", "ssh_known_hosts"}},
	{name: "mime.types"}, {name: "fonts"}, {name: "npmrc"}, {name: "pip.conf"},
	{name: "python3", versions: true}, {name: "perl"}, {name: "java", versions: true}, {name: "php"},
}
