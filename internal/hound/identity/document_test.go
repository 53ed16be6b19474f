package identity

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/redact"
)

const goodIdentity = `{"active_kid":"k-202122232425262728292a2b","generation":"101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f","keys":{"k-202122232425262728292a2b":"MDEyMzQ1Njc4OTo7PD0-P0BBQkNERUZHSElKS0xNTk8"},"schema_version":"houndd.service-identity.v1"}`

func TestIdentitiesThatTheStoreDidNotWriteAreRefused(t *testing.T) {
	replace := func(old, with string) string { return strings.Replace(goodIdentity, old, with, 1) }
	for name, text := range map[string]string{
		"nothing":                   "",
		"no JSON":                   "x",
		"no object":                 "[]",
		"a line feed at the end":    goodIdentity + "\n",
		"a space":                   replace(`,"keys"`, `, "keys"`),
		"another order":             `{"generation"` + strings.TrimPrefix(replace(`"generation"`, `"x"`), `{"x"`),
		"an unknown member":         replace(`"active_kid"`, `"a":1,"active_kid"`),
		"a member in another case":  replace(`"generation"`, `"Generation"`),
		"a member twice":            replace(`"keys"`, `"generation":"","keys"`),
		"no keys":                   replace(`{"k-202122232425262728292a2b":"MDEyMzQ1Njc4OTo7PD0-P0BBQkNERUZHSElKS0xNTk8"}`, `{}`),
		"keys are null":             replace(`{"k-202122232425262728292a2b":"MDEyMzQ1Njc4OTo7PD0-P0BBQkNERUZHSElKS0xNTk8"}`, `null`),
		"another schema":            replace(`.v1"`, `.v2"`),
		"a short generation":        replace(`"1011`, `"10`),
		"a generation in capitals":  replace(`1a1b1c`, `1A1B1C`),
		"an active key that is not": replace(`"active_kid":"k-20`, `"active_kid":"k-21`),
		"a key id in capitals":      strings.ReplaceAll(goodIdentity, "2a2b", "2A2B"),
		"a key id without its mark": strings.ReplaceAll(goodIdentity, "k-2021", "kx2021"),
		"a short key":               replace("MDEy", ""),
		"a long key":                replace("MDEy", "MDEyMDEy"),
		"a padded key":              replace(`Tk8"`, `Tk8="`),
		"a key in the other base64": replace("0-P0", "0+P0"),
		"loose bits in a key":       replace(`Tk8"`, `Tk9"`),
		"a line feed in a key":      replace("MDEy", `\nMDEy`),
		"an escaped letter":         replace("houndd", `\u0068oundd`),
		"too large":                 goodIdentity + strings.Repeat(" ", maxBytes),
	} {
		if text == goodIdentity {
			t.Errorf("%s: nothing was changed", name)
		}
		_, err := parse([]byte(text))
		wantCode(t, err, CodeBad)
	}
}

func TestKeysNeverShowInWhatIsPrinted(t *testing.T) {
	m := made(t)
	s, err := Open(modelRoot, on(m, &counter{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	key, err := s.Key()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := s.Keys()
	if err != nil {
		t.Fatal(err)
	}
	_, broken := parse([]byte(strings.Replace(string(s.current.bytes), `"keys"`, `"kegs"`, 1)))
	var secrets []string
	for _, k := range s.identity.keys {
		raw, err := base64.RawURLEncoding.DecodeString(k.Reveal())
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, k.Reveal(), fmt.Sprintf("%x", k.Reveal()), fmt.Sprintf("%x", raw), fmt.Sprintf("%v", raw), fmt.Sprintf("%d", raw[:8]))
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		for _, value := range []any{s.identity, s.identity.keys, key, keys, broken} {
			text := fmt.Sprintf(format, value)
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s of %T shows a key: %s", format, value, text)
				}
			}
		}
	}
	for name, value := range map[string]any{"keys": keys, "identity": s.identity} {
		data, err := canon.Marshal(value)
		for _, secret := range secrets {
			if err == nil && strings.Contains(string(data), secret) {
				t.Errorf("%s in JSON shows a key: %s", name, data)
			}
		}
	}
}

