package command

import (
	"slices"
	"strings"
)

// Line writes words as one command line that a POSIX shell reads back as
// exactly these words. Only words of a few harmless characters stay bare; all
// others stand in single quotes, inside which a shell gives no character a
// meaning, line breaks included. Showing control characters visibly is the
// renderer's business: here they are themselves, so that the line stays true.
// No argv can carry a NUL; it is shown as U+FFFD.
func Line(words []string) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = quote(word, i == 0)
	}
	return strings.Join(out, " ")
}

// quote leaves a word bare when no shell could read it otherwise. In the place
// of the command a word can also be an assignment or a keyword, and "=word" is
// a path look-up in one shell.
func quote(word string, first bool) string {
	bare := word != "" && word[0] != '=' && !strings.ContainsFunc(word, func(r rune) bool { return !isBare(r) })
	if first && (strings.Contains(word, "=") || slices.Contains(shellKeywords, word)) {
		bare = false
	}
	if bare {
		return word
	}
	word = strings.ReplaceAll(word, "\x00", "\uFFFD")
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func isBare(r rune) bool {
	return r < 0x80 && (isAlphanumeric(byte(r)) || strings.ContainsRune("_@%+=:,./-", r))
}

var shellKeywords = []string{
	"case", "coproc", "do", "done", "elif", "else", "end", "esac", "fi", "for", "foreach", "function",
	"if", "in", "namespace", "nocorrect", "repeat", "select", "then", "time", "until", "while",
}
