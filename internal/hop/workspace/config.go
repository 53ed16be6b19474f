package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Config is the project's configuration, .hop/config.toml. Its zero value is
// what holds where nothing is said.
type Config struct {
	// Workspaces is "inside" (the default) or "outside".
	Workspaces string `toml:"workspaces"`
	// Overlap is "paths" (the default: a path changed on both sides blocks a
	// landing) or "content" (changes in separate places of a file are merged).
	Overlap string `toml:"overlap"`
	// MaxFile is the size of the largest file that a snapshot takes, in bytes;
	// 0 means 100 MiB.
	MaxFile int64 `toml:"max_file"`
	// Filters lets the repository's clean and smudge programs run.
	Filters bool       `toml:"filters"`
	Seed    SeedConfig `toml:"seed"`
	Check   RunConfig  `toml:"check"`
	Setup   RunConfig  `toml:"setup"`
	GC      GCConfig   `toml:"gc"`
}

// SeedConfig lists ignored paths that working copies need.
type SeedConfig struct {
	// Copy and Link are paths or patterns relative to the root.
	Copy []string `toml:"copy"`
	Link []string `toml:"link"`
}

// RunConfig bounds a command.
type RunConfig struct {
	// Command is the argv of the setup command.
	Command []string `toml:"command"`
	// Timeout is a duration such as "30m".
	Timeout string `toml:"timeout"`
	// Caches are ignored paths that survive from one check to the next.
	Caches []string `toml:"caches"`
}

// GCConfig says when an attempt counts as idle.
type GCConfig struct {
	IdleAfter string `toml:"idle_after"`
}

// Defaults of the configuration.
const (
	DefaultMaxFile   = 100 << 20
	DefaultTimeout   = 30 * time.Minute
	DefaultIdleAfter = 24 * time.Hour
	// OverlapContent merges changes in separate places of a file.
	OverlapContent = "content"
	overlapPaths   = "paths"
	outside        = "outside"
	inside         = "inside"
)

// CodeBadConfig marks a configuration that cannot be used.
const CodeBadConfig = "bad_config"

// ReadConfig reads the project's configuration. Unknown names are refused: a
// misspelled limit must not be silently absent.
func ReadConfig(file string) (Config, error) {
	var c Config
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, durable.Explain("read", file, err)
	}
	decoder := toml.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, badConfig(file, explainTOML(err)).Because(err)
	}
	return c, c.check(file)
}

func explainTOML(err error) string {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		return "it has the unknown name \"" + strings.Join(strict.Errors[0].Key(), ".") + "\""
	}
	return err.Error()
}

func badConfig(file, why string) *fault.Error {
	return fault.Newf(CodeBadConfig, "the configuration %q cannot be used: %s", file, why).
		WithHint("correct it, or remove it to have the defaults")
}

func (c *Config) check(file string) error {
	switch {
	case !slices.Contains([]string{"", inside, outside}, c.Workspaces):
		return badConfig(file, `workspaces is neither "inside" nor "outside"`)
	case !slices.Contains([]string{"", overlapPaths, OverlapContent}, c.Overlap):
		return badConfig(file, `overlap is neither "paths" nor "content"`)
	case c.MaxFile < 0:
		return badConfig(file, "max_file is negative")
	}
	for _, text := range []string{c.Check.Timeout, c.Setup.Timeout, c.GC.IdleAfter} {
		if d, err := time.ParseDuration(text); text != "" && (err != nil || d <= 0) {
			return badConfig(file, "\""+text+`" is no duration such as "30m"`)
		}
	}
	for _, p := range slices.Concat(c.Seed.Copy, c.Seed.Link, c.Check.Caches) {
		if !localPattern(p) {
			return badConfig(file, "\""+p+"\" does not stay in the project")
		}
	}
	return nil
}

// localPattern reports whether a path or pattern stays below the root and out of
// the folders that git and we have there.
func localPattern(p string) bool {
	clean := path.Clean(strings.TrimPrefix(p, "./"))
	if clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || strings.HasPrefix(clean, "/") || strings.Contains(p, "\x00") {
		return false
	}
	first, _, _ := strings.Cut(clean, "/")
	return !strings.EqualFold(first, ".git") && !strings.EqualFold(first, FolderName)
}

// Outside reports whether workspaces are outside the project.
func (c Config) Outside() bool { return c.Workspaces == outside }

// FileLimit is the size of the largest file that a snapshot takes.
func (c Config) FileLimit() int64 {
	if c.MaxFile == 0 {
		return DefaultMaxFile
	}
	return c.MaxFile
}

// Limit is the time limit of a command.
func (r RunConfig) Limit() time.Duration { return duration(r.Timeout, DefaultTimeout) }

// Idle is the time after which an attempt may be parked.
func (g GCConfig) Idle() time.Duration { return duration(g.IdleAfter, DefaultIdleAfter) }

func duration(text string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d
	}
	return otherwise
}
