package trial

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bridle/internal/hop/hopcli"
	"bridle/internal/kernel/cli"
)

// cuts is how many cuts TestEveryCut makes; 0 makes a few of each operation.
var cuts = flag.Int("cuts", 0, "how many cuts to make in all, over every operation, write and kind of cut")

// one is a single cut to make, as a loss tells it.
var one = flag.String("cut", "", "one cut to make instead, as operation,kind,call")

// The test program plays other programs where it is started under their names.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "hop":
		os.Exit(cli.Main(hopcli.App()))
	case "watched":
		fmt.Fprintln(os.Stderr, "watched:", watched(os.Args[1:]))
		os.Exit(1)
	case "cutter":
		if err := cutterMain(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "cutter:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// programs returns a folder in which the test program has the names that it
// plays.
func programs(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"hop", "cutter"} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
