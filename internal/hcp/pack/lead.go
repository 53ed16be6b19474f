package pack

import "strings"

// leadLength is how many characters of a Skill's lead hosts keep at hand.
const leadLength = 480

// Lead returns the first paragraph under a Skill's title (§5.3), as one line.
// Front matter and comments, which a reader of the rendered Skill never sees,
// are skipped.
func Lead(skill string) string {
	skill = withoutFrontMatter(strings.ReplaceAll(skill, "\r\n", "\n"))
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

// withoutFrontMatter drops what stands between two lines of dashes at the start.
func withoutFrontMatter(skill string) string {
	if rest, found := strings.CutPrefix(skill, "---\n"); found {
		if _, after, closed := strings.Cut(rest, "\n---\n"); closed {
			return after
		}
	}
	return skill
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

// LeadUpTo returns the whole lead: the text between the title and the first
// heading below it (§5.3), its paragraphs as one line each, cut at so many
// characters.
func LeadUpTo(skill string, limit int) string {
	skill = withoutFrontMatter(strings.ReplaceAll(skill, "\r\n", "\n"))
	var paragraphs []string
	var words []string
	end := func() {
		if len(words) > 0 {
			paragraphs = append(paragraphs, strings.Join(words, " "))
			words = nil
		}
	}
	for line := range strings.Lines(withoutComments(skill)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "##"):
			end()
			return cutAtWord(strings.Join(paragraphs, "\n"), limit)
		case line == "" || strings.HasPrefix(line, "# "):
			end()
		default:
			words = append(words, strings.Fields(line)...)
		}
	}
	end()
	return cutAtWord(strings.Join(paragraphs, "\n"), limit)
}
