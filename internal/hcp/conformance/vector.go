package conformance

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"bridle/internal/kernel/canon"
)

// Vector is one thing that a runtime must do.
type Vector struct {
	Name string `json:"name"`
	// Sections are the places in the specification that ask for it.
	Sections []string `json:"sections"`
	// Holds says in a sentence what must hold.
	Holds string `json:"holds"`
	// Optional names the optional part of the protocol that it belongs to.
	Optional string `json:"optional,omitzero"`
	// Packs are made of others, by the names that the requests use.
	Packs map[string]Derived `json:"packs,omitzero"`
	Steps []Step             `json:"steps"`
}

// Derived is a pack that differs from another in some files.
type Derived struct {
	From string `json:"from"`
	// Merge holds JSON merge patches (RFC 7396), by file.
	Merge map[string]json.RawMessage `json:"merge,omitzero"`
	// Write holds whole texts, by file; null takes the file away.
	Write map[string]*string `json:"write,omitzero"`
}

// Step is one request and what its answer must be.
type Step struct {
	Request Request `json:"request"`
	// Keep remembers the answer under a name, for Same of a later step.
	Keep   string `json:"keep,omitzero"`
	Expect Expect `json:"expect"`
}

// Request is what a driver is asked. Do says which of the members it has.
type Request struct {
	Do string `json:"do"`
	// Packs of open are pack directories; in a vector, names of packs.
	Packs []string `json:"packs,omitzero"`
	// Pack of lint and cli is one such directory.
	Pack    string   `json:"pack,omitzero"`
	Session *Session `json:"session,omitzero"`
	// IDs of activate and deactivate, ID of connect, availability and skill
	// are pack ids.
	IDs      []string        `json:"ids,omitzero"`
	ID       string          `json:"id,omitzero"`
	Envelope json.RawMessage `json:"envelope,omitzero"`
	Grants   []Grant         `json:"grants,omitzero"`
	// Words of cli follow the pack's program on its command line.
	Words []string `json:"words,omitzero"`
}

// Grant is a grant as §9.4 has it.
type Grant struct {
	Capability string   `json:"capability"`
	PackID     string   `json:"pack_id,omitzero"`
	VerbKeys   []string `json:"verb_keys,omitzero"`
}

// Session is who opens the runtime, and how.
type Session struct {
	Principal string `json:"principal,omitzero"`
	Kind      string `json:"kind,omitzero"`
	Elevated  bool   `json:"elevated,omitzero"`
	TenantID  string `json:"tenant_id,omitzero"`
	ProjectID string `json:"project_id,omitzero"`
	// MemberOf are the projects that the Principal belongs to.
	MemberOf []string `json:"member_of,omitzero"`
	// Grants are the session's; absent means every capability for everything.
	Grants *[]Grant `json:"grants,omitzero"`
	// NoSandbox and NativeLocal are the two settings that together leave the
	// sandbox.
	NoSandbox   bool `json:"no_sandbox,omitzero"`
	NativeLocal bool `json:"native_local,omitzero"`
	// Hub is what the runtime's hub gives for a delegated credential; absent
	// means that there is no hub.
	Hub *HubScript `json:"hub,omitzero"`
	// AuditFails makes the audit log impossible to write.
	AuditFails bool `json:"audit_fails,omitzero"`
}

// HubScript is a hub that always answers the same.
type HubScript struct {
	Identity string            `json:"identity,omitzero"`
	Env      map[string]string `json:"env,omitzero"`
	// Fail is the message it refuses with.
	Fail string `json:"fail,omitzero"`
}

// Suite is a set of vectors and the packs they name.
type Suite struct {
	Vectors []Vector
	packs   []fs.FS
}

// Load reads the vectors of a directory: each file *.json of it holds some, and
// each directory below packs is a pack. Packs that are not there are looked for
// in others.
func Load(data fs.FS, others ...fs.FS) (*Suite, error) {
	own, err := fs.Sub(data, "packs")
	if err != nil {
		return nil, err
	}
	s := &Suite{packs: append([]fs.FS{own}, others...)}
	names, err := fs.Glob(data, "*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(data, name)
		if err != nil {
			return nil, err
		}
		var file struct {
			Vectors []Vector `json:"vectors"`
		}
		if err := canon.Decode(text, &file, canon.Limits{}); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		s.Vectors = append(s.Vectors, file.Vectors...)
	}
	return s, s.check()
}

// check refuses vectors that could not fail or could not run.
func (s *Suite) check() error {
	seen := map[string]bool{}
	for _, v := range s.Vectors {
		if v.Name == "" || seen[v.Name] || len(v.Sections) == 0 || v.Holds == "" || len(v.Steps) == 0 {
			return fmt.Errorf("vector %q: a name of its own, sections, a sentence and steps are needed", v.Name)
		}
		seen[v.Name] = true
		for i, step := range v.Steps {
			if step.Expect.empty() {
				return fmt.Errorf("vector %q: step %d expects nothing", v.Name, i+1)
			}
			for _, name := range step.Request.named() {
				if _, derived := v.Packs[name]; !derived && s.pack(name) == nil {
					return fmt.Errorf("vector %q: step %d names the pack %q, which is not there", v.Name, i+1, name)
				}
			}
		}
	}
	return nil
}

// named lists the packs that a request of a vector names.
func (r Request) named() []string {
	if r.Pack == "" {
		return r.Packs
	}
	return append(slices.Clone(r.Packs), r.Pack)
}

// pack returns the directory of a pack, or nil.
func (s *Suite) pack(name string) fs.FS {
	if !fs.ValidPath(name) || strings.Contains(name, "/") || name == "." {
		return nil
	}
	for _, from := range s.packs {
		if info, err := fs.Stat(from, path.Join(name, ".")); err == nil && info.IsDir() {
			sub, err := fs.Sub(from, name)
			if err == nil {
				return sub
			}
		}
	}
	return nil
}
