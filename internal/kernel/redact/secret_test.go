package redact

import (
	"bytes"
	"encoding/gob"
	stdjson "encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"text/template"

	"github.com/go-json-experiment/json"

	"bridle/internal/kernel/canon"
)

const value = "s3kr1t-value-0042"

type credential struct {
	Name   string
	Token  Secret
	hidden Secret
	nested struct{ deep []Secret }
	list   map[string]Secret
	ptr    *Secret
}

func newCredential() credential {
	s := NewSecret(value)
	c := credential{Name: "n", Token: s, hidden: s, list: map[string]Secret{"k": s}, ptr: &s}
	c.nested.deep = []Secret{s}
	return c
}

func leaks(text string) bool {
	hex := fmt.Sprintf("%x", value)
	return strings.Contains(text, value) || strings.Contains(strings.ToLower(text), hex) ||
		strings.Contains(text, fmt.Sprintf("%d", []byte(value)))
}

func TestASecretPrintsAsThePlaceholderInEveryVerb(t *testing.T) {
	s := NewSecret(value)
	for _, verb := range "vsqxXdbcoOtUeEfFgGwTp" {
		for _, flags := range []string{"", "+", "#", " ", "0", "-20", ".3", "# "} {
			format := "%" + flags + string(verb)
			for _, arg := range []any{s, &s, []Secret{s}, map[string]Secret{"k": s}, newCredential(), new(newCredential()), error(nil), []any{s}} {
				if got := fmt.Sprintf(format, arg); leaks(got) {
					t.Errorf("%s of %T gives it away: %s", format, arg, got)
				}
			}
			if got := fmt.Sprintf(format, s); !strings.ContainsRune("Tpw", verb) && got != Placeholder {
				t.Errorf("%s gives %q", format, got)
			}
		}
	}
	if got := fmt.Sprint("", s, 1) + fmt.Sprintln(&s) + s.String() + s.GoString(); strings.Count(got, Placeholder) != 4 {
		t.Errorf("got %q", got)
	}
	if got := fmt.Errorf("wrap: %v", s).Error(); got != "wrap: [secret]" {
		t.Errorf("got %q", got)
	}
}

func TestASecretIsWrittenAsThePlaceholderInEveryFormat(t *testing.T) {
	s := NewSecret(value)
	holder := struct {
		Token Secret
		Ptr   *Secret
		Any   any
	}{s, &s, s}
	const want = `{"Token":"[secret]","Ptr":"[secret]","Any":"[secret]"}`
	for name, marshal := range map[string]func(any) ([]byte, error){
		"encoding/json": stdjson.Marshal,
		"json v2":       func(v any) ([]byte, error) { return json.Marshal(v) },
		"canon":         canon.Marshal,
	} {
		if b, err := marshal(holder); err != nil || string(b) != want {
			t.Errorf("%s: %s %v", name, b, err)
		}
		if b, err := marshal(map[string]Secret{"k": s}); err != nil || string(b) != `{"k":"[secret]"}` {
			t.Errorf("%s: %s %v", name, b, err)
		}
	}
	if b, err := stdjson.Marshal(map[Secret]int{s: 1}); err != nil || string(b) != `{"[secret]":1}` {
		t.Errorf("as a key: %s %v", b, err)
	}
	if b, err := xml.Marshal(s); err != nil || leaks(string(b)) {
		t.Errorf("xml: %s %v", b, err)
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(s); err != nil || leaks(out.String()) {
		t.Errorf("gob: %q %v", out.String(), err)
	}
	out.Reset()
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("m", "token", s, "ptr", &s, "group", slog.GroupValue(slog.Any("t", s)), "c", newCredential())
	}
	if leaks(out.String()) || !strings.Contains(out.String(), "token="+Placeholder) {
		t.Errorf("slog: %s", out.String())
	}
	out.Reset()
	if err := template.Must(template.New("").Parse(`{{.}} {{printf "%q" .}}`)).Execute(&out, s); err != nil || out.String() != "[secret] [secret]" {
		t.Errorf("template: %s %v", out.String(), err)
	}
}

func TestOnlyRevealGivesTheValue(t *testing.T) {
	s := NewSecret(value)
	if s.Reveal() != value || s.IsZero() || !s.Equal(NewSecret(value)) || s.Equal(NewSecret("other")) {
		t.Error("a secret does not hold its value")
	}
	var zero Secret
	if zero.Reveal() != "" || !zero.IsZero() || !zero.Equal(NewSecret("")) || !NewSecret("").IsZero() || zero.String() != Placeholder {
		t.Error("the zero value is not an empty secret")
	}
}
