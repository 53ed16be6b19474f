// Package adaptertest holds the one suite that every adapter passes. It keeps
// the promises of package adapter, whatever a command is made of.
package adaptertest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
)

// The commands that a subject offers.
const (
	// KeyEcho returns {"text": <its argument "text">}.
	KeyEcho = "echo"
	// KeyFail reports failure with the message "it broke".
	KeyFail = "fail"
	// KeyDigits returns {"n": 12345678901234567890, "p": 2.80} in these digits.
	KeyDigits = "digits"
)

// Subject is an adapter under test with a pack whose commands it runs.
type Subject struct {
	Adapter adapter.Adapter
	Pack    *pack.Pack
	// Request completes a request for a command, as the pipeline would.
	Request func(key string, args hcp.Args) adapter.Request
	// Stubbed marks an adapter that runs nothing: it returns {"args": …} for any
	// command, and never fails.
	Stubbed bool
}

// Run runs the suite. Make is called once for each test.
func Run(t *testing.T, subject func(t *testing.T) Subject) {
	t.Run("success", func(t *testing.T) { success(t, subject(t)) })
	if !subject(t).Stubbed {
		t.Run("failure", func(t *testing.T) { failure(t, subject(t)) })
	}
	t.Run("digits survive", func(t *testing.T) { digits(t, subject(t)) })
	t.Run("a context that is over starts nothing", func(t *testing.T) { over(t, subject(t)) })
	t.Run("the request is not modified", func(t *testing.T) { unmodified(t, subject(t)) })
	t.Run("concurrent runs stay apart", func(t *testing.T) { concurrent(t, subject(t)) })
}

func success(t *testing.T, s Subject) {
	out := s.Adapter.Run(t.Context(), s.Request(KeyEcho, hcp.Args{"text": "hi there"}))
	if out.Failure != nil || !out.Started || out.Duration < 0 {
		t.Fatalf("%+v", out)
	}
	if got := s.text(t, out); got != "hi there" {
		t.Fatalf("got %q", got)
	}
}

func failure(t *testing.T, s Subject) {
	out := s.Adapter.Run(t.Context(), s.Request(KeyFail, nil))
	if out.Failure == nil || !out.Started {
		t.Fatalf("%+v", out)
	}
	if out.Failure.Code == "" || out.Failure.Message != "it broke" {
		t.Fatalf("code %q, message %q", out.Failure.Code, out.Failure.Message)
	}
}

func digits(t *testing.T, s Subject) {
	var args hcp.Args
	if s.Stubbed {
		args = hcp.Args{"n": json.Number("12345678901234567890"), "p": json.Number("2.80")}
	}
	out := s.Adapter.Run(t.Context(), s.Request(KeyDigits, args))
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	value := Value(out)
	if !bytes.Contains(value, []byte("12345678901234567890")) || !bytes.Contains(value, []byte("2.80")) {
		t.Fatalf("digits were lost: %s", value)
	}
}

func over(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := s.Adapter.Run(ctx, s.Request(KeyEcho, hcp.Args{"text": "hi"}))
	if out.Failure == nil || out.Started || out.Value != nil || out.Failure.Code != adapter.CodeCanceled {
		t.Fatalf("%+v", out)
	}
}

func unmodified(t *testing.T, s Subject) {
	args := hcp.Args{"text": "hi"}
	before := maps.Clone(args)
	s.Adapter.Run(t.Context(), s.Request(KeyEcho, args))
	if !maps.Equal(args, before) {
		t.Fatalf("the arguments became %v", args)
	}
}

func concurrent(t *testing.T, s Subject) {
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			want := strings.Repeat("x", i+1)
			out := s.Adapter.Run(t.Context(), s.Request(KeyEcho, hcp.Args{"text": want}))
			if out.Failure != nil {
				t.Error(out.Failure)
				return
			}
			if got := s.text(t, out); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	wait.Wait()
}

// Value is the JSON that a command answered with, in process or on stdout.
func Value(out adapter.Outcome) json.RawMessage {
	if out.Value != nil || out.Stdout == nil {
		return out.Value
	}
	return bytes.TrimSpace(out.Stdout.Head)
}

func (s Subject) text(t *testing.T, out adapter.Outcome) string {
	value, err := canon.Parse(Value(out), canon.Limits{})
	answer, _ := value.(map[string]any)
	if err != nil || answer == nil {
		t.Errorf("%s: %v", Value(out), err)
	}
	if s.Stubbed {
		answer, _ = answer["args"].(map[string]any)
	}
	text, _ := answer["text"].(string)
	return text
}
