package pack

import "strings"

// leadLength is how many characters of a Skill's lead hosts keep at hand.
const leadLength = 480

// Lead returns the first paragraph under a Skill's title (§5.3), as one line.
// Front matter and comments, which a reader of the rendered Skill never sees,
// are skipped.
func Lead(skill string) string {
	skill = strings.ReplaceAll(skill, "\r\n", "\n")
	if rest, found := strings.CutPrefix(skill, "---\n"); found {
		if _, after, closed := strings.Cut(rest, "\n---\n"); closed {
			skill = after
		}
	}
	var words []string
	for line := range strings.Lines(withoutComments(skill)) {
		line = strings.TrimSpace(line)
		blank := line == "" || strings.HasPrefix(line, "#")
		if blank && len(words) > 0 {
			break
		}
		if !blank {
			words = append(words, strings.Fields(line)...)
		}
	}
	return cutAtWord(strings.Join(words, " "), leadLength)
}

// withoutComments drops <!-- … -->, and everything behind one that is not
// closed.
func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<!--")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "-->")
	}
}

// cutAtWord cuts text at a word, marking the cut.
func cutAtWord(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	cut := string(runes[:limit-1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return cut + "…"
}
