package hopcli_test

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"bridle/internal/hop/hopcli"
	"bridle/internal/kernel/cli"
)

func TestEveryCommandIsExplainedWithAnExample(t *testing.T) {
	for _, v := range hopcli.App().Verbs {
		cmd := v.New(&cli.Call{App: hopcli.App()})
		if v.Short == "" || cmd.Long == "" {
			t.Errorf("%s is not explained", v.Name)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(cmd.Use, "--"+f.Name) {
				t.Errorf("the usage of %s lacks --%s: %q", v.Name, f.Name, cmd.Use)
			}
		})
		if !strings.Contains(cmd.Example, "hop "+v.Name) {
			t.Errorf("%s has no example: %q", v.Name, cmd.Example)
		}
	}
}
