package redact

import (
	"bytes"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawn returns n characters of a set, the same ones for the same seed.
func drawn(seed uint64, set string, n int) string {
	r := rand.New(rand.NewPCG(seed, 99))
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

const (
	alnumSet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	hexSet   = "0123456789abcdef"
)

// pieces are what the texts of the properties are made of: credentials, their
// contexts, and what looks like either.
func pieces() []string {
	return []string{
		"ghp_" + drawn(1, alnumSet, 36), "AKIA" + drawn(2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), "sk_live_" + drawn(3, alnumSet, 24),
		"password=", "password: ", "token = ", `"secret": "`, `"`, "'", "\n", "\n\n", " ", ";", "&", "@", "://", "https://bob:", "Hunter2Hunter2x", "s3cr3t!pass",
		"Authorization: Bearer ", "Cookie: session=", "<secret>", "</secret>", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----",
		drawn(4, alnumSet, 64), drawn(5, alnumSet, 20), drawn(6, hexSet, 40), "machine h login l password ", "mysql -p", "curl -u a:", "--token ", "the password is ",
		"[REDACTED:credential]", "[REDACTED:", "]", "\\n", "\xff", "é", "ordinary words of a text", "eyJhbGciOiJIUzI1NiJ9.", "key", "export API_KEY=", `{"kty":"EC","d":"`, "}",
	}
}

func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces()), 0, 24).Draw(t, "pieces"), "")
	})
}

// checkRedacted states what holds for every text.
func checkRedacted(t interface{ Fatalf(string, ...any) }, text string) {
	found := Find(text)
	last := 0
	for _, f := range found {
		if f.Start < last || f.End <= f.Start || f.End > len(text) || kindRank(f.Kind) < 0 || f.Rule == "" {
			t.Fatalf("finding %+v after %d in %q", f, last, text)
		}
		last = f.End
	}
	clean, counts := Redact(text)
	if len(found) == 0 && (clean != text || counts != nil) {
		t.Fatalf("no findings, yet %q became %q", text, clean)
	}
	total := 0
	for _, c := range counts {
		total += c.Count
	}
	if total != len(found) || !slices.IsSortedFunc(counts, func(a, b Count) int { return strings.Compare(a.Kind, b.Kind) }) {
		t.Fatalf("counts %v for %d findings", counts, len(found))
	}
	if again, more := Redact(clean); again != clean || more != nil {
		t.Fatalf("redacted twice\n%q\nbecame\n%q\nand\n%q", text, clean, again)
	}
	if fromBytes, _ := Redact([]byte(text)); fromBytes != clean {
		t.Fatalf("bytes and string differ: %q and %q", fromBytes, clean)
	}
}

func TestRedactingOnceIsEnoughAndTextWithoutFindingsStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRedacted(t, anyText().Draw(t, "text")) })
}

func FuzzRedact(f *testing.F) {
	for _, p := range pieces() {
		f.Add(p)
		f.Add("password=" + p + " " + p)
	}
	f.Add("\x1b[1mpassword\x1b[0m=\x1b[33mFalcon77Meadow3\x1b[0m\n[RED\x1b[0mACTED:credential]")
	f.Fuzz(func(t *testing.T, text string) { checkRedacted(t, text) })
}

func TestAStreamIsRedactedLikeTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		filler := strings.Repeat("a line of a log, long enough to fill some space 4711\n", rapid.IntRange(0, 4000).Draw(t, "lines"))
		text := anyText().Draw(t, "a") + "\n" + filler + anyText().Draw(t, "b") + "\n" + filler + anyText().Draw(t, "c")
		want, counts := Redact(text)
		var out bytes.Buffer
		r := NewRedactor(&out)
		for rest := text; rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 100_000).Draw(t, "chunk"))
			if _, err := r.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Fatalf("stream differs from the whole of %d bytes", len(text))
		}
		if !slices.Equal(r.Counts(), counts) {
			t.Fatalf("counts %v, want %v", r.Counts(), counts)
		}
	})
}

