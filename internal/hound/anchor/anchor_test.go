package anchor

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/seal"
)

func key(t testing.TB, name string) seal.Key {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	k, err := seal.NewKey(name, seed[:])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func digest(i int) seal.Digest { return sha256.Sum256(fmt.Appendf(nil, "record %d", i)) }

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("got %v (code %q), want the code %q", err, fault.CodeOf(err), code)
	}
}

func made(t testing.TB, origin string) *Log {
	t.Helper()
	l, err := Make(t.TempDir(), origin)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestALogKeepsItsFirstName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	_, err := Open(dir)
	wantCode(t, err, CodeNotAnchored)
	if _, err := os.Stat(dir); err == nil {
		t.Error("looking for a log made one")
	}
	for _, name := range []string{"hound/first", "hound/second"} {
		if l, err := Make(dir, name); err != nil || l.Origin() != "hound/first" {
			t.Errorf("made as %q it is %v, %v", name, l, err)
		}
	}
	for _, text := range []string{"", "\n", "no line feed", "two\nlines\n", "a space\n", "a+b\n", strings.Repeat("x", 300) + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, originFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir)
		wantCode(t, err, seal.CodeBadLog)
	}
}

func TestAProofIsEnoughByItself(t *testing.T) {
	ctx, l, k := context.Background(), made(t, "hound/x"), key(t, "k-1")
	for i := range 7 {
		done, err := l.Add(ctx, k, digest(i))
		if err != nil || len(done.Entries) != 1 || !done.Entries[0].Added || done.Entries[0].Index != int64(i) {
			t.Fatalf("anchored %+v, %v", done, err)
		}
		p, err := l.Prove(ctx, k, done.Entries[0])
		if err != nil {
			t.Fatal(err)
		}
		if !IsProof(p.Text()) || IsProof(p.Checkpoint) {
			t.Error("proof and checkpoint are not told apart")
		}
		got, err := CheckProof(p.Text(), digest(i), k.Public())
		if err != nil || got.Index != int64(i) || got.Checkpoint.Size != int64(i+1) || got.ByLog {
			t.Errorf("checked as %+v, %v", got, err)
		}
		_, err = CheckProof(p.Text(), digest(i+1), k.Public())
		wantCode(t, err, seal.CodeBadSeal)
		_, err = CheckProof(p.Text(), digest(i), key(t, "k-2").Public())
		wantCode(t, err, seal.CodeBadSeal)
		_, err = CheckProof(p.Text(), digest(i))
		wantCode(t, err, seal.CodeBadSeal)
	}
	_, err := CheckProof([]byte("x"), digest(0), k.Public())
	wantCode(t, err, seal.CodeBadSeal)
}

func TestAKeptCheckpointFindsOutEveryOtherPast(t *testing.T) {
	ctx, k := context.Background(), key(t, "k-1")
	fill := func(l *Log, records ...int) {
		for _, i := range records {
			if _, err := l.Add(ctx, k, digest(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	l := made(t, "hound/x")
	fill(l, 0, 1, 2)
	now, err := l.Add(ctx, k)
	if err != nil {
		t.Fatal(err)
	}
	kept := now.Signed
	fill(l, 3, 4)
	got, err := l.CheckKept(ctx, kept, digest(1), k.Public())
	if err != nil || got.Index != 1 || !got.ByLog || got.Checkpoint.Size != 3 {
		t.Errorf("checked as %+v, %v", got, err)
	}
	_, err = l.CheckKept(ctx, kept, digest(3), k.Public())
	wantCode(t, err, CodeNotAnchored) // logged later
	_, err = l.CheckKept(ctx, kept, digest(9), k.Public())
	wantCode(t, err, CodeNotAnchored) // never logged
	_, err = l.CheckKept(ctx, kept, digest(1), key(t, "k-2").Public())
	wantCode(t, err, seal.CodeBadSeal)
	for name, records := range map[string][]int{
		"one is another":    {0, 1, 9, 3},
		"another order":     {1, 0, 2, 3},
		"one is left out":   {0, 2, 3, 4},
		"cut":               {0, 1},
		"one came between":  {0, 9, 1, 2},
		"the last is other": {0, 1, 9},
	} {
		other := made(t, "hound/x")
		fill(other, records...)
		_, err := other.CheckKept(ctx, kept, digest(1), k.Public())
		if fault.CodeOf(err) != seal.CodeBadSeal {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := made(t, "hound/y")
	fill(other, 0, 1, 2)
	_, err = other.CheckKept(ctx, kept, digest(1), k.Public())
	wantCode(t, err, seal.CodeBadSeal)
}

func TestManyRecordsAreAnchoredAtOnce(t *testing.T) {
	ctx, l, k := context.Background(), made(t, "hound/x"), key(t, "k-1")
	if _, err := l.Add(ctx, k, digest(5)); err != nil {
		t.Fatal(err)
	}
	done, err := l.Add(ctx, k, digest(1), digest(5), digest(2), digest(1))
	if err != nil || done.Checkpoint.Size != 3 {
		t.Fatalf("anchored %+v, %v", done, err)
	}
	for i, want := range []Entry{
		{Digest: digest(1), Index: 1, Added: true},
		{Digest: digest(5), Index: 0},
		{Digest: digest(2), Index: 2, Added: true},
		{Digest: digest(1), Index: 1},
	} {
		if done.Entries[i] != want {
			t.Errorf("entry %d is %+v, not %+v", i, done.Entries[i], want)
		}
		if got, err := l.CheckKept(ctx, done.Signed, want.Digest, k.Public()); err != nil || got.Index != want.Index {
			t.Errorf("entry %d is checked as %+v, %v", i, got, err)
		}
	}
}

// BenchmarkAnchor is what anchoring costs beside the log's append and the
// signature themselves.
func BenchmarkAnchor(b *testing.B) {
	ctx := context.Background()
	b.Run("append and sign", func(b *testing.B) {
		l, err := seal.OpenLog(b.TempDir(), "hound/x")
		if err != nil {
			b.Fatal(err)
		}
		private := ed25519.NewKeyFromSeed(make([]byte, 32))
		i := 0
		for b.Loop() {
			if _, err := l.Append(ctx, digest(i)); err != nil {
				b.Fatal(err)
			}
			_ = base64.StdEncoding.EncodeToString(ed25519.Sign(private, []byte("checkpoint")))
			i++
		}
	})
	b.Run("anchor", func(b *testing.B) {
		l, k, i := made(b, "hound/x"), key(b, "k-1"), 0
		for b.Loop() {
			if _, err := l.Add(ctx, k, digest(i)); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
}
