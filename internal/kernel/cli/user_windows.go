package cli

import (
	"os/user"
	"strings"

	"golang.org/x/sys/windows"
)

// userID names the operating system's user who runs this process.
func userID() string {
	account, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return ""
	}
	return "sid-" + strings.ToLower(account.User.Sid.String())
}

// accountHome asks the system for the profile folder.
func accountHome() (string, error) {
	account, err := user.Current()
	if err != nil {
		return "", err
	}
	return account.HomeDir, nil
}
