package plan

import (
	"fmt"
	"slices"

	"bridle/hound"
	"bridle/internal/kernel/fault"
)

// FileState is what one path of a repository is.
type FileState struct {
	// Kind is "file", "directory", "symlink" or "other"; "" is nothing.
	Kind   string
	Mode   string // four octal digits
	SHA256 string // of a file's bytes
}

// The kinds of FileState.
const (
	KindFile      = "file"
	KindDirectory = "directory"
	KindSymlink   = "symlink"
)

// State tells what a path of the repository is at one moment.
type State interface {
	At(path string) FileState
}

// CheckBefore compares the repository with what a proposal says it begins from.
func CheckBefore(expected Expected, now State) error {
	for _, path := range expected.Paths() {
		if err := checkPlace(path, now); err != nil {
			return refused(err)
		}
	}
	for _, e := range expected.Effects {
		have := now.At(e.Path)
		switch {
		case e.BeforeSHA256 == nil && have.Kind != "":
			return refused(fmt.Errorf("%q is to be created and is there", e.Path))
		case e.BeforeSHA256 != nil && have.Kind == "":
			return refused(fmt.Errorf("%q is to be changed and is not there", e.Path))
		case e.BeforeSHA256 != nil && have.SHA256 != *e.BeforeSHA256:
			return refused(fmt.Errorf("%q is not what before_sha256 says", e.Path))
		}
	}
	return nil
}

// checkPlace refuses a path that is no regular file or lies behind one or
// behind a link.
func checkPlace(path string, now State) error {
	if kind := now.At(path).Kind; kind != "" && kind != KindFile {
		return fmt.Errorf("%q is a %s, not a regular file", path, kind)
	}
	for parent := range parents(path) {
		if kind := now.At(parent).Kind; kind != "" && kind != KindDirectory {
			return fmt.Errorf("%q lies behind %q, which is a %s", path, parent, kind)
		}
	}
	return nil
}

func refused(err error) error {
	return fault.Newf(hound.CodeBadEffects, "the proposal is refused: %s", err.Error()).Because(err).WithExit(hound.ExitRefused)
}

// Misses compares the repository after an execution with what was expected and
// returns the first thing that is not so, or "".
func Misses(expected Expected, after State) string {
	for _, e := range expected.Effects {
		if err := checkPlace(e.Path, after); err != nil {
			return err.Error()
		}
		have := after.At(e.Path)
		switch {
		case e.AfterSHA256 == nil && have.Kind != "":
			return fmt.Sprintf("%q was to be deleted and is still there", e.Path)
		case e.AfterSHA256 == nil:
		case have.Kind == "":
			return fmt.Sprintf("%q was to be written and is not there", e.Path)
		case have.SHA256 != *e.AfterSHA256:
			return fmt.Sprintf("%q does not have the bytes that were planned", e.Path)
		case have.Mode != *e.Mode:
			return fmt.Sprintf("%q has the mode %s, not %s", e.Path, have.Mode, *e.Mode)
		}
	}
	return ""
}

// Sort puts paths in the order in which documents list them, each once.
func Sort(paths []string) []string {
	sorted := slices.Clone(paths)
	if sorted == nil {
		sorted = []string{}
	}
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
