package source

import (
	"context"
	"errors"

	"bridle/internal/kernel/fault"
)

// The codes of this package's faults.
const (
	CodeBadSource   = "bad_source"   // the argument names nothing that could be installed
	CodeFetchFailed = "fetch_failed" // it could not be fetched
	CodeBadArchive  = "bad_archive"  // it was fetched and is refused
	CodeNoPack      = "no_pack"
)

// forms reminds of what an installation takes.
const forms = "an installation takes a folder, an archive (.tar.gz, .tgz, .tar, .zip), github:owner/repo[@ref][//path], npm:@scope/name, or the https URL of one of them"

func badSource(argument, why string) error {
	return fault.Newf(CodeBadSource, "cannot install %q: %s", argument, why).WithHint(forms)
}

func badArchive(name, why string) error {
	return fault.Newf(CodeBadArchive, "%q in the archive %s", name, why).
		WithHint(plainArchive)
}

// plainArchive is the hint of an archive that is refused for what is in it.
const plainArchive = "an archive of a pack has plain files and folders, few and small, with names that stay inside it"

// fetchFailed says that a source could not be fetched, and why. Cancellation
// stays what it is.
func fetchFailed(argument string, causes ...error) error {
	cause := errors.Join(causes...)
	if errors.Is(cause, context.Canceled) {
		return context.Canceled
	}
	why := ""
	for i, err := range causes {
		if i > 0 {
			why += "; "
		}
		why += fault.From(err).Message
	}
	f := fault.Newf(CodeFetchFailed, "cannot fetch %q: %s", argument, why).Because(cause)
	for _, err := range causes {
		if hint := fault.From(err).Hint; hint != "" {
			f.Hint = hint
		}
	}
	if f.Hint == "" {
		f.WithHint("check the name and the network")
	}
	return f
}
