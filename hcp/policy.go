package hcp

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Operation is the side-effect class of a command (§4.2).
type Operation string

// The two operations.
const (
	OperationRead  Operation = "read"
	OperationWrite Operation = "write"
)

// Land says where data or effects may land (§4.3).
type Land string

// The three lands.
const (
	LandPersonal Land = "personal"
	LandBrain    Land = "brain"
	LandLocal    Land = "local"
)

// Confirm is the gate of a write (§4.5, RFC 0006). In JSON it is a boolean or
// the word "always".
type Confirm string

// The three states of the gate.
const (
	ConfirmNone   Confirm = ""
	ConfirmAsk    Confirm = "true"
	ConfirmAlways Confirm = "always"
)

// UnmarshalJSONFrom accepts true, false and "always".
func (c *Confirm) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch {
	case token.Kind() == 't':
		*c = ConfirmAsk
	case token.Kind() == 'f':
		*c = ConfirmNone
	case token.Kind() == '"' && token.String() == string(ConfirmAlways):
		*c = ConfirmAlways
	default:
		return errors.New(`want true, false or "always"`)
	}
	return nil
}

// MarshalJSONTo writes true, false or "always".
func (c Confirm) MarshalJSONTo(enc *jsontext.Encoder) error {
	if c == ConfirmAlways {
		return enc.WriteToken(jsontext.String(string(c)))
	}
	return enc.WriteToken(jsontext.Bool(c == ConfirmAsk))
}

// Policy is policy.json (§4.1).
type Policy struct {
	SurfaceID string                 `json:"surface_id"`
	Version   int                    `json:"version"`
	Verbs     map[string]PolicyEntry `json:"verbs"`
	Stimuli   map[string]PolicyEntry `json:"stimuli"`
}

// PolicyEntry is one row of a Policy.
type PolicyEntry struct {
	Operation Operation `json:"operation"`
	Privacy   Privacy   `json:"privacy"`
	Confirm   Confirm   `json:"confirm,omitzero"`
}

// Privacy holds the land.
type Privacy struct {
	Land Land `json:"land"`
}
