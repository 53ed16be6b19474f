package seal

import (
	"crypto/ed25519"
	"encoding/base64"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"bridle/internal/kernel/fault"
)

// Key signs under a name. It prints as that name and gives its private half to
// nobody.
type Key struct {
	name     string
	verifier note.Verifier
	public   string
	private  ed25519.PrivateKey
}

// NewKey is the key of that name with these 32 secret bytes.
func NewKey(name string, seed []byte) (Key, error) {
	if len(seed) != ed25519.SeedSize {
		return Key{}, fault.Newf(CodeBadKey, "a signing key has %d bytes and this one has %d", ed25519.SeedSize, len(seed)).
			WithHint("make a new one")
	}
	private := ed25519.NewKeyFromSeed(seed)
	public, err := note.NewEd25519VerifierKey(name, ed25519.PublicKey(private[ed25519.SeedSize:]))
	if err != nil {
		return Key{}, badName(name)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		return Key{}, badName(name)
	}
	return Key{name: name, verifier: verifier, public: public, private: private}, nil
}

func badName(name string) error {
	return fault.Newf(CodeBadKey, "%q cannot be the name of a key", name).
		WithHint("a name has no spaces and no plus sign")
}

// Name is what the key signs as.
func (k Key) Name() string { return k.name }

// String is the name, so that no format verb shows the private half.
func (k Key) String() string { return k.name }

// GoString is the name as well.
func (k Key) GoString() string { return k.name }

// Public is the text with which others check what the key signed:
// name+hash+key.
func (k Key) Public() string { return k.public }

// Sign is text as a signed note. The text ends in a line feed.
func (k Key) Sign(text string) ([]byte, error) {
	signed, err := note.Sign(&note.Note{Text: text}, signer{k})
	if err != nil {
		return nil, fault.New(CodeBadSeal, "this text cannot be signed as a note").
			WithHint("it must be UTF-8 without control characters and end in a line feed").Because(err)
	}
	return signed, nil
}

// signer is Key with the methods that the note package asks for.
type signer struct{ k Key }

func (s signer) Name() string                        { return s.k.name }
func (s signer) KeyHash() uint32                     { return s.k.verifier.KeyHash() }
func (s signer) Sign(message []byte) ([]byte, error) { return ed25519.Sign(s.k.private, message), nil }

// Open is the text of a signed note, if one of these keys signed it, and the
// name of the first that did.
func Open(signed []byte, public ...string) (text, by string, err error) {
	known, err := verifiers(public)
	if err != nil {
		return "", "", err
	}
	n, err := note.Open(signed, note.VerifierList(known...))
	if err != nil {
		return "", "", fault.New(CodeBadSeal, "the note is not signed by a key that is trusted here").
			WithHint("compare the note with the one that was published, and the key with its owner's").Because(err)
	}
	return n.Text, n.Sigs[0].Name, nil
}

func verifiers(public []string) ([]note.Verifier, error) {
	known := make([]note.Verifier, 0, len(public))
	for _, text := range public {
		v, err := note.NewVerifier(strings.TrimSpace(text))
		if err != nil {
			return nil, fault.Newf(CodeBadKey, "%q is no public key", text).
				WithHint("it has the form name+hash+key").Because(err)
		}
		known = append(known, v)
	}
	return known, nil
}

// Checkpoint says what a log holds: how many leaves, and the root above them.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   [32]byte
}

// Text is the checkpoint as it is signed.
func (c Checkpoint) Text() string {
	return c.Origin + "\n" + strconv.FormatInt(c.Size, 10) + "\n" + base64.StdEncoding.EncodeToString(c.Root[:]) + "\n"
}

// Sign is the checkpoint as a signed note.
func (c Checkpoint) Sign(k Key) ([]byte, error) { return k.Sign(c.Text()) }

// ParseCheckpoint reads Text. Lines after the third are extensions, which
// other logs may add, and are passed over.
func ParseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] == "" || lines[len(lines)-1] != "" {
		return Checkpoint{}, badCheckpoint("it has fewer than three lines")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, badCheckpoint("its size is no number")
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != 32 {
		return Checkpoint{}, badCheckpoint("its root is no hash")
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: [32]byte(root)}, nil
}

// OpenCheckpoint is the checkpoint in a note that one of these keys signed.
func OpenCheckpoint(signed []byte, public ...string) (Checkpoint, error) {
	text, _, err := Open(signed, public...)
	if err != nil {
		return Checkpoint{}, err
	}
	return ParseCheckpoint(text)
}

func badCheckpoint(why string) error {
	return fault.Newf(CodeBadSeal, "this is no checkpoint: %s", why).
		WithHint("a checkpoint has the log's name, its size and its root, a line each")
}
