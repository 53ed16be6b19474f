package pipeline

import (
	"encoding/json"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// maxEnvelope bounds an exec envelope.
const maxEnvelope = 2 << 20

// Parse reads an exec envelope (§6.1): pack_id, or surface_id in its place, the
// command, and the arguments. Other members are ignored: in particular nothing
// in an envelope says who acts. With an error comes what could be read of the
// call, for Refusal.
func Parse(data []byte) (Call, error) {
	var raw struct {
		PackID    *string         `json:"pack_id"`
		SurfaceID *string         `json:"surface_id"`
		VerbKey   string          `json:"verb_key"`
		Args      json.RawMessage `json:"args"`
	}
	if _, err := canon.DecodeOpen(data, &raw, canon.Limits{MaxBytes: maxEnvelope}); err != nil {
		return Call{}, badEnvelope("the envelope cannot be read: " + err.Error()).Because(err)
	}
	call := Call{Key: raw.VerbKey}
	switch {
	case raw.PackID != nil && raw.SurfaceID != nil && *raw.PackID != *raw.SurfaceID:
		return call, badEnvelope("the envelope names two packs, in pack_id and in surface_id")
	case raw.PackID != nil:
		call.PackID = *raw.PackID
	case raw.SurfaceID != nil:
		call.PackID = *raw.SurfaceID
	}
	if len(raw.Args) == 0 {
		return call, nil
	}
	value, err := canon.Parse(raw.Args, canon.Limits{MaxBytes: maxEnvelope})
	args, ok := value.(map[string]any)
	if err != nil || !ok {
		return call, badEnvelope("args of the envelope is not an object")
	}
	call.Args = hcp.Args(args)
	return call, nil
}

func badEnvelope(message string) *fault.Error {
	return fault.New(CodeBadEnvelope, message).
		WithHint(`the shape is {"pack_id": "…", "verb_key": "…", "args": {…}}`)
}

// Refusal is the result of a call that could not even be understood, so that a
// caller on the JSON face always gets a result envelope (§6.2).
func Refusal(call Call, err error) hcp.ExecResult {
	r := hcp.ExecResult{PackID: call.PackID, VerbKey: call.Key}
	setFailure(&r, fault.From(err))
	return r
}
