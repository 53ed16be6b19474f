package git

import (
	"strings"

	"bridle/internal/kernel/fault"
)

// CheckRef refuses what git would not accept as the name of a branch, a tag or
// a commit, and what it would take for something else: an option, a refspec, an
// expression over commits.
func CheckRef(ref string) error {
	bad := func(why string) error {
		return fault.Newf(CodeBadRef, "%q is no name of a branch, tag or commit: %s", ref, why)
	}
	switch {
	case ref == "":
		return bad("it is empty")
	case len(ref) > 255:
		return bad("it is too long")
	case ref[0] == '-', ref[0] == '+':
		return bad("it begins like an option")
	case ref == "@" || strings.Contains(ref, "@{"):
		return bad("it is an expression")
	case strings.Contains(ref, ".."):
		return bad("it has two dots in a row")
	case strings.HasSuffix(ref, "."):
		return bad("it ends with a dot")
	}
	for i := range len(ref) {
		if c := ref[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return bad("it has a character that refs do not have")
		}
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return bad("a part of it is not allowed")
		}
	}
	return nil
}
