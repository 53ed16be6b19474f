package view

import (
	"fmt"
	"slices"
	"strings"
)

// around is how many unchanged lines stand around a change.
const around = 3

// step is one line of an edit script.
type step struct {
	sign byte // ' ', '-' or '+'
	line string
}

// Unified returns the difference of two texts in the form of unified diffs,
// without a header. Equal texts have none.
func Unified(before, after string) string {
	if before == after {
		return ""
	}
	steps := script(lines(before), lines(after))
	var b strings.Builder
	for from := 0; from < len(steps); {
		if steps[from].sign == ' ' {
			from++
			continue
		}
		from = max(from-around, 0)
		to := hunkEnd(steps, from)
		writeHunk(&b, steps, from, to)
		from = to
	}
	return b.String()
}

// hunkEnd finds where the hunk ends that begins at from: behind the last change
// that is followed by more unchanged lines than two hunks have in between.
func hunkEnd(steps []step, from int) int {
	last := from
	for i := from; i < len(steps) && i-last <= 2*around; i++ {
		if steps[i].sign != ' ' {
			last = i
		} else if last == from && steps[last].sign == ' ' {
			last = i
		}
	}
	return min(last+1+around, len(steps))
}

func writeHunk(b *strings.Builder, steps []step, from, to int) {
	oldAt, newAt := 1, 1
	for _, s := range steps[:from] {
		if s.sign != '+' {
			oldAt++
		}
		if s.sign != '-' {
			newAt++
		}
	}
	oldCount, newCount := 0, 0
	for _, s := range steps[from:to] {
		if s.sign != '+' {
			oldCount++
		}
		if s.sign != '-' {
			newCount++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(oldAt, oldCount), span(newAt, newCount))
	for _, s := range steps[from:to] {
		b.WriteByte(s.sign)
		b.WriteString(s.line)
		if !strings.HasSuffix(s.line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func span(at, count int) string {
	if count == 0 {
		at--
	}
	if count == 1 {
		return fmt.Sprint(at)
	}
	return fmt.Sprintf("%d,%d", at, count)
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	list := strings.SplitAfter(text, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// script returns a shortest way from a to b, by Myers' algorithm. Beyond a bound
// everything in between is replaced as a whole.
func script(a, b []string) []step {
	var head, tail []step
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, step{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, step{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	steps := slices.Concat(head, middle(a, b))
	for i := len(tail) - 1; i >= 0; i-- {
		steps = append(steps, tail[i])
	}
	return steps
}

// maxEdits bounds the work, which grows with its square.
const maxEdits = 1000

func middle(a, b []string) []step {
	trace, found := search(a, b)
	if !found {
		var steps []step
		for _, line := range a {
			steps = append(steps, step{'-', line})
		}
		for _, line := range b {
			steps = append(steps, step{'+', line})
		}
		return steps
	}
	return backtrack(a, b, trace)
}

// search finds the furthest points of each number of edits until the end.
func search(a, b []string) (trace []map[int]int, found bool) {
	reach := map[int]int{1: 0}
	for edits := 0; edits <= min(len(a)+len(b), maxEdits); edits++ {
		now := map[int]int{}
		for k := -edits; k <= edits; k += 2 {
			x := furthest(reach, k, edits)
			for y := x - k; x < len(a) && y < len(b) && a[x] == b[y]; y++ {
				x++
			}
			now[k] = x
			if x >= len(a) && x-k >= len(b) {
				return append(trace, now), true
			}
		}
		trace = append(trace, now)
		reach = now
	}
	return nil, false
}

// furthest is where diagonal k begins: down from the one above or right from the
// one below.
func furthest(reach map[int]int, k, edits int) int {
	if k == -edits || k != edits && reach[k-1] < reach[k+1] {
		return reach[k+1]
	}
	return reach[k-1] + 1
}

func backtrack(a, b []string, trace []map[int]int) []step {
	var reversed []step
	x, y := len(a), len(b)
	for edits := len(trace) - 1; edits >= 0; edits-- {
		reach := map[int]int{1: 0}
		if edits > 0 {
			reach = trace[edits-1]
		}
		k := x - y
		from := k - 1
		if k == -edits || k != edits && reach[k-1] < reach[k+1] {
			from = k + 1
		}
		fromX := reach[from]
		fromY := fromX - from
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x, y = x-1, y-1
			reversed = append(reversed, step{' ', a[x]})
		}
		if edits == 0 {
			break
		}
		if x == fromX {
			y--
			reversed = append(reversed, step{'+', b[y]})
		} else {
			x--
			reversed = append(reversed, step{'-', a[x]})
		}
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return reversed
}
