package store

import (
	"context"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Ready is an activated pack that is what was accepted, ready to run. Its pack
// is loaded without the text of the Skill, which no call needs.
type Ready struct {
	Pack   *pack.Pack
	Bin    *Binary // nil for packs that wrap nothing; may be one that was not found
	Digest string
	State  State
}

// Pack loads an installed pack, activated or not. What is loaded is what the
// files say now; for execution use Verify.
func (s *Store) Pack(id string) (*pack.Pack, error) { return s.load(id, pack.Load) }

func (s *Store) load(id string, how func(string) (*pack.Pack, error)) (*pack.Pack, error) {
	if !s.Installed(id) {
		return nil, s.unknownPack(id)
	}
	p, err := how(s.PackDir(id))
	if err != nil {
		return nil, err
	}
	if p.ID != id {
		return nil, fault.Newf(CodePackChanged, "the pack in folder %q calls itself %q", id, p.ID).
			WithHint("uninstall it and install it again").WithNext("hcpx uninstall " + id)
	}
	return p, nil
}

// Verify returns an activated pack for execution, or refuses: a pack that is
// not activated (the program's own needs no activation), one whose files are not those that were accepted, and one
// whose executable is another. It costs a stat for each file; a file is read
// again only when it was touched, and a record that is out of date about
// untouched content is renewed. It never waits for a lock.
func (s *Store) Verify(ctx context.Context, id string) (*Ready, error) {
	if id == hcp.BootstrapPack {
		s.refreshBootstrap(ctx)
	}
	st, err := s.State()
	if err != nil {
		return nil, err
	}
	if !s.Installed(id) {
		return nil, s.unknownPack(id)
	}
	if !st.MayRun(id) {
		return nil, notActivated(id)
	}
	rec, err := s.readRecord(id)
	if err != nil {
		return nil, err
	}
	if id == hcp.BootstrapPack && rec != nil && rec.Installed != nil && rec.Installed.Bundle != "" {
		// The program laid it out and vouches for it; nobody has to accept it.
		rec.Accepted = &Accepted{Digest: rec.Installed.Digest}
	}
	if rec == nil || rec.Accepted == nil || rec.Installed == nil {
		return nil, fault.Newf(CodeNotActivated, "pack %s was activated by another program, which recorded nothing about it", id).
			WithHint("activate it again, so that its files and executable are recorded").
			WithNext("hcpx activate " + id)
	}
	// The files are compared after they were read: what was loaded is what was
	// compared, also while another process installs.
	p, err := s.load(id, pack.LoadForExec)
	if err != nil {
		return nil, err
	}
	content, moved, err := s.checkContent(id, rec)
	if err != nil {
		return nil, err
	}
	bin, binMoved, err := rec.Accepted.Bin.Check(id)
	if err != nil {
		return nil, err
	}
	if moved || binMoved {
		s.renew(id, rec.Accepted.Digest, content, bin)
	}
	return &Ready{Pack: p, Bin: bin, Digest: rec.Accepted.Digest, State: st}, nil
}

// checkContent compares the files with the record. It returns the content, and
// whether files were touched without changing, so that it was brought up to
// date.
func (s *Store) checkContent(id string, rec *record) (content pack.Content, moved bool, err error) {
	if rec.Accepted.Digest != rec.Installed.Digest {
		return content, false, fault.Newf(CodePackChanged, "pack %q was installed anew with other content than was accepted", id).
			WithHint("nothing ran; activate it again to use the new content").
			WithNext("hcpx activate " + id)
	}
	content = rec.Installed.content()
	changed, moved, err := content.Changed(s.PackDir(id))
	if err != nil {
		return content, false, err
	}
	if len(changed) > 0 {
		return content, false, packChanged(id, changed)
	}
	return content, moved, nil
}

// renew writes what Verify learned about untouched content, unless the store
// is busy, cannot be written, or moved on meanwhile: then the next call learns
// it again.
func (s *Store) renew(id, digest string, content pack.Content, bin *Binary) {
	unlock, ok, err := durable.TryLock(s.path(locksDir, lockFile), s.opts.Holder)
	if err != nil || !ok {
		return
	}
	defer unlock()
	rec, err := s.readRecord(id)
	if err != nil || rec == nil || rec.Accepted == nil || rec.Installed == nil || rec.Incoming != nil ||
		rec.Accepted.Digest != digest || rec.Installed.Digest != digest {
		return
	}
	rec.Installed.setContent(content)
	if bin != nil && rec.Accepted.Bin != nil && bin.Path == rec.Accepted.Bin.Path && bin.SHA256 == rec.Accepted.Bin.SHA256 {
		rec.Accepted.Bin = bin
	}
	// A record that stays as it was only costs the next call a second look.
	_ = s.writeRecord(rec)
}
