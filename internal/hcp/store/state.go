package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// State is state.json. Grants is nil when the file has none, which means every
// capability for every pack; an empty list means no capability at all. Extra
// keeps the members that this version does not know.
type State struct {
	Activated []string       `json:"activated"`
	Connected []string       `json:"connected"`
	Grants    []hcp.Grant    `json:"grants,omitzero"`
	Extra     jsontext.Value `json:",embed"`
}

// IsActivated reports whether the pack is on the session.
func (st *State) IsActivated(id string) bool { return slices.Contains(st.Activated, id) }

// MayRun reports whether the pack's commands may be called: it is on the
// session, or it is the program's own, which always is.
func (st *State) MayRun(id string) bool { return id == hcp.BootstrapPack || st.IsActivated(id) }

// IsConnected reports whether connect ran for the pack.
func (st *State) IsConnected(id string) bool { return slices.Contains(st.Connected, id) }

// EffectiveGrants are the grants that hold: the file's, or all of them where
// it has none.
func (st *State) EffectiveGrants() []hcp.Grant {
	if st.Grants == nil {
		return hcp.PermissiveGrants()
	}
	return slices.Clone(st.Grants)
}

// activate puts the pack on the session, after those that are there.
func (st *State) activate(id string) {
	if !st.IsActivated(id) {
		st.Activated = append(st.Activated, id)
	}
}

// deactivate drops the activation and, as §11.1 has it, the connection.
func (st *State) deactivate(id string) (was bool) {
	was = st.IsActivated(id)
	same := func(other string) bool { return other == id }
	st.Activated = slices.DeleteFunc(st.Activated, same)
	st.Connected = slices.DeleteFunc(st.Connected, same)
	return was
}

// State reads state.json.
func (s *Store) State() (State, error) {
	st, _, err := s.readState()
	return st, err
}

func (s *Store) readState() (State, []byte, error) {
	path := s.path(stateFile)
	data, err := readPrivate(path, canon.DefaultMaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil, badState(path, "the file is missing", err)
	}
	if err != nil {
		return State{}, nil, err
	}
	st, err := parseState(data)
	if err != nil {
		return State{}, nil, badState(path, err.Error(), err)
	}
	return st, data, nil
}

func badState(path, why string, cause error) error {
	return fault.Newf(CodeBadState, "cannot use %q: %s", path, why).Because(cause).
		WithHint(`a person repairs the file or restores it from a backup; with {"activated":[],"connected":[],"grants":[]} in it nothing is activated and nothing may run until grants are added`)
}

// parseState reads the document strictly where a slip would widen what is
// allowed: lists must be lists, ids must be ids, and a grant with a member that
// nobody knows is refused instead of granting more than it says.
func parseState(data []byte) (State, error) {
	if st, known := quickState(data); known {
		return st, nil
	}
	return decodeState(data)
}

func decodeState(data []byte) (State, error) {
	var raw struct {
		Activated idList         `json:"activated"`
		Connected idList         `json:"connected"`
		Grants    jsontext.Value `json:"grants"`
		Extra     jsontext.Value `json:",embed"`
	}
	if err := canon.Decode(data, &raw, canon.Limits{}); err != nil {
		return State{}, err
	}
	grants, err := parseGrants(raw.Grants)
	if err != nil {
		return State{}, err
	}
	for _, name := range memberNames(raw.Extra) {
		if meant := nearMember(name); meant != "" {
			return State{}, fmt.Errorf("%q is no member of it, and %q is", name, meant)
		}
	}
	return State{
		Activated: append([]string{}, raw.Activated...),
		Connected: append([]string{}, raw.Connected...),
		Grants:    grants, Extra: bytes.Clone(raw.Extra),
	}, nil
}

// Unknown lists the members of the file that this version does not know.
func (st *State) Unknown() []string { return memberNames(st.Extra) }

// memberNames are the names in a JSON object that was read before.
func memberNames(object jsontext.Value) []string {
	if len(object) == 0 {
		return nil
	}
	members := map[string]jsontext.Value{}
	if _, err := canon.DecodeOpen(object, &members, canon.Limits{}); err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(members))
}