// What begins like a key, or is marked, is one by what ends it, be it long after.
func TestAStreamWaitsForTheEndOfABlock(t *testing.T) {
	filler := strings.Repeat("a line of a log, long enough to fill some space 4711\n", 772)
	for _, text := range []string{
		filler + "-----BEGIN RSA PRIVATE KEY-----\n" + filler + "ghp_uP67AL3je9tUwUgJmZHSy7uu7whB9FZQ6mcl-----END RSA PRIVATE KEY-----",
		filler + "-----BEGIN RSA PRIVATE KEY-----\n" + filler + filler + filler + "ghp_uP67AL3je9tUwUgJmZHSy7uu7whB9FZQ6mcl-----END RSA PRIVATE KEY-----",
		"-----BEGIN RSA PRIVATE KEY-----\n" + filler + "-----BEGIN RSA PRIVATE KEY-----\n" + filler + "no key-----END RSA PRIVATE KEY-----\n" + filler,
		filler + "<secret>\n" + filler + "</Secret>\n" + filler + "<SECRET>" + filler + filler,
	} {
		want, counts := Redact(text)
		for _, size := range []int{100, 14_000, 25_200, 80_000, len(text) - 14, len(text) - 3} {
			var out bytes.Buffer
			r := NewRedactor(&out)
			for chunk := range slices.Chunk([]byte(text), size) {
				if _, err := r.Write(chunk); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if out.String() != want || !slices.Equal(r.Counts(), counts) {
				t.Errorf("in pieces of %d: %v, want %v", size, r.Counts(), counts)
			}
		}
	}
}

func TestAPrivateKeyIsFoundAcrossChunksHoweverLong(t *testing.T) {
	for _, size := range []int{100, 2_000, 60_000, 500_000} {
		var key strings.Builder
		for i := 0; key.Len() < size; i++ {
			key.WriteString(drawn(uint64(i), alnumSet, 64) + "\n")
		}
		before := strings.Repeat("before the key\n", 5_000)
		text := before + "-----BEGIN OPENSSH PRIVATE KEY-----\n" + key.String() + "-----END OPENSSH PRIVATE KEY-----\nafter the key\n"
		var out bytes.Buffer
		r := NewRedactor(&out)
		for chunk := range slices.Chunk([]byte(text), 1000) {
			if _, err := r.Write(chunk); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		for line := range strings.Lines(key.String()) {
			if strings.Contains(got, strings.TrimSpace(line)) {
				t.Fatalf("key of %d bytes: a line of it is left", size)
			}
		}
		if !strings.HasPrefix(got, before+marker(KindPrivateKey)) || !strings.HasSuffix(got, "\nafter the key\n") {
			t.Errorf("key of %d bytes: text around it is damaged", size)
		}
	}
}

type broken struct{}

var errBroken = errors.New("disk full")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestAStreamThatFailsStaysFailed(t *testing.T) {
	r := NewRedactor(broken{})
	_, err := r.Write(make([]byte, 1<<20))
	if !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	if _, err := r.Write([]byte("x")); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if err := r.Close(); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

func TestKindsAndMarkersAreThoseOfTheWire(t *testing.T) {
	long := drawn(7, alnumSet, 36)
	key := drawn(8, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
	for text, want := range map[string]string{
		"use ghp_" + long + " here":        "use [REDACTED:access_token] here",
		"AKIA" + key:                       "[REDACTED:access_key]",
		"sk-ant-api03-" + long:             "[REDACTED:api_key]",
		"a <secret>open sesame</secret> b": "a [REDACTED:explicit_secret] b",
		"Authorization: Bearer " + long:    "Authorization: Bearer [REDACTED:auth_token]",
		"postgres://app:" + long + "@db/x": "postgres://app:[REDACTED:connection_credential]@db/x",
		"password=Hunter2Hunter2x":         "password=[REDACTED:credential]",
		"-----BEGIN PRIVATE KEY-----\n" + long + long + "\n-----END PRIVATE KEY-----\n": "[REDACTED:private_key]\n",
	} {
		if got, _ := Redact(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestTwoCredentialsOnALineAreBothFound(t *testing.T) {
	a, b := "ghp_"+drawn(9, alnumSet, 36), "glpat-"+drawn(10, alnumSet, 20)
	got, counts := Redact(a + " " + b + "," + a)
	if got != "[REDACTED:access_token] [REDACTED:access_token],[REDACTED:access_token]" || counts[0].Count != 3 {
		t.Errorf("%q %v", got, counts)
	}
}

func TestAChecksumThatHoldsLeavesNoDoubt(t *testing.T) {
	body := strings.Repeat("EXAMPLE", 4) + "xx"
	token := "ghp_" + body + base62(crc32.ChecksumIEEE([]byte(body)))
	if got, _ := Redact(token); got != marker(KindToken) {
		t.Errorf("%q stays although its checksum holds", got)
	}
	if got, _ := Redact(token[:len(token)-1] + "?"); strings.Contains(got, markerStart) {
		t.Errorf("%q", got)
	}
}

func TestEveryFormatIsWellFormedAndFromOneOfManyProviders(t *testing.T) {
	all := newSets()
	names := map[string]bool{}
	for _, p := range providers {
		if names[p.name] || kindRank(p.kind) < 0 {
			t.Errorf("provider %q: known already, or of an unknown kind %q", p.name, p.kind)
		}
		names[p.name] = true
		for pattern := range strings.FieldsSeq(p.pattern) {
			if len(anchorOf(pattern)) < 3 {
				t.Errorf("%s: an anchor has three bytes or more: %s", p.name, pattern)
			}
			varies := false
			for rest := pattern; rest != ""; {
				var part part
				part, rest = all.next(rest)
				varies = varies || part.set != nil
			}
			if !varies {
				t.Errorf("%s: nothing varies in %s", p.name, pattern)
			}
		}
	}
	if len(names) < 60 {
		t.Errorf("only %d providers", len(names))
	}
}
