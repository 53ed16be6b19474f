package seal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"pgregory.net/rapid"

	"bridle/internal/kernel/fault"
)

func key(t testing.TB, name string) Key {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	k, err := NewKey(name, seed[:])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func digest(i int) Digest { return sha256.Sum256(fmt.Appendf(nil, "record %d", i)) }

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("got %v, want a fault with code %q", err, code)
	}
}

func TestNotesOpenOnlyWithTheKeyThatSigned(t *testing.T) {
	mine, other := key(t, "mine.example"), key(t, "other.example")
	signed, err := mine.Sign("hello\n")
	if err != nil {
		t.Fatal(err)
	}
	text, by, err := Open(signed, other.Public(), mine.Public())
	if err != nil || text != "hello\n" || by != "mine.example" {
		t.Fatalf("Open = %q, %q, %v", text, by, err)
	}
	_, _, err = Open(signed, other.Public())
	wantCode(t, err, CodeBadSeal)
	_, _, err = Open(bytes.Replace(signed, []byte("hello"), []byte("hullo"), 1), mine.Public())
	wantCode(t, err, CodeBadSeal)
	_, _, err = Open(signed, "nonsense")
	wantCode(t, err, CodeBadKey)
	_, err = mine.Sign("no line feed")
	wantCode(t, err, CodeBadSeal)
	// Go's own reader of signed notes takes what we write.
	v, err := note.NewVerifier(mine.Public())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := note.Open(signed, note.VerifierList(v)); err != nil {
		t.Fatal(err)
	}
}

func TestKeysDoNotPrintTheirPrivateHalf(t *testing.T) {
	k := key(t, "mine.example")
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := strings.Trim(fmt.Sprintf(format, k), `"`); got != "mine.example" {
			t.Errorf("%s prints %q", format, got)
		}
	}
	_, err := NewKey("short", make([]byte, 31))
	wantCode(t, err, CodeBadKey)
	_, err = NewKey("a name", make([]byte, 32))
	wantCode(t, err, CodeBadKey)
}

func TestCheckpointsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Checkpoint{
			Origin: rapid.StringMatching(`[a-z][a-z./0-9]{0,30}`).Draw(t, "origin"),
			Size:   rapid.Int64Min(0).Draw(t, "size"),
			Root:   sha256.Sum256([]byte(rapid.String().Draw(t, "root"))),
		}
		got, err := ParseCheckpoint(c.Text())
		if err != nil || got != c {
			t.Fatalf("ParseCheckpoint(%q) = %+v, %v", c.Text(), got, err)
		}
	})
	good := Checkpoint{Origin: "o", Size: 7}.Text()
	if _, err := ParseCheckpoint(good + "an extension\n"); err != nil {
		t.Errorf("a line more is an extension: %v", err)
	}
	for _, bad := range []string{
		"", "o\n7\n", strings.TrimSuffix(good, "\n"), strings.Replace(good, "7", "-7", 1),
		strings.Replace(good, "7", "07", 1), strings.Replace(good, "7", "+7", 1), strings.Replace(good, "AA", "A", 1), "\n" + good[2:],
	} {
		_, err := ParseCheckpoint(bad)
		wantCode(t, err, CodeBadSeal)
	}
}

