package identity

import (
	"errors"
	"io"

	"bridle/internal/hound/document"
	"bridle/internal/kernel/fault"
)

// change is one replacement of identity.json, or its creation: what its marker
// says, and the files.
type change struct {
	marker
	file     held // the marker's own
	old, new held
}

// prepare makes the two files of a change, neither of which has a name yet. On
// creation old is nil.
func (p *place) prepare(random io.Reader, old *held, next identity) (*change, error) {
	data, err := next.encode()
	if err != nil {
		return nil, err
	}
	if len(data) > maxBytes {
		return nil, fault.New(CodeKey, "the identity has grown too large").WithHint("retire keys that are no longer needed")
	}
	txid, err := randomHex(random, 16)
	if err != nil {
		return nil, err
	}
	c := &change{marker: marker{SchemaVersion: schemaMarker, TxID: txid, Kind: kindCreate}, old: held{h: -1}}
	if old != nil {
		c.Kind, c.Old, c.old = kindReplace, &old.is, *old
	}
	c.Roles = rolesOf(c.Kind, txid)
	if c.new, err = p.draft(func(status) ([]byte, error) { return data, nil }); err != nil {
		return nil, err
	}
	c.New = c.new.is
	c.file, err = p.draft(func(s status) ([]byte, error) {
		c.Marker = inodeOf(s)
		return document.Canonical(c.marker)
	})
	if err != nil {
		p.letGo(c.new)
		return nil, err
	}
	return c, nil
}

// commit carries a change out. After an error it is not known how far it got:
// recovery tells, and finishes or discards it.
func (p *place) commit(c *change) error {
	if err := p.publish(c.file, nameOf(c.TxID, roleMarker), 1); err != nil {
		return err
	}
	if err := p.publish(c.new, nameOf(c.TxID, roleNew), 1); err != nil {
		return err
	}
	if c.Kind == kindCreate {
		if err := p.publish(c.new, identityName, 2); err != nil {
			return err
		}
		return p.finish(c.TxID, c.witnesses(roleNew, roleMarker), c.new)
	}
	if err := p.publish(c.old, nameOf(c.TxID, roleOld), 2); err != nil {
		return err
	}
	if err := p.publish(c.new, nameOf(c.TxID, roleSwap), 2); err != nil {
		return err
	}
	if err := p.swap(c); err != nil {
		return err
	}
	// From here on the swapped name leads to the old file.
	return p.finish(c.TxID, c.witnesses(roleOld, roleSwap, roleNew, roleMarker), c.new)
}

// swap is the moment at which the new identity becomes the canonical one.
func (p *place) swap(c *change) error {
	name := nameOf(c.TxID, roleSwap)
	if err := p.exchange(p.service, name, identityName); err != nil {
		return explain("replace", p.name(identityName), err)
	}
	if err := p.sync(p.service); err != nil {
		return explain("make durable", p.name(identityName), err)
	}
	if err := p.confirm(identityName, c.new, 2); err != nil {
		return err
	}
	s, err := p.statAt(p.service, name)
	if err != nil {
		return explain("look at", p.name(name), err)
	}
	if inodeOf(s) != c.old.is.inode() {
		// Somebody replaced identity.json in the meantime, and theirs is out again.
		return errForeign
	}
	return p.confirm(name, c.old, 2)
}

// errForeign is a file in the place of another that the store did not put there.
var errForeign = errors.New("a file of somebody else's")

// witness is a name of a change that leads to a file.
type witness struct {
	role    string
	trashed bool
	is      fingerprint
}

// witnesses lists the names of a change that was carried out, in this order.
func (c *change) witnesses(roles ...string) []witness {
	var list []witness
	for _, role := range roles {
		w := witness{role: role, is: c.old.is}
		switch role {
		case roleMarker:
			w.is = c.file.is
		case roleNew:
			w.is = c.new.is
		}
		list = append(list, w)
	}
	return list
}

// finish removes the names of a change, the marker last, and makes sure that
// identity.json is canonical and nothing else leads to it.
func (p *place) finish(txid string, names []witness, canonical held) error {
	for _, w := range names {
		if err := p.remove(txid, w); err != nil {
			return err
		}
	}
	if canonical.h < 0 {
		return nil
	}
	return p.confirm(identityName, canonical, 1)
}

// remove takes one name away. It moves to the trash name first, which is never
// overwritten, so that what is looked at there is what is removed.
func (p *place) remove(txid string, w witness) error {
	name, bin := nameOf(txid, w.role), trashOf(txid, w.role)
	if !w.trashed {
		if err := p.move(p.service, name, bin); err != nil {
			return explain("remove", p.name(name), err)
		}
	}
	d, s, err := p.hold(bin)
	if err != nil {
		return explain("look at", p.name(bin), err)
	}
	p.letGo(d)
	if s.kind != file || d.is != w.is {
		return tampered(p.path, "%q is not the file that was to be removed", bin)
	}
	if err := p.unlink(p.service, bin); err != nil {
		return explain("remove", p.name(bin), err)
	}
	return explain("make durable", p.name(""), p.sync(p.service))
}

// quarantine puts a name aside, where it keeps the store closed until a person
// has looked at it.
func (p *place) quarantine(random io.Reader, name string) error {
	tail, err := randomHex(random, 16)
	if err != nil {
		return err
	}
	aside := quarantinePrefix + tail
	if err := p.move(p.service, name, aside); err != nil {
		return explain("put aside", p.name(name), err)
	}
	if err := p.sync(p.service); err != nil {
		return explain("make durable", p.name(aside), err)
	}
	return quarantined(p, []string{aside})
}
