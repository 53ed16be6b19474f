package sandbox

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// link is one program on the way from an executable to what the kernel finally
// runs: the executable itself, the interpreter that it names, that one's, and so
// on.
type link struct {
	hops []string // the places that symbolic links lead through, the first included
	file string   // where they end
	own  bool     // it lies in what the caller granted, so it may be anyone's work
}

// chain follows an executable to its last interpreter. A program that is anyone's
// work, such as a script that came with a pack, must not choose what is granted
// along with it: of the interpreters that it names, those count that the search
// path finds, that all programs may run, or that a version manager keeps.
func chain(executable, path string, g guard) []link {
	// A longer one is a loop; the kernel allows five interpreters.
	const longest = 8
	var links []link
	for next := executable; next != "" && len(links) < longest; {
		l := link{hops: linkHops(next), file: resolved(next)}
		l.own = g.owns(l.file)
		links = append(links, l)
		interpreter, searched := interpreterOf(l.file, path)
		if l.own && !searched {
			// Where it leads is what counts: a name can have ".." in it.
			if end := resolved(interpreter); !systemWide(end) && managedRoot(end) == "" && !g.owns(end) {
				break
			}
		}
		next = interpreter
	}
	return links
}

// installation returns what must be readable and runnable for the programs to
// work. What is granted anyway, by Base or by the caller, is left out.
func installation(links []link, g guard) []string {
	var grants []string
	add := func(p string) {
		if p != "" && !systemWide(p) && g.contained(p) == "" && !slices.Contains(grants, p) {
			grants = append(grants, p)
		}
	}
	for _, l := range links {
		for _, hop := range l.hops {
			add(managedRoot(hop))
		}
		if systemWide(l.file) {
			continue
		}
		add(l.file)
		if l.own {
			continue
		}
		for _, root := range installRoots(l.file, g) {
			add(root)
		}
	}
	return grants
}

// closedSettings are directories of /etc that bear a program's name and hold
// private keys or passwords. What programs need of them is in Base.
var closedSettings = [...]string{"ssh", "ssl", "pki", "sudo", "sudoers", "shadow", "gshadow", "login", "passwd", "su"}

// settings returns the places in /etc that the system keeps for the programs: by
// the program's name, or by the name of the package that it belongs to, as
// /etc/maven for /usr/share/maven/bin/mvn. Only programs of the system have such
// places; the name of another program is its author's choice.
func settings(links []link, g guard) []string {
	var paths []string
	add := func(name string) {
		path := "/etc/" + name
		if name == "" || name == "." || name == "/" || slices.Contains(closedSettings[:], name) || slices.Contains(paths, path) {
			return
		}
		if exists(path) && g.contained(path) == "" {
			paths = append(paths, path)
		}
	}
	for _, l := range links {
		for _, program := range append(l.hops[:len(l.hops):len(l.hops)], l.file) {
			if !systemWide(program) {
				continue
			}
			add(filepath.Base(program))
			for _, packages := range [...]string{"/usr/share/", "/usr/lib/"} {
				if rest, ok := strings.CutPrefix(program, packages); ok {
					if name, _, deeper := strings.Cut(rest, "/"); deeper {
						add(name)
					}
				}
			}
		}
	}
	return paths
}

// systemWide says whether Base grants the path already.
func systemWide(path string) bool {
	for _, dir := range systemPrograms {
		if within(path, dir) {
			return true
		}
	}
	return false
}

