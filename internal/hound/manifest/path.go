package manifest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Relative checks a path of a document and returns it with slashes only and
// without empty and "." parts. "." is the root itself.
func Relative(text string) (string, error) {
	path, err := slashed(text)
	if err != nil {
		return "", err
	}
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
		case "..":
			return "", fmt.Errorf("the path %q leads upwards", text)
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ".", nil
	}
	return strings.Join(parts, "/"), nil
}

// File checks the path of a file that a driver is going to change. Git's own
// data is out of reach in every spelling that some file system takes for it, at
// any depth, so that a driver cannot plant a hook in a nested repository either.
func File(text string) (string, error) {
	path, err := Relative(text)
	if err != nil {
		return "", err
	}
	if path == "." {
		return "", fmt.Errorf("the path %q names no file", text)
	}
	if touchesGit(path) {
		return "", fmt.Errorf("the path %q lies in git's own data", text)
	}
	return path, nil
}

// Locator checks the way from a manifest to its repository, which may lead
// upwards.
func Locator(text string) (string, error) { return slashed(text) }

// slashed refuses what is no relative path on one system or another.
func slashed(text string) (string, error) {
	if text == "" {
		return "", fmt.Errorf("a path may not be empty")
	}
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("a path must be UTF-8")
	}
	if hasControl(text) {
		return "", fmt.Errorf("the path %q has a control character", text)
	}
	path := strings.ReplaceAll(text, `\`, "/")
	if strings.HasPrefix(path, "/") {
		return "", fmt.Errorf("the path %q is not relative", text)
	}
	if len(path) >= 2 && path[1] == ':' && isLetter(path[0]) {
		return "", fmt.Errorf("the path %q names a drive", text)
	}
	return path, nil
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// touchesGit reports whether a part of the path is ".git" or what a file system
// that folds case, skips code points or keeps short names takes for it.
func touchesGit(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		folded := strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return unicode.ToLower(r)
		}, part)
		folded, _, _ = strings.Cut(folded, ":") // a stream of NTFS
		switch strings.TrimRight(folded, ". ") {
		case ".git", "git~1":
			return true
		}
	}
	return false
}

// Under reports whether a path lies in a scope. The scope "." is everything.
func Under(scope, path string) bool {
	return scope == "." || path == scope || strings.HasPrefix(path, scope+"/")
}
