package proc_test

import (
	"fmt"
	"os"
	"testing"
)

// roles are what this test binary does when it is started as a child: its first
// argument names one.
var roles = map[string]func(args []string) int{}

// TestMain plays a role when the program was started as "role <name>", else the
// tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "role" {
		role, ok := roles[os.Args[2]]
		if !ok {
			fmt.Fprintf(os.Stderr, "no role %q\n", os.Args[2])
			os.Exit(99)
		}
		os.Exit(role(os.Args[3:]))
	}
	os.Exit(m.Run())
}
