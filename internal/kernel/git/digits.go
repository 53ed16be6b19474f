package git

import "strconv"

func parseInt(text string) (int, error) { return strconv.Atoi(text) }

func appendInt(out []byte, n int) []byte { return strconv.AppendInt(out, int64(n), 10) }
