package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// InstallOptions say where a folder came from.
type InstallOptions struct {
	// Source is kept in the record, for people: the argument of the install
	// command. The folder's path when empty.
	Source string

	bundle string // fingerprint of a bundled pack
}

// InstallResult is what an installation did.
type InstallResult struct {
	Installed   string   `json:"installed"`
	Dest        string   `json:"dest"`
	Verbs       []string `json:"verbs"`
	Next        []string `json:"next"`
	Digest      string   `json:"digest"`
	Replaced    bool     `json:"replaced,omitempty"`    // other content was installed before
	Unchanged   bool     `json:"unchanged,omitempty"`   // exactly this content was installed before
	Deactivated bool     `json:"deactivated,omitempty"` // the replaced content was activated
	Notes       []string `json:"notes,omitempty"`
}

// Install copies the pack in dir into the store (§11.1). The copy is linted
// where it will lie and moved into place in one step; any issue fails the
// installation and leaves the store as it was. Installing other content over
// an activated pack deactivates it. The caller has checked pack.install.
func (s *Store) Install(ctx context.Context, dir string, opts InstallOptions) (InstallResult, error) {
	if opts.Source == "" {
		opts.Source = dir
	}
	if err := s.checkSource(dir); err != nil {
		return InstallResult{}, err
	}
	staged, done, err := s.stage(func(dest string) error { return copyTree(ctx, dir, dest) })
	if err != nil {
		return InstallResult{}, err
	}
	defer done()
	var result InstallResult
	err = s.locked(ctx, func() (err error) {
		result, err = s.installStaged(staged, opts)
		return err
	})
	return result, err
}

// checkSource says early and plainly that a path is no pack, or one that would
// be copied into itself.
func (s *Store) checkSource(dir string) error {
	info, err := os.Lstat(filepath.Join(dir, surfaceFile))
	if err == nil && info.Mode().IsRegular() {
		if within(real(s.home), real(dir)) {
			return fault.Newf(pack.CodeUnsafePack, "%q holds the store itself", dir).
				WithHint("set HCP_HOME to a folder outside of the pack")
		}
		return nil
	}
	if err == nil {
		what := "not a plain file"
		if info.Mode()&fs.ModeSymlink != 0 {
			what = "a link"
		}
		return fault.Newf(pack.CodeUnsafePack, "surface.json of the pack at %q is %s", dir, what).
			WithHint("the three files of a pack are plain files; put the file itself there").
			WithNext(command.Line([]string{"hcpx", "lint", dir}))
	}
	if !errors.Is(err, fs.ErrNotExist) && !notDirectory(dir) {
		return sourceFault("read", filepath.Join(dir, surfaceFile), err)
	}
	return fault.Newf(CodeNoPack, "no pack at %q: it has no surface.json", dir).
		WithHint("point at the folder that holds surface.json, policy.json and HARNESS.md, or make one; hcpx search finds published packs").
		WithNext("hcpx list")
}

// real is a path without links, or as it is where it cannot be followed.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

func notDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// stage fills a new folder inside the store, on the file system where the pack
// will lie. The caller calls done when it needs the folder no longer.
func (s *Store) stage(fill func(dest string) error) (dest string, done func(), err error) {
	claimed, err := s.claim(tmpDir, "in")
	if err != nil {
		return "", nil, err
	}
	dest = filepath.Join(claimed.dir, "pack")
	if err := os.Mkdir(dest, dirMode); err != nil {
		claimed.close()
		return "", nil, ioFault("create", dest, err)
	}
	if err := fill(dest); err != nil {
		claimed.close()
		return "", nil, err
	}
	return dest, claimed.close, nil
}

// installStaged lints the staged copy and moves it into place. The lock is
// held.
func (s *Store) installStaged(staged string, opts InstallOptions) (InstallResult, error) {
	p, err := lintedPack(staged)
	if err != nil {
		return InstallResult{}, err
	}
	if p.ID == hcp.BootstrapPack {
		return s.reinstallBootstrap(staged)
	}
	return s.publish(p, staged, opts)
}

