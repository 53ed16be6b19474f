package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/internal/kernel/fault"
)

// change is a way to tamper with six lines.
type change struct {
	name string
	do   func(lines []string) []string
	kind Kind
	line int
}

func tamper(line, from, to string) string {
	changed := strings.Replace(line, from, to, 1)
	if changed == line {
		panic("nothing to change in " + line)
	}
	return changed
}

// forged returns a line that follows before with an event of its own.
func forged(before string, n int) string {
	last, ok := parse([]byte(strings.TrimSuffix(before, "\n")))
	if !ok {
		panic("no line: " + before)
	}
	return string(appendLine(nil, last.Head(), fmt.Appendf(nil, `{"command":"forged","n":%d}`, n))) + "\n"
}

func changes() []change {
	return []change{
		{"an event edited", func(l []string) []string { l[2] = tamper(l[2], `"n":3`, `"n":8`); return l }, Edited, 3},
		{"one space added", func(l []string) []string { l[2] = tamper(l[2], `,"n"`, `, "n"`); return l }, Edited, 3},
		{"the first line edited", func(l []string) []string { l[0] = tamper(l[0], `"n":1`, `"n":8`); return l }, Edited, 1},
		{"a hash edited", func(l []string) []string { l[3] = flip(l[3]); return l }, Edited, 4},
		{"the first hash edited", func(l []string) []string { l[0] = flip(l[0]); return l }, Edited, 1},
		{"the last hash edited", func(l []string) []string { l[5] = flip(l[5]); return l }, Edited, 5},
		{"a line made into text", func(l []string) []string { l[2] = "gone\n"; return l }, Edited, 3},
		{"a line emptied", func(l []string) []string { l[2] = "\n"; return l }, Edited, 3},
		{"a line cut short", func(l []string) []string { l[2] = l[2][:40] + "\n"; return l }, Edited, 3},
		{"two lines joined", func(l []string) []string { l[2] = strings.TrimSuffix(l[2], "\n"); return l }, Edited, 3},
		{"the last line made into text", func(l []string) []string { l[5] = "gone\n"; return l }, Edited, 6},
		{"a number edited", func(l []string) []string { l[2] = tamper(l[2], `"seq":3`, `"seq":9`); return l }, Removed, 3},
		{"a line replaced and linked", func(l []string) []string { l[2] = forged(l[1], 3); return l }, Edited, 3},
		{"two lines replaced and linked", func(l []string) []string { l[2] = forged(l[1], 3); l[3] = forged(l[2], 4); return l }, Edited, 4},
		{"a line removed", func(l []string) []string { return slices.Delete(l, 2, 3) }, Removed, 3},
		{"three lines removed", func(l []string) []string { return slices.Delete(l, 1, 4) }, Removed, 2},
		{"a line removed and the next renumbered", func(l []string) []string {
			l[3] = tamper(l[3], `"seq":4`, `"seq":3`)
			return slices.Delete(l, 2, 3)
		}, Edited, 3},
		{"a copy inserted", func(l []string) []string { return slices.Insert(l, 3, l[1]) }, Inserted, 4},
		{"a line doubled", func(l []string) []string { return slices.Insert(l, 3, l[2]) }, Inserted, 4},
		{"a forged line inserted", func(l []string) []string { return slices.Insert(l, 3, forged(l[2], 4)) }, Inserted, 4},
		{"text inserted", func(l []string) []string { return slices.Insert(l, 3, "hello\n") }, Inserted, 4},
		{"an empty line inserted", func(l []string) []string { return slices.Insert(l, 3, "\n") }, Inserted, 4},
		{"neighbours exchanged", func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }, Reordered, 3},
		{"a line moved back", func(l []string) []string { return []string{l[0], l[2], l[3], l[4], l[1], l[5]} }, Reordered, 2},
		{"a line moved forward", func(l []string) []string { return []string{l[0], l[4], l[1], l[2], l[3], l[5]} }, Reordered, 2},
		{"backwards", func(l []string) []string { slices.Reverse(l); return l }, Inserted, 2},
	}
}

