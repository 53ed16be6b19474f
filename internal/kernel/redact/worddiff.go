package redact

import "strings"

// A word diff of git's has what was removed in [- -] and what was added in {+ +},
// which may be a part of a value or stand between a name and its value. It is looked
// at as the text was before, and as it is now.

func isWordDiff(text string) bool {
	return strings.Contains(text, "{+") && strings.Contains(text, "+}") || strings.Contains(text, "[-") && strings.Contains(text, "-]")
}

// throughWordDiff looks at both texts of a word diff.
func throughWordDiff(text string) []Finding {
	found := shown(text, side("{+", "+}", "[-", "-]"))
	return append(found, shown(text, side("[-", "-]", "{+", "+}"))...)
}

// longestWords bounds what is looked at for the end of what was removed.
const longestWords = 1024

// side hides what stands in one kind of brackets, and the brackets of the other.
func side(open, end, hideOpen, hideEnd string) func(rest string) int {
	endless := -1 // what is left of the text behind a stretch without an end
	return func(rest string) int {
		switch {
		case strings.HasPrefix(rest, open), strings.HasPrefix(rest, end):
			return len(open)
		case !strings.HasPrefix(rest, hideOpen), len(rest) > endless && endless >= 0:
			return 0
		}
		line, _, _ := strings.Cut(rest[:min(len(rest), longestWords)], "\n")
		if i := strings.Index(line, hideEnd); i > 0 {
			return i + len(hideEnd)
		}
		endless = len(rest) - len(line)
		return 0
	}
}
