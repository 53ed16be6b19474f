package credential

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/redact"
	houndspec "bridle/spec/hound"
)

func read(t *testing.T, name string, v any) {
	t.Helper()
	data, err := houndspec.Interop.ReadFile("interop/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

func TestSecretNamesAreThoseOfTheVectors(t *testing.T) {
	var vectors struct {
		Cases []struct {
			Name   string `json:"name"`
			Secret bool   `json:"secret"`
		} `json:"cases"`
	}
	read(t, "secret-names.json", &vectors)
	if len(vectors.Cases) < 30 {
		t.Fatalf("only %d cases", len(vectors.Cases))
	}
	for _, c := range vectors.Cases {
		if got := IsSecretName(c.Name); got != c.Secret {
			t.Errorf("%q: %v", c.Name, got)
		}
	}
}

func TestVariablesPromiseSecretsByNameOrValue(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"KEY", "x", true},
		{"EXA_API_KEY", "x", true},
		{"sort_key", "x", true},
		{"MONKEY", "x", false},
		{"DATABASE_URL", "x", true},
		{"APP_DATABASE_URL", "x", true},
		{"GITHUB_TOKEN", "x", true},
		{"REGION", "eu", false},
		{"MIRROR", "https://user:pass@example.org/x", true},
		{"MIRROR", "https://user@example.org", true},
		{"MIRROR", "https://example.org/a@b", false},
		{"MIRROR", "https://example.org?x=a@b", false},
		{"FIRECRAWL_ENDPOINT", "https://api.example.org", false},
	} {
		if got := IsSecretVariable(c.name, c.value); got != c.want {
			t.Errorf("%s=%s: %v", c.name, c.value, got)
		}
	}
}

func TestFormsAreThoseOfTheVectors(t *testing.T) {
	var vectors struct {
		Cases []struct {
			Value string   `json:"value"`
			Forms []string `json:"forms"`
		} `json:"cases"`
	}
	read(t, "credential-forms.json", &vectors)
	for _, c := range vectors.Cases {
		got := Forms(c.Value)
		slices.Sort(got)
		slices.Sort(c.Forms)
		if !slices.Equal(got, c.Forms) {
			t.Errorf("%q: %q, not %q", c.Value, got, c.Forms)
		}
		s := NewScanner(redact.NewSecret(c.Value))
		for _, form := range c.Forms {
			if !s.InBytes([]byte("before " + form + " after")) {
				t.Errorf("%q is not found as %q", c.Value, form)
			}
		}
	}
}

const secret = "s3cr3t/va+lue of 27 letters"

