package git

// Kind is the kind of an object.
type Kind string

// The kinds that git has.
const (
	KindBlob   Kind = "blob"
	KindTree   Kind = "tree"
	KindCommit Kind = "commit"
	KindTag    Kind = "tag"
)

func isKind(k Kind) bool {
	return k == KindBlob || k == KindTree || k == KindCommit || k == KindTag
}