// flip changes the last digit of a line's hash of the line before.
func flip(line string) string {
	i := strings.Index(line, `"prev":"`) + len(`"prev":"`) + 63
	digit := "0"
	if line[i] == '0' {
		digit = "1"
	}
	return line[:i] + digit + line[i+1:]
}

func TestVerifyNamesTheFirstBadLineAndWhy(t *testing.T) {
	path, _ := written(t, 6, Options{})
	whole := content(t, path)
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			lines := c.do(strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n"))
			for i, l := range lines[:len(lines)-1] {
				if !strings.HasSuffix(l, "\n") && c.name != "two lines joined" {
					lines[i] += "\n"
				}
			}
			text := strings.TrimSuffix(strings.Join(lines, ""), "\n") + "\n"
			must(t, os.WriteFile(path, []byte(text), 0o600))
			r, err := Verify(path)
			must(t, err)
			if r.Problem == nil {
				t.Fatal("not found")
			}
			if p := *r.Problem; p.Kind != c.kind || p.Line != c.line || p.File != path {
				t.Errorf("got %+v, want %s at line %d", p, c.kind, c.line)
			}
			fault := r.Err()
			if fault == nil || !strings.Contains(fault.Error(), fmt.Sprintf("line %d", c.line)) {
				t.Errorf("message %v", fault)
			}
			streamed, err := VerifyReader(path, strings.NewReader(text))
			if err != nil || *streamed.Problem != *r.Problem {
				t.Errorf("as a stream: %+v %v", streamed.Problem, err)
			}
		})
	}
}

func TestAKeptHeadShowsACutTailAndARewrittenJournal(t *testing.T) {
	path, heads := written(t, 6, Options{})
	intact(t, path, heads...)
	lines := strings.SplitAfter(content(t, path), "\n")

	must(t, os.WriteFile(path, []byte(strings.Join(lines[:4], "")), 0o600))
	intact(t, path, heads[:5]...)
	r, err := Verify(path, heads[2], heads[6])
	must(t, err)
	if p := r.Problem; p == nil || p.Kind != Cut || p.Seq != 6 || !fault.Is(r.Err(), CodeBroken) {
		t.Errorf("cut: %+v", p)
	}

	forgedAll := []string{string(appendLine(nil, Head{}, []byte(`{"command":"x"}`))) + "\n"}
	for range 5 {
		forgedAll = append(forgedAll, forged(forgedAll[len(forgedAll)-1], 1))
	}
	must(t, os.WriteFile(path, []byte(strings.Join(forgedAll, "")), 0o600))
	intact(t, path)
	r, err = Verify(path, heads[6], heads[3])
	must(t, err)
	if p := r.Problem; p == nil || p.Kind != Rewritten || p.Line != 3 || p.Seq != 3 {
		t.Errorf("rewritten: %+v", p)
	}

	must(t, os.WriteFile(path, nil, 0o600))
	r, err = Verify(path, heads[1])
	must(t, err)
	if p := r.Problem; p == nil || p.Kind != Cut {
		t.Errorf("emptied: %+v", p)
	}
	intact(t, path, Head{})

	must(t, os.WriteFile(path, []byte(strings.Join(lines[2:], "")), 0o600))
	if r := intact(t, path, heads[2], heads[5]); r.From != heads[2] || r.Lines != 4 {
		t.Errorf("front removed: %+v", r)
	}
	r, err = Verify(path, heads[1])
	must(t, err)
	if p := r.Problem; p == nil || p.Kind != Removed {
		t.Errorf("kept line removed: %+v", p)
	}
	r, err = Verify(path, Head{Seq: 2, Hash: heads[3].Hash})
	must(t, err)
	if p := r.Problem; p == nil || p.Kind != Rewritten {
		t.Errorf("another line before the first: %+v", p)
	}
	if _, err := Verify(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a journal that does not exist is intact")
	}
}

