package redact

import (
	"cmp"
	"slices"
	"strings"
)

// A Finding is one stretch of a text that looks like a credential.
type Finding struct {
	Start, End int    // bytes of the text
	Kind       string // one of the Kind constants
	Rule       string // the provider whose format it has, or the context that gave it away
}

// A Count says how many credentials of a kind were replaced.
type Count struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// The kinds of credentials, as they stand in markers and counts.
const (
	KindAccessKey  = "access_key"            // id of a cloud key
	KindToken      = "access_token"          // token of a person, robot or installation
	KindAPIKey     = "api_key"               // key of a service
	KindAuth       = "auth_token"            // JWT, credentials of a header, cookie of a session
	KindConnection = "connection_credential" // user part of a URL, field of a connection string
	KindCredential = "credential"            // given away by its name only
	KindExplicit   = "explicit_secret"       // between <secret> tags
	KindPrivateKey = "private_key"
)

const (
	markerStart = "[REDACTED:"
	markerEnd   = "]"
	// longestMarker bounds what is taken for a marker.
	longestMarker = len(markerStart) + 40
)

// kindRank orders kinds for a stretch that several rules found: what says most
// about it comes first.
func kindRank(kind string) int {
	return slices.Index([]string{
		KindPrivateKey, KindExplicit, KindAPIKey, KindToken, KindAccessKey, KindAuth, KindConnection, KindCredential,
	}, kind)
}

// Redact replaces every credential in text by [REDACTED:<kind>] and counts them
// by kind, sorted. Text without credentials comes back as it is, and so does
// text that was redacted before.
func Redact[T ~string | ~[]byte](text T) (string, []Count) {
	s := string(text)
	found := Find(s)
	if len(found) == 0 {
		return s, nil
	}
	return replaceAll(s, found), Counts(found)
}

// Counts counts findings by kind, sorted by kind; nil if there are none.
func Counts(found []Finding) []Count {
	var counts []Count
	for _, f := range found {
		i, ok := slices.BinarySearchFunc(counts, f.Kind, func(c Count, kind string) int { return cmp.Compare(c.Kind, kind) })
		if !ok {
			counts = slices.Insert(counts, i, Count{Kind: f.Kind})
		}
		counts[i].Count++
	}
	return counts
}

// Find returns where credentials are, in order and apart from each other. What
// is left once they are replaced holds no further ones.
func Find[T ~string | ~[]byte](text T) []Finding {
	s := string(text)
	found := findOnce(s)
	if len(found) == 0 {
		return nil
	}
	// A marker beside it can give away what another text did not. Every round
	// replaces some bytes that are in no marker, so there is a last one.
	for {
		more := findOnce(replaceAll(s, found))
		if len(more) == 0 {
			return found
		}
		before := covered(found)
		if found = join(append(found, translate(more, found)...)); covered(found) == before {
			return found
		}
	}
}

func covered(found []Finding) int {
	n := 0
	for _, f := range found {
		n += f.End - f.Start
	}
	return n
}

// skipMarker keeps the rules of context from reading a marker's own words.
func skipMarker(s *scan, at, _ int) {
	if start, end := nextMarker(s.text, at, min(len(s.text), at+longestMarker)); start == at {
		s.skip = max(s.skip, end)
	}
}

// findOnce is one pass over the text.
func findOnce(text string) []Finding {
	s := &scan{text: text}
	s.run(theTable())
	if strings.Contains(text, colourStart) {
		s.found = append(s.found, throughColours(text)...)
	}
	if isWordDiff(text) {
		s.found = append(s.found, throughWordDiff(text)...)
	}
	return join(s.found)
}

// join sorts findings and makes one of those that overlap.
func join(found []Finding) []Finding {
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)))
	})
	out := found[:0]
	for _, f := range found {
		if len(out) > 0 {
			if last := &out[len(out)-1]; f.Start < last.End {
				last.End = max(last.End, f.End)
				if kindRank(f.Kind) < kindRank(last.Kind) {
					last.Kind, last.Rule = f.Kind, f.Rule
				}
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

func marker(kind string) string { return markerStart + kind + markerEnd }

// replaceAll writes a marker in place of every finding.
func replaceAll(text string, found []Finding) string {
	var b strings.Builder
	b.Grow(len(text) + 16)
	done := 0
	for _, f := range found {
		b.WriteString(text[done:f.Start])
		b.WriteString(marker(f.Kind))
		done = f.End
	}
	b.WriteString(text[done:])
	return b.String()
}

// translate turns findings in the text with markers for old into findings in
// the text before. No finding reaches into a marker.
func translate(more, old []Finding) []Finding {
	shift, i := 0, 0
	for n, f := range more {
		for i < len(old) && old[i].Start-shift < f.Start {
			shift += old[i].End - old[i].Start - len(marker(old[i].Kind))
			i++
		}
		more[n].Start, more[n].End = f.Start+shift, f.End+shift
	}
	return more
}

// scan is one pass over a text.
type scan struct {
	text  string
	found []Finding
	// skip is the place up to which rules of context have looked already, so
	// that no stretch is read again and again.
	skip int
	// The same for single rules: how far there is no end of a tag, which object
	// was looked at as a key, which command line as one of which command,
	// which rows as those of a table.
	untagged, keyed, commanded, tabled int
	command                            *command
}

// add records a finding, without the markers within.
func (s *scan) add(from, to int, kind, rule string) {
	if i := strings.LastIndex(s.text[max(0, from-longestMarker):from], markerStart); i >= 0 {
		if _, end := nextMarker(s.text, max(0, from-longestMarker)+i, to); end > from {
			from = end
		}
	}
	for from < to {
		start, end := nextMarker(s.text, from, to)
		if hasAlnum(s.text[from:start]) {
			s.found = append(s.found, Finding{from, start, kind, rule})
		}
		from = end
	}
}

// nextMarker returns the next marker that begins within text[from:to], or to
// twice.
func nextMarker(text string, from, to int) (start, end int) {
	for at := from; ; {
		i := strings.Index(text[at:to], markerStart)
		if i < 0 {
			return to, to
		}
		start, end = at+i, at+i+len(markerStart)
		for end < len(text) && end-start < longestMarker-1 && (isLower(text[end]) || text[end] == '_') {
			end++
		}
		if end < len(text) && text[end] == markerEnd[0] {
			return start, end + 1
		}
		at = start + len(markerStart)
	}
}

func hasAlnum(s string) bool {
	for i := range len(s) {
		if isAlnum(s[i]) || s[i] >= 0x80 {
			return true
		}
	}
	return false
}
