//go:build unix

package cli

import (
	"os"
	"os/user"
	"strconv"
)

// userID names the operating system's user who runs this process.
func userID() string { return "uid-" + strconv.Itoa(os.Getuid()) }

// accountHome asks the user database. user.Current would believe HOME where the
// database has no entry.
func accountHome() (string, error) {
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return "", err
	}
	return account.HomeDir, nil
}
