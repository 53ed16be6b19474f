package proc

import (
	"errors"
	"os"
	"os/exec"
)

// Exec runs the program with the caller's standard streams and ends the process
// with its exit code, since Windows cannot replace a process. It returns only
// when the program does not start.
func Exec(path string, argv, env []string) error {
	cmd := &exec.Cmd{Path: path, Args: argv, Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	if err == nil {
		os.Exit(0)
	}
	return startFault(path, "", err, false)
}
