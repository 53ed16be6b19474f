package op

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

// MaxPrompt is the size of the largest prompt.
const MaxPrompt = 16 << 20

func sortCounts(counts []redact.Count) {
	slices.SortFunc(counts, func(a, b redact.Count) int { return cmp.Compare(a.Kind, b.Kind) })
}

// checkPrompt refuses what is no instruction.
func checkPrompt(text string) error { return checkText("prompt", text) }

// checkText refuses a text that cannot be recorded as it is; what names it.
func checkText(what, text string) error {
	switch {
	case len(text) > MaxPrompt:
		return fault.Newf(what+"_too_large", "the %s has %d bytes, more than the %d that are recorded", what, len(text), MaxPrompt).
			WithHint("put the bulk of it into a file of the project and name that in the %s", what)
	case !utf8.ValidString(text):
		return fault.Newf("bad_"+what, "the %s is not valid UTF-8", what).
			WithHint("convert it, for example with iconv; it would be recorded as something else than what was meant")
	case strings.TrimSpace(text) == "":
		return usage("the %s is blank", what).WithHint("give it as one argument, or on standard input with --stdin or --heredoc")
	}
	return nil
}

// checkName refuses an agent's name or a session id that may not be recorded as
// it is: these are keys and cannot be redacted.
func checkName(what, value string) error {
	if !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return usage("the %s holds control characters", what)
	}
	if len(value) > 512 {
		return usage("the %s is longer than 512 bytes", what)
	}
	if len(redact.Find(value)) > 0 {
		return fault.Newf(CodeCredential, "the %s looks like a credential and is not recorded", what).
			WithHint("use another one; a credential belongs in no name")
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }
