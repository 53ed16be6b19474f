package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
)

func numbers(t testing.TB, lines []Line) []int {
	t.Helper()
	var all []int
	for _, l := range lines {
		var e event
		must(t, l.Decode(&e))
		all = append(all, e.N)
	}
	return all
}

// small makes a file hold about three lines.
var small = Options{MaxBytes: 500}

func TestReadGivesTheNewestLinesInTheirOrder(t *testing.T) {
	for name, opts := range map[string]Options{"one file": {}, "several files": small} {
		path, heads := written(t, 20, opts)
		even := func(l Line) bool { return l.Seq%2 == 0 }
		for _, c := range []struct {
			filter func(Line) bool
			limit  int
			want   []int
		}{
			{nil, 3, []int{18, 19, 20}},
			{even, 2, []int{18, 20}},
			{even, 100, []int{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}},
			{func(l Line) bool { return l.Head() == heads[7] }, 1, []int{7}},
			{func(Line) bool { return false }, 5, nil},
		} {
			lines, err := Read(path, c.filter, c.limit)
			if err != nil || !slices.Equal(numbers(t, lines), c.want) {
				t.Errorf("%s, limit %d: got %v %v, want %v", name, c.limit, numbers(t, lines), err, c.want)
			}
		}
		if all, err := Read(path, nil, 0); err != nil || len(all) != 20 || all[0].Seq != 1 {
			t.Errorf("%s: all are %d %v", name, len(all), err)
		}
	}
	if lines, err := Read(filepath.Join(t.TempDir(), "none"), nil, 5); err != nil || lines != nil {
		t.Errorf("no journal: %v %v", lines, err)
	}
}

func TestReadLooksNoFurtherThanItMust(t *testing.T) {
	path, _ := written(t, 3, Options{})
	end := content(t, path)
	// A front that is no journal and could not even be split into lines.
	must(t, os.WriteFile(path, []byte(strings.Repeat("x", 6*MaxLine)+"\n"+end), 0o600))
	if lines, err := Read(path, nil, 3); err != nil || !slices.Equal(numbers(t, lines), []int{1, 2, 3}) {
		t.Errorf("%v %v", numbers(t, lines), err)
	}
	if _, err := Read(path, nil, 4); err == nil {
		t.Error("the front is read without an error")
	}
}

func TestReadPassesOverWhatIsNoLine(t *testing.T) {
	path, _ := written(t, 3, Options{})
	lines := strings.SplitAfter(content(t, path), "\n")
	long := strings.Repeat("y", 200<<10) + "\n"
	must(t, os.WriteFile(path, []byte(lines[0]+"junk\n\n"+lines[1]+long+lines[2]+`{"seq":4,"prev":"half`), 0o600))
	if got, err := Read(path, nil, 0); err != nil || !slices.Equal(numbers(t, got), []int{1, 2, 3}) {
		t.Errorf("%v %v", numbers(t, got), err)
	}
}

func TestReadTellsWhatItPassesOver(t *testing.T) {
	path, _ := written(t, 3, Options{})
	lines := strings.SplitAfter(content(t, path), "\n")
	for text, want := range map[string][]Gap{
		lines[0] + lines[1] + lines[2]:                        nil,
		lines[0] + "junk\n\n" + lines[1] + lines[2]:           {{path, 2, 1, 2}},
		"junk\n" + lines[0] + lines[1] + "x\n" + lines[2]:     {{path, 1, 0, 1}, {path, 1, 2, 3}},
		lines[0] + lines[1] + lines[2] + "junk\n":             {{path, 1, 3, 0}},
		lines[0] + lines[1] + lines[2] + `{"seq":4,"prev":"h`: nil, // still being written
	} {
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if _, gaps, err := ReadGaps(path, nil, 0); err != nil || !slices.Equal(gaps, want) {
			t.Errorf("%v, %v, want %v", gaps, err, want)
		}
	}
}

func TestRotationKeepsTheChain(t *testing.T) {
	path, heads := written(t, 20, small)
	files, err := filepath.Glob(path + ".0*")
	must(t, err)
	if len(files) < 4 || files[0] != path+".000001" {
		t.Fatalf("files %q", files)
	}
	r := intact(t, path, heads...)
	if r.Lines != 20 || r.Head != heads[20] || len(r.Files) != len(files)+1 || r.Files[0] != files[0] {
		t.Errorf("report %+v", r)
	}
	for _, f := range append(files, path) {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", f, info.Mode(), err)
		}
	}
	first, ok := parse([]byte(strings.SplitN(content(t, files[1]), "\n", 2)[0]))
	if before := lastLine(t, files[0]); !ok || first.Prev != before.Head().Hash || first.Seq != before.Seq+1 {
		t.Errorf("the second file begins with %+v, the first ends with %+v", first, before)
	}

	// Old files may go from the front, not from the middle.
	must(t, os.Remove(files[0]))
	if r := intact(t, path, heads[20]); r.From.Seq == 0 || r.From != heads[r.From.Seq] {
		t.Errorf("front removed: %+v", r)
	}
	must(t, os.Remove(files[2]))
	r, err = Verify(path)
	must(t, err)
	if p := r.Problem; p == nil || p.Kind != Removed || p.File != files[3] || p.Line != 1 {
		t.Errorf("middle removed: %+v", p)
	}
}

func lastLine(t testing.TB, path string) Line {
	t.Helper()
	text := strings.TrimSuffix(content(t, path), "\n")
	line, ok := parse([]byte(text[strings.LastIndex(text, "\n")+1:]))
	if !ok {
		t.Fatalf("no line at the end of %s", path)
	}
	return line
}

func TestARotationCutInTheMiddleGoesOn(t *testing.T) {
	path, heads := written(t, 5, Options{})
	must(t, os.Rename(path, numbered(path, 7)))
	j := open(t, path, Options{}) // died before the new file was made
	if head, err := j.Head(t.Context()); err != nil || head != heads[5] {
		t.Errorf("head %+v %v", head, err)
	}
	must(t, os.WriteFile(path, []byte(`{"seq":6,"pr`), 0o600)) // and once more within its first line
	if head := add(t, j, 6); head.Seq != 7 {
		t.Errorf("next %+v", head)
	}
	if r := intact(t, path, heads...); r.Healed != 1 || r.Lines != 7 {
		t.Errorf("report %+v", r)
	}
	// Files that are not ours do not count.
	for _, name := range []string{".7", ".00007", ".0000008", ".000000", ".lock", ".bak", ".-00001"} {
		must(t, os.WriteFile(path+name, []byte("x\n"), 0o600))
	}
	add(t, j, 7)
	intact(t, path, heads...)
}

// following runs a Tail and returns its lines and its end.
func following(t *testing.T, run func(context.Context, func(Line) error) error) (lines chan int, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	lines, done := make(chan int, 100), make(chan error, 1)
	go func() {
		done <- run(ctx, func(l Line) error {
			var e event
			if err := l.Decode(&e); err != nil {
				return err
			}
			lines <- e.N
			return nil
		})
	}()
	return lines, func() error {
		cancel()
		return <-done
	}
}

func expect(t *testing.T, lines chan int, want ...int) {
	t.Helper()
	for _, n := range want {
		select {
		case got := <-lines:
			if got != n {
				t.Fatalf("got %d, want %d", got, n)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("waited in vain for %d", n)
		}
	}
}

func TestTailFromFollowsAcrossRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	lines, stop := following(t, func(ctx context.Context, fn func(Line) error) error { return TailFrom(ctx, path, 0, fn) })
	j := open(t, path, small) // made only now
	var want []int
	for n := 1; n <= 30; n++ {
		add(t, j, n)
		want = append(want, n)
		if n%7 == 0 { // at other times several files are put aside between two looks
			expect(t, lines, want...)
			want = nil
		}
	}
	expect(t, lines, want...)
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	for after := range 31 {
		lines, stop := following(t, func(ctx context.Context, fn func(Line) error) error { return TailFrom(ctx, path, uint64(after), fn) })
		for n := after + 1; n <= 30; n++ {
			expect(t, lines, n)
		}
		if err := stop(); !errors.Is(err, context.Canceled) || len(lines) > 0 {
			t.Errorf("after %d: ended with %v, %d more", after, err, len(lines))
		}
	}
}

func TestTailGivesOnlyWhatIsNewAndWhole(t *testing.T) {
	path, _ := written(t, 3, Options{})
	before := content(t, path)
	must(t, os.WriteFile(path, []byte(before+`{"seq":4,"pr`), 0o600))
	started := make(chan struct{})
	lines, stop := following(t, func(ctx context.Context, fn func(Line) error) error {
		tl := tail{path: path, fn: fn}
		defer tl.close()
		if err := tl.skipAll(); err != nil {
			return err
		}
		close(started)
		return tl.follow(ctx)
	})
	<-started
	j := open(t, path, small)
	for n := 4; n <= 9; n++ {
		add(t, j, n)
	}
	expect(t, lines, 4, 5, 6, 7, 8, 9)
	if err := stop(); !errors.Is(err, context.Canceled) || len(lines) > 0 {
		t.Errorf("ended with %v, %d more", err, len(lines))
	}
}

func TestTailEndsWithTheErrorOfItsFunction(t *testing.T) {
	path, _ := written(t, 3, Options{})
	full := errors.New("enough")
	seen := 0
	err := TailFrom(t.Context(), path, 1, func(Line) error {
		seen++
		return full
	})
	if !errors.Is(err, full) || seen != 1 {
		t.Errorf("%v after %d", err, seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Tail(ctx, path, func(Line) error { return fmt.Errorf("nothing is new") }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestTailNoticesACut(t *testing.T) {
	path, _ := written(t, 3, Options{})
	err := TailFrom(t.Context(), path, 0, func(l Line) error {
		if l.Seq == 3 {
			return os.Truncate(path, 10)
		}
		return nil
	})
	if !fault.Is(err, CodeBroken) {
		t.Errorf("got %v", err)
	}
}