func TestAnyChangeOfAnyLineButTheLastIsFound(t *testing.T) {
	path, heads := written(t, 12, Options{})
	whole := content(t, path)
	// The line feed before the last line counts as part of it: without it, both
	// are one text that a crash could have left, and a kept head tells.
	start := strings.LastIndex(strings.TrimSuffix(whole, "\n"), "\n")
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(whole)
		i := rapid.IntRange(0, start-1).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			c := rapid.Byte().Filter(func(c byte) bool { return c != b[i] }).Draw(t, "byte")
			b[i] = c
		case 1:
			n := rapid.IntRange(1, start-i).Draw(t, "removed")
			b = slices.Delete(b, i, i+n)
		default:
			b = slices.Insert(b, i, []byte(rapid.StringN(1, 40, 60).Draw(t, "inserted"))...)
		}
		r, err := VerifyReader("j", strings.NewReader(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		if r.Problem != nil {
			if want := strings.Count(whole[:i], "\n") + 1; r.Problem.Line > want+1 {
				t.Fatalf("change in line %d, problem %+v", want, *r.Problem)
			}
			return
		}
		// What is left unseen is a front that is gone: then the report says so,
		// and a kept head tells.
		if r.From.Seq == 0 {
			t.Fatalf("not found: %q", b)
		}
		if k, _ := VerifyReader("j", strings.NewReader(string(b)), heads[1], heads[12]); k.Problem == nil {
			t.Fatalf("not found with kept heads: %q", b)
		}
	})
}

func FuzzVerify(f *testing.F) {
	path, _ := written(f, 6, Options{})
	whole := content(f, path)
	f.Add(whole)
	f.Add(whole[:len(whole)-7])
	for _, c := range changes() {
		f.Add(strings.Join(c.do(strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")), ""))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := VerifyReader("j", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if r.Problem != nil {
			if p := r.Problem; p.Line < 1 || p.Line > strings.Count(text, "\n")+1 || p.Reason == "" {
				t.Fatalf("%+v", *p)
			}
			return
		}
		// What is accepted can be made again from its parts.
		head, again := r.From, []byte(nil)
		for _, l := range strings.SplitAfter(text[:len(text)-int(r.Torn)], "\n") {
			if l == "" {
				continue
			}
			line, ok := parse([]byte(strings.TrimSuffix(l, "\n")))
			if !ok {
				t.Fatalf("%q is accepted", l)
			}
			rest := strings.TrimSuffix(l, "\n")[len(appendLine(nil, head, []byte("{}")))-1:]
			again = append(appendLine(again, head, []byte("{"+strings.TrimPrefix(rest, ","))), l[len(strings.TrimSuffix(l, "\n")):]...)
			head = line.Head()
		}
		if string(again) != text[:len(text)-int(r.Torn)] || head != r.Head {
			t.Fatalf("got %q, made again %q", text, again)
		}
	})
}

// Whatever stands in the file, Append refuses and changes nothing, or it keeps
// every whole line and what it writes follows them.
func FuzzAppend(f *testing.F) {
	path, _ := written(f, 3, Options{})
	whole := content(f, path)
	for _, n := range []int{0, 1, 30, 150, len(whole) - 1, len(whole)} {
		f.Add([]byte(whole[:n]))
	}
	f.Add([]byte(whole + "\x00\x00"))
	f.Add([]byte(whole + "{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "j")
		must(t, os.WriteFile(path, text, 0o600))
		before, err := Verify(path)
		must(t, err)
		head, err := open(t, path, Options{}).Append(t.Context(), event{Command: "c"}, NoSync)
		got := content(t, path)
		if err != nil {
			if got != string(text) {
				t.Fatalf("refused, but %q became %q", text, got)
			}
			return
		}
		after, err := Verify(path)
		must(t, err)
		if before.Problem == nil {
			if after.Problem != nil || after.Head != head || after.Lines <= before.Lines || !strings.HasPrefix(got, string(text[:len(text)-int(before.Torn)])) {
				t.Fatalf("%q became %q: %+v", text, got, after.Problem)
			}
		} else if after.Problem == nil {
			t.Fatalf("%q had a problem, %q has none", text, got)
		}
	})
}
