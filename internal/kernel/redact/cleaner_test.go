package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	stdjson "encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// encodings are the ways in which programs write a secret into their output.
var encodings = map[string]func(string) string{
	"as it is":               func(s string) string { return s },
	"base64":                 func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 raw":             func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64url":              func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"base64url raw":          func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64 after one byte":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u" + s)) },
	"base64 after two bytes": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u:" + s)) },
	"base64 within text":     func(s string) string { return base64.URLEncoding.EncodeToString([]byte("user:" + s + "\n?tail")) },
	"base64 in lines": func(s string) string {
		return lines(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", 50)+s+strings.Repeat("=", 70))), 76, "\n")
	},
	"base64 in indented lines": func(s string) string {
		return lines(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", 40)+s+strings.Repeat("=", 70))), 64, "\r\n    ")
	},
	"hex": func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX": func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex in lines": func(s string) string {
		return lines(hex.EncodeToString([]byte(strings.Repeat("-", 25)+s+strings.Repeat("=", 30))), 60, "\n")
	},
	"query": url.QueryEscape,
	"path":  url.PathEscape,
	"lower-case percent": func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, "%%%02x", s[i])
		}
		return b.String()
	},
	"JSON": quoted,
	"JSON in ASCII": func(s string) string {
		var b strings.Builder
		for _, r := range s {
			if r > 0xffff {
				r -= 0x10000
				fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			} else {
				fmt.Fprintf(&b, `\u%04X`, r)
			}
		}
		return b.String()
	},
	"JSON in JSON": func(s string) string {
		return quoted(quoted(s))
	},
	"JSON with slashes escaped": func(s string) string {
		return strings.ReplaceAll(quoted(s), "/", `\/`)
	},
	"base64 in JSON with slashes escaped": func(s string) string {
		return strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(s)), "/", `\/`)
	},
	"base64 in a query": func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte("x" + s))) },
}

