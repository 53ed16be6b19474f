package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// bundledSource is how the record names the packs that come with the program.
const bundledSource = "bundled"

// installBootstrap puts the program's own pack into the store, in place of an
// older or edited one. Where it was activated it stays so: the program vouches
// for the content. The lock is held.
func (s *Store) installBootstrap() error {
	staged, done, err := s.stage(func(dest string) error { return s.unpack(hcp.BootstrapPack, dest) })
	if err != nil {
		return err
	}
	defer done()
	_, err = s.publishBootstrap(staged)
	return err
}

func (s *Store) publishBootstrap(staged string) (InstallResult, error) {
	p, err := lintedPack(staged)
	if err != nil {
		return InstallResult{}, err
	}
	if p.ID != hcp.BootstrapPack {
		return InstallResult{}, fault.Newf(fault.CodeInternal, "the program's own pack calls itself %q", p.ID)
	}
	fingerprint, err := s.fingerprint()
	if err != nil {
		return InstallResult{}, err
	}
	result, err := s.publish(p, staged, InstallOptions{Source: bundledSource, bundle: fingerprint})
	if err != nil || !result.Deactivated {
		return result, err
	}
	result.Deactivated = false
	plan, err := s.plan(p.ID, ActivateOptions{})
	if err != nil {
		return result, err
	}
	if err := s.commit([]*plannedActivation{plan}); err != nil {
		return result, err
	}
	return result, nil
}

// reinstallBootstrap answers an installation under the program's own id: the
// same content is fine, anything else would put a stranger in its place.
func (s *Store) reinstallBootstrap(staged string) (InstallResult, error) {
	own, done, err := s.stage(func(dest string) error { return s.unpack(hcp.BootstrapPack, dest) })
	if err != nil {
		return InstallResult{}, err
	}
	defer done()
	ours, err := pack.Hash(own)
	if err != nil {
		return InstallResult{}, err
	}
	theirs, err := pack.Hash(staged)
	if err != nil {
		return InstallResult{}, err
	}
	if ours.Digest != theirs.Digest {
		return InstallResult{}, bootstrapFault("replace")
	}
	return s.publishBootstrap(own)
}

// unpack writes a bundled pack into dest, under the same rules as any other.
func (s *Store) unpack(id, dest string) error {
	tree, err := fs.Sub(s.opts.Bundled, id)
	if err != nil {
		return err
	}
	return fillTree(tree, dest)
}

// fingerprint tells one version of the program's own pack from another.
func (s *Store) fingerprint() (string, error) {
	tree, err := fs.Sub(s.opts.Bundled, hcp.BootstrapPack)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		_, _ = fmt.Fprintf(sum, "%d %s %d ", len(name), name, len(data))
		_, _ = sum.Write(data)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// refreshBootstrap lays the program's own pack out anew after an update of the
// program. A store that cannot be changed now goes on with the old one.
func (s *Store) refreshBootstrap(ctx context.Context) {
	rec, err := s.readRecord(hcp.BootstrapPack)
	if err != nil || rec == nil || rec.Installed == nil {
		return
	}
	if fingerprint, err := s.fingerprint(); err != nil || fingerprint == rec.Installed.Bundle {
		return
	}
	_ = s.locked(ctx, s.installBootstrap)
}
