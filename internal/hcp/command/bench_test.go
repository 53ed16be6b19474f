package command

import (
	"testing"

	"bridle/hcp"
)

func BenchmarkCheckAndRender(b *testing.B) {
	m := ledger(b)
	args := hcp.Args{"amount": "2.80", "payee": "demo-transit"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Render(m, "transfer", args); err != nil {
			b.Fatal(err)
		}
	}
}
