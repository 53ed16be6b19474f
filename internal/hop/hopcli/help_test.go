package hopcli_test

import (
	"strings"
	"testing"

	"bridle/internal/hop/hopcli"
	"bridle/internal/kernel/cli"
)

func TestEveryCommandIsExplainedWithAnExample(t *testing.T) {
	for _, v := range hopcli.App().Verbs {
		cmd := v.New(&cli.Call{App: hopcli.App()})
		if v.Short == "" || cmd.Long == "" {
			t.Errorf("%s is not explained", v.Name)
		}
		if !strings.Contains(cmd.Example, "hop "+v.Name) {
			t.Errorf("%s has no example: %q", v.Name, cmd.Example)
		}
	}
}