// linkHops lists the places that a link leads through, the path itself first.
func linkHops(path string) []string {
	const longest = 40 // as in the kernel
	var hops []string
	path = filepath.Clean(path)
	for range longest {
		hops = append(hops, path)
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return hops
}

// managers are directories in which version managers keep whole toolchains and
// no credentials. A program below one gets all of it: shims lead from one corner
// to another.
var managers = [...]string{
	"/.pyenv/", "/.rbenv/", "/.nodenv/", "/.nvm/", "/.asdf/", "/.volta/", "/.sdkman/", "/.rustup/",
	"/.bun/", "/.deno/", "/.goenv/", "/.jenv/", "/.phpenv/", "/.linuxbrew/", "/.rye/", "/.nix-profile/",
	"/.local/share/mise/", "/.local/share/fnm/", "/.local/share/uv/", "/.local/share/pipx/",
	"/.local/share/pnpm/", "/.local/share/rtx/", "/opt/homebrew/",
}

// managedRoot returns the version manager's directory that holds the path.
func managedRoot(path string) string {
	for _, m := range managers {
		if i := strings.Index(path, m); i >= 0 {
			return path[:i+len(m)-1]
		}
	}
	return ""
}

// installRoots returns the directories that a resolved file needs around it.
func installRoots(file string, g guard) []string {
	if root := managedRoot(file); root != "" {
		return []string{root}
	}
	if i := strings.Index(file, "/.pnpm/"); i >= 0 {
		return []string{file[:i]}
	}
	const modules = "/node_modules/"
	if i := strings.Index(file, modules); i >= 0 {
		return []string{file[:i+len(modules)-1]}
	}
	dir := filepath.Dir(file)
	root := filepath.Dir(dir)
	if strings.HasSuffix(dir, "/.cargo/bin") {
		// Beside the programs lies a token; the toolchains are elsewhere.
		return []string{dir, filepath.Join(filepath.Dir(root), ".rustup")}
	}
	if config := filepath.Join(root, "pyvenv.cfg"); exists(config) {
		return append([]string{root}, baseOf(config, g)...)
	}
	if strings.HasPrefix(file, "/opt/") && strings.Count(file, "/") >= 3 {
		name, _, _ := strings.Cut(file[len("/opt/"):], "/")
		return []string{"/opt/" + name}
	}
	switch filepath.Base(dir) {
	case "bin", "sbin", "libexec":
		if looksInstalled(root) && !private(root, g) {
			return []string{root}
		}
		// Beside the programs, their libraries; around them may be anything.
		return []string{dir, filepath.Join(root, "lib")}
	}
	return nil
}

// looksInstalled says whether a directory is the root of an installation: one
// with libraries or data beside its programs, and not right below "/".
func looksInstalled(root string) bool {
	if strings.Count(root, "/") < 2 {
		return false
	}
	return exists(filepath.Join(root, "lib")) || exists(filepath.Join(root, "lib64")) ||
		exists(filepath.Join(root, "libexec")) || exists(filepath.Join(root, "share"))
}

// private says whether a directory is the home or below one of its hidden ones,
// where programs keep their settings and credentials.
func private(root string, g guard) bool {
	if g.home == "" || !within(root, g.home) {
		return false
	}
	return root == g.home || strings.Contains(root[len(g.home):], "/.")
}

// baseOf follows a Python virtual environment to the installation that it was
// made from.
func baseOf(config string, g guard) []string {
	f, err := os.Open(config)
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 16<<10))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		value = strings.TrimSpace(value)
		if strings.TrimSpace(key) != "home" || !filepath.IsAbs(value) {
			continue
		}
		base := resolved(filepath.Join(value, "python3"))
		if exists(filepath.Join(filepath.Dir(filepath.Dir(base)), "pyvenv.cfg")) {
			return nil // an environment never names another one; this one would loop
		}
		return append([]string{base}, installRoots(base, g)...)
	}
	return nil
}

// interpreterOf returns the program that runs the file: what "#!" names, or a
// binary's loader; "" when the file needs none beyond the system's own. searched says that the file named
// it without a path, by way of env.
func interpreterOf(file, path string) (program string, searched bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	return interpreterIn(f, path)
}

func interpreterIn(file io.ReaderAt, path string) (program string, searched bool) {
	var start [1024]byte
	n, _ := file.ReadAt(start[:], 0)
	head := start[:n]
	switch {
	case bytes.HasPrefix(head, []byte("#!")):
		line, _, _ := bytes.Cut(head[2:], []byte("\n"))
		return scriptInterpreter(strings.Fields(string(line)), path)
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		return loaderOf(file, head), false
	}
	return "", false
}

func scriptInterpreter(words []string, path string) (program string, searched bool) {
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		return "", false
	}
	if filepath.Base(words[0]) != "env" {
		return words[0], false
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue // options such as -S, and variables
		}
		if filepath.IsAbs(word) {
			return word, false
		}
		return lookUp(word, path), true
	}
	return "", false
}

// lookUp finds a program as execvp does, over absolute directories only.
func lookUp(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// loaderOf reads the loader's path (PT_INTERP) of a 64-bit little-endian ELF
// file, the only kind that runs confined, unless it is one of the system's.
func loaderOf(file io.ReaderAt, head []byte) string {
	if len(head) < 64 || head[4] != 2 || head[5] != 1 {
		return ""
	}
	const ptInterp, entrySize, longest = 3, 56, 1024
	order := binary.LittleEndian
	offset, count := order.Uint64(head[32:]), order.Uint16(head[56:])
	for i := range min(count, 64) {
		var entry [entrySize]byte
		if _, err := file.ReadAt(entry[:], int64(offset)+int64(i)*entrySize); err != nil {
			return ""
		}
		if order.Uint32(entry[:]) != ptInterp {
			continue
		}
		size := order.Uint64(entry[32:])
		if size == 0 || size > longest {
			return ""
		}
		text := make([]byte, size)
		if _, err := file.ReadAt(text, int64(order.Uint64(entry[8:]))); err != nil {
			return ""
		}
		loader := strings.TrimRight(string(text), "\x00")
		if filepath.IsAbs(loader) && !systemWide(filepath.Clean(loader)) {
			return loader
		}
		return ""
	}
	return ""
}
