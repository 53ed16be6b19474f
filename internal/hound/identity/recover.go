package identity

import (
	"io"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// Recovery says what was left to do when a store was opened.
type Recovery string

// What recovery did.
const (
	RecoveredNothing Recovery = "nothing"   // no change was under way
	Finished         Recovery = "finished"  // the new identity was in place and stays
	Discarded        Recovery = "discarded" // the old one was, and stays
	Restored         Recovery = "restored"  // identity.json was gone and came back from its witness
)

// maxNames is how many names of a service folder are looked at.
const maxNames = 64

// survey is what lies in a service folder besides lock and identity.json.
type survey struct {
	txid        string
	marks       []mark
	leftovers   []string
	quarantined []string
}

// mark is a name of a change that is there.
type mark struct {
	role    string
	trashed bool
	name    string
}

// look reads the service folder and refuses what does not belong.
func (p *place) look() (survey, error) {
	var found survey
	names, err := p.list(p.service, maxNames)
	if err != nil {
		return found, explain("read", p.name(""), err)
	}
	if len(names) > maxNames {
		return found, tampered(p.path, "more than %d files are in it", maxNames)
	}
	slices.Sort(names)
	for _, name := range names {
		txid, role, trashed, ok := parseName(name)
		switch {
		case name == lockName || name == identityName:
		case strings.HasPrefix(name, leftoverPrefix):
			found.leftovers = append(found.leftovers, name)
		case isQuarantine(name):
			found.quarantined = append(found.quarantined, name)
		case !ok:
			return found, tampered(p.path, "%q does not belong there", name)
		case found.txid != "" && found.txid != txid:
			return found, tampered(p.path, "it holds more than one unfinished change")
		default:
			found.txid = txid
			found.marks = append(found.marks, mark{role: role, trashed: trashed, name: name})
		}
	}
	return found, nil
}

func isQuarantine(name string) bool {
	tail, ok := strings.CutPrefix(name, quarantinePrefix)
	return ok && isHex(tail, 32)
}

func quarantined(p *place, names []string) error {
	return fault.Newf(CodeQuarantined, "the store %q holds what it did not write: %s", p.path, strings.Join(names, ", ")).
		WithHint("look at it in %q, keep it if it is evidence, and remove it; until then the store stays closed", p.name(""))
}

// recover finishes or discards a change that was cut off. It comes before
// anything is loaded.
func (p *place) recover(random io.Reader) (Recovery, error) {
	found, err := p.look()
	if err != nil {
		return "", err
	}
	for _, name := range found.leftovers {
		if err := p.quarantine(random, name); !fault.Is(err, CodeQuarantined) {
			return "", err
		}
	}
	if len(found.leftovers) > 0 {
		if found, err = p.look(); err != nil {
			return "", err
		}
	}
	switch {
	case len(found.quarantined) > 0:
		return "", quarantined(p, found.quarantined)
	case found.txid == "":
		return RecoveredNothing, nil
	}
	// What is seen here may not be on the disk yet, and must be before a witness
	// of it goes.
	if err := p.sync(p.service); err != nil {
		return "", explain("make durable", p.name(""), err)
	}
	left, err := p.remains(random, found)
	if err != nil {
		return "", err
	}
	defer left.letGo()
	return left.settle()
}

// remains is a change that was cut off: its marker, and every name of it with
// its file open.
type remains struct {
	*place
	marker
	random   io.Reader
	files    map[string]held // by role, identity.json under ""
	trashed  map[string]bool
	identity bool // identity.json is there
}

func (r *remains) letGo() {
	for _, d := range r.files {
		r.place.letGo(d)
	}
}

func (p *place) remains(random io.Reader, found survey) (*remains, error) {
	r := &remains{place: p, random: random, files: map[string]held{}, trashed: map[string]bool{}}
	if err := r.open(found); err != nil {
		r.letGo()
		return nil, err
	}
	return r, nil
}

// open reads marker, witnesses and identity.json and compares them with what
// the marker binds.
func (r *remains) open(found survey) error {
	links := map[string]uint64{}
	for _, m := range found.marks {
		if _, twice := r.files[m.role]; twice {
			return tampered(r.path, "%q is there twice", m.role)
		}
		d, s, err := r.hold(m.name)
		if err != nil {
			return explain("open", r.name(m.name), err)
		}
		r.files[m.role], r.trashed[m.role], links[m.role] = d, m.trashed, s.links
		if s.kind != file {
			return tampered(r.path, "%q is no file", m.name)
		}
		if m.role == roleMarker {
			var ok bool
			if r.marker, ok = parseMarker(d.bytes, found.txid, s); !ok || s.uid != r.user() || s.mode != fileMode {
				return tampered(r.path, "the marker of an unfinished change is not the one that was written; a store cannot be copied while one is under way")
			}
		}
	}
	if r.TxID == "" {
		return tampered(r.path, "an unfinished change has no marker")
	}
	if err := r.openIdentity(links); err != nil {
		return err
	}
	if err := r.compare(); err != nil {
		return err
	}
	return r.count(links)
}

// openIdentity opens identity.json. What no change put there, be it a link, a
// folder or another file, is put aside.
func (r *remains) openIdentity(links map[string]uint64) error {
	at, err := r.statAt(r.service, identityName)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return explain("look at", r.name(identityName), err)
	}
	if at.kind != file || inodeOf(at) != r.New.inode() && (r.Old == nil || inodeOf(at) != r.Old.inode()) {
		return r.quarantine(r.random, identityName)
	}
	d, s, err := r.hold(identityName)
	if err != nil {
		return explain("open", r.name(identityName), err)
	}
	if d.is != r.New && (r.Old == nil || d.is != *r.Old) {
		r.place.letGo(d)
		return r.quarantine(r.random, identityName)
	}
	r.files[""], links[""], r.identity = d, s.links, true
	return nil
}

