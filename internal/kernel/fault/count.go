package fault

import "strconv"

// Count writes a number with its noun: "1 byte", "2 bytes".
func Count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
