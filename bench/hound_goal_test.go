package bench

import (
	"os"
	"testing"
	"time"
)

// emptyShell is a shell that does nothing, which what ends processes is measured by.
var emptyShell = yardstick{"sh -c :", 620 * time.Microsecond}

// statusOf is the look that git takes at so many files.
func statusOf(files int) yardstick {
	there := map[int]time.Duration{1000: 4 * time.Millisecond, 10000: 26 * time.Millisecond, 50000: 108 * time.Millisecond}
	return yardstick{"git status --ignored", there[files]}
}

// emptyStick runs an empty Go program once, shellStick a shell that does nothing.
func emptyStick(b *testing.B) func() {
	b.Helper()
	return once(b, racer{name: emptyProgram.name, argv: []string{build(b, scratch(b), "./bench/empty")}, env: []string{}})
}

func shellStick(b *testing.B) func() {
	b.Helper()
	return once(b, racer{name: emptyShell.name, argv: []string{"/bin/sh", "-c", ":"}, env: []string{}})
}

func once(b *testing.B, r racer) func() {
	b.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(b, err)
	b.Cleanup(func() { null.Close() })
	return func() { r.run(b, null) }
}