// quoted writes s as encoding/json does, with its escapes for HTML.
func quoted(s string) string {
	b, err := stdjson.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func lines(s string, width int, end string) string {
	var b strings.Builder
	for len(s) > width {
		b.WriteString(s[:width] + end)
		s = s[width:]
	}
	return b.String() + s
}

func TestASecretIsFoundInEveryFormAndThePlaceIsExact(t *testing.T) {
	secrets := []string{
		"hunter2!", "ghp_9aZ03kQ7xPpL2mN8vB4cT6yW1sE5", "p@ss/word with \"quotes\" & <more>\\", "späße-日本-🦦", "\x00\x01\xff\xfe\x80bin",
		"????>>>>", "abcd", "line one\nline two", "+++///===", strings.Repeat("k", 300),
	}
	for _, secret := range secrets {
		c := NewCleaner(NewSecret("something else"), NewSecret(secret))
		for name, encode := range encodings {
			if strings.Contains(name, "JSON") && strings.Contains(secret, "\xff") {
				continue // a JSON string holds no such bytes
			}
			form := encode(secret)
			text := `before="` + form + `", after`
			out, n := c.Clean([]byte(text))
			if n != 1 || !c.Contains([]byte(text)) {
				t.Errorf("%q as %s: %d replaced in %q: %q", secret, name, n, text, out)
			}
			if !strings.HasPrefix(string(out), `before="`) || !strings.HasSuffix(string(out), `", after`) || c.Contains(out) {
				t.Errorf("%q as %s: left %q", secret, name, out)
			}
			if name == "as it is" && string(out) != `before="[secret]", after` {
				t.Errorf("%q: %q", secret, out)
			}
		}
	}
}

func TestCharactersThatHoldSomeBitsOfASecretGoToo(t *testing.T) {
	c := NewCleaner(NewSecret("hunter2!"))
	for before, want := range map[string]string{"": "[secret]=", "u": "d[secret]", "uu": "dX[secret]==", "uuu": "dXV1[secret]="} {
		if got, _ := c.CleanString(base64.StdEncoding.EncodeToString([]byte(before + "hunter2!"))); got != want {
			t.Errorf("after %q: %q, want %q", before, got, want)
		}
	}
	for after, want := range map[string]string{"z": "[secret]6", "zz": "[secret]6eg==", "zzz": "[secret]6eno="} {
		if got, _ := c.CleanString(base64.StdEncoding.EncodeToString([]byte("hunter2!" + after))); got != want {
			t.Errorf("before %q: %q, want %q", after, got, want)
		}
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	c := NewCleaner(NewSecret("hunter2!"), NewSecret(""), Secret{}, NewSecret("line one\nline two"))
	for _, text := range []string{
		"", "hunter2", "HUNTER2!", "hunter 2!", `a\qb%zz%4\u12`, "line one", "\\", "%", "%4", "\\u", "\\ud83e",
		base32.StdEncoding.EncodeToString([]byte("hunter2!")), strings.Repeat("aHVudGVy\n", 40),
	} {
		if out, n := c.Clean([]byte(text)); n != 0 || string(out) != text {
			t.Errorf("%q became %q", text, out)
		}
	}
	var none *Cleaner
	for _, c := range []*Cleaner{none, NewCleaner(), NewCleaner(Secret{})} {
		if out, n := c.CleanString("hunter2!"); n != 0 || out != "hunter2!" || c.Contains([]byte("x")) {
			t.Errorf("a cleaner without secrets changes %q", out)
		}
	}
}

func TestShortSecretsAreReplacedAsWholeWordsOnly(t *testing.T) {
	c := NewCleaner(NewSecret("42"), NewSecret("=x"), NewSecret("é"))
	for text, want := range map[string]string{
		"42":             "[secret]",
		"pin=42, 4.42":   "pin=[secret], 4.[secret]",
		"142 420 a42 42": "142 420 a42 [secret]",
		"_42 42_ é42":    "_42 42_ é42",
		`{"n":42}`:       `{"n":[secret]}`,
		`"a\n42\tb"`:     `"a\n[secret]\tb"`,
		"a=x b":          "a[secret] b",
		"a=xy":           "a=xy",
		"é ée":           "[secret] ée",
		"NDI= 3432":      "NDI= 3432",
	} {
		if got, _ := c.CleanString(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestSecretsThatOverlapAreReplacedTogether(t *testing.T) {
	c := NewCleaner(NewSecret("abcdef"), NewSecret("defghi"), NewSecret("abcdefghij"))
	for text, want := range map[string]string{
		"xabcdefy":         "x[secret]y",
		"xabcdefghiy":      "x[secret]y",
		"xabcdefghijy":     "x[secret]y",
		"abcdefabcdef":     "[secret][secret]",
		"abcdef defghi":    "[secret] [secret]",
		"abcabcdefabcdefg": "abc[secret][secret]g",
	} {
		if got, _ := c.CleanString(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if out, n := NewCleaner(NewSecret("aaaa")).CleanString("baaaaaaab"); out != "b[secret]b" || n != 1 {
		t.Errorf("got %q, %d", out, n)
	}
}

func TestKeysAreFoundLineByLineAndWithoutTheirLastLineEnd(t *testing.T) {
	body := []string{"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu"}
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Join(body, "\n") + "\n-----END PRIVATE KEY-----\n"
	c := NewCleaner(NewSecret(key), NewSecret("token-with-line-end\n"))
	for _, text := range []string{key, strings.ReplaceAll(key, "\n", "\r\n"), "  | " + body[0] + "\n  | " + body[1], "token-with-line-end"} {
		out, n := c.CleanString(text)
		if n == 0 || strings.Contains(out, body[0][:20]) || strings.Contains(out, body[1][:20]) || strings.Contains(out, "token-with") {
			t.Errorf("%d replaced: %q", n, out)
		}
	}
	if out, n := c.CleanString("-----BEGIN PRIVATE KEY-----"); n != 0 {
		t.Errorf("the frame is no secret: %q", out)
	}
}

func secretText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[A-Za-z0-9_-]{4,40}`),
		rapid.StringN(4, 30, 60),
		rapid.StringMatching(`["\\/ +%&=<>?é🦦a-c]{4,24}`),
	).Filter(func(s string) bool { return len(s) >= shortest })
}

func TestNoFormOfAnySecretSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := secretText().Draw(t, "secret")
		c := NewCleaner(NewSecret(secret))
		names := make([]string, 0, len(encodings))
		for name := range encodings {
			names = append(names, name)
		}
		name := rapid.SampledFrom(names).Draw(t, "encoding")
		text := rapid.String().Draw(t, "before") + "\n" + encodings[name](secret) + "\n" + rapid.String().Draw(t, "after")
		out, n := c.Clean([]byte(text))
		if n == 0 {
			t.Fatalf("%s is not found", name)
		}
		if strings.Contains(string(out), encodings[name](secret)) && !strings.Contains(Placeholder, secret) {
			t.Fatalf("%s survives: %q", name, out)
		}
	})
}