func TestEnvelopesAreDSSE(t *testing.T) {
	// The encoding as DSSE's own example has it.
	if got := string(encoding("http://example.com/HelloWorld", []byte("hello world"))); got !=
		"DSSEv1 29 http://example.com/HelloWorld 11 hello world" {
		t.Fatalf("encoding = %q", got)
	}
	mine, other := key(t, "mine.example"), key(t, "other.example")
	data, err := mine.Envelop("application/x", []byte("body"))
	if err != nil {
		t.Fatal(err)
	}
	kind, body, err := Unwrap(data, other.Public(), mine.Public())
	if err != nil || kind != "application/x" || string(body) != "body" {
		t.Fatalf("Unwrap = %q, %q, %v", kind, body, err)
	}
	for name, bad := range map[string][]byte{
		"another type":    bytes.Replace(data, []byte("application/x"), []byte("application/y"), 1),
		"another payload": bytes.Replace(data, []byte("Ym9keQ=="), []byte("Ym9keg=="), 1),
		"no JSON":         []byte("{"),
		"no signature":    []byte(`{"payloadType":"application/x","payload":"Ym9keQ==","signatures":[]}`),
	} {
		if _, _, err := Unwrap(bad, mine.Public()); fault.CodeOf(err) != CodeBadSeal {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err = Unwrap(data, other.Public())
	wantCode(t, err, CodeBadSeal)
}

func TestEveryLeafIsProvenAndNothingElse(t *testing.T) {
	ctx, k := context.Background(), key(t, "log.example")
	l, err := OpenLog(t.TempDir(), "log.example/records")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		first, err := l.Append(ctx, digest(i))
		if err != nil || first != int64(i) {
			t.Fatalf("Append = %d, %v", first, err)
		}
		for j := range i + 1 {
			p, err := l.Prove(ctx, k, int64(j))
			if err != nil {
				t.Fatal(err)
			}
			p, err = ParseProof(p.Text())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Check(digest(j), k.Public()); err != nil {
				t.Fatalf("%d of %d: %v", j, i+1, err)
			}
			_, err = p.Check(digest(j+1), k.Public())
			wantCode(t, err, CodeBadSeal)
			p.Index++
			_, err = p.Check(digest(j), k.Public())
			wantCode(t, err, CodeBadSeal)
		}
	}
	if at, found, err := l.Find(ctx, digest(7)); at != 7 || !found || err != nil {
		t.Fatalf("Find = %d, %v, %v", at, found, err)
	}
	if _, found, _ := l.Find(ctx, digest(99)); found {
		t.Fatal("a digest that was never logged was found")
	}
	for _, at := range []int64{-1, 20} {
		_, err := l.Prove(ctx, k, at)
		wantCode(t, err, CodeBadSeal)
	}
	if err := l.Audit(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestOldCheckpointsCatchARewrittenPast(t *testing.T) {
	ctx := context.Background()
	honest, err := OpenLog(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	forged, err := OpenLog(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	var at []Checkpoint
	for i := range 12 {
		c, err := honest.Checkpoint(ctx)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, c)
		if _, err := honest.Append(ctx, digest(i)); err != nil {
			t.Fatal(err)
		}
		d := digest(i)
		if i == 3 {
			d = digest(1000)
		}
		if _, err := forged.Append(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	now, err := honest.Checkpoint(ctx)
	if err != nil {
		t.Fatal(err)
	}
	lie, err := forged.Checkpoint(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, earlier := range at {
		path, err := honest.ProveConsistency(ctx, earlier.Size, now.Size)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckConsistency(earlier, now, path); err != nil {
			t.Fatalf("from %d: %v", earlier.Size, err)
		}
		path, err = forged.ProveConsistency(ctx, earlier.Size, lie.Size)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckConsistency(earlier, lie, path); (err != nil) != (earlier.Size > 3) {
			t.Fatalf("from %d, forged at 3: %v", earlier.Size, err)
		}
	}
	wantCode(t, CheckConsistency(now, at[5], nil), CodeBadSeal)
	wantCode(t, CheckConsistency(now, lie, nil), CodeBadSeal)
	other := now
	other.Origin = "another"
	wantCode(t, CheckConsistency(now, other, nil), CodeBadSeal)
	_, err = honest.ProveConsistency(ctx, 5, 13)
	wantCode(t, err, CodeBadSeal)
}

func TestALogHealsWhereAWriterDied(t *testing.T) {
	ctx := context.Background()
	for name, harm := range map[string]func(t *testing.T, dir string){
		"half a leaf":        func(t *testing.T, dir string) { grow(t, filepath.Join(dir, leavesName), 17) },
		"no inner hashes":    func(t *testing.T, dir string) { cut(t, filepath.Join(dir, treeName), 0) },
		"half an inner hash": func(t *testing.T, dir string) { cut(t, filepath.Join(dir, treeName), 40) },
		"hashes of a leaf that was lost": func(t *testing.T, dir string) {
			grow(t, filepath.Join(dir, treeName), 32)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l, err := OpenLog(dir, "log")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.Append(ctx, digest(0), digest(1), digest(2)); err != nil {
				t.Fatal(err)
			}
			before, err := l.Checkpoint(ctx)
			if err != nil {
				t.Fatal(err)
			}
			harm(t, dir)
			if after, err := l.Checkpoint(ctx); err != nil || after != before {
				t.Fatalf("read: %+v, %v", after, err)
			}
			if first, err := l.Append(ctx, digest(3)); err != nil || first != 3 {
				t.Fatalf("Append = %d, %v", first, err)
			}
			if err := l.Audit(ctx); err != nil {
				t.Fatal(err)
			}
			now, err := l.Checkpoint(ctx)
			if err != nil {
				t.Fatal(err)
			}
			path, err := l.ProveConsistency(ctx, 3, 4)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckConsistency(before, now, path); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAuditFindsAnEditedLeaf(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	l, err := OpenLog(dir, "log")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(ctx, digest(0), digest(1)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, leavesName))
	if err != nil {
		t.Fatal(err)
	}
	raw[5] ^= 1
	if err := os.WriteFile(filepath.Join(dir, leavesName), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	wantCode(t, l.Audit(ctx), CodeBadLog)
}

func TestALogOfLinksIsRefused(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	l, err := OpenLog(dir, "log")
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, leavesName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, leavesName)); err != nil {
		t.Fatal(err)
	}
	_, err = l.Append(ctx, digest(0))
	wantCode(t, err, CodeBadLog)
}

func TestManyWritersLoseNothing(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			l, err := OpenLog(dir, "log")
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 10 {
				if _, err := l.Append(ctx, digest(w*10+i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	l, err := OpenLog(dir, "log")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 80 {
		if _, found, err := l.Find(ctx, digest(i)); !found || err != nil {
			t.Fatalf("%d: %v, %v", i, found, err)
		}
	}
	if err := l.Audit(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestDigestsAreLowerCaseHex(t *testing.T) {
	d := digest(1)
	if got, err := ParseDigest(d.String()); err != nil || got != d {
		t.Fatalf("ParseDigest = %v, %v", got, err)
	}
	for _, bad := range []string{"", "00", strings.ToUpper(d.String()), d.String() + "0", strings.Repeat("g", 64)} {
		_, err := ParseDigest(bad)
		wantCode(t, err, CodeBadSeal)
	}
}

func FuzzParseProof(f *testing.F) {
	f.Add(Proof{Index: 3, Path: [][32]byte{digest(1), digest(2)}, Checkpoint: []byte("o\n4\n")}.Text())
	f.Add([]byte("c2sp.org/tlog-proof@v1\nindex 0\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParseProof(data)
		if err == nil && !bytes.Equal(p.Text(), data) {
			t.Fatalf("%q reads as %q", data, p.Text())
		}
	})
}

func FuzzUnwrap(f *testing.F) {
	k := key(f, "log")
	good, err := k.Envelop("t", []byte("b"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, body, err := Unwrap(data, k.Public())
		if err == nil && (kind != "t" || string(body) != "b") {
			t.Fatalf("forged: %q, %q from %q", kind, body, data)
		}
	})
}

// BenchmarkAnchor is one record logged and its proof signed.
func BenchmarkAnchor(b *testing.B) {
	ctx, k := context.Background(), key(b, "log")
	l, err := OpenLog(b.TempDir(), "log")
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		at, err := l.Append(ctx, digest(i))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.Prove(ctx, k, at); err != nil {
			b.Fatal(err)
		}
	}
}

func grow(t *testing.T, path string, by int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	cut(t, path, info.Size()+by)
}

func cut(t *testing.T, path string, to int64) {
	t.Helper()
	if err := os.Truncate(path, to); err != nil {
		t.Fatal(err)
	}
}

func TestADigestIsLoggedOnce(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	var workers sync.WaitGroup
	fresh := make([]int, 8)
	for w := range fresh {
		workers.Go(func() {
			l, err := OpenLog(dir, "log.example")
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 10 {
				done, err := l.AppendNew(ctx, digest(i))
				if err != nil || len(done.Indexes) != 1 {
					t.Error(done, err)
					return
				}
				if done.Added[0] {
					fresh[w]++
				}
				if at, found, err := l.Find(ctx, digest(i)); err != nil || !found || at != done.Indexes[0] {
					t.Errorf("logged at %d, found at %d, %v, %v", done.Indexes[0], at, found, err)
				}
			}
		})
	}
	workers.Wait()
	l, err := OpenLog(dir, "log.example")
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Checkpoint(ctx)
	if err != nil || c.Size != 10 {
		t.Errorf("the log has %d entries, %v", c.Size, err)
	}
	total := 0
	for _, n := range fresh {
		total += n
	}
	if total != 10 {
		t.Errorf("%d of 10 were said to be new", total)
	}
}

// Leaves are read in pieces; nothing may hide at the seams.
func TestEveryLeafIsFoundWhereItIs(t *testing.T) {
	ctx := context.Background()
	l, err := OpenLog(t.TempDir(), "log.example")
	if err != nil {
		t.Fatal(err)
	}
	many := make([]Digest, 4096*2+5)
	for i := range many {
		many[i] = digest(i)
	}
	if _, found, err := l.Find(ctx, many[0]); found || err != nil {
		t.Errorf("an empty log holds it: %v", err)
	}
	if _, err := l.Append(ctx, many...); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 4095, 4096, 4097, 8191, 8192, 8196} {
		if at, found, err := l.Find(ctx, many[i]); err != nil || !found || at != int64(i) {
			t.Errorf("%d is found at %d, %v, %v", i, at, found, err)
		}
	}
	if _, found, err := l.Find(ctx, digest(-1)); found || err != nil {
		t.Errorf("what was never logged is found: %v", err)
	}
}

// A checkpoint that was kept proves what was logged before it, however much came
// later, and nothing else.
func TestAKeptCheckpointProvesWhatWasLoggedBeforeIt(t *testing.T) {
	ctx, k := context.Background(), key(t, "log.example")
	l, err := OpenLog(t.TempDir(), "log.example")
	if err != nil {
		t.Fatal(err)
	}
	for size := 1; size <= 9; size++ {
		if _, err := l.Append(ctx, digest(size-1)); err != nil {
			t.Fatal(err)
		}
		kept, err := l.Checkpoint(ctx)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := kept.Sign(k)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(ctx, digest(1000+size)); err != nil {
			t.Fatal(err)
		}
		for i := range kept.Size {
			p, err := l.ProveUnder(ctx, kept, signed, i)
			if err != nil {
				t.Fatal(err)
			}
			held := digest(size - 1)
			if i < kept.Size-1 {
				held = digest(-1)
			}
			_, err = p.Check(held, k.Public())
			if (err == nil) != (i == kept.Size-1) {
				t.Errorf("entry %d of %d: %v", i, kept.Size, err)
			}
		}
		_, err = l.ProveUnder(ctx, kept, signed, kept.Size)
		wantCode(t, err, CodeBadSeal)
		_, err = l.ProveUnder(ctx, kept, signed, -1)
		wantCode(t, err, CodeBadSeal)
		_, err = l.ProveUnder(ctx, Checkpoint{Origin: "log.example", Size: 1000}, signed, 0)
		wantCode(t, err, CodeBadSeal)
		if _, err := l.Append(ctx, digest(2000+size)); err != nil {
			t.Fatal(err)
		}
	}
}
