package bridle_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// bannedCalls are functions that only a few folders may use, outside of tests.
var bannedCalls = []struct {
	names  string // package.Name …
	rooms  []string
	reason string
}{
	{
		"os.StartProcess syscall.ForkExec syscall.StartProcess syscall.Exec unix.Exec",
		[]string{"internal/kernel/proc"},
		"processes start in internal/kernel/proc",
	},
	{
		"json.Unmarshal json.NewDecoder json.Marshal json.MarshalIndent json.NewEncoder json.Decoder json.Encoder",
		[]string{"internal/kernel/canon", "internal/ci"},
		"JSON is read and written by internal/kernel/canon",
	},
	{
		"os.WriteFile os.Create os.CreateTemp os.Rename os.Link os.Symlink os.Truncate",
		[]string{"internal/kernel/durable", "internal/ci"},
		"files are written by internal/kernel/durable",
	},
	{
		"os.Getenv os.LookupEnv os.Environ os.ExpandEnv os.Setenv os.Unsetenv os.UserHomeDir os.UserCacheDir os.UserConfigDir os.Getwd os.Chdir os.Executable os.Args os.Stdin os.Stdout os.Stderr",
		[]string{"internal/kernel/cli", "internal/ci", "hound/driverkit/example"},
		"the process's surroundings enter at Main and are passed as values",
	},
	{
		"os.Exit log.Fatal",
		[]string{"cmd", "internal/ci", "hound/driverkit/example"},
		"only a main ends the process",
	},
	{
		"time.Now",
		[]string{"internal/kernel/clock", "internal/ci"},
		"time comes from internal/kernel/clock",
	},
}

// callExceptions lists uses of banned functions that stay, with the reason.
var callExceptions = map[string]string{
	"internal/kernel/proc/exec_windows.go os.Stdin":  "standing in for this process means handing its streams on",
	"internal/kernel/proc/exec_windows.go os.Stdout": "standing in for this process means handing its streams on",
	"internal/kernel/proc/exec_windows.go os.Stderr": "standing in for this process means handing its streams on",
	"internal/kernel/proc/exec_windows.go os.Exit":   "Windows has no exec: the process waits and ends with the program's code",
	"internal/kernel/proc/run_other.go time.Now":     "the monotonic reading times a run and is no date",
	"internal/kernel/git/private.go os.Link":         "a second name makes the lock, as whose it can be told; nothing is flushed",
	"internal/hop/ledger/rebuild.go os.Link":         "a second name keeps a broken index until a whole one is in its place; it may be lost",
	"internal/hop/workspace/link.go os.Symlink":      "links in a working copy can be made again and are not flushed",
	"internal/kernel/git/private.go os.Rename":       "an index is a cache whose checksum is verified, so it is replaced without flushing",
	"hop/digest.go json.NewEncoder":                  "the state digest has a JSON dialect of its own, and a vocabulary imports nothing of ours",
}

func TestBannedCalls(t *testing.T) {
	used := map[string]bool{}
	for _, s := range tree(t) {
		if s.test {
			continue
		}
		imports := s.imports()
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			name, ok := sel.X.(*ast.Ident)
			if !ok || name.Obj != nil || imports[name.Name] == "" {
				return true
			}
			call := path.Base(imports[name.Name]) + "." + sel.Sel.Name
			for _, b := range bannedCalls {
				if !slices.Contains(strings.Fields(b.names), call) || within(s.pkg, b.rooms...) {
					continue
				}
				key := s.path + " " + call
				if callExceptions[key] == "" {
					t.Errorf("%s: %s: %s", fileSet.Position(sel.Pos()), call, b.reason)
				}
				used[key] = true
			}
			return true
		})
	}
	for key := range callExceptions {
		if !used[key] {
			t.Errorf("callExceptions lists %q, which is not there any more", key)
		}
	}
}

// openExceptions lists files that open a file for writing by themselves, with
// the reason why internal/kernel/durable does not fit.
var openExceptions = map[string]string{
	"internal/hcp/source/extract.go":           "unpacks archives into a temporary folder",
	"internal/hcp/source/fetch.go":             "downloads archives into a temporary folder",
	"internal/hop/workspace/seed.go":           "copies ignored files into a working copy, where they can be made again",
	"internal/hcp/store/tree.go":               "fills a staging folder, which durable then flushes and publishes as a whole",
	"internal/hcp/store/output.go":             "streams outputs that are kept for an hour and may be lost",
	"internal/hcp/adapter/wrap/rooted.go":      "writes through os.Root, so that a program that is still running cannot lead the write out of its place by a link",
	"internal/kernel/proc/cgroup_linux.go":     "writes to the kernel's control files",
	"internal/kernel/sandbox/rules_linux.go":   "looks for the flag in the calls of others; opens nothing",
	"internal/kernel/proc/supervisor_linux.go": "opens /dev/null for its streams",
	"internal/kernel/cli/terminal_unix.go":     "opens the controlling terminal",
	"internal/kernel/cli/terminal_windows.go":  "opens the controlling terminal",
	"internal/kernel/git/write.go":             "writes objects under temporary names that git's own housekeeping removes, then moves them by durable",
	"internal/kernel/git/change_linux.go":      "writes the files of a working tree below a held folder, following no link; a working tree can be made again",
	"internal/kernel/git/change_other.go":      "writes the files of a working tree through os.Root; a working tree can be made again",
	"internal/kernel/git/moverefs.go":          "takes git's own lock files, which are there or not there and become the refs by durable",
	"internal/kernel/git/quarantine.go":        "fills a folder that is thrown away",
	"internal/hound/identity/system_linux.go":  "publishes files that never had a temporary name, which the trust model asks of an identity",
}

func TestFilesAreOpenedForWritingOnlyByTheirRoom(t *testing.T) {
	for _, s := range tree(t) {
		if s.test || within(s.pkg, "internal/kernel/durable", "internal/kernel/journal", "internal/kernel/seal", "internal/ci") || openExceptions[s.path] != "" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"O_CREATE", "O_CREAT", "O_TRUNC", "O_APPEND", "O_WRONLY", "O_RDWR"}, sel.Sel.Name) {
				t.Errorf("%s: %s: files are written by internal/kernel/durable", fileSet.Position(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
}
