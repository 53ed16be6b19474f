package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// CodeBadSettings is a settings file that cannot be used.
const CodeBadSettings = "bad_settings"

// settingsFile holds the user's settings, in the store.
const settingsFile = "access.json"

// settings are the members of the user's settings that say what belongs to the
// user. The other members say what runs without asking.
type settings struct {
	// Projects lists the ids that HCP_PROJECT_ID may name.
	Projects []string `json:"projects"`
	// Stores lists further stores, by absolute path, whose grants count when an
	// agent uses them.
	Stores []string `json:"stores"`
}

// readSettings reads the settings of a store. A missing file sets nothing; one
// that cannot be read is an error, since what it says may forbid something.
func readSettings(home string) (settings, error) {
	var s settings
	path := filepath.Join(home, settingsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		_, err = canon.DecodeOpen(data, &s, canon.Limits{})
	}
	if err != nil {
		return settings{}, fault.Newf(CodeBadSettings, "cannot use the settings %q: %s", path, reason(err)).
			WithHint("correct the file; nothing runs as long as its rules are unknown").Because(err)
	}
	return s, nil
}

func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
