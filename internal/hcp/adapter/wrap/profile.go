package wrap

import (
	"slices"
	"strings"
	"sync"

	"bridle/internal/hcp/adapter"
	"bridle/internal/kernel/sandbox"
)

// profiles remembers what was worked out for a program and its place: looking
// at installations, interpreters and links costs more than starting the program,
// and for one pack and Principal it comes out the same. Places of a single call
// are not remembered.
type profiles struct {
	mu   sync.Mutex
	kept map[string]*sandbox.Profile
}

// mostProfiles bounds the memory of a long-lived host; beyond it, all are
// worked out anew.
const mostProfiles = 256

// of says what the program may reach: the system, its own installation, and its
// place.
func (k *profiles) of(r adapter.Request, place Place, limits Limits, env []string) (*sandbox.Profile, error) {
	tool := sandbox.Tool{
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
	}
	if place.Fleeting {
		p, err := sandbox.ForTool(tool)
		return &p, err
	}
	key := profileKey(r, tool)
	k.mu.Lock()
	p := k.kept[key]
	k.mu.Unlock()
	if p != nil {
		return p, nil
	}
	made, err := sandbox.ForTool(tool)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= mostProfiles {
		k.kept = map[string]*sandbox.Profile{}
	}
	k.kept[key] = &made
	return &made, nil
}

// profileKey is everything that a profile is made from. Of the environment only
// the certificate variables matter.
func profileKey(r adapter.Request, t sandbox.Tool) string {
	parts := []string{r.Bin.SHA256, t.Executable, t.Path, t.Home, t.Temp, t.RealHome}
	for _, list := range [][]string{t.ReadExec, t.ReadOnly, t.ReadWrite, t.Protected} {
		parts = append(append(parts, ""), list...)
	}
	for _, entry := range t.Env {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(CertificateNames(), name) {
			parts = append(parts, entry)
		}
	}
	return strings.Join(parts, "\x00")
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