// zip packs data as gzip does.
func zip(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type packer func(io.Writer) (io.WriteCloser, error)

func zlibbed(w io.Writer) (io.WriteCloser, error) {
	return zlib.NewWriterLevel(w, zlib.BestCompression)
}

func deflated(w io.Writer) (io.WriteCloser, error) {
	return flate.NewWriter(w, flate.BestSpeed)
}

// pack packs data in another way.
func pack(t testing.TB, with packer, data string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := with(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEveryLevelOfZlibIsLookedInto(t *testing.T) {
	s := NewScanner(redact.NewSecret(secret))
	for level := flate.NoCompression; level <= flate.BestCompression; level++ {
		at := func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriterLevel(w, level) }
		for name, text := range map[string]string{
			"alone":     base64.StdEncoding.EncodeToString([]byte(pack(t, at, "x"+secret))),
			"in a text": "(" + base64.StdEncoding.EncodeToString([]byte(pack(t, at, "x"+secret))) + ")",
			"in hex":    hex.EncodeToString([]byte(pack(t, at, secret))),
		} {
			if !s.InDocument(document(t, text), canon.Limits{}) {
				t.Errorf("level %d, %s: it is not found", level, name)
			}
		}
	}
}

// Text that begins like something packed is a text all the same.
func TestWhatOnlySeemsPackedIsNoSecret(t *testing.T) {
	s := NewScanner(redact.NewSecret(secret))
	for _, text := range []string{"x^2 + x^3", "eJwhatever comes", strings.Repeat("eNo ", 5000), "789c and more", strings.Repeat("ab12", 5000)} {
		if s.InDocument(document(t, []any{text, base64.StdEncoding.EncodeToString([]byte(text))}), canon.Limits{}) {
			t.Errorf("%.20q passes for a secret", text)
		}
	}
	many := strings.Repeat("eJwAAAAAAAAA ", maxAttached+1)
	if !s.InDocument(document(t, many), canon.Limits{}) {
		t.Error("more attachments than anybody looks into pass")
	}
}

func document(t testing.TB, v any) []byte {
	t.Helper()
	data, err := canon.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSecretIsFoundInsideAttachments(t *testing.T) {
	b64, raw := base64.StdEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString
	for name, text := range map[string]string{
		"plain":                     "say " + secret,
		"percent":                   url.PathEscape(secret),
		"base64":                    b64([]byte(secret)),
		"base64 of more":            b64([]byte("x" + secret + "y")),
		"URL base64, no padding":    raw([]byte("xy" + secret)),
		"hexadecimal":               hex.EncodeToString([]byte(secret)),
		"upper hexadecimal":         strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64 twice":              b64([]byte(b64([]byte("x" + secret)))),
		"base64 in hex in base64":   b64([]byte(hex.EncodeToString([]byte(b64([]byte(secret)))))),
		"gzip in base64":            b64([]byte(zip(t, "x"+secret))),
		"gzip in gzip in base64":    b64([]byte(zip(t, zip(t, secret)))),
		"gzip in base64 in a text":  "see: " + b64([]byte(zip(t, "x"+secret))) + " there",
		"gzip in hex in a text":     "see: " + hex.EncodeToString([]byte(zip(t, secret))) + " there",
		"gzip behind other bytes":   b64([]byte("XX" + zip(t, secret))),
		"base64 of gzip in a URL":   "https://x.example/?q=" + url.QueryEscape(b64([]byte(zip(t, "x"+secret)))),
		"percent of base64 of gzip": url.QueryEscape(b64([]byte(zip(t, "xy"+secret)))),
		"gzip in hexadecimal":       hex.EncodeToString([]byte(zip(t, secret))),
		"zlib in base64":            b64([]byte(pack(t, zlibbed, "x"+secret))),
		"zlib in URL base64":        raw([]byte(pack(t, zlibbed, "xy"+secret))),
		"zlib in gzip in base64":    b64([]byte(zip(t, pack(t, zlibbed, secret)))),
		"zlib in hexadecimal":       hex.EncodeToString([]byte(pack(t, zlibbed, secret))),
		"zlib in base64 in a text":  "see: " + b64([]byte(pack(t, zlibbed, "x"+secret))) + " there",
		"zlib in hex in a text":     "see: " + strings.ToUpper(hex.EncodeToString([]byte(pack(t, zlibbed, secret)))) + " there",
		"zlib on the next line":     "see\n" + b64([]byte(pack(t, zlibbed, "x"+secret))),
		"zlib that is cut off":      b64([]byte(pack(t, zlibbed, secret+strings.Repeat("tail ", 1000)))[:60]),
		"deflate in base64":         b64([]byte(pack(t, deflated, "x"+secret))),
		"deflate in hexadecimal":    hex.EncodeToString([]byte(pack(t, deflated, secret))),
		"JSON in JSON":              string(document(t, map[string]string{"a": secret})),
		"JSON escapes in JSON":      `{"a":"s3cr3t\u002fva\u002blue of 27 letters"}`,
		"JSON in base64":            b64([]byte(`{"a":["s3cr3t\/va\u002blue of 27 letters"]}`)),
		"gzip of base64 in base64":  b64([]byte(zip(t, b64([]byte("xx"+secret))))),
		"a data URL":                "data:text/plain;base64," + b64([]byte(zip(t, secret))),
		"base64 in lines":           b64([]byte(zip(t, secret)))[:20] + "\n" + b64([]byte(zip(t, secret)))[20:],
	} {
		s := NewScanner(redact.NewSecret(secret))
		for where, doc := range map[string]any{
			"a member": map[string]any{"data": map[string]any{"body_base64": text}},
			"a list":   []any{1, []any{text}},
			"a name":   map[string]any{text: 1},
		} {
			if !s.InDocument(document(t, doc), canon.Limits{}) {
				t.Errorf("%s in %s is not found", name, where)
			}
		}
		if NewScanner(redact.NewSecret("another value")).InDocument(document(t, []any{text}), canon.Limits{}) {
			t.Errorf("%s: something is found that is not there", name)
		}
	}
}

// each writes every byte of a value by one format.
func each(format, value string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func wide(order binary.AppendByteOrder, value string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(value)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// Forms that encoders of languages, shells, mark-up and other systems give.
func TestSecretIsFoundInFormsThatAreSeldomUsed(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	b32 := func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }
	for _, value := range []string{secret, "hunter2", "ab12"} {
		for name, text := range map[string]string{
			"UTF-16 little":                  "x: " + wide(binary.LittleEndian, value) + ".",
			"UTF-16 big":                     "x: " + wide(binary.BigEndian, value) + ".",
			"UTF-16 in base64":               b64([]byte(wide(binary.LittleEndian, "x "+value+" end of it"))),
			"UTF-16 in hexadecimal":          hex.EncodeToString([]byte(wide(binary.BigEndian, "x "+value+" end of it"))),
			"base32":                         b32(value + "12345"),
			"base32 behind one":              "see " + b32("x"+value+"12345") + " there",
			"base32 behind two":              b32("xx" + value + "12345"),
			"base32 behind three":            b32("xxx" + value + "12345"),
			"base32 behind four":             strings.ToLower(b32("xxxx" + value + "12345")),
			"gzip in base32":                 b32(zip(t, "x"+value)),
			"base64 in base64, in a text":    "see " + b64([]byte(b64([]byte("x"+value+"12345")))) + " there",
			"base64 in base64, in a setting": "token=" + b64([]byte(b64([]byte("x"+value+"12345")))),
			"base64 in hexadecimal, in one":  "see " + hex.EncodeToString([]byte(b64([]byte("x"+value)))) + " there",
			"base32 in base64, in a text":    "see " + b64([]byte(b32("x"+value+"12345"))) + " there",
			"UTF-16 in a command":            "shell -enc " + b64([]byte(wide(binary.LittleEndian, value+" end of it"))) + " end",
			"hexadecimal escapes":            "a " + each(`\x%02x`, value),
			"upper ones":                     each(`\x%02X`, value),
			"octal escapes":                  each(`\%03o`, value),
			"octal of shells":                each(`\0%03o`, value),
			"code points":                    each(`\u%04x`, value),
			"code points in braces":          each(`\u{%x}`, value),
			"long code points":               each(`\U%08x`, value),
			"escapes twice":                  strings.ReplaceAll(each(`\x%02x`, value), `\`, `\\`),
			"decimal entities":               each("&#%d;", value),
			"hexadecimal entities":           each("&#x%x;", value),
			"entities twice":                 strings.ReplaceAll(each("&#%d;", value), "&", "&amp;"),
			"entities of escapes":            strings.ReplaceAll(each(`\x%02x`, value), `\`, "&#92;"),
		} {
			s := NewScanner(redact.NewSecret(value))
			if strings.HasPrefix(name, "UTF-16 ") && !utf8.ValidString(text) {
				t.Fatal(name)
			}
			if !s.InDocument(document(t, []any{text}), canon.Limits{}) {
				t.Errorf("%q as %s is not found in a document", value, name)
			}
			if encoded := strings.Contains(name, " in "); !encoded && !s.InBytes([]byte(text)) {
				t.Errorf("%q as %s is not found in a stream", value, name)
			}
			if NewScanner(redact.NewSecret("another value")).InDocument(document(t, []any{text}), canon.Limits{}) {
				t.Errorf("%q as %s: something is found that is not there", value, name)
			}
		}
	}
	if s := NewScanner(redact.NewSecret(`a&b<c>"d"`)); !s.InBytes([]byte("a&amp;b&lt;c&gt;&quot;d&#34;")) {
		t.Error("named entities hide it")
	}
}

// A program prints the password of a URL by itself as often as the URL.
func TestPasswordOfAURLIsASecretByItself(t *testing.T) {
	for value, c := range map[string]struct{ secrets, plain []string }{
		"postgres://app:hunt%40er2@db.example.org:5432/app?sslmode=require": {[]string{"hunt@er2", "hunt%40er2", b64of("app:hunt@er2")}, []string{"db.example.org", "app", "require"}},
		"https://ghp_token0@github.com/x/y":                                 {[]string{"ghp_token0"}, []string{"github.com/x/y"}},
		"https://app:a@b@host.example.org/":                                 {[]string{"https://app:a@b@host.example.org/"}, []string{"host.example.org"}},
		"https://s.example.org/?n=4242&api_key=k%2Bey1#top":                 {[]string{"k+ey1", "k%2Bey1"}, []string{"4242", "top", "s.example.org"}},
		"https://u:pw@s.example.org/":                                       {nil, []string{"pw", "a pwd"}},
	} {
		s := NewScanner(redact.NewSecret(value))
		for _, text := range c.secrets {
			if !s.InBytes([]byte("it is " + text + ".")) {
				t.Errorf("%s: %q is not found", value, text)
			}
		}
		for _, text := range c.plain {
			if s.InBytes([]byte("it is " + text + ".")) {
				t.Errorf("%s: %q passes for a secret", value, text)
			}
		}
	}
}

func b64of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestNumbersAreLookedAtByTheirDigits(t *testing.T) {
	s := NewScanner(redact.NewSecret("8675309"))
	if !s.InDocument([]byte(`{"n":8675309}`), canon.Limits{}) {
		t.Error("a number holds the secret")
	}
}

func TestWhatIsTooLargeToLookIntoCountsAsASecret(t *testing.T) {
	bomb := zip(t, strings.Repeat("\x00", maxUnpacked+1))
	s := NewScanner(redact.NewSecret(secret))
	if !s.InDocument(document(t, base64.StdEncoding.EncodeToString([]byte(bomb))), canon.Limits{MaxBytes: 16 << 20}) {
		t.Error("what nobody looked at passes")
	}
	deep := secret
	for range maxNesting + 3 {
		deep = zip(t, deep)
	}
	if !s.InDocument(document(t, base64.StdEncoding.EncodeToString([]byte(deep))), canon.Limits{}) {
		t.Error("what is nested too deep passes")
	}
}

// Many attachments may seem to begin in one long stretch of an encoding. None is
// followed further than it goes, so that they neither take long nor exhaust what
// may be unpacked.
func TestBeginningsOfNothingAreNoSecret(t *testing.T) {
	s := NewScanner(redact.NewSecret(secret))
	for _, begin := range []string{"H4sI", "1f8b08", "1F8B08", "\neJwA"} {
		text := strings.Repeat(begin+strings.Repeat("5A", 2000), maxAttached-1)
		if s.InDocument(document(t, text), canon.Limits{}) {
			t.Errorf("%d times %q pass for a secret", maxAttached-1, begin)
		}
		packed := base64.RawStdEncoding.EncodeToString([]byte(zip(t, "x"+secret)))
		if begin == "H4sI" && !s.InDocument(document(t, text+packed), canon.Limits{}) {
			t.Error("they hide what is packed behind them")
		}
	}
}

// What is no JSON, or no strict JSON, is searched as text.
func TestBrokenDocumentsAreSearched(t *testing.T) {
	s := NewScanner(redact.NewSecret(secret))
	twice := base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte("x" + secret))))
	for _, text := range []string{`{"` + twice + `":1,"` + twice + `":1}`, `["` + twice + `"`, `{` + twice, twice + ` {}`} {
		if !s.InDocument([]byte(text), canon.Limits{}) {
			t.Errorf("%.20s hides it", text)
		}
	}
}

func TestNothingIsSoughtWithoutSecrets(t *testing.T) {
	for _, s := range []*Scanner{nil, NewScanner(), NewScanner(redact.NewSecret(""))} {
		if s.InBytes([]byte("anything")) || s.InDocument([]byte(`"anything"`), canon.Limits{}) {
			t.Error("something is found without a secret")
		}
	}
}

func TestAnySecretIsFoundInAnyForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringN(1, 40, 60).Draw(t, "value")
		s := NewScanner(redact.NewSecret(value))
		for _, form := range Forms(value) {
			if !s.InDocument(mustMarshal(t, form), canon.Limits{}) {
				t.Fatalf("%q is not found as %q", value, form)
			}
		}
	})
}

func FuzzInDocument(f *testing.F) {
	f.Add([]byte(`{"a":"aGVsbG8gd29ybGQgaGVsbG8="}`))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte(`"1f8b0800"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewScanner(redact.NewSecret(secret))
		if bytes.Contains(data, []byte(secret)) && !s.InDocument(data, canon.Limits{}) {
			t.Error("the secret is there as it is")
		}
		s.InDocument(data, canon.Limits{})
	})
}

func mustMarshal(t *rapid.T, form string) []byte {
	data, err := canon.Marshal([]any{"x", form})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
