package wrap

import (
	"slices"
	"strings"

	"bridle/internal/hcp/adapter"
	"bridle/internal/kernel/sandbox"
)

// profile says what the program may reach: the system, its own installation,
// and its place.
func profile(r adapter.Request, place Place, limits Limits, env []string) (*sandbox.Profile, error) {
	p, err := sandbox.ForTool(sandbox.Tool{
		Executable: r.Bin.Path,
		Path:       pathOf(env),
		Env:        env,
		Home:       place.Home,
		Temp:       place.Tmp,
		RealHome:   limits.Home,
		ReadExec:   place.ReadExec,
		ReadOnly:   place.ReadOnly,
		ReadWrite:  place.ReadWrite,
		Protected:  limits.protected(),
	})
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// protected are the paths that no grant may contain.
func (l Limits) protected() []string {
	return slices.DeleteFunc([]string{l.Store}, func(path string) bool { return path == "" })
}

func pathOf(env []string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			return value
		}
	}
	return plainPath
}
