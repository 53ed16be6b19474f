package wrap

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"bridle/internal/hcp/adapter"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// profiles remembers what was worked out for a program and its place: looking
// at installations, interpreters and links and building the rules costs as much
// as starting the program, and for one pack and Principal it comes out the same.
// Places of a single call are not remembered.
type profiles struct {
	mu   sync.Mutex
	kept map[string]*sandbox.Kept
}

// mostProfiles bounds the memory of a long-lived host; beyond it, all are
// worked out anew.
const mostProfiles = 64

// confine sets what the program may reach: the system, its own installation, and
// its place.
func (k *profiles) confine(spec *proc.Spec, r adapter.Request, place Place, limits Limits) error {
	tool := sandbox.Tool{
		Executable: r.Bin.Path,
		Path:       pathOf(spec.Env),
		Env:        spec.Env,
		Home:       place.Home,
		Temp:       place.Tmp,
		RealHome:   cmp.Or(limits.Account, limits.Home),
		ReadExec:   place.ReadExec,
		ReadOnly:   place.ReadOnly,
		ReadWrite:  place.ReadWrite,
		Protected:  limits.protected(),
	}
	if limits.Offline {
		tool.Network = sandbox.NetworkNone
	}
	if place.Fleeting {
		p, err := sandbox.ForTool(tool)
		spec.Profile = &p
		return err
	}
	kept, err := k.of(profileKey(r, tool), tool)
	spec.Kept = kept
	return err
}

// of returns what is remembered under a key, or works it out.
func (k *profiles) of(key string, tool sandbox.Tool) (*sandbox.Kept, error) {
	k.mu.Lock()
	kept := k.kept[key]
	k.mu.Unlock()
	if kept != nil {
		return kept, nil
	}
	made, err := sandbox.ForTool(tool)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if other := k.kept[key]; other != nil {
		return other, nil
	}
	if k.kept == nil || len(k.kept) >= mostProfiles {
		for _, old := range k.kept {
			old.Close()
		}
		k.kept = map[string]*sandbox.Kept{}
	}
	kept = made.Keep()
	k.kept[key] = kept
	return kept, nil
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
	return slices.DeleteFunc([]string{l.Store, l.Home}, func(path string) bool { return path == "" })
}

func pathOf(env []string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			return value
		}
	}
	return plainPath
}
