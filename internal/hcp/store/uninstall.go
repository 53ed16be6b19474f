package store

import (
	"context"
	"errors"
	"io/fs"

	"bridle/hcp"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// UninstallOptions say what goes besides the pack.
type UninstallOptions struct {
	// RemoveData also removes the private folders in which the pack's program
	// kept its own data, such as its logins.
	RemoveData bool
}

// UninstallResult is what went and what stayed.
type UninstallResult struct {
	Uninstalled string   `json:"uninstalled"`
	Deactivated bool     `json:"deactivated,omitempty"`
	DataKept    string   `json:"data_kept,omitempty"`
	Notes       []string `json:"notes,omitempty"`
}

// Uninstall removes a pack: first from the session, then its folder, its Skill
// and its record. The data of its program stays unless the options say so, and
// with it the note of what was accepted, so that no other pack can take over
// the id and the data without a person noticing. Data that was kept so can be
// removed later, when the pack itself is gone; while a command of the pack runs,
// nothing is removed if its data is to go. The caller has checked
// pack.install.
func (s *Store) Uninstall(ctx context.Context, id string, opts UninstallOptions) (UninstallResult, error) {
	if id == hcp.BootstrapPack {
		return UninstallResult{}, bootstrapFault("uninstall")
	}
	result := UninstallResult{Uninstalled: id}
	err := s.locked(ctx, func() error {
		if !s.Installed(id) && !(opts.RemoveData && validID(id) && s.jailKept(id)) {
			f := fault.Newf(CodeNotInstalled, "pack not installed: %s", shown(id))
			return s.suggest(f, id, "uninstall")
		}
		if opts.RemoveData {
			release, err := s.seizeJail(id)
			if err != nil {
				return err
			}
			defer release()
		}
		if err := s.updateState(func(st *State) error {
			result.Deactivated = st.deactivate(id)
			return nil
		}); err != nil {
			return err
		}
		for _, path := range []string{s.PackDir(id), s.path(skillsDir, id)} {
			if err := durable.RemoveAll(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return ioFault("remove", path, err)
			}
		}
		if opts.RemoveData {
			if err := s.removeJail(id); err != nil {
				return err
			}
		}
		return s.forget(id, &result)
	})
	if err != nil {
		return UninstallResult{}, err
	}
	return result, nil
}

// forget removes the record of an uninstalled pack, or keeps the part of it
// that guards kept data.
func (s *Store) forget(id string, result *UninstallResult) error {
	rec, err := s.readRecord(id)
	if err == nil && rec == nil {
		return nil
	}
	if err == nil && rec.Accepted != nil && s.jailKept(id) {
		result.DataKept = s.path(jailsDir, id)
		result.Notes = append(result.Notes, "the data of the pack's program was kept; hcpx uninstall "+id+" --data removes it")
		rec.Installed, rec.Incoming = nil, nil
		return s.writeRecord(rec)
	}
	if err != nil && !fault.Is(err, CodeBadRecord) {
		return err
	}
	return ioFault("remove", s.recordPath(id), removeRecord(s.recordPath(id)))
}

func removeRecord(path string) error {
	err := durable.RemoveAll(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