// compare refuses witnesses that are not what the marker says.
func (r *remains) compare() error {
	for role, d := range r.files {
		good := true
		switch role {
		case roleOld:
			good = r.Old != nil && d.is == *r.Old
		case roleNew:
			good = d.is == r.New
		case roleSwap:
			good = r.Old != nil && (d.is == *r.Old || d.is == r.New)
			if !good && r.Old != nil && r.identity && r.files[""].is == r.New && !r.trashed[role] {
				return r.quarantine(r.random, nameOf(r.TxID, roleSwap))
			}
		}
		if !good {
			return tampered(r.path, "the witness %q of an unfinished change is another file", role)
		}
	}
	if r.trashed[roleMarker] && len(r.files) > 1+len(r.identities()) {
		return tampered(r.path, "the marker of an unfinished change went before its witnesses")
	}
	return nil
}

// identities lists identity.json, if it is there.
func (r *remains) identities() []string {
	if r.identity {
		return []string{""}
	}
	return nil
}

// count refuses files that have names elsewhere.
func (r *remains) count(links map[string]uint64) error {
	names := map[uint64]uint64{}
	for _, d := range r.files {
		names[d.is.Ino]++
	}
	for role, d := range r.files {
		if links[role] != names[d.is.Ino] {
			return tampered(r.path, "a file of it has a name elsewhere")
		}
	}
	return nil
}

// settle decides by what identity.json is.
func (r *remains) settle() (Recovery, error) {
	now := r.files[""]
	switch {
	case r.identity && now.is == r.New:
		return Finished, r.clean(now, roleOld, roleSwap, roleNew, roleMarker)
	case r.identity:
		return Discarded, r.clean(now, roleSwap, roleOld, roleNew, roleMarker)
	case r.Kind == kindCreate:
		return Discarded, r.clean(held{h: -1}, roleNew, roleMarker)
	default:
		return r.restore()
	}
}

// restore brings back an identity.json that is gone. Which of the two it was,
// the witnesses tell: the exchange leaves the old file under the swap's name,
// and until then the old witness is there.
func (r *remains) restore() (Recovery, error) {
	role := roleOld
	if swap, there := r.files[roleSwap]; there && swap.is == *r.Old {
		role = roleNew
	}
	d, there := r.files[role]
	if !there {
		return "", tampered(r.path, "identity.json is gone, and what is left does not tell which of two it was")
	}
	links := uint64(1)
	for _, other := range r.files {
		if other.is == d.is {
			links++
		}
	}
	if err := r.publish(d, identityName, links); err != nil {
		return "", err
	}
	if role == roleNew {
		return Restored, r.clean(d, roleOld, roleSwap, roleNew, roleMarker)
	}
	return Restored, r.clean(d, roleSwap, roleOld, roleNew, roleMarker)
}

// clean removes what is there of these names, in this order.
func (r *remains) clean(canonical held, order ...string) error {
	var list []witness
	for _, role := range order {
		if d, there := r.files[role]; there {
			list = append(list, witness{role: role, trashed: r.trashed[role], is: d.is})
		}
	}
	return r.finish(r.TxID, list, canonical)
}
