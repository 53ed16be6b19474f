package fault

import "strings"

// Closest returns the candidate that name most likely meant, or the empty
// string when none is near enough to be worth suggesting. Nearness is the
// Damerau–Levenshtein distance (adjacent swaps count once), at most a third of
// the longer word, ignoring case and the separators '-', '_' and '.'; a
// candidate that merely extends name, or is extended by it, is near as well.
// The first of equally near candidates wins, so callers pass them in the order
// in which they want them offered.
func Closest(name string, candidates []string) string {
	best, bestDistance := "", -1
	folded := fold(name)
	if folded == "" {
		return ""
	}
	for _, candidate := range candidates {
		other := fold(candidate)
		distance := editDistance(folded, other)
		limit := max(len(folded), len(other)) / 3
		if limit == 0 && (len(folded) > 1 || len(other) > 1) {
			limit = 1 // of two names of one letter, none is near the other
		}
		if len(folded) >= 3 && len(other) >= 3 &&
			(strings.HasPrefix(other, folded) || strings.HasPrefix(folded, other)) {
			distance = min(distance, limit)
		}
		if distance > limit || candidate == "" {
			continue
		}
		if bestDistance < 0 || distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

func fold(s string) string {
	// Names longer than this are no typing mistakes, and the table below grows
	// with the square of the length.
	const longest = 128
	if len(s) > longest {
		s = s[:longest]
	}
	return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(s))
}

func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
