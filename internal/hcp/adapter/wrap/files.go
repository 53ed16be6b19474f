package wrap

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/kernel/fault"
)

// rewrite turns one word into what the program gets (§6.4.7, §10.6): workspace
// references and the files that file flags announce lead into the place, paths
// inside the project become relative to the working directory, and paths of the
// host are refused. flag is the word before.
func (s *stay) rewrite(word command.Token, flag string) (string, error) {
	text := word.Text
	if word.JSON {
		return text, nil
	}
	if before, rel, ok := command.WorkspaceRef(text); ok {
		name, err := s.reference(rel, isOutput(flagOf(before, flag)))
		return before + name, err
	}
	if word.File {
		before, value := text[:word.FileAt], text[word.FileAt:]
		name, err := s.announced(value, isOutput(flagOf(before, flag)))
		return before + name, err
	}
	return s.plain(word)
}

// flagOf names the flag that a file belongs to: in the word itself, else the
// word before.
func flagOf(before, previous string) string {
	if name := strings.TrimSuffix(before, "="); name != "" {
		return name
	}
	return previous
}

// isOutput reports whether the flag names a file that the program writes.
func isOutput(flag string) bool { return flag == "--output" || flag == "-o" }

// reference resolves a path of the workspace.
func (s *stay) reference(rel string, output bool) (string, error) {
	local, err := inside(rel)
	if err != nil {
		return "", err
	}
	if s.project != nil && !s.reaches(local) {
		return "", hostPath() // a link of the project that leads out of it
	}
	if s.mode == hcp.WorkspaceNone {
		return filepath.Join(s.files, local), nil
	}
	return local, s.exchanged(local, output)
}

// announced resolves the value of a file flag. A value that is no path of its
// own (standard input, a device) stays.
func (s *stay) announced(value string, output bool) (string, error) {
	if value == "" || value == "-" || slices.Contains(harmlessFiles, value) || strings.HasPrefix(value, "/dev/fd/") || !s.confined {
		return value, nil
	}
	if filepath.IsAbs(value) || strings.HasPrefix(value, "/") || strings.Contains(value, "://") {
		if s.project != nil {
			if rel, ok := s.project.relative(value); ok {
				return rel, nil
			}
		}
		return "", hostPath()
	}
	if s.project != nil {
		if !s.reaches(value) {
			return "", hostPath()
		}
		return value, nil
	}
	local, err := inside(value)
	if err != nil {
		return "", err
	}
	if s.mode == hcp.WorkspaceNone {
		if !output && exists(s.pack, local) {
			return value, nil
		}
		return filepath.Join(s.files, local), nil
	}
	return value, s.exchanged(local, output)
}

// harmlessFiles may be named by any file flag.
var harmlessFiles = []string{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}

// plain treats a word that no flag announces as a file. A path inside the
// project becomes relative; a path of the host is refused, and so is one that
// climbs out of the place.
func (s *stay) plain(word command.Token) (string, error) {
	if !s.confined {
		return word.Text, nil
	}
	before, value := behindFlag(word.Text)
	if s.project != nil && filepath.IsAbs(value) {
		if rel, ok := s.project.relative(value); ok {
			return before + rel, nil
		}
		if below(filepath.Clean(value), s.project.Root) {
			return "", hostPath() // a link of the project that leads out of it
		}
	}
	if host, ok := word.HostPath(); ok && (s.project == nil || !s.project.holds(host)) {
		return "", hostPath()
	}
	if climbs(value) && !s.reaches(value) || s.leadsToHost(word, value) {
		return "", hostPath()
	}
	return word.Text, nil
}

// longestPath is the most that a system takes for a path.
const longestPath = 4096

// leadsToHost reports whether a word is a path of the host by another name: over
// a link of the project, or by way of /proc.
func (s *stay) leadsToHost(word command.Token, value string) bool {
	paths := word.Paths()
	if s.project != nil && !filepath.IsAbs(value) && len(value) <= longestPath {
		at := filepath.Join(s.project.Dir, filepath.FromSlash(value))
		// A word without a slash is more likely a name or a text than a path.
		if _, err := os.Lstat(at); err == nil && strings.Contains(value, "/") && !s.project.holds(at) {
			return true
		}
		paths = append(paths, at)
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		if len(path) > longestPath {
			return false
		}
		resolved := realPath(filepath.Clean(path))
		_, host := command.HostPath(resolved)
		return host && (s.project == nil || !s.project.holds(resolved))
	})
}

// reaches reports whether a relative path stays in the project.
func (s *stay) reaches(rel string) bool {
	return s.project != nil && s.project.holds(filepath.Join(s.project.Dir, filepath.FromSlash(rel)))
}

// behindFlag splits --flag=value.
func behindFlag(text string) (before, value string) {
	if at := strings.IndexByte(text, '='); at >= 0 && strings.HasPrefix(text, "-") {
		return text[:at+1], text[at+1:]
	}
	return "", text
}

// climbs reports whether a word is a relative path that leaves its directory.
func climbs(text string) bool {
	slashed := filepath.ToSlash(text)
	if slashed != ".." && !strings.HasPrefix(slashed, "../") && !strings.Contains(slashed, "/../") && !strings.HasSuffix(slashed, "/..") {
		return false
	}
	clean := path.Clean(slashed)
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// inside returns a path of the workspace in local form, or refuses one that
// leaves it, or that leads into its repository's or the runtime's own data.
func inside(rel string) (string, error) {
	if strings.ContainsRune(rel, 0) {
		return "", fault.New(CodeBadFile, "a file name holds a NUL byte")
	}
	local := filepath.FromSlash(path.Clean(filepath.ToSlash(rel)))
	if !filepath.IsLocal(local) || local == "." {
		return "", hostPath()
	}
	return local, nil
}

func hostPath() *fault.Error {
	return fault.New(CodeHostPath, "sandbox: host path not allowed").
		WithHint("name a file inside the workspace or project, for example workspace:notes.md; nothing ran")
}