// lintedPack lints and loads a folder.
func lintedPack(dir string) (*pack.Pack, error) {
	report, err := lint.Dir(dir)
	if err != nil {
		return nil, err
	}
	if len(report.Issues) > 0 {
		messages := make([]string, len(report.Issues))
		for i, issue := range report.Issues {
			messages[i] = issue.Message
		}
		return nil, fault.New(CodeLintFailed, "lint failed: "+strings.Join(messages, "; ")).
			WithHint("correct what lint names, then install again").
			WithNext(command.Line([]string{"hcpx", "lint", dir}))
	}
	p, err := pack.Load(dir)
	if err != nil {
		return nil, err
	}
	if !validID(p.ID) {
		return nil, fault.Newf(pack.CodeUnsafePack, "%q cannot name a folder of the store", p.ID).
			WithHint("choose an id of lower-case letters, digits and hyphens")
	}
	return p, nil
}

// publish puts a staged, linted pack in place of what is installed under its
// id.
func (s *Store) publish(p *pack.Pack, staged string, opts InstallOptions) (InstallResult, error) {
	id := p.ID
	content, err := pack.Hash(staged)
	if err != nil {
		return InstallResult{}, hinted(err)
	}
	result := InstallResult{
		Installed: id, Dest: s.PackDir(id), Verbs: p.Keys(), Digest: content.Digest, Notes: slices.Clone(p.Notes),
		Next: []string{"hcpx activate " + id, "hcpx availability " + id},
	}
	rec, err := s.readRecord(id)
	if err != nil {
		return InstallResult{}, err
	}
	if rec == nil {
		rec = &record{PackID: id}
	}
	if err := s.settle(rec); err != nil {
		return InstallResult{}, err
	}
	next := s.newInstalled(opts.Source, content)
	next.Bundle = opts.bundle
	replaces := s.Installed(id)
	if replaces && s.holds(id, content.Digest) {
		result.Unchanged = true
		return result, s.keep(rec, next, p)
	}
	result.Replaced = replaces
	if result.Deactivated, err = s.exchange(rec, next, staged, replaces); err != nil {
		return InstallResult{}, err
	}
	if result.Deactivated {
		result.Notes = append(result.Notes, "the pack was activated with other content and is deactivated now; activate it again to use the new one")
	}
	return result, s.copySkill(p)
}

// exchange moves the staged folder into place. The record says before what is
// coming, and after what has come; whoever finds it in between finishes.
func (s *Store) exchange(rec *record, next *Installed, staged string, replaces bool) (deactivated bool, err error) {
	rec.Incoming = next
	if err := s.writeRecord(rec); err != nil {
		return false, err
	}
	dest := s.PackDir(rec.PackID)
	if replaces {
		err = durable.Replace(dest, staged)
	} else {
		err = durable.PublishDir(staged, dest)
	}
	if err != nil {
		return false, ioFault("install", dest, err)
	}
	return s.arrive(rec)
}

// keep renews the record of content that is in place already, whose files are
// other ones than the staged copy's.
func (s *Store) keep(rec *record, next *Installed, p *pack.Pack) error {
	content, err := pack.Hash(s.PackDir(rec.PackID))
	if err != nil {
		return err
	}
	next.setContent(content)
	rec.Installed = next
	if err := s.writeRecord(rec); err != nil {
		return err
	}
	return s.copySkill(p)
}

// holds reports whether the installed folder has exactly this content now,
// whatever its record says.
func (s *Store) holds(id, digest string) bool {
	content, err := pack.Hash(s.PackDir(id))
	return err == nil && content.Digest == digest
}

// copySkill writes the byte-identical copy of HARNESS.md that hosts discover
// (§5.4).
func (s *Store) copySkill(p *pack.Pack) error {
	data, err := os.ReadFile(filepath.Join(s.PackDir(p.ID), harnessFile))
	if err != nil {
		return ioFault("read", filepath.Join(s.PackDir(p.ID), harnessFile), err)
	}
	dir := s.path(skillsDir, p.ID)
	if err := s.privateDir(dir); err != nil {
		return err
	}
	return ioFault("write", s.SkillPath(p.ID), durable.WriteFile(s.SkillPath(p.ID), data, fileMode))
}
