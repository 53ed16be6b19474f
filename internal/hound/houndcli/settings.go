package houndcli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// settings are the user's own choices, in .config/hound/settings.json below the
// home folder that the system knows. The environment cannot name another file:
// an agent sets its own environment.
type settings struct {
	AgentsMayApprove bool `json:"agents_may_approve"`
}

var settingsForm = document.Form{Optional: []string{"agents_may_approve"}}

func settingsPath(c *cli.Call) (string, error) {
	if c.AccountHome == nil {
		return "", errors.New("the user has no home folder")
	}
	home, err := c.AccountHome()
	return filepath.Join(home, ".config", Name, "settings.json"), err
}

func readSettings(c *cli.Call) (settings, error) {
	var s settings
	path, err := settingsPath(c)
	if err != nil {
		return s, nil //nolint:nilerr // no home, no settings
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	data, err := document.Read(path, "bad_settings", hound.ExitRefused)
	if err != nil {
		return s, err
	}
	if err := document.Decode(data, settingsForm, &s); err != nil {
		return s, fault.Newf("bad_settings", "the settings %q are refused: %s", path, err.Error()).Because(err).WithExit(hound.ExitRefused)
	}
	return s, nil
}

// markers are variables, besides those of the known agents, that users set for
// agents which mark nothing themselves.
var markers = []string{"HCP_AGENT", "HCP_MCP"}

// personApproves refuses an approval that an agent gives, unless the user lets
// agents do so. A marker that the caller took away still stands in the
// environment of the shell that the agent used.
func personApproves(c *cli.Call) error {
	marker := c.AgentSign(markers...)
	if marker == "" {
		return nil
	}
	s, err := readSettings(c)
	if err != nil {
		return err
	}
	if s.AgentsMayApprove {
		return nil
	}
	f := fault.Newf(hound.CodeHumanOnly, "an approval is a person's to give, and %s marks an agent", marker).WithExit(hound.ExitHeld)
	if path, err := settingsPath(c); err == nil {
		return f.WithHint("run the command yourself, or allow it in %s with {\"agents_may_approve\": true}", path)
	}
	return f
}
