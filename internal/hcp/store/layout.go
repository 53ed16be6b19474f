package store

import (
	"path/filepath"
	"strings"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// The files and folders of a store, relative to its home.
const (
	packsDir       = "packs"
	skillsDir      = "skills"
	activationsDir = "activations"
	jailsDir       = "jails"
	ephemeralDir   = "ephemeral"
	outputsDir     = "outputs"
	locksDir       = "locks"
	tmpDir         = "tmp"

	stateFile  = "state.json"
	formatFile = "store.json"
	lockFile   = "store.lock"

	surfaceFile = "surface.json"
	harnessFile = "HARNESS.md"
	skillFile   = "SKILL.md"
)

// folders are those that every store has.
func folders() []string {
	return []string{packsDir, skillsDir, activationsDir, jailsDir, ephemeralDir, outputsDir, locksDir, tmpDir}
}

// Private is every mode the store gives: nobody but its user reads it.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Home resolves the location of the store: the value of HCP_HOME when it is
// set, else .hcp in the person's home folder. A leading "~" means that folder,
// since host configurations carry the value without a shell to expand it. A
// relative value is refused: the store would be another one in each folder that
// a command is called from, and an agent's working directory could supply it.
func Home(value, userHome string) (string, error) {
	rest, tilde := strings.CutPrefix(value, "~")
	switch {
	case value == "":
		rest = "/.hcp"
	case tilde && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator):
	case filepath.IsAbs(value):
		return filepath.Clean(value), nil
	default:
		return "", fault.Newf(CodeBadHome, "HCP_HOME %q is no absolute path", value).
			WithHint("write the whole path, or one that begins with ~/")
	}
	if !filepath.IsAbs(userHome) {
		return "", fault.New(CodeBadHome, "the home folder is unknown").
			WithHint("set HOME, or set HCP_HOME to an absolute path")
	}
	return filepath.Join(userHome, filepath.FromSlash(rest)), nil
}

func (s *Store) path(elements ...string) string {
	return filepath.Join(append([]string{s.home}, elements...)...)
}

// PackDir is where the pack is, or would be, installed.
func (s *Store) PackDir(id string) string { return s.path(packsDir, id) }

// SkillPath is where the pack's Skill is copied to.
func (s *Store) SkillPath(id string) string { return s.path(skillsDir, id, skillFile) }

func (s *Store) recordPath(id string) string { return s.path(activationsDir, id+".json") }

// validID reports whether id can name a pack of a store. Every id that reaches
// a path passes here. Names with a dot in front are the unfinished work of
// others in the same folder.
func validID(id string) bool { return ids.IsLoosePackID(id) && !strings.HasPrefix(id, ".") }
