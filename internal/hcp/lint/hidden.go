package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// hidden: nothing in the Skill that an agent reads and a person does not see.
func (f *findings) hidden(md markdown, text string) {
	if rest, ok := strings.CutPrefix(text, "\uFEFF"); ok {
		f.note("%s begins with a byte order mark", pack.SkillFile)
		text = rest
	}
	for i, l := range strings.Split(text, "\n") {
		if names := hiddenCharacters(strings.TrimSuffix(l, "\r")); names != "" {
			f.add(hcp.LintSkill, "hidden", "%s line %d holds characters that a person cannot see: %s", pack.SkillFile, i+1, names)
		}
	}
	for _, c := range md.comments {
		if !isToolComment(strings.TrimSpace(c.text)) {
			f.add(hcp.LintSkill, "hidden", "%s line %d has an HTML comment, which an agent reads and a person does not see", pack.SkillFile, c.number)
		}
	}
	for _, l := range md.lines {
		if !l.fenced && isHiddenReference(l.seen) {
			f.add(hcp.LintSkill, "hidden", "%s line %d has a link definition that serves as a comment, which an agent reads and a person does not see", pack.SkillFile, l.number)
		}
	}
}

// isToolComment knows the comments that tools want in a file and that hold no
// free text.
func isToolComment(s string) bool {
	if s == "prettier-ignore" || s == "prettier-ignore-start" || s == "prettier-ignore-end" {
		return true
	}
	first, rules, _ := strings.Cut(s, " ")
	if first != "markdownlint-disable" && first != "markdownlint-enable" && first != "markdownlint-disable-line" && first != "markdownlint-disable-next-line" {
		return false
	}
	for rule := range strings.FieldsSeq(rules) {
		if len(rule) != 5 || rule[:2] != "MD" || strings.Trim(rule[2:], "0123456789") != "" {
			return false
		}
	}
	return true
}

// isHiddenReference knows the link definitions that exist only to be invisible:
// [//]: # (text) and [comment]: <> (text).
func isHiddenReference(s string) bool {
	label, target, ok := strings.Cut(strings.TrimSpace(s), "]:")
	if !ok || !strings.HasPrefix(label, "[") {
		return false
	}
	target = strings.TrimSpace(target)
	return strings.HasPrefix(target, "#") || strings.HasPrefix(target, "<>")
}

// hiddenCharacters names the characters of s that cannot be seen or that change
// the order of what is seen, at most four of them.
func hiddenCharacters(s string) string {
	var found []string
	runes := []rune(s)
	rightToLeft := slices.ContainsFunc(runes, isRightToLeft)
	for i, r := range runes {
		if !isHidden(runes, i, rightToLeft) {
			continue
		}
		if name := fmt.Sprintf("U+%04X", r); !slices.Contains(found, name) {
			found = append(found, name)
		}
		if len(found) == 4 {
			break
		}
	}
	return strings.Join(found, ", ")
}

func isHidden(s []rune, i int, rightToLeft bool) bool {
	r := s[i]
	switch {
	case r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r == 0x200c || r == 0x200d:
		// Joiners belong to emoji and to scripts that join letters; between
		// ASCII they only hide.
		return i == 0 || i == len(s)-1 || s[i-1] < 0x80 || s[i+1] < 0x80
	case r == 0x200e || r == 0x200f || r == 0x061c:
		// Marks that right-to-left text needs are no way to reorder other text.
		return !rightToLeft
	case r >= 0xfe00 && r <= 0xfe0f:
		// A variation selector means something after a character, once.
		return i == 0 || s[i-1] >= 0xfe00 && s[i-1] <= 0xfe0f
	case r == 0x3164 || r == 0xffa0 || r == 0x115f || r == 0x1160 || r == 0x2800:
		return true // letters that are drawn as nothing
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) || r >= 0xe0000 && r <= 0xe0fff
}

func isRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana)
}