func TestKeysComeAndGo(t *testing.T) {
	m := made(t)
	s, err := Open(modelRoot, on(m, &counter{n: 1 << 30}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	generation := s.identity.generation
	before, _ := s.Keys()
	first, err := s.Key()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Rotate(); err != nil {
		t.Fatal(err)
	}
	second, err := s.Key()
	after, _ := s.Keys()
	if err != nil || second.Name() == first.Name() || len(after) != len(before)+1 || s.identity.generation != generation {
		t.Errorf("after a rotation: key %v, %d keys, %v", second, len(after), err)
	}
	wantCode(t, s.Retire(second.Name()), CodeKey)
	wantCode(t, s.Retire("k-000000000000000000000000"), CodeKey)
	if err := s.Retire(first.Name()); err != nil {
		t.Fatal(err)
	}
	wantCode(t, s.Retire(first.Name()), CodeKey)
	if err := s.Roll(); err != nil {
		t.Fatal(err)
	}
	if now, err := s.Key(); err != nil || now.Public() != second.Public() || s.identity.generation == generation {
		t.Errorf("another generation has another key: %v, %v", now, err)
	}
	for len(s.identity.keys) < maxKeys {
		s.identity.keys[fmt.Sprintf("k-%024x", len(s.identity.keys))] = redact.NewSecret(strings.Repeat("A", 43))
	}
	wantCode(t, s.Rotate(), CodeKey)
}

func TestARandomSourceThatRepeatsItselfIsRefused(t *testing.T) {
	m := newModel()
	s, err := Create(modelRoot, on(m, zeros{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	wantCode(t, s.Rotate(), CodeUnavailable)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func FuzzIdentity(f *testing.F) {
	f.Add([]byte(goodIdentity))
	f.Add([]byte(strings.Replace(goodIdentity, "MDEy", "MDEyMDEy", 1)))
	f.Add([]byte(`{"keys":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		id, err := parse(data)
		if err != nil {
			wantCode(t, err, CodeBad)
			return
		}
		again, err := id.encode()
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("read %q and wrote %q, %v", data, again, err)
		}
		if _, err := id.key(id.active); err != nil {
			t.Error(err)
		}
	})
}

func FuzzMarker(f *testing.F) {
	tx := strings.Repeat("ab", 16)
	s := status{dev: 7, ino: 9, uid: 1000, gid: 1000, kind: file, mode: fileMode, links: 1}
	print := fingerprint{Dev: 7, Ino: 10, UID: 1000, GID: 1000, Mode: fileMode, Size: 5, SHA256: strings.Repeat("0", 64)}
	older := print
	older.Ino = 11
	for _, m := range []marker{
		{SchemaVersion: schemaMarker, TxID: tx, Kind: kindCreate, Marker: inodeOf(s), New: print, Roles: rolesOf(kindCreate, tx)},
		{SchemaVersion: schemaMarker, TxID: tx, Kind: kindReplace, Marker: inodeOf(s), Old: &older, New: print, Roles: rolesOf(kindReplace, tx)},
	} {
		data, err := canon.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		if _, ok := parseMarker(data, tx, s); !ok {
			f.Fatalf("the marker is refused: %s", data)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, ok := parseMarker(data, tx, s)
		if !ok {
			return
		}
		again, err := canon.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if twin, ok := parseMarker(again, tx, s); !ok || !reflect.DeepEqual(twin, m) {
			t.Errorf("read %q, wrote %q, and read %+v", data, again, twin)
		}
		if m.TxID != tx || m.Marker != inodeOf(s) || (m.Old == nil) != (m.Kind == kindCreate) || m.New.Ino == s.ino {
			t.Errorf("accepted %q", data)
		}
	})
}
