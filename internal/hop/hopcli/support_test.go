package hopcli_test

import (
	"errors"
	"os/exec"
)

func asExit(err error, target *interface{ ExitCode() int }) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	*target = exit
	return true
}
