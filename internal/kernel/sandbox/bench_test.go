package sandbox

import "testing"

// BenchmarkPrepare is opening the paths of an ordinary tool's profile and
// building its ruleset.
func BenchmarkPrepare(b *testing.B) {
	p, err := ForTool(Tool{Executable: "/bin/true", Home: b.TempDir(), Temp: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := p.Prepare()
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

// BenchmarkForTool is writing such a profile.
func BenchmarkForTool(b *testing.B) {
	home := b.TempDir()
	for b.Loop() {
		if _, err := ForTool(Tool{Executable: "/usr/bin/node", Home: home, Temp: home}); err != nil {
			b.Fatal(err)
		}
	}
}
