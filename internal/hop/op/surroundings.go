package op

import (
	"path/filepath"
	"strings"

	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/git"
)

// Surroundings is what an operation knows of the process it runs in.
type Surroundings struct {
	// Dir is the absolute folder that the caller stands in.
	Dir string
	// Environ is the environment that checks inherit, as name=value.
	Environ []string
	// Home is the user's home folder, or empty.
	Home  string
	Clock clock.Clock
	// Progress hears what takes long; nil hears nothing.
	Progress func(text string)
}

// env returns a variable, empty when it is not set.
func (s Surroundings) env(name string) string {
	value := ""
	for _, entry := range s.Environ {
		if key, v, found := strings.Cut(entry, "="); found && key == name {
			value = v
		}
	}
	return value
}

func (s Surroundings) say(text string) {
	if s.Progress != nil {
		s.Progress(text)
	}
}

// gitOptions are what repositories are opened with.
func (s Surroundings) gitOptions(filters bool) (git.Options, error) {
	program, err := git.Find(s.env("PATH"))
	if err != nil {
		return git.Options{}, err
	}
	config := s.env("XDG_CONFIG_HOME")
	if config == "" && s.Home != "" {
		config = filepath.Join(s.Home, ".config")
	}
	return git.Options{Program: program, Home: s.Home, ConfigHome: config, Filters: filters, Clock: s.Clock}, nil
}
