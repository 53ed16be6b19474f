package lint

import (
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// hostRoots begin paths that exist on one machine only (§5.2, RFC 0002).
var hostRoots = []string{"/Users/", "/home/", "/root/", "/opt/", "/srv/"}

// hostPaths: no path of one machine anywhere in the Skill. ~/.hcp/… is fine.
func (f *findings) hostPaths(md markdown) {
	for _, l := range md.lines {
		if path := hostPath(l.text); path != "" {
			f.add(hcp.LintSkill, "path", `%s line %d has the host path %q; use a relative path or "~/.hcp/…"`, pack.SkillFile, l.number, path)
		}
	}
}

// hostPath returns the beginning of the first host path in a line.
func hostPath(s string) string {
	for i := range len(s) {
		for _, root := range hostRoots {
			if strings.HasPrefix(s[i:], root) && startsPath(s[:i]) {
				return root + "…"
			}
		}
		if i+8 <= len(s) && strings.EqualFold(s[i:i+8], `:\users\`) && i > 0 && isLetter(s[i-1]) {
			return s[i-1:i+8] + "…"
		}
	}
	return ""
}

// startsPath reports whether an absolute path can begin after s: not within a
// longer path, a word or an address. Doubled slashes and file:// begin one.
func startsPath(s string) bool {
	slashless := strings.TrimRight(s, "/")
	if slashless == "" || len(slashless) < len(s) && strings.HasSuffix(slashless, "file:") {
		return true
	}
	switch c := slashless[len(slashless)-1]; {
	case isLetter(c), '0' <= c && c <= '9', c >= 0x80:
		return false
	case c == ':':
		// Two slashes after a scheme lead to a host, not to a path.
		return len(slashless) == len(s)
	default:
		return !strings.ContainsRune("~._-}>%", rune(c))
	}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
