package identity

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"strings"

	"bridle/internal/hound/document"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
	"bridle/internal/kernel/seal"
)

const (
	schemaIdentity = "houndd.service-identity.v1"
	// maxBytes bounds identity.json and the marker, maxKeys what is kept in it.
	maxBytes = 64 << 10
	maxKeys  = 256
)

// identity is the content of identity.json.
type identity struct {
	generation string
	active     string
	keys       map[string]redact.Secret // the seed in base64, by key id
}

// wire is the layout of identity.json.
type wire struct {
	SchemaVersion string            `json:"schema_version"`
	Generation    string            `json:"generation"`
	ActiveKID     string            `json:"active_kid"`
	Keys          map[string]string `json:"keys"`
}

var wireForm = document.Form{Required: []string{"schema_version", "generation", "active_kid", "keys"}}

// parse reads identity.json. Only the bytes that encode writes are accepted.
func parse(data []byte) (identity, error) {
	var w wire
	if len(data) > maxBytes {
		return identity{}, bad("it is larger than %d bytes", maxBytes)
	}
	if err := document.Decode(data, wireForm, &w); err != nil {
		// The decoder's words could quote a key.
		return identity{}, bad("it is no document of the form %q", schemaIdentity)
	}
	id := identity{generation: w.Generation, active: w.ActiveKID, keys: map[string]redact.Secret{}}
	switch {
	case w.SchemaVersion != schemaIdentity:
		return identity{}, bad("its schema is not %q", schemaIdentity)
	case !isHex(w.Generation, 64):
		return identity{}, bad("its generation is not 64 hexadecimal digits")
	case len(w.Keys) > maxKeys:
		return identity{}, bad("it has more than %d keys", maxKeys)
	}
	for kid, text := range w.Keys {
		raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
		if !isKID(kid) || err != nil || len(raw) != 32 || len(text) != 43 {
			return identity{}, bad("one of its keys is none")
		}
		id.keys[kid] = redact.NewSecret(text)
	}
	if _, there := id.keys[id.active]; !there {
		return identity{}, bad("its active key is not among its keys")
	}
	if again, err := id.encode(); err != nil || !bytes.Equal(again, data) {
		return identity{}, bad("it is not canonical JSON")
	}
	return id, nil
}

func bad(format string, args ...any) *fault.Error {
	return fault.Newf(CodeBad, "identity.json cannot be used: "+format, args...).
		WithHint("put back a copy that was made while the store was at rest, or move the store away and make a new identity")
}

// encode lays identity.json out.
func (id identity) encode() ([]byte, error) {
	w := wire{SchemaVersion: schemaIdentity, Generation: id.generation, ActiveKID: id.active, Keys: map[string]string{}}
	for kid, secret := range id.keys {
		w.Keys[kid] = secret.Reveal()
	}
	return document.Canonical(w)
}

// newIdentity makes an identity with one key.
func newIdentity(random io.Reader) (identity, error) {
	generation, err := randomHex(random, 32)
	if err != nil {
		return identity{}, err
	}
	return identity{generation: generation}.withKey(random)
}

// withKey returns the identity with one more key, which is the active one.
func (id identity) withKey(random io.Reader) (identity, error) {
	if len(id.keys) >= maxKeys {
		return identity{}, fault.Newf(CodeKey, "the identity has %d keys, as many as it can hold", len(id.keys)).
			WithHint("retire one first")
	}
	tail, err := randomHex(random, 12)
	if err != nil {
		return identity{}, err
	}
	kid, seed := "k-"+tail, make([]byte, 32)
	if _, err := io.ReadFull(random, seed); err != nil {
		return identity{}, noRandom(err)
	}
	if _, taken := id.keys[kid]; taken {
		return identity{}, fault.New(CodeUnavailable, "the system's random source repeats itself")
	}
	keys := maps.Clone(id.keys)
	if keys == nil {
		keys = map[string]redact.Secret{}
	}
	keys[kid] = redact.NewSecret(base64.RawURLEncoding.EncodeToString(seed))
	return identity{generation: id.generation, active: kid, keys: keys}, nil
}

// without returns the identity without a key that is not the active one.
func (id identity) without(kid string) (identity, error) {
	if _, there := id.keys[kid]; !there {
		return identity{}, fault.Newf(CodeKey, "the identity has no key %q", kid).
			WithHint("hound identity show lists the keys").WithNext("hound identity show")
	}
	if kid == id.active {
		return identity{}, fault.Newf(CodeKey, "the key %q is the active one", kid).
			WithHint("rotate first; then the old key can be retired").WithNext("hound identity rotate")
	}
	keys := maps.Clone(id.keys)
	delete(keys, kid)
	return identity{generation: id.generation, active: id.active, keys: keys}, nil
}

// rolled returns the identity in another generation.
func (id identity) rolled(random io.Reader) (identity, error) {
	generation, err := randomHex(random, 32)
	if err != nil {
		return identity{}, err
	}
	return identity{generation: generation, active: id.active, keys: id.keys}, nil
}

// key is the key of that id, which signs under it.
func (id identity) key(kid string) (seal.Key, error) {
	seed, err := base64.RawURLEncoding.DecodeString(id.keys[kid].Reveal())
	if err != nil {
		return seal.Key{}, bad("one of its keys is none")
	}
	return seal.NewKey(kid, seed)
}

// ids are the key ids, sorted.
func (id identity) ids() []string { return slices.Sorted(maps.Keys(id.keys)) }

func randomHex(random io.Reader, size int) (string, error) {
	raw := make([]byte, size)
	if _, err := io.ReadFull(random, raw); err != nil {
		return "", noRandom(err)
	}
	return hex.EncodeToString(raw), nil
}

func noRandom(err error) error {
	return fault.New(CodeUnavailable, "the system's random source cannot be read").Because(err)
}

func isKID(text string) bool {
	tail, ok := strings.CutPrefix(text, "k-")
	return ok && isHex(tail, 24)
}

func isHex(text string, size int) bool {
	if len(text) != size {
		return false
	}
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
