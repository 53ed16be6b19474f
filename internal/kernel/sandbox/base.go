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
	for _, name := range etcNames {
		p.ReadOnly = append(p.ReadOnly, "/etc/"+name)
	}
	p.ReadOnly = append(p.ReadOnly, versionedSettings()...)
	return p
}

// versionedSettings are directories of /etc that carry the version of a runtime
// in their name. Reading all names of /etc would cost more than all the rest, so
// they are taken from the links that make a version the default one.
func versionedSettings() []string {
	var paths []string
	if name, err := os.Readlink("/usr/bin/python3"); err == nil && strings.HasPrefix(name, "python3.") {
		paths = append(paths, "/etc/"+name)
	}
	if java, err := os.Readlink("/etc/alternatives/java"); err == nil {
		for part := range strings.SplitSeq(java, "/") {
			if version, ok := strings.CutPrefix(part, "java-"); ok {
				number, _, _ := strings.Cut(version, "-")
				paths = append(paths, "/etc/java-"+number+"-openjdk")
				break
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

// etcNames are the readable parts of /etc. A link grants its target, which is how
// a resolv.conf or a trust store that lives elsewhere comes in.
var etcNames = [...]string{
	// The loader.
	"ld.so.cache", "ld.so.preload",
	// Names, users and services.
	"resolv.conf", "hosts", "host.conf", "nsswitch.conf", "gai.conf", "protocols", "services",
	"passwd", "group",
	// Trust stores, without the private keys beside them.
	"ssl/certs", "ssl/cert.pem", "ssl/ca-bundle.pem", "ssl/openssl.cnf", "ca-certificates",
	"pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "crypto-policies", "static",
	// Place, time and the system's name.
	"localtime", "timezone", "os-release",
	// Tools' own settings for all users.
	"gitconfig", "ssh/ssh_config", "ssh/ssh_config.d", "ssh/ssh_known_hosts", "mime.types", "fonts",
	"npmrc", "pip.conf", "python3", "perl",
}
