package guard

import (
	"errors"
	"os"

	"bridle/hound"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/fault"
)

// Verify checks a record: a directory is a run, a file the saved result of a
// read. What does not verify is an error that names what is wrong.
func Verify(path string) (*hound.Verification, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fault.Newf(hound.CodeUnreadable, "the record %q cannot be opened", path).Because(err).WithExit(hound.ExitRefused)
	case info.IsDir():
		return record.VerifyRun(path)
	default:
		return record.VerifyInvocation(path)
	}
}

// IsInvalid reports whether an error says that a record does not verify.
func IsInvalid(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Code == hound.CodeInvalid
}
