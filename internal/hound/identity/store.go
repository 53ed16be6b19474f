package identity

import (
	"crypto/rand"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"syscall"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/seal"
)

// Options are a store's surroundings. The zero value is right.
type Options struct {
	// Random is where keys come from; nil is the system's random source.
	Random io.Reader
	// FileSystems are the ones that are accepted; nil is Certified. Tests name
	// tmpfs.
	FileSystems []string

	system system
}

// Store is an open identity. It holds the store's lock until it is closed.
type Store struct {
	mu        sync.Mutex
	place     *place
	random    io.Reader
	lock      handle
	current   held
	identity  identity
	recovered Recovery
	// unusable is why nothing can be asked any more.
	unusable error
}

// mode is what a store is opened for.
type mode int

const (
	toLoad mode = iota
	toCreate
	toLook // changes nothing
)

// Open opens the store in root, a clean absolute path. A change that was cut off
// is finished or discarded first.
func Open(root string, o Options) (*Store, error) { return open(root, o, toLoad) }

// Create makes a store in root with a new identity. Folders on the way are made
// where they are missing.
func Create(root string, o Options) (*Store, error) { return open(root, o, toCreate) }

// Look opens the store in root as Open does, but refuses to where something is
// left to recover.
func Look(root string, o Options) (*Store, error) { return open(root, o, toLook) }

func open(root string, o Options, m mode) (*Store, error) {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.FileSystems == nil {
		o.FileSystems = Certified()
	}
	if o.system == nil {
		s, err := newSystem()
		if err != nil {
			return nil, err
		}
		o.system = s
	}
	p, err := reach(o.system, root, o.FileSystems, m == toCreate)
	if err != nil {
		return nil, err
	}
	s := &Store{place: p, random: o.Random, lock: -1, current: held{h: -1}}
	if err := s.start(m); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// start locks, recovers and loads, in this order.
func (s *Store) start(m mode) (err error) {
	if s.lock, err = s.place.takeLock(m == toCreate); err != nil {
		return err
	}
	if m == toLook {
		err = s.place.checkRest()
	} else {
		s.recovered, err = s.place.recover(s.random)
	}
	if err != nil {
		return err
	}
	s.current, s.identity, err = s.place.load()
	switch {
	case m != toCreate:
		return err
	case err == nil:
		return fault.Newf(CodeExists, "there is a service identity in %q already", s.place.path).
			WithHint("rotate gives it a new key").WithNext("hound identity rotate")
	case !fault.Is(err, CodeMissing):
		return err
	}
	return s.create()
}

// checkRest refuses a store in which something is left to recover.
func (p *place) checkRest() error {
	found, err := p.look()
	switch {
	case err != nil:
		return err
	case len(found.quarantined) > 0:
		return quarantined(p, found.quarantined)
	case found.txid != "" || len(found.leftovers) > 0:
		return fault.Newf(CodePending, "a change of the identity in %q was cut off", p.path).
			WithHint("recovery finishes or discards it").WithNext("hound identity recover")
	}
	return nil
}

// takeLock opens the lock's file, made where it is missing and create says so,
// and takes the lock.
func (p *place) takeLock(create bool) (handle, error) {
	h, err := p.openFile(p.service, lockName)
	if isMissing(err) {
		if err := p.makeLock(create, err); err != nil {
			return -1, err
		}
		h, err = p.openFile(p.service, lockName)
	}
	if err != nil {
		return -1, explain("open", p.name(lockName), err)
	}
	if err := p.checkLock(h); err != nil {
		_ = p.close(h)
		return -1, err
	}
	return h, nil
}

func (p *place) makeLock(create bool, gone error) error {
	if !create {
		if _, err := p.statAt(p.service, identityName); isMissing(err) {
			return missing(p.path, gone)
		}
		return tampered(p.path, "its lock is gone")
	}
	d, err := p.draft(func(status) ([]byte, error) { return nil, nil })
	if err != nil {
		return err
	}
	defer p.letGo(d)
	// Two may make it at once: one wins, and both lock the same file.
	if err := p.linkHeld(d, lockName); err != nil && !errors.Is(err, syscall.EEXIST) {
		return explain("make", p.name(lockName), err)
	}
	return explain("make durable", p.name(lockName), p.sync(p.service))
}

func (p *place) checkLock(h handle) error {
	before, err := p.stat(h)
	if err != nil {
		return explain("look at", p.name(lockName), err)
	}
	if before.kind != file || before.uid != p.user() || before.mode != fileMode || before.links != 1 || before.size != 0 {
		return insecure(p.name(lockName), "it is not an empty file of its user's alone, with mode 0600 and one name")
	}
	err = p.lock(h)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EAGAIN) {
		return fault.Newf(CodeLocked, "the service identity in %q is in use by another process", p.path).
			WithHint("try again when that has ended")
	}
	if err != nil {
		return unavailable("lock", p.name(lockName), err)
	}
	at, err := p.statAt(p.service, lockName)
	if err != nil {
		return explain("look at", p.name(lockName), err)
	}
	if inodeOf(at) != inodeOf(before) || at.kind != file {
		return tampered(p.path, "its lock was replaced")
	}
	return nil
}

