package proc

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"bridle/internal/kernel/fault"
)

// Fault codes of this package; a profile that cannot be enforced brings those of
// package sandbox.
const (
	CodeBadSpec        = "bad_spec"
	CodeMissing        = "bin_missing"
	CodeNotExecutable  = "bin_not_executable"
	CodeBadInterpreter = "bin_bad_interpreter"
	CodeBusy           = "bin_busy"
	CodeOutsideSandbox = "bin_outside_sandbox"
	CodeArgsTooLong    = "args_too_long"
	CodeDirMissing     = "dir_missing"
	CodeCanceled       = "canceled"
	CodeSpawnFailed    = "spawn_failed"
)

// startFault explains why a program did not start. The kernel gives one error for
// many causes, so the causes are looked at here, after the fact and unconfined.
func startFault(path, dir string, err error, confined bool) error {
	if f := new(fault.Error); errors.As(err, &f) {
		return err
	}
	if dir != "" {
		if info, statErr := os.Stat(dir); statErr != nil || !info.IsDir() {
			return fault.Newf(CodeDirMissing, "working directory %q is not there", dir).
				WithHint("create it, or run in another directory").Because(err)
		}
	}
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, fs.ErrNotExist) || errors.Is(statErr, syscall.ENOTDIR):
		return fault.Newf(CodeMissing, "program %q does not exist", path).
			WithHint("install it, or correct the path").Because(err)
	case statErr == nil && !info.Mode().IsRegular():
		return fault.Newf(CodeNotExecutable, "program %q is not a regular file", path).
			WithHint("name the program's own file").Because(err)
	case errors.Is(err, syscall.ENOENT):
		return fault.Newf(CodeBadInterpreter, "program %q names an interpreter or loader that does not exist", path).
			WithHint("look at its first line, or install what it needs").Because(err)
	case errors.Is(err, syscall.ENOEXEC):
		return fault.Newf(CodeNotExecutable, "program %q is in no format that this system can run", path).
			WithHint("a script needs a first line such as #!/bin/sh; a binary must be built for this machine").Because(err)
	case errors.Is(err, syscall.ETXTBSY):
		return fault.Newf(CodeBusy, "program %q is being written by another process", path).
			WithHint("wait until it is installed, then run it again").Because(err)
	case errors.Is(err, syscall.E2BIG):
		return fault.Newf(CodeArgsTooLong, "the arguments and environment of %q are longer than this system allows", path).
			WithHint("pass long values in a file or on standard input").Because(err)
	case errors.Is(err, fs.ErrPermission):
		return refusedFault(path, err, confined && statErr == nil && executable(info))
	}
	return fault.Newf(CodeSpawnFailed, "program %q could not be started: %s", path, err).
		WithHint("look at the limits on processes and memory of this system").Because(err)
}

// refusedFault tells a file that nobody may run from one that the sandbox keeps
// out of reach.
func refusedFault(path string, err error, bySandbox bool) error {
	if bySandbox {
		return fault.Newf(CodeOutsideSandbox, "the sandbox does not let program %q or its interpreter run", path).
			WithHint("grant the directory that it is installed in").Because(err)
	}
	return fault.Newf(CodeNotExecutable, "program %q may not be executed", path).
		WithHint("check its mode (chmod +x) and the modes of the directories above it").Because(err)
}

// executable says whether anyone may run the file; who exactly is the kernel's
// business.
func executable(info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }

// beforeStart refuses a run whose context has ended already.
func beforeStart(ctx context.Context, path string) error {
	if err := context.Cause(ctx); err != nil {
		return fault.Newf(CodeCanceled, "program %q was not started: %s", path, err).Because(err)
	}
	return nil
}
