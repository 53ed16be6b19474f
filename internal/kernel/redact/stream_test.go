package redact

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestAStreamIsCleanedLikeTheWholeHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(secretText(), 1, 3).Draw(t, "secrets")
		var all []Secret
		for _, s := range secrets {
			all = append(all, NewSecret(s))
		}
		c := NewCleaner(append(all, NewSecret("42"))...)
		names := make([]string, 0, len(encodings))
		for name := range encodings {
			names = append(names, name)
		}
		var text []byte
		for range rapid.IntRange(1, 8).Draw(t, "pieces") {
			text = append(text, rapid.StringMatching(`[a-z42 .\n]{0,400}`).Draw(t, "filler")...)
			name := rapid.SampledFrom(names).Draw(t, "encoding")
			text = append(text, "\n"+encodings[name](rapid.SampledFrom(secrets).Draw(t, "which"))+"\n"...)
		}
		want, count := c.Clean(text)

		var got bytes.Buffer
		w := c.NewWriter(&got)
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "chunk")
			if m, err := w.Write(rest[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) || w.Replaced() != count {
			t.Fatalf("%d of %d replaced\n got %q\nwant %q", w.Replaced(), count, got.Bytes(), want)
		}
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(text), "byte by byte": iotest.OneByteReader(bytes.NewReader(text)),
			"with the error": iotest.DataErrReader(bytes.NewReader(text)),
		} {
			if b, err := io.ReadAll(c.NewReader(r)); err != nil || !bytes.Equal(b, want) {
				t.Fatalf("reader %s: %v\n got %q\nwant %q", name, err, b, want)
			}
		}
	})
}

func TestALongStreamIsPassedOnAsItComes(t *testing.T) {
	c := NewCleaner(NewSecret("hunter2hunter2"))
	var got bytes.Buffer
	w := c.NewWriter(&got)
	for range 1000 {
		if _, err := io.WriteString(w, "0123456789"); err != nil {
			t.Fatal(err)
		}
	}
	if kept := 10000 - got.Len(); kept > 2*c.hold {
		t.Errorf("%d bytes are kept back", kept)
	}
	if len(w.buf) > 2*c.hold+maxContext {
		t.Errorf("the buffer grows to %d", len(w.buf))
	}
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	f.after--
	if f.after < 0 {
		return 0, errors.New("gone")
	}
	return len(p), nil
}

func TestAFailedStreamStaysFailed(t *testing.T) {
	w := NewCleaner(NewSecret("hunter2")).NewWriter(&failing{after: 1})
	big := []byte(strings.Repeat("x", 10000))
	if _, err := w.Write(big); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := w.Write(big); err == nil || n != 0 {
			t.Errorf("%d %v", n, err)
		}
	}
	if w.Close() == nil {
		t.Error("Close forgets the failure")
	}
	r := NewCleaner(NewSecret("hunter2")).NewReader(io.MultiReader(strings.NewReader("a hunter2"), iotest.ErrReader(errors.New("cut"))))
	if b, err := io.ReadAll(r); string(b) != "a [secret]" || err == nil || err.Error() != "cut" {
		t.Errorf("%q %v", b, err)
	}
	var none *Cleaner
	var got bytes.Buffer
	plain := none.NewWriter(&got)
	if _, err := plain.Write([]byte("as it is")); err != nil || plain.Close() != nil || got.String() != "as it is" {
		t.Errorf("without secrets: %q", got.String())
	}
}

func FuzzClean(f *testing.F) {
	for name, encode := range encodings {
		f.Add("hunter2!", name+encode("hunter2!")+"\n", 5)
	}
	f.Add("42", "a 42 42b", 1)
	f.Add("a\\\"b c", `"a\\\\\\\"b+c"`, 3)
	f.Fuzz(func(t *testing.T, secret, text string, cut int) {
		c := NewCleaner(NewSecret(secret))
		out, n := c.Clean([]byte(text))
		if (n > 0) != c.Contains([]byte(text)) || n == 0 && string(out) != text {
			t.Fatalf("%d replaced, %q", n, out)
		}
		if len(secret) >= shortest && strings.Contains(text, secret) && n == 0 {
			t.Fatalf("%q is not found in %q", secret, text)
		}
		var stream strings.Builder
		w := c.NewWriter(&stream)
		cut = min(max(cut, 0), len(text))
		for _, part := range []string{text[:cut], text[cut:]} {
			if _, err := w.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if len(text) < 2*c.hold && stream.String() != string(out) { // passed on in one piece
			t.Fatalf("as a stream %q, whole %q", stream.String(), out)
		}
		if len(secret) >= shortest && !strings.ContainsAny(secret, Placeholder) && strings.Contains(stream.String(), secret) {
			t.Fatalf("%q survives in the stream %q", secret, stream.String())
		}
	})
}
