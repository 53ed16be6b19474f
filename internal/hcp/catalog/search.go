package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// Search returns the entries that match a query, the best first. Every word of
// the query must occur in the entry, whatever the case; an empty query matches
// all. The class, where one is given, must be the entry's.
func Search(packs []Entry, query, class string) []Entry {
	words := strings.Fields(strings.ToLower(query))
	type hit struct {
		entry Entry
		rank  int
	}
	var hits []hit
	for i := range packs {
		e := &packs[i]
		if class != "" && e.Class != class {
			continue
		}
		if rank, ok := e.rank(words); ok {
			hits = append(hits, hit{*e, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.entry.ID, b.entry.ID))
	})
	found := make([]Entry, len(hits))
	for i, h := range hits {
		found[i] = h.entry
	}
	return found
}

// The places where a word can be found, from the one that says most.
const (
	isID = iota
	inID
	inName
	inText
)

// rank is the sum of where each word was found, lower for the better.
func (e *Entry) rank(words []string) (rank int, ok bool) {
	id := strings.ToLower(e.ID)
	name := strings.ToLower(e.Name + " " + strings.Join(e.Tags, " "))
	text := strings.ToLower(e.Description + " " + e.Class)
	for _, c := range e.Commands {
		text += " " + strings.ToLower(c.Command+" "+c.Description)
	}
	for _, word := range words {
		switch {
		case id == word:
			rank += isID
		case strings.Contains(id, word):
			rank += inID
		case strings.Contains(name, word):
			rank += inName
		case strings.Contains(text, word):
			rank += inText
		default:
			return 0, false
		}
	}
	return rank, true
}
