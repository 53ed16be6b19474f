package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// record is activations/<id>.json. Installed says what Install put in place,
// Incoming what an installation is about to put there (it is settled by
// whoever holds the lock next, should the process have died in between), and
// Accepted what was last activated. Accepted outlives deactivation and
// reinstallation, so that another content or executable cannot take over a
// name that was trusted without being noticed; Previous then keeps its files,
// so that the difference can be named.
type record struct {
	Format    int        `json:"format"`
	PackID    string     `json:"pack_id"`
	Installed *Installed `json:"installed,omitempty"`
	Incoming  *Installed `json:"incoming,omitempty"`
	Accepted  *Accepted  `json:"accepted,omitempty"`
	Previous  *Installed `json:"previous,omitempty"`
}

// Installed is the content that an installation brought.
type Installed struct {
	At      string      `json:"at"`
	Source  string      `json:"source"`
	Digest  string      `json:"digest"`
	Taken   int64       `json:"taken"`
	Files   fileLines   `json:"files"`
	Folders folderLines `json:"folders"`
	// Bundle is the fingerprint of the bundled pack that was laid out here.
	Bundle string `json:"bundle,omitempty"`
}

func (s *Store) newInstalled(source string, c pack.Content) *Installed {
	i := &Installed{At: stamp(s.opts.Clock), Source: source}
	i.setContent(c)
	return i
}

// Accepted is what an activation accepted: the content of the pack, the
// executable behind wrap.bin, and the commands and Policy as they were, so that
// a later change can be shown against them.
type Accepted struct {
	At     string  `json:"at"`
	Digest string  `json:"digest"`
	Bin    *Binary `json:"bin,omitempty"`
	// Surface is a Surface, read only when a change is to be shown.
	Surface jsontext.Value `json:"surface"`
}

// recordLimit bounds a record: some 200 bytes for each of the most files that a
// pack may have, and the commands.
const recordLimit = 16 << 20

// readRecord returns the record of a pack, or nil where there is none.
func (s *Store) readRecord(id string) (*record, error) {
	path := s.recordPath(id)
	data, err := readPrivate(path, recordLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rec, known := quickRecord(data)
	if !known {
		rec = &record{}
		err = canon.Decode(data, rec, canon.Limits{MaxBytes: recordLimit})
	}
	if err != nil {
		// A later format may have members that this program does not know.
		var later formatDocument
		if _, open := canon.DecodeOpen(data, &later, canon.Limits{MaxBytes: recordLimit}); open == nil && later.Format > format {
			err = nil
			rec.Format = later.Format
		}
	}
	if err == nil && rec.Format > format {
		return nil, tooNew(path, rec.Format)
	}
	if err == nil && (rec.Format < 1 || rec.PackID != id) {
		err = errors.New("it is the record of something else")
	}
	if err != nil {
		return nil, s.badRecord(id, err)
	}
	if rec.Accepted != nil {
		rec.Accepted.Bin = s.absolute(id, rec.Accepted.Bin)
	}
	return rec, nil
}

func (s *Store) badRecord(id string, err error) error {
	return fault.Newf(CodeBadRecord, "cannot use %q: %s", s.recordPath(id), err).Because(err).
		WithHint("nothing ran and nothing was changed; uninstall the pack and install it again").
		WithNext("hcpx uninstall " + id)
}

// absolute and relative are the executable of a pack with its path as calls
// need it and as records keep it: a file of the pack is where the pack is, also
// after the whole store was moved.
func (s *Store) absolute(id string, bin *Binary) *Binary {
	if bin == nil || !bin.Inside || bin.Path == "" {
		return bin
	}
	placed := *bin
	placed.Path = filepath.Join(s.PackDir(id), filepath.FromSlash(bin.Path))
	placed.Argv0 = placed.Path
	return &placed
}

func (s *Store) relative(id string, bin *Binary) *Binary {
	if bin == nil || !bin.Inside || bin.Path == "" {
		return bin
	}
	kept := *bin
	for _, dir := range []string{s.PackDir(id), real(s.PackDir(id))} {
		if within(bin.Path, dir) {
			kept.Path = filepath.ToSlash(strings.TrimPrefix(bin.Path, dir+string(filepath.Separator)))
		}
	}
	kept.Argv0 = ""
	return &kept
}

func (s *Store) writeRecord(rec *record) error {
	path := s.recordPath(rec.PackID)
	rec.Format = format
	kept := *rec
	if rec.Accepted != nil {
		accepted := *rec.Accepted
		accepted.Bin = s.relative(rec.PackID, accepted.Bin)
		kept.Accepted = &accepted
	}
	data, err := canon.Marshal(kept)
	if err != nil {
		return err
	}
	return ioFault("write", path, durable.WriteFile(path, append(data, '\n'), fileMode))
}

// settle finishes or forgets an installation that was cut off, by what is
// really in place. The lock is held.
func (s *Store) settle(rec *record) error {
	if rec.Incoming == nil {
		return nil
	}
	content, err := pack.Hash(s.PackDir(rec.PackID))
	if err != nil || content.Digest != rec.Incoming.Digest {
		rec.Incoming = nil
		return s.writeRecord(rec)
	}
	rec.Incoming.setContent(content)
	_, err = s.arrive(rec)
	return err
}

// arrive takes note that what was coming is in place. The pack leaves the
// session, unless this is what was accepted. Until that is written, the record
// says that something is coming, and Verify refuses the pack.
func (s *Store) arrive(rec *record) (deactivated bool, err error) {
	if rec.Accepted == nil || rec.Accepted.Digest != rec.Incoming.Digest {
		err := s.updateState(func(st *State) error {
			deactivated = st.deactivate(rec.PackID)
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	if rec.Accepted != nil && rec.Installed != nil && rec.Installed.Digest == rec.Accepted.Digest {
		rec.Previous = rec.Installed
	}
	rec.Installed, rec.Incoming = rec.Incoming, nil
	return deactivated, s.writeRecord(rec)
}

// Activation is what is pinned for an activated pack.
type Activation struct {
	PackID string
	Digest string  // over the content of every file of the pack
	Bin    *Binary // nil for packs that wrap nothing
	At     string
	Source string // where the installed content came from
}

// Activation returns the pins of a pack that was activated, whether or not it
// still is. It looks at the record alone; Verify compares it with the files.
func (s *Store) Activation(id string) (Activation, error) {
	if !validID(id) {
		return Activation{}, s.unknownPack(id)
	}
	rec, err := s.readRecord(id)
	if err != nil {
		return Activation{}, err
	}
	if rec == nil || rec.Accepted == nil {
		if !s.Installed(id) {
			return Activation{}, s.unknownPack(id)
		}
		return Activation{}, notActivated(id)
	}
	a := Activation{PackID: id, Digest: rec.Accepted.Digest, Bin: rec.Accepted.Bin, At: rec.Accepted.At}
	if rec.Installed != nil {
		a.Source = rec.Installed.Source
	}
	return a, nil
}

func stamp(c clock.Clock) string { return clock.Stamp(c.Now()) }
