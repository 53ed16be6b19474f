package approval

import (
	"errors"
	"strings"
	"time"
)

var (
	errTime = errors.New("it is no ISO 8601 date and time")
	errZone = errors.New("it has no time zone")
)

// ParseTime reads a date and time as existing approvals write them: ISO 8601,
// extended or basic, calendar or week dates, any one character between date and
// time, a zone. Fractions beyond microseconds are cut.
func ParseTime(text string) (time.Time, error) {
	s := &scan{rest: text}
	day, ok := s.date()
	if !ok || !s.separator() {
		return time.Time{}, errTime
	}
	clock, zone, found := cutZone(s.rest)
	if !found {
		return time.Time{}, errZone
	}
	since, ok := parseClock(clock)
	if !ok {
		return time.Time{}, errTime
	}
	offset, ok := parseZone(zone)
	if !ok {
		return time.Time{}, errTime
	}
	return day.Add(since - offset), nil
}

// scan reads text from the left.
type scan struct{ rest string }

// number reads exactly n digits.
func (s *scan) number(n int) (int, bool) {
	if len(s.rest) < n {
		return 0, false
	}
	value := 0
	for _, c := range []byte(s.rest[:n]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = 10*value + int(c-'0')
	}
	s.rest = s.rest[n:]
	return value, true
}

func (s *scan) skip(prefix string) bool {
	rest, found := strings.CutPrefix(s.rest, prefix)
	s.rest = rest
	return found
}

// separator skips the one character between date and time.
func (s *scan) separator() bool {
	for i := range s.rest {
		if i > 0 {
			s.rest = s.rest[i:]
			return true
		}
	}
	return false
}

// date reads YYYY-MM-DD, YYYYMMDD, YYYY-Www-D or YYYYWwwD.
func (s *scan) date() (time.Time, bool) {
	year, ok := s.number(4)
	if !ok || year == 0 {
		return time.Time{}, false
	}
	dashed := s.skip("-")
	if s.skip("W") {
		return s.week(year, dashed)
	}
	month, ok := s.number(2)
	if !ok || dashed && !s.skip("-") {
		return time.Time{}, false
	}
	day, ok := s.number(2)
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return at, ok && at.Year() == year && at.Month() == time.Month(month) && at.Day() == day
}

// week reads the rest of a week date, whose day may be left out.
func (s *scan) week(year int, dashed bool) (time.Time, bool) {
	week, ok := s.number(2)
	if !ok || week < 1 {
		return time.Time{}, false
	}
	day := 1
	if !dashed || s.skip("-") {
		if day, ok = s.number(1); !ok || day < 1 || day > 7 {
			return time.Time{}, false
		}
	}
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	at := monday.AddDate(0, 0, 7*(week-1))
	isoYear, isoWeek := at.ISOWeek()
	return at.AddDate(0, 0, day-1), isoYear == year && isoWeek == week
}

// cutZone splits a time of day from its zone. A single space between the two is
// what existing readers let pass.
func cutZone(text string) (clock, zone string, found bool) {
	i := strings.IndexAny(text, "Z+-")
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSuffix(text[:i], " "), text[i:], true
}

// parseClock reads HH, HH:MM or HH:MM:SS with a fraction, with or without the
// colons.
func parseClock(text string) (time.Duration, bool) {
	total, ok := parseParts(text)
	return total, ok && total < 24*time.Hour
}

// parseZone reads Z or a signed time of day.
func parseZone(text string) (time.Duration, bool) {
	if text == "Z" {
		return 0, true
	}
	if text == "" || text[0] == 'Z' {
		return 0, false
	}
	total, ok := parseParts(text[1:])
	if text[0] == '-' {
		total = -total
	}
	return total, ok && total < 24*time.Hour && total > -24*time.Hour
}

func parseParts(text string) (time.Duration, bool) {
	s := &scan{rest: text}
	var total time.Duration
	units := [...]time.Duration{time.Hour, time.Minute, time.Second}
	limits := [...]int{99, 59, 59}
	colons := false
	for i, unit := range units {
		if i > 0 {
			if s.rest == "" {
				return total, true
			}
			colon := s.skip(":")
			if i == 1 {
				colons = colon
			} else if colon != colons {
				return 0, false
			}
		}
		value, ok := s.number(2)
		if !ok || value > limits[i] {
			return 0, false
		}
		total += time.Duration(value) * unit
	}
	if s.rest == "" {
		return total, true
	}
	return fraction(total, s)
}

// fraction adds a fraction of a second, cut to microseconds.
func fraction(total time.Duration, s *scan) (time.Duration, bool) {
	if !s.skip(".") && !s.skip(",") || s.rest == "" {
		return 0, false
	}
	unit := 100 * time.Millisecond
	for _, c := range []byte(s.rest) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if unit >= time.Microsecond {
			total += time.Duration(c-'0') * unit
		}
		unit /= 10
	}
	return total, true
}
