package sandbox

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
		ReadExec:  append([]string(nil), systemPrograms[:]...),
		ReadOnly:  append([]string(nil), systemFacts[:]...),
		Devices:   append([]string(nil), harmlessDevices[:]...),
		ReadWrite: nil,
	}
	for _, name := range etcFiles {
		p.ReadOnly = append(p.ReadOnly, "/etc/"+name)
	}
	return p
}

// systemPrograms is where operating systems keep programs and libraries that all
// users may run; the last two are the stores of Nix and Guix, which hold
// everything there.
var systemPrograms = [...]string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
}

// systemFacts is what runtimes read about the machine to size themselves.
var systemFacts = [...]string{
	"/proc", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage",
}

var harmlessDevices = [...]string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
}

// etcFiles are the readable parts of /etc. A link grants its target, which is how
// a resolv.conf or a trust store that lives elsewhere comes in.
var etcFiles = [...]string{
	// The loader.
	"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "ld-musl-x86_64.path", "ld-musl-aarch64.path",
	// Names, users and services.
	"resolv.conf", "hosts", "host.conf", "nsswitch.conf", "gai.conf", "networks",
	"hostname", "protocols", "services", "passwd", "group",
	// Trust stores, without the private keys beside them.
	"ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "ssl/ca-bundle.pem", "ca-certificates",
	"pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "pki/tls/openssl.d",
	"crypto-policies", "static",
	// Place, time and the system's name.
	"localtime", "timezone", "locale.alias", "locale.conf", "default/locale", "terminfo",
	"os-release", "lsb-release", "debian_version", "alpine-release", "redhat-release",
	// Tools' own settings for all users.
	"gitconfig", "ssh/ssh_config", "ssh/ssh_config.d", "ssh/ssh_known_hosts",
	"mime.types", "magic", "magic.mime", "alternatives", "inputrc", "fonts", "npmrc", "pip.conf",
	"python3", "perl", "java", "java-8-openjdk", "java-11-openjdk", "java-17-openjdk",
	"java-21-openjdk", "java-25-openjdk", "php", "xml", "groff",
}
