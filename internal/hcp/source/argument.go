package source

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// kind is what an argument names.
type kind int

const (
	local kind = iota
	webArchive
	gitHub
	npmPackage
	npmLocal
)

// Argument is a parsed argument of an installation.
type Argument struct {
	Text string

	kind        kind
	path        string // local, npmLocal: a path as written
	url         string // webArchive
	owner, repo string // gitHub
	ref, folder string // gitHub; empty for the default branch and the root
	name        string // npmPackage, with its scope
	version     string // npmPackage; empty for the latest
}

// Parse reads an argument. It looks at no file.
func Parse(text string) (Argument, error) {
	a := Argument{Text: text}
	switch {
	case text == "":
		return a, badSource(text, "it is empty")
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return a, badSource(text, "it has a control character")
	case strings.HasPrefix(text, "npm:"):
		return a.parseNPM(text[len("npm:"):])
	case strings.HasPrefix(text, "github:"):
		return a.parseGitHub(text[len("github:"):])
	case strings.Contains(text, "://"):
		return a.parseURL()
	default:
		a.kind, a.path = local, text
		return a, nil
	}
}

// Local reports whether the argument names something on this machine that
// needs no fetching.
func (a Argument) Local() bool { return a.kind == local || a.kind == npmLocal }

func (a Argument) parseNPM(spec string) (Argument, error) {
	if spec == "" {
		return a, badSource(a.Text, "no package is named")
	}
	if spec[0] == '.' || spec[0] == '/' || spec[0] == '\\' || filepath.IsAbs(spec) {
		a.kind, a.path = npmLocal, spec
		return a, nil
	}
	a.kind, a.name = npmPackage, spec
	if at := strings.LastIndexByte(spec, '@'); at > 0 {
		a.name, a.version = spec[:at], spec[at+1:]
		if !isNPMVersion(a.version) {
			return a, badSource(a.Text, "the version is none of npm's")
		}
	}
	scope, name, scoped := strings.Cut(a.name, "/")
	if !scoped {
		scope, name = "", a.name
	}
	if scoped && (!strings.HasPrefix(scope, "@") || !isNPMName(scope[1:])) || !isNPMName(name) || len(a.name) > 214 {
		return a, badSource(a.Text, "the name is none of npm's")
	}
	return a, nil
}

// isNPMName holds names to what npm allows new packages, so that nothing that
// npm would take for a URL, a folder or an option gets through.
func isNPMName(s string) bool {
	if s == "" || s[0] == '.' || s[0] == '_' || s[0] == '-' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == '~') {
			return false
		}
	}
	return true
}

// isNPMVersion admits versions, tags and simple ranges.
func isNPMVersion(s string) bool {
	if s == "" || s[0] == '-' || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(".-+_^~*", c) >= 0) {
			return false
		}
	}
	return true
}

func (a Argument) parseGitHub(spec string) (Argument, error) {
	spec, folder, hasFolder := strings.Cut(spec, "//")
	spec, ref, hasRef := strings.Cut(spec, "@")
	owner, repo, ok := strings.Cut(spec, "/")
	if !ok {
		return a, badSource(a.Text, "it names no repository as owner/repo")
	}
	if hasFolder && folder == "" || hasRef && ref == "" {
		return a, badSource(a.Text, "what follows @ or // is empty")
	}
	return a.onGitHub(owner, repo, ref, folder)
}

// onGitHub checks the parts of a reference to a repository.
func (a Argument) onGitHub(owner, repo, ref, folder string) (Argument, error) {
	repo = strings.TrimSuffix(repo, ".git")
	if !isOwner(owner) || !isRepo(repo) {
		return a, badSource(a.Text, "the repository's name is none of GitHub's")
	}
	if ref != "" {
		if err := git.CheckRef(ref); err != nil {
			return a, badSource(a.Text, err.Error())
		}
	}
	if folder != "" {
		folder = strings.TrimSuffix(folder, "/")
		if !isFolder(folder) {
			return a, badSource(a.Text, "the folder must lie inside the repository")
		}
	}
	a.kind, a.owner, a.repo, a.ref, a.folder = gitHub, owner, repo, ref, folder
	return a, nil
}

func isOwner(s string) bool {
	if s == "" || len(s) > 39 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '-' {
			return false
		}
	}
	return true
}

func isRepo(s string) bool {
	if s == "" || len(s) > 100 || s == "." || s == ".." {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isFolder(s string) bool {
	return s != "" && s == path.Clean(s) && s != "." && filepath.IsLocal(filepath.FromSlash(s)) && !strings.ContainsRune(s, '\\')
}

// parseURL tells a repository on GitHub from an archive. Both need https.
func (a Argument) parseURL() (Argument, error) {
	u, err := url.Parse(a.Text)
	if err != nil || u.Host == "" {
		return a, fault.New(CodeBadSource, "cannot install from this URL: it cannot be read").WithHint(forms)
	}
	if u.Scheme != "https" || u.User != nil {
		a.Text = (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
		return a, badSource(a.Text, "a URL must be https, without credentials")
	}
	if host := strings.ToLower(u.Host); host == "github.com" || host == "www.github.com" {
		if parsed, ok, err := a.parseGitHubPage(u); ok || err != nil {
			return parsed, err
		}
	}
	if formatOf(u.Path) == "" {
		return a, badSource(a.Text, "the URL names no archive and no repository on GitHub")
	}
	a.kind, a.url = webArchive, u.String()
	return a, nil
}

// parseGitHubPage reads the address of a repository's page. Other pages, such
// as those of archives, are not its business.
func (a Argument) parseGitHubPage(u *url.URL) (Argument, bool, error) {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case u.RawQuery != "" || len(parts) < 2:
		return a, false, nil
	case len(parts) == 2:
		parsed, err := a.onGitHub(parts[0], parts[1], "", "")
		return parsed, true, err
	case parts[2] == "tree" && len(parts) > 3:
		// A branch with a slash in its name cannot be told from a folder here.
		parsed, err := a.onGitHub(parts[0], parts[1], parts[3], strings.Join(parts[4:], "/"))
		return parsed, true, err
	}
	return a, false, nil
}
