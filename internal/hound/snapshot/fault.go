package snapshot

import (
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

// The codes of this package's faults.
const (
	CodeUnreadable  = "snapshot_unreadable"    // a path cannot be read
	CodeUnstable    = "snapshot_unstable"      // a path changes while it is read
	CodeUnsupported = "repository_unsupported" // a kind of repository that cannot be recorded exactly
	CodeDamaged     = "repository_damaged"     // the repository's own files make no sense
)

func unreadable(path string, err error) error {
	return fault.Newf(CodeUnreadable, "%q cannot be read: %s", redact.Visible(path), cause(err)).
		WithHint("make it readable, or exclude it if git ignores it").Because(err)
}

func unstable(path string) error {
	return fault.Newf(CodeUnstable, "%q changes while it is read", redact.Visible(path)).
		WithHint("stop what is writing to it, then run the command again")
}

func unsupported(what, hint string) error {
	return fault.Newf(CodeUnsupported, "the repository %s, which cannot be recorded exactly", what).WithHint("%s", hint)
}

func damaged(path, what string) error {
	return fault.Newf(CodeDamaged, "%q is damaged: %s", redact.Visible(path), what).
		WithHint("run git fsck, and repair the repository first")
}

func misconfigured(err error) error {
	return fault.Newf(CodeDamaged, "the repository's configuration is damaged: %s", fault.From(err).Message).
		WithHint("correct the file that git names").Because(err)
}

// cause is what went wrong without the path, which is named already.
func cause(err error) string {
	type unwrapper interface{ Unwrap() error }
	for {
		inner, ok := err.(unwrapper) //nolint:errorlint // it goes down to the last one
		if !ok || inner.Unwrap() == nil {
			return err.Error()
		}
		err = inner.Unwrap()
	}
}