// nearMember returns the member that a name was meant for, or "". A slip in the
// name of "grants" would otherwise grant everything.
func nearMember(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, name)
	return fault.Closest(plain, []string{"grants", "activated", "connected"})
}

// idList is a list of pack ids. An id that is named twice counts once.
type idList []string

func (l *idList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return readStrings(dec, func(id string) error {
		if !validID(id) {
			return fmt.Errorf("%q is no pack id", id)
		}
		if !slices.Contains(*l, id) {
			*l = append(*l, id)
		}
		return nil
	})
}

// parseGrants reads the grants. An absent member is nil.
func parseGrants(raw jsontext.Value) ([]hcp.Grant, error) {
	if raw == nil {
		return nil, nil
	}
	if raw.Kind() != '[' {
		return nil, errors.New(`"grants" is not a list of grants`)
	}
	var rows []struct {
		Capability hcp.Capability `json:"capability"`
		PackID     jsontext.Value `json:"pack_id"`
		VerbKeys   jsontext.Value `json:"verb_keys"`
	}
	if err := canon.Decode(raw, &rows, canon.Limits{}); err != nil {
		return nil, fmt.Errorf(`"grants": %w`, err)
	}
	grants := make([]hcp.Grant, len(rows))
	for i, row := range rows {
		if !slices.Contains(hcp.Capabilities, row.Capability) {
			return nil, fmt.Errorf(`"grants" number %d names the unknown capability %q`, i+1, row.Capability)
		}
		grant := hcp.Grant{Capability: row.Capability}
		if row.PackID != nil {
			err := canon.Decode(row.PackID, &grant.PackID, canon.Limits{})
			if err != nil || !validID(grant.PackID) {
				return nil, fmt.Errorf(`"grants" number %d has a "pack_id" that is no pack id`, i+1)
			}
		}
		if row.VerbKeys != nil {
			err := canon.Decode(row.VerbKeys, &grant.VerbKeys, canon.Limits{})
			if err != nil || row.VerbKeys.Kind() != '[' {
				return nil, fmt.Errorf(`"grants" number %d has "verb_keys" that are no list of command keys`, i+1)
			}
		}
		grants[i] = grant
	}
	return grants, nil
}

// Update changes state.json: fn gets what the file says at that moment, alone,
// and what it leaves is durable when Update returns nil. An error of fn leaves
// the file as it was.
func (s *Store) Update(ctx context.Context, fn func(*State) error) error {
	return s.locked(ctx, func() error { return s.updateState(fn) })
}

// updateState is Update for a caller that holds the lock.
func (s *Store) updateState(fn func(*State) error) error {
	st, before, err := s.readState()
	if err != nil {
		return err
	}
	if err := fn(&st); err != nil {
		return err
	}
	after, err := canon.MarshalIndent(st)
	if err != nil {
		return err
	}
	after = append(after, '\n')
	if bytes.Equal(before, after) {
		return nil
	}
	path := s.path(stateFile)
	if _, err := parseState(after); err != nil {
		return badState(path, "the change would break it: "+err.Error(), err)
	}
	return ioFault("write", path, durable.WriteFile(path, after, fileMode))
}

// SetConnected records that connect ran for an activated pack, or that its
// Binding was dropped, and returns the connected packs.
func (s *Store) SetConnected(ctx context.Context, id string, connected bool) ([]string, error) {
	var all []string
	err := s.Update(ctx, func(st *State) error {
		if connected && !st.IsActivated(id) {
			if !s.Installed(id) {
				return s.unknownPack(id)
			}
			return notActivated(id)
		}
		switch {
		case connected && !st.IsConnected(id):
			st.Connected = append(st.Connected, id)
		case !connected:
			st.Connected = slices.DeleteFunc(st.Connected, func(other string) bool { return other == id })
		}
		all = slices.Clone(st.Connected)
		return nil
	})
	return all, err
}

// Connected reports whether connect ran for the pack.
func (s *Store) Connected(id string) (bool, error) {
	st, err := s.State()
	return st.IsConnected(id), err
}
