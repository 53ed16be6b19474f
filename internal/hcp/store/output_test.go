package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

func TestOutputIsReadInParts(t *testing.T) {
	s := newStore(t)
	content := strings.Repeat("0123456789", 1000)
	ref, size, err := s.SaveOutput(t.Context(), iotest.HalfReader(strings.NewReader(content)))
	if err != nil || size != int64(len(content)) {
		t.Fatal(size, err)
	}
	info, err := os.Stat(s.path(outputsDir, ref))
	if err != nil || enforceModes && info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
	var got []byte
	for offset := int64(0); offset < size; {
		part, whole, err := s.ReadOutput(ref, offset, 777)
		if err != nil || whole != size {
			t.Fatal(whole, err)
		}
		if len(part) == 0 {
			t.Fatal("nothing before the end")
		}
		got = append(got, part...)
		offset += int64(len(part))
	}
	if string(got) != content {
		t.Fatal("the parts are not the whole")
	}
	for _, beyond := range []int64{size, size + 5} {
		_, _, err := s.ReadOutput(ref, beyond, 10)
		wantCode(t, err, CodeBadOutput)
	}
	empty, _, err := s.SaveOutput(t.Context(), strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	if part, _, err := s.ReadOutput(empty, 0, 10); err != nil || len(part) != 0 {
		t.Fatalf("empty output: %q, %v", part, err)
	}
}

func TestOutputReferencesAreChecked(t *testing.T) {
	s := newStore(t)
	ref, _, err := s.SaveOutput(t.Context(), strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "out", "out_", ref + "x", strings.ToUpper(ref), "../state.json", "out_../../state.json", ref + "/../" + ref, strings.Replace(ref, "out_", "in_", 1), "out_\x00"} {
		_, _, err := s.ReadOutput(bad, 0, 1)
		if !fault.Is(err, CodeBadOutput) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, c := range [][2]int64{{-1, 1}, {0, 0}, {0, -1}} {
		_, _, err := s.ReadOutput(ref, c[0], c[1])
		wantCode(t, err, CodeBadOutput)
	}
	_, _, err = s.ReadOutput(ids.New("out", time.Now()), 0, 1)
	wantCode(t, err, CodeOutputGone)
	link := ids.New("out", time.Now())
	linkTo(t, s.path(stateFile), s.path(outputsDir, link))
	_, _, err = s.ReadOutput(link, 0, 1)
	wantCode(t, err, CodeUnsafeStore)
}

func TestOutputsAreKeptForAnHour(t *testing.T) {
	clock := &movable{at}
	s := openAt(t, filepath.Join(t.TempDir(), "home"), Options{Clock: clock})
	save := func() string {
		t.Helper()
		ref, _, err := s.SaveOutput(t.Context(), strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	old := save()
	clock.now = at.Add(outputAge)
	if _, _, err := s.ReadOutput(old, 0, 1); err != nil {
		t.Fatalf("after an hour: %v", err)
	}
	clock.now = at.Add(outputAge + time.Second)
	write(t, s.path(outputsDir, "README"), "not ours")
	fresh := save()
	if _, err := os.Lstat(s.path(outputsDir, old)); err == nil {
		t.Fatal("the expired output was not removed")
	}
	if _, err := os.Lstat(s.path(outputsDir, "README")); err != nil {
		t.Fatal("a foreign file was removed")
	}
	_, _, err := s.ReadOutput(old, 0, 1)
	wantCode(t, err, CodeOutputGone)
	// A clock that was turned back lengthens nothing.
	clock.now = at.Add(-24 * time.Hour)
	_, _, err = s.ReadOutput(fresh, 0, 1)
	wantCode(t, err, CodeOutputGone)
}

func TestOutputOverTheLimitIsCountedAndCut(t *testing.T) {
	s := newStore(t)
	out, err := s.CreateOutput()
	if err != nil {
		t.Fatal(err)
	}
	out.limit = 10
	for range 3 {
		if n, err := out.Write([]byte("12345678")); n != 8 || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := out.Close(); err != nil || out.Size() != 24 || out.Kept() != 10 {
		t.Fatal(out.Size(), out.Kept(), err)
	}
	got, size, err := s.ReadOutput(out.Ref, 0, 100)
	if err != nil || size != 10 || !bytes.Equal(got, []byte("1234567812")) {
		t.Fatalf("%q, %d, %v", got, size, err)
	}
	out.Discard()
	_, _, err = s.ReadOutput(out.Ref, 0, 1)
	wantCode(t, err, CodeOutputGone)
}

func TestOutputThatCannotBeReadLeavesNothing(t *testing.T) {
	s := newStore(t)
	broken := errors.New("broken")
	_, _, err := s.SaveOutput(t.Context(), iotest.ErrReader(broken))
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = s.SaveOutput(ctx, strings.NewReader("x"))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(s.path(outputsDir)); len(entries) != 0 {
		t.Fatalf("left: %v", entries)
	}
}

func FuzzOutputReference(f *testing.F) {
	f.Add("out_01hzx3v9k8m7n6p5q4r3s2t1v0")
	f.Add("../state.json")
	f.Add("out_../x")
	s := &Store{home: f.TempDir(), opts: Options{Clock: &movable{at}}}
	f.Fuzz(func(t *testing.T, ref string) {
		_, _, err := s.ReadOutput(ref, 0, 1)
		if code := fault.CodeOf(err); code != CodeBadOutput && code != CodeOutputGone {
			t.Fatalf("%q: %v", ref, err)
		}
	})
}