// load reads identity.json.
func (p *place) load() (held, identity, error) {
	d, s, err := p.hold(identityName)
	if isMissing(err) {
		return held{h: -1}, identity{}, missing(p.path, err)
	}
	if err != nil {
		return held{h: -1}, identity{}, explain("open", p.name(identityName), err)
	}
	id, err := p.accept(d, s)
	if err != nil {
		p.letGo(d)
		return held{h: -1}, identity{}, err
	}
	return d, id, nil
}

func (p *place) accept(d held, s status) (identity, error) {
	path := p.name(identityName)
	switch {
	case s.kind != file:
		return identity{}, insecure(path, "it is no file")
	case s.uid != p.user():
		return identity{}, insecure(path, "another user owns it")
	case s.mode != fileMode:
		return identity{}, insecure(path, "its mode is not 0600")
	case s.links != 1:
		return identity{}, insecure(path, "it has another name as well")
	}
	id, err := parse(d.bytes)
	if err != nil {
		return identity{}, err
	}
	return id, p.confirm(identityName, d, 1)
}

func (s *Store) create() error {
	id, err := newIdentity(s.random)
	if err != nil {
		return err
	}
	return s.apply(nil, id)
}

// apply makes next the identity.
func (s *Store) apply(old *held, next identity) error {
	c, err := s.place.prepare(s.random, old, next)
	if err != nil {
		return err
	}
	defer s.place.letGo(c.file)
	err = s.place.commit(c)
	if errors.Is(err, errForeign) {
		err = s.place.quarantine(s.random, nameOf(c.TxID, roleSwap))
	}
	if err != nil {
		s.place.letGo(c.new)
		return s.poison(err)
	}
	s.place.letGo(s.current)
	s.current, s.identity = c.new, next
	return nil
}

// poison closes the store's answers: how the change ended is not known.
func (s *Store) poison(cause error) error {
	s.unusable = fault.Newf(CodeUncertain, "how the last change of the identity in %q ended is not known", s.place.path).
		WithHint("open it again: recovery finishes or discards the change").WithNext("hound identity recover").Because(cause)
	f := fault.From(cause)
	hint := "recovery finishes or discards the change"
	if f.Hint != "" {
		hint = f.Hint + "; " + hint
	}
	return fault.Newf(f.Code, "the identity may have been changed or not: %s", f.Message).
		WithHint("%s", hint).WithNext("hound identity recover").Because(cause)
}

// usable reports why the store cannot be asked.
func (s *Store) usable() error {
	if s.unusable != nil {
		return s.unusable
	}
	return s.place.ours()
}

// change makes the next identity out of the present one.
func (s *Store) change(next func(identity) (identity, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	id, err := next(s.identity)
	if err != nil {
		return err
	}
	if err := s.place.confirm(identityName, s.current, 1); err != nil {
		return s.poison(err)
	}
	return s.apply(&s.current, id)
}

// Rotate adds a key and makes it the active one. The others stay, for what they
// signed.
func (s *Store) Rotate() error {
	return s.change(func(id identity) (identity, error) { return id.withKey(s.random) })
}

// Retire removes a key that is not the active one.
func (s *Store) Retire(kid string) error {
	return s.change(func(id identity) (identity, error) { return id.without(kid) })
}

// Roll gives the identity another generation; its keys stay.
func (s *Store) Roll() error {
	return s.change(func(id identity) (identity, error) { return id.rolled(s.random) })
}

// PublicKey is the public half of a key.
type PublicKey struct {
	KID    string
	Text   string // name+hash+key
	Active bool
}

// Keys are the public halves of all keys, sorted by id.
func (s *Store) Keys() ([]PublicKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	var keys []PublicKey
	for _, kid := range s.identity.ids() {
		key, err := s.identity.key(kid)
		if err != nil {
			return nil, err
		}
		keys = append(keys, PublicKey{KID: kid, Text: key.Public(), Active: kid == s.identity.active})
	}
	return keys, nil
}

// Key is the active key, which signs under its id.
func (s *Store) Key() (seal.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return seal.Key{}, err
	}
	return s.identity.key(s.identity.active)
}

// Generation names this identity among its own copies and successors.
func (s *Store) Generation() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.identity.generation, s.usable()
}

// Recovered says what opening the store had to do.
func (s *Store) Recovered() Recovery { return s.recovered }

// Path is the file with the identity.
func (s *Store) Path() string { return filepath.Join(s.place.path, serviceName, identityName) }

// Close gives the lock back. The keys that were handed out keep working.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	s.identity = identity{}
	s.unusable = fault.New(CodeClosed, "the service identity is closed").WithHint("open it again")
	return nil
}

func (s *Store) release() {
	s.place.letGo(s.current)
	s.current = held{h: -1}
	if s.lock >= 0 {
		_ = s.place.close(s.lock)
	}
	s.lock = -1
	s.place.leave()
}
