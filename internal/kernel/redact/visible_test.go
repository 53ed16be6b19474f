package redact

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestOrdinaryTextStays(t *testing.T) {
	for _, s := range []string{
		"", "plain", `a "quoted" \n path C:\dir`, "Grüße, señor", "日本語、漢字", "العربية", "עברית", "हिन्दी", "ไทย", "한국어", "Ελληνικά", "e\u0301",
		"€ £ ± × ÷ → ✓ ██ ╭─╮ ½ ²", "🦦 👍🏽", "⚠️ ❤︎", "…–—“”«»",
	} {
		if got := Visible(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
		if got := VisibleLines(s); got != s {
			t.Errorf("%q became %q over lines", s, got)
		}
	}
}

func TestWhatDeceivesIsEscaped(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[31mred\x1b[0m":     `\x1b[31mred\x1b[0m`,
		"\x1b]0;title\a":         `\x1b]0;title\x07`,
		"\u009b31m":              `\u009b31m`,
		"over\rwrite\bx":         `over\rwrite\x08x`,
		"two\nlines\ttab":        `two\nlines\ttab`,
		"\x00\x7f\u0085":         `\x00\x7f\u0085`,
		"rm \u202egpj.exe":       `rm \u202egpj.exe`,
		"a\u2066b\u2069\u200f":   `a\u2066b\u2069\u200f`,
		"pay\u200bpal\ufeff":     `pay\u200bpal\ufeff`,
		"zero\u200dwidth\u200c":  `zero\u200dwidth\u200c`,
		"\u2028\u2029":           `\u2028\u2029`,
		"no\u00a0break\u3000":    `no\u00a0break\u3000`,
		"soft\u00adhyphen":       `soft\u00adhyphen`,
		"\U000e0041\U000e007f":   `\U000e0041\U000e007f`,
		"\U000e0100x\ufe01":      `\U000e0100x\ufe01`,
		"a\ufe0f ":               `a\ufe0f `,
		"\u3164\u115f\uffa0":     `\u3164\u115f\uffa0`,
		"\u2800\u034f\u180b":     `\u2800\u034f\u180b`,
		"\ue000\U000f0000\uffff": `\ue000\U000f0000\uffff`,
		"bad\xff\xc3(":           `bad\xff\xc3(`,
		"\ufffd":                 "\ufffd",
		"\xb8\ufe0f\u2800\ufe0e": `\xb8\ufe0f\u2800\ufe0e`,
		"👩\u200d💻":               `👩\u200d💻`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := VisibleLines("one\r\ntwo\n\tthree\rfour\x1b[2J\u2028"); got != "one\ntwo\n\tthree\\rfour\\x1b[2J\\u2028" {
		t.Errorf("over lines: %q", got)
	}
}

// The whole of Unicode, against the tables of package unicode rather than the
// function that is used.
func TestEveryCodePointIsShownOrEscaped(t *testing.T) {
	ignorable := []*unicode.RangeTable{
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Bidi_Control, unicode.Join_Control,
		unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point,
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		got := Visible("a" + string(r) + "b")
		kept := got == "a"+string(r)+"b"
		switch {
		case kept && (unicode.In(r, ignorable...) || unicode.Is(unicode.Zs, r) && r != ' '):
			t.Fatalf("%U is kept", r)
		case !kept && unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !isBlank(r):
			t.Fatalf("%U became %q", r, got)
		case !kept && !strings.HasPrefix(got, `a\`):
			t.Fatalf("%U became %q", r, got)
		}
	}
}

func TestValidUTF8ReplacesAndCounts(t *testing.T) {
	for in, want := range map[string]struct {
		s string
		n int
	}{
		"":                {"", 0},
		"späße \ufffd":    {"späße \ufffd", 0},
		"a\xffb\xfe":      {"a\ufffdb\ufffd", 2},
		"\xe2\x82":        {"\ufffd\ufffd", 2},
		"\xed\xa0\x80":    {"\ufffd\ufffd\ufffd", 3},
		"x\xc0\xaf\ufffd": {"x\ufffd\ufffd\ufffd", 2},
	} {
		if s, n := ValidUTF8([]byte(in)); s != want.s || n != want.n {
			t.Errorf("%q: %q %d, want %q %d", in, s, n, want.s, want.n)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31m", "\u202e", "a\xff", "⚠️", "\xb8\ufe0f", "\u2800\ufe0f", "⚠\ufe0f\ufe0f", "\r\n", "\U000e0041", "\\x1b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, show := range map[string]func(string) string{"Visible": Visible, "VisibleLines": VisibleLines} {
			got := show(s)
			if !utf8.ValidString(got) || show(got) != got {
				t.Fatalf("%s(%q) = %q, then %q", name, s, got, show(got))
			}
			for _, r := range got {
				if unicode.IsControl(r) && (name == "Visible" || r != '\n' && r != '\t') || unicode.Is(unicode.Cf, r) {
					t.Fatalf("%s(%q) keeps %U", name, s, r)
				}
			}
		}
		clean, n := ValidUTF8([]byte(s))
		if !utf8.ValidString(clean) || (n == 0) != (clean == s) {
			t.Fatalf("ValidUTF8(%q) = %q, %d", s, clean, n)
		}
	})
}
