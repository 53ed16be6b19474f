package redact

import (
	"strings"
	"testing"
)

func benchmarkRedact(b *testing.B, line string) {
	text := strings.Repeat(line, 1<<20/len(line))
	theTable()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Redact(text)
	}
}

// Text without a single anchor.
func BenchmarkRedactPlain1MiB(b *testing.B) {
	benchmarkRedact(b, "2026-03-04 10:11:12 INFO worker finished job 4711 in 31 ms, 12 rows written\n")
}

// Text that speaks of tokens and passwords without holding any.
func BenchmarkRedactCode1MiB(b *testing.B) {
	benchmarkRedact(b, "\ttoken, err := parser.NextToken()\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"read the token at %d: %w\", at, err)\n\t}\n\tlist = append(list, token)\n\tcount++\n")
}

func BenchmarkRedactWithFindings1MiB(b *testing.B) {
	benchmarkRedact(b, strings.Repeat("INFO worker finished job 4711 in 31 ms, 12 rows written\n", 50)+"password=Hunter2Hunter2x\nuse ghp_"+drawn(1, alnumSet, 36)+" here\n")
}

func BenchmarkRedactShortOutput(b *testing.B) {
	theTable()
	text := "created invoice inv-4711 for harbour fees, 2.80 EUR, due 2026-04-01\n"
	b.ReportAllocs()
	for b.Loop() {
		Redact(text)
	}
}

// What the first call of a process pays.
func BenchmarkBuildingTheTable(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newTable()
	}
}

// Texts made to cost as much as they can.
func BenchmarkRedactHostile1MiB(b *testing.B) {
	for name, line := range map[string]string{
		"names":    "password=",
		"keys":     "-----BEGIN PRIVATE KEY-----",
		"jwt":      "eyJ.",
		"urls":     "a://b:",
		"tags":     "<secret>",
		"commands": "curl -u ",
		"headers":  "Authorization: ",
		"markers":  "[REDACTED:",
		"jwk":      `"kty"`,
		"cookies":  "cookie:a=b;",
		"spoken":   "password a ",
		"tokens":   "ghp_",
		"heads":    "token,",
		"rows":     "token,token\n",
		"words":    "[-{+",
		"below":    "password:\n",
		"open":     "{password=",
	} {
		b.Run(name, func(b *testing.B) { benchmarkRedact(b, line) })
	}
}
