package cli

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestALongLineGoesOnBehindAMark(t *testing.T) {
	p := &Page{Width: 24, color: true}
	p.Flow(p.Yellow("note: "), "a line that is longer than the screen")
	p.Flow("short")
	want := "\x1b[33mnote: \x1b[0ma line that is \n↪ longer than the screen\nshort\n"
	if p.String() != want {
		t.Errorf("%q, want %q", p.String(), want)
	}
	wide := &Page{}
	if wide.Flow(strings.Repeat("x ", 200)); strings.Count(wide.String(), "\n") != 1 {
		t.Errorf("broken where nobody knows the width: %q", wide.String())
	}
}

// Whatever stands in a line, nothing of it is lost, no line is longer than the
// screen, and each line but the first has the mark.
func TestFlowLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(MinWidth, 60).Draw(t, "width")
		parts := rapid.SliceOfN(rapid.StringMatching("[a-c 日é]{0,40}"), 1, 4).Draw(t, "parts")
		p := &Page{Width: width}
		var put []any
		for i, part := range parts {
			if put = append(put, part); i%2 == 1 {
				put[i] = p.Dim(part)
			}
		}
		p.Flow(put...)
		lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
		whole := lines[0]
		for i, line := range lines {
			if Cells(line) > width {
				t.Fatalf("%d columns of %d: %q", Cells(line), width, line)
			}
			if rest, marked := strings.CutPrefix(line, GoesOn); i > 0 && !marked {
				t.Fatalf("no mark: %q", line)
			} else if i > 0 {
				whole += rest
			}
		}
		if whole != strings.Join(parts, "") {
			t.Fatalf("%q of %q", whole, parts)
		}
	})
}

func TestATableFitsWhereEachOfItsLinesDoes(t *testing.T) {
	rows := [][]any{{"a", "bb", "c"}, {"日本", "b", "a longer end"}}
	for width, want := range map[int]bool{0: true, 21: false, 22: true, 80: true} {
		p := &Page{Width: width}
		if p.Fits(rows) != want {
			t.Errorf("%d columns: %v", width, !want)
		}
		p.Table(rows)
		if got := p.String(); got != "a     bb  c\n日本  b   a longer end\n" {
			t.Errorf("%q", got)
		}
	}
}

func TestAClippedTextShowsThatItIs(t *testing.T) {
	for width, want := range map[int]string{3: "ab…", 6: "abcdef", 5: "abcd…"} {
		if got := Clip("abcdef", width); got != want {
			t.Errorf("%d: %q", width, got)
		}
	}
}
