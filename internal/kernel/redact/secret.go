package redact

import (
	"crypto/subtle"
	"fmt"
	"io"
)

// Placeholder stands wherever a secret would.
const Placeholder = "[secret]"

// Secret is a credential that prints as Placeholder. The zero value is an empty
// secret.
type Secret struct {
	// A pointer: package fmt calls no method of a field that is not exported
	// and would print a string there; of a pointer it prints the address.
	value *string
}

// NewSecret wraps a credential.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the credential itself.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether there is nothing to hide.
func (s Secret) IsZero() bool { return s.value == nil || *s.value == "" }

// Equal compares in a time that does not depend on where the two differ.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String returns Placeholder.
func (Secret) String() string { return Placeholder }

// GoString returns Placeholder.
func (Secret) GoString() string { return Placeholder }

// Format writes Placeholder for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Placeholder) }

// MarshalText returns Placeholder.
func (Secret) MarshalText() ([]byte, error) { return []byte(Placeholder), nil }

// MarshalJSON returns Placeholder as a string.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + Placeholder + `"`), nil }

// MarshalBinary returns Placeholder.
func (Secret) MarshalBinary() ([]byte, error) { return []byte(Placeholder), nil }
