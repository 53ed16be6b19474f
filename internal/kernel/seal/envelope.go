package seal

import (
	"crypto/ed25519"
	"encoding/base64"
	"strconv"

	"golang.org/x/mod/sumdb/note"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// envelope is a DSSE envelope.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"`
}

// Envelop signs body, of that type, as a DSSE envelope.
func (k Key) Envelop(kind string, body []byte) ([]byte, error) {
	return canon.Marshal(envelope{
		PayloadType: kind,
		Payload:     base64.StdEncoding.EncodeToString(body),
		Signatures: []signature{{
			KeyID: k.public,
			Sig:   base64.StdEncoding.EncodeToString(ed25519.Sign(k.private, encoding(kind, body))),
		}},
	})
}

// Unwrap is the type and body of a DSSE envelope that one of these keys signed.
// The key id in the envelope is only a hint: every key is tried.
func Unwrap(data []byte, public ...string) (kind string, body []byte, err error) {
	known, err := verifiers(public)
	if err != nil {
		return "", nil, err
	}
	var e envelope
	if _, err := canon.DecodeOpen(data, &e, canon.Limits{MaxBytes: 64 << 20}); err != nil {
		return "", nil, fault.New(CodeBadSeal, "this is no DSSE envelope").Because(err)
	}
	body, err = base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil {
		return "", nil, fault.New(CodeBadSeal, "the envelope's payload is not base64").Because(err)
	}
	if !signedByOne(e, encoding(e.PayloadType, body), known) {
		return "", nil, fault.New(CodeBadSeal, "the envelope is not signed by a key that is trusted here").
			WithHint("compare the key with its owner's")
	}
	return e.PayloadType, body, nil
}

func signedByOne(e envelope, message []byte, known []note.Verifier) bool {
	for _, s := range e.Signatures {
		sig, err := base64.StdEncoding.Strict().DecodeString(s.Sig)
		if err != nil {
			continue
		}
		for _, v := range known {
			if v.Verify(message, sig) {
				return true
			}
		}
	}
	return false
}

// encoding is what is signed, so that no type can run into its body.
func encoding(kind string, body []byte) []byte {
	out := []byte("DSSEv1 ")
	out = append(strconv.AppendInt(out, int64(len(kind)), 10), ' ')
	out = append(append(out, kind...), ' ')
	out = append(strconv.AppendInt(out, int64(len(body)), 10), ' ')
	return append(out, body...)
}
