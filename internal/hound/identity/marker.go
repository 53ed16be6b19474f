package identity

import (
	"bytes"
	"maps"
	"strings"

	"bridle/internal/hound/document"
)

const schemaMarker = "houndd.service-identity-transaction.v1"

// The two kinds of change.
const (
	kindCreate  = "create"
	kindReplace = "replace"
)

// The roles of the names that a change uses.
const (
	roleMarker = "marker"
	roleOld    = "old"
	roleNew    = "new"
	roleSwap   = "swap"
)

const (
	txPrefix         = ".identity.txn."
	leftoverPrefix   = ".identity.json.tmp."
	quarantinePrefix = ".identity.untrusted."
)

// marker stands in the store while a change is under way.
type marker struct {
	SchemaVersion string            `json:"schema_version"`
	TxID          string            `json:"txid"`
	Kind          string            `json:"kind"`
	Marker        inode             `json:"marker"`
	Old           *fingerprint      `json:"old"`
	New           fingerprint       `json:"new"`
	Roles         map[string]string `json:"roles"`
}

var markerForm = document.Form{
	Required: []string{"schema_version", "txid", "kind", "marker", "old", "new", "roles"},
	Nullable: []string{"old"},
}

// nameOf is the name of a role in a change.
func nameOf(txid, role string) string {
	if role == roleMarker {
		return txPrefix + txid + ".json"
	}
	return txPrefix + txid + "." + role
}

// trashOf is the name that a role's file has just before it is removed.
func trashOf(txid, role string) string { return txPrefix + txid + ".trash." + role }

// rolesOf are the names of a kind of change, by role.
func rolesOf(kind, txid string) map[string]string {
	roles := map[string]string{roleMarker: nameOf(txid, roleMarker), roleNew: nameOf(txid, roleNew)}
	if kind == kindReplace {
		roles[roleOld], roles[roleSwap] = nameOf(txid, roleOld), nameOf(txid, roleSwap)
	}
	return roles
}

// parseMarker reads a marker. It must be the one that the store wrote, to the
// file of that status: a copy of it is none.
func parseMarker(data []byte, txid string, s status) (marker, bool) {
	var m marker
	if document.Decode(data, markerForm, &m) != nil {
		return m, false
	}
	again, err := document.Canonical(m)
	if err != nil || !bytes.Equal(again, data) {
		return m, false
	}
	if !m.rebase(s.dev) {
		return m, false
	}
	kinds := m.Kind == kindCreate && m.Old == nil || m.Kind == kindReplace && m.Old != nil
	if !kinds || m.SchemaVersion != schemaMarker || m.TxID != txid || m.Marker != inodeOf(s) {
		return m, false
	}
	if !maps.Equal(m.Roles, rolesOf(m.Kind, txid)) || !m.New.plausible(s) {
		return m, false
	}
	return m, m.Old == nil || m.Old.plausible(s) && m.Old.Ino != m.New.Ino
}

// rebase moves the fingerprints to the number that the file system has now:
// it may have another after a restart. All of them lie on one.
func (m *marker) rebase(dev uint64) bool {
	was := m.Marker.Dev
	if m.New.Dev != was || m.Old != nil && m.Old.Dev != was {
		return false
	}
	m.Marker.Dev, m.New.Dev = dev, dev
	if m.Old != nil {
		m.Old.Dev = dev
	}
	return true
}

// plausible reports whether a fingerprint can be that of an identity beside the
// marker.
func (f fingerprint) plausible(marker status) bool {
	return f.Dev == marker.dev && f.Ino != marker.ino && f.UID == marker.uid && f.Mode == fileMode &&
		f.Size > 0 && f.Size <= maxBytes && document.IsSHA256(f.SHA256)
}

// parseName tells what a name of a change stands for.
func parseName(name string) (txid, role string, trashed, ok bool) {
	rest, ok := strings.CutPrefix(name, txPrefix)
	if !ok || len(rest) < 32 || !isHex(rest[:32], 32) {
		return "", "", false, false
	}
	txid = rest[:32]
	for _, role := range []string{roleMarker, roleOld, roleNew, roleSwap} {
		switch name {
		case nameOf(txid, role):
			return txid, role, false, true
		case trashOf(txid, role):
			return txid, role, true, true
		}
	}
	return "", "", false, false
}
