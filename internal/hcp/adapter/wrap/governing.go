package wrap

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files of a project decide what runs in it without asking, and what a host
// program starts by itself: the project's access settings, and the settings,
// hooks and servers of agent hosts. A command in the project may not decide
// that, so the guard watches them like the hooks of git. Instructions for an
// agent are text and not among them, nor is what a host writes for itself while
// it works, such as its sessions.

// governingFiles are such files, below a folder of the project that a call may
// begin in.
func governingFiles() []string {
	return []string{
		".mcp.json", "opencode.json", "opencode.jsonc",
		".claude/settings.json", ".claude/settings.local.json",
		".codex/config.toml", ".codex/hooks.json", ".codex/requirements.toml",
		".cursor/mcp.json", ".cursor/hooks.json", ".cursor/cli.json", ".cursor/environment.json",
		".vscode/mcp.json", ".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json",
		".gemini/settings.json", ".gemini/.env",
		".grok/config.toml", ".grok/settings.json",
		".opencode/opencode.json", ".opencode/opencode.jsonc",
	}
}

// governingFolders are such folders, with all that is in them.
func governingFolders() []string {
	return []string{
		".hcp", ".claude/hooks", ".codex/hooks", ".codex/rules", ".cursor/hooks",
		".gemini/hooks", ".gemini/policies", ".gemini/extensions", ".gemini/commands",
		".opencode/plugin", ".opencode/plugins", ".opencode/tool", ".opencode/tools",
	}
}

// governs reports whether a name of the project, from whichever of its folders
// on, is such a file, such a folder, in one, or on the way to one.
func governs(name string) bool {
	parts := strings.Split(strings.ToLower(name), "/")
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], ". ")
	}
	for i := range parts {
		rest := strings.Join(parts[i:], "/")
		for _, known := range governingFiles() {
			if rest == known || strings.HasPrefix(known, rest+"/") && i == len(parts)-1 {
				return true
			}
		}
		for _, known := range governingFolders() {
			if below(rest, known) {
				return true
			}
		}
	}
	return false
}

// folders are those of the project that calls from its directory go by: from
// there up to the root.
func (p *Project) folders() []string {
	rel, err := filepath.Rel(p.Root, p.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return []string{"."}
	}
	var all []string
	for at := filepath.ToSlash(rel); at != "."; at = path.Dir(at) {
		all = append(all, at)
	}
	return append(all, ".")
}

// takeGoverning guards the governing files of the folders, and of the working
// trees of nested repositories: each of those is a project to whoever works in
// it.
func (s *gitState) takeGoverning(dir *os.Root, before *gitState) error {
	if !s.Tree {
		return nil
	}
	defer func() { s.repo = "" }()
	if before != nil {
		s.Folders, s.Trees = before.Folders, before.Trees
	} else {
		s.Trees = nil
		for _, at := range s.Nested {
			if isGitEntry(path.Base(at)) {
				s.Trees = append(s.Trees, at)
			}
		}
	}
	for _, folder := range s.Folders {
		if err := s.takeFolder(dir, folder); err != nil {
			return err
		}
	}
	for _, at := range s.Trees {
		s.repo = at
		if err := s.takeFolder(dir, path.Dir(at)); err != nil {
			return err
		}
	}
	return nil
}

// takeFolder looks at what is there: most folders have none of it, and what was
// there before a call is looked at again in any case.
func (s *gitState) takeFolder(dir *os.Root, folder string) error {
	there := map[string]bool{}
	for _, known := range slices.Concat(governingFiles(), governingFolders()) {
		top, _, inside := strings.Cut(known, "/")
		seen, looked := there[top]
		if !looked {
			name := path.Join(folder, top)
			if err := s.takeAs(dir, roleGoverns, name); err != nil {
				return err
			}
			seen = s.item(name).Kind != absent
			there[top] = seen
		}
		if !seen || !inside {
			continue
		}
		if err := s.takeWayAs(dir, roleGoverns, path.Join(folder, known)); err != nil {
			return err
		}
		if err := s.takeAs(dir, roleGoverns, path.Join(folder, known)); err != nil {
			return err
		}
	}
	for _, known := range governingFolders() {
		if top, _, _ := strings.Cut(known, "/"); there[top] {
			if err := s.takeAll(dir, roleGoverns, path.Join(folder, known)); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeAll guards a name with all that is below it.
func (s *gitState) takeAll(dir *os.Root, role, at string) error {
	return s.eachAs(dir, role, at, func(name string) error { return s.takeAll(dir, role, path.Join(at, name)) })
}

// covers reports whether the baseline holds what governs calls of the project.
// It is taken for the folder of the first of the calls under way.
func (b *baseline) covers(p *Project) bool {
	return len(b.Trees) > 0 && !slices.ContainsFunc(p.folders(), func(folder string) bool {
		return !slices.Contains(b.Trees[0].Folders, folder)
	})
}
