package sandbox

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// installation returns what must be readable and runnable for the executable to
// work: its own installation, and those of the interpreters it names, one after
// the other.
func installation(executable, path string, g guard) []string {
	var grants []string
	seen := map[string]bool{}
	add := func(paths ...string) {
		for _, p := range paths {
			if p != "" && !seen[p] && !systemWide(p) {
				seen[p] = true
				grants = append(grants, p)
			}
		}
	}
	// A chain longer than this is a loop; the kernel allows five interpreters.
	const longest = 8
	next := executable
	for range longest {
		if next == "" {
			break
		}
		for _, hop := range linkHops(next) {
			add(managedRoot(hop))
		}
		file := resolved(next)
		add(installedAt(file, g)...)
		next = interpreterOf(file, path)
	}
	return grants
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

// installedAt returns the grants for one resolved file. What would open a
// protected path is left out; the file itself always comes.
func installedAt(file string, g guard) []string {
	grants := []string{file}
	for _, root := range installRoots(file, g) {
		if root != "" && g.contained(root) == "" {
			grants = append(grants, root)
		}
	}
	return grants
}

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
	if exists(filepath.Join(root, "pyvenv.cfg")) {
		return append([]string{root}, installRootsOfBase(filepath.Join(root, "pyvenv.cfg"), g)...)
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

// installRootsOfBase follows a Python virtual environment to the installation it
// was made from.
func installRootsOfBase(config string, g guard) []string {
	f, err := os.Open(config)
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 16<<10))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		value = strings.TrimSpace(value)
		if strings.TrimSpace(key) == "home" && filepath.IsAbs(value) {
			base := resolved(filepath.Join(value, "python3"))
			if exists(filepath.Join(filepath.Dir(filepath.Dir(base)), "pyvenv.cfg")) {
				return nil // an environment made from another one names the true base itself
			}
			return installRoots(base, g)
		}
	}
	return nil
}

// interpreterOf returns the program that runs the file: what "#!" names, found
// through the search path when that is env, or a binary's loader. "" when the
// file needs none.
func interpreterOf(file, path string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	switch {
	case strings.HasPrefix(string(head), "#!"):
		line, _, _ := strings.Cut(string(head[2:]), "\n")
		return scriptInterpreter(strings.Fields(line), path)
	case strings.HasPrefix(string(head), "\x7fELF"):
		return loaderOf(f, head)
	}
	return ""
}

func scriptInterpreter(words []string, path string) string {
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		return words[0]
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue // options such as -S, and variables
		}
		if filepath.IsAbs(word) {
			return word
		}
		return lookUp(word, path)
	}
	return ""
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
// file, the only kind that runs confined.
func loaderOf(f io.ReaderAt, head []byte) string {
	if len(head) < 64 || head[4] != 2 || head[5] != 1 {
		return ""
	}
	const ptInterp, entrySize, longest = 3, 56, 1024
	order := binary.LittleEndian
	offset, count := order.Uint64(head[32:]), order.Uint16(head[56:])
	for i := range min(count, 64) {
		var entry [entrySize]byte
		if _, err := f.ReadAt(entry[:], int64(offset)+int64(i)*entrySize); err != nil {
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
		if _, err := f.ReadAt(text, int64(order.Uint64(entry[8:]))); err != nil {
			return ""
		}
		loader := strings.TrimRight(string(text), "\x00")
		if filepath.IsAbs(loader) {
			return loader
		}
	}
	return ""
}
