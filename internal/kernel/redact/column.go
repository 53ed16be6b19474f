package redact

import "strings"

// Bounds of a table.
const (
	mostRows   = 200
	longestRow = 1024
)

// column looks at a name that heads the column of a table, as markdown and the
// clients of databases draw them, or of comma-separated values, and at what stands
// below it.
func (s *scan) column(start, stop int, class nameClass) {
	from, to := start-len(s.lineBefore(start, longestRow)), s.lineEnd(stop)
	if from < s.tabled {
		return
	}
	sep, ok := separator(s.text[from:to])
	if !ok {
		return
	}
	rest, _, _ := strings.Cut(s.text[stop:to], sep)
	if strings.Trim(rest, " \t\r*`\"'") != "" {
		return // the name is a part of the head
	}
	at, cells := strings.Count(s.text[from:start], sep), strings.Count(s.text[from:to], sep)
	ruled := sep == ","
	for n := 0; n < mostRows && to < len(s.text); n++ {
		from, to = to+1, s.lineEnd(to+1)
		row := s.text[from:to]
		switch {
		case strings.Trim(row, "|-+: \r") == "" && strings.Contains(row, "--"):
			ruled = true
			continue
		case !ruled || strings.Count(row, sep) != cells:
			return
		}
		s.cell(row, from, at, sep, class)
	}
}

// separator is what stands between the cells of a head.
func separator(head string) (string, bool) {
	if strings.IndexByte(head, '|') >= 0 {
		return "|", true
	}
	for i := range len(head) {
		if c := head[i]; !isNameByte(c) && strings.IndexByte(",\"'\r", c) < 0 {
			return "", false // code, or a sentence
		}
	}
	return ",", strings.IndexByte(head, ',') >= 0
}

// rowValue reads the cell to the right of a name in a row of a table.
func (s *scan) rowValue(start, stop int) (field, bool) {
	for stop < len(s.text) && strings.IndexByte(" *`", s.text[stop]) >= 0 {
		stop++
	}
	if s.byteAt(stop) != '|' || s.byteAt(stop+1) != ' ' || !strings.HasPrefix(s.lineBefore(start, 80), "|") {
		return field{}, false
	}
	end := s.lineEnd(stop)
	if i := strings.IndexByte(s.text[stop+1:end], '|'); i >= 0 {
		end = stop + 1 + i
	}
	from, to := s.trimmed(stop+1, end)
	return field{from, to, asLoose}, true
}

// cell looks at one cell of a row that begins at from. What stands on either side of
// it goes on being looked at, but not as the head of a table.
func (s *scan) cell(row string, from, at int, sep string, class nameClass) {
	s.tabled = max(s.tabled, from+1)
	for range at {
		_, rest, _ := strings.Cut(row, sep)
		from, row = from+len(row)-len(rest), rest
	}
	row, _, _ = strings.Cut(row, sep)
	first, last := s.trimmed(from, from+len(row))
	if isSecret(class, s.text[first:last], asLoose) {
		s.add(first, last, KindCredential, "table")
	}
}

// trimmed takes blanks, quotes and the marks of markdown off a stretch.
func (s *scan) trimmed(from, to int) (int, int) {
	const around = " \t\r\"'`*"
	for from < to && strings.IndexByte(around, s.text[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte(around, s.text[to-1]) >= 0 {
		to--
	}
	return from, to
}

// lineEnd is the end of the line that i is in, or of what is looked at of it.
func (s *scan) lineEnd(i int) int {
	limit := min(len(s.text), i+longestRow)
	if n := strings.IndexByte(s.text[min(i, limit):limit], '\n'); n >= 0 {
		return i + n
	}
	return limit
}
