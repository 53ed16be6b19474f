package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"bridle/hcp"
	"bridle/internal/hcp/executable"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// The codes of this package's faults. The first group stands in the protocol's
// published list.
const (
	CodeNoPack       = "no_pack"
	CodeNotInstalled = "not_installed"
	CodeNotActivated = "not_activated"
	CodeUnknownPack  = "unknown_pack"
	CodeDenied       = "denied"
	CodeBinNotFound  = "bin_not_found"

	CodeLintFailed    = "lint_failed"
	CodeBadHome       = "bad_home"
	CodeUnsafeStore   = "unsafe_store"
	CodeTooNew        = "store_too_new"
	CodeBadState      = "bad_state"
	CodeBadRecord     = "bad_record"
	CodeBootstrapPack = "bootstrap_pack"
	CodePackChanged   = "pack_changed"
	CodeBinChanged    = executable.CodeBinChanged
	CodeStoreIO       = "store_io"
	CodeUnreadable    = "unreadable_pack"
	CodeBadOutput     = "bad_output"
	CodeOutputGone    = "output_gone"
)

// ioFault turns a failed file operation into a sentence without losing the
// error. Faults and cancellations pass unchanged.
func ioFault(verb, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	f := fault.Newf(CodeStoreIO, "cannot %s %q: %s", verb, path, reason(err)).Because(err)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		f.Code = durable.CodeDiskFull
		return f.WithHint("free some space and run the command again; what was stored before is intact")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return f.WithHint("make the store writable for you, or set HCP_HOME to a folder that is")
	}
	return f
}

// sourceFault is the same for the folder that an installation copies: the store
// has no part in what cannot be read there.
func sourceFault(verb, path string, err error) error {
	told := ioFault(verb, path, err)
	f, ok := errors.AsType[*fault.Error](told)
	if !ok || f.Code != CodeStoreIO {
		return told
	}
	f.Code = CodeUnreadable
	if errors.Is(err, fs.ErrPermission) {
		f.Hint = "nothing was installed; make the files of the pack readable for you"
	}
	return f
}

// reason is the system's word for err without the path, which the sentence
// around it already names.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return err.Error()
}

func (s *Store) unknownPack(id string) error {
	f := fault.Newf(CodeUnknownPack, "unknown pack %s", shown(id))
	return s.suggest(f, id, "availability")
}

func (s *Store) notInstalled(id string) error {
	f := fault.Newf(CodeNotInstalled, "pack %s is not installed", shown(id))
	return s.suggest(f, id, "activate")
}

// suggest adds "did you mean" when an installed pack has a similar id, and the
// commands that find or install a pack.
func (s *Store) suggest(f *fault.Error, id, verb string) *fault.Error {
	installed, err := s.InstalledIDs()
	if err == nil {
		if near := fault.Closest(id, installed); near != "" {
			f.WithHint("did you mean %q?", near).WithNext("hcpx " + verb + " " + near)
		}
	}
	if f.Hint == "" {
		f.WithHint("install it first, from its directory or where it is published")
	}
	f.WithNext("hcpx list")
	if validID(id) {
		f.WithNext("hcpx search " + id)
	}
	return f
}

func notActivated(id string) error {
	return fault.Newf(CodeNotActivated, "pack %s is installed but not activated", id).
		WithHint("activate the pack, then run the command again").
		WithNext("hcpx activate " + id)
}

func packChanged(id string, files []string) error {
	return fault.Newf(CodePackChanged, "the files of pack %q changed after it was accepted: %s", id, nameSome(files)).
		WithHint("nothing ran; a person can look at the change and accept it by activating the pack again, or install the pack anew").
		WithNext("hcpx activate " + id)
}

// nameSome names the first few of a list.
func nameSome(names []string) string {
	const most = 5
	shownNames := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(shownNames, ", "), len(names)-most)
		}
		shownNames = append(shownNames, fmt.Sprintf("%q", name))
	}
	return strings.Join(shownNames, ", ")
}

// shown is an id as messages name it: as it is when it is one, quoted when it
// could be anything.
func shown(id string) string {
	if validID(id) {
		return id
	}
	return fmt.Sprintf("%q", id)
}

func bootstrapFault(verb string) error {
	return fault.Newf(CodeBootstrapPack, "cannot %s bootstrap pack %s", verb, hcp.BootstrapPack).
		WithHint("this pack comes with the program and stays in every store")
}
