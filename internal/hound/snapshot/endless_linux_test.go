package snapshot_test

import (
	"os/exec"
	"strings"
	"testing"

	"bridle/internal/hound/snapshot"
	"bridle/internal/kernel/fault"
)

// What a driver or a repository puts in the place of a file of git's may be a
// pipe, which keeps an open waiting, or have no end. A look comes to its end all
// the same, and says where it could not go on.
func TestLookEndsWhateverStandsForAFileOfGits(t *testing.T) {
	kinds := map[string]string{
		"a pipe": `rm -rf %; mkfifo %`, "a device": `rm -rf %; ln -s /dev/zero %`, "endless": `rm -rf %; truncate -s 1T %`,
	}
	for _, place := range []string{
		".git/HEAD", ".git/packed-refs", ".git/index", ".git/config", ".git/config.worktree", ".git/commondir",
		".git/objects/info/alternates", ".git/refs/heads/main", ".git/refs/heads/other",
	} {
		for kind, script := range kinds {
			t.Run(strings.TrimPrefix(place, ".git/")+" is "+kind, func(t *testing.T) {
				r := newRepo(t)
				before := r.take(nil)
				r.sh(strings.ReplaceAll(script, "%", place))
				r.o.Base = before
				after, err := snapshot.Take(t.Context(), r.dir, r.o)
				if err != nil {
					return
				}
				if after.Integrity() == nil && len(snapshot.Compare(before, after)) == 0 {
					t.Error("nothing is seen")
				}
			})
		}
	}
}

// Git follows a link among the refs, and would take everything below it for refs.
func TestLinkToAFolderIsNoRef(t *testing.T) {
	r := newRepo(t)
	r.sh(`ln -s / .git/refs/heads/all`)
	if _, err := snapshot.Take(t.Context(), r.dir, r.o); !fault.Is(err, snapshot.CodeUnreadable) {
		t.Errorf("%v", err)
	}
}

// A file of holes costs nothing to make and hours to read.
func TestFileOfHolesIsRefusedByName(t *testing.T) {
	r := newRepo(t)
	r.sh(`truncate -s 1T holes`)
	if _, err := snapshot.Take(t.Context(), r.dir, r.o); !fault.Is(err, snapshot.CodeUnreadable) || !strings.Contains(err.Error(), "holes") {
		t.Errorf("%v", err)
	}
}

// Included configuration is somebody else's file, and git reads it to its end.
func TestConfigurationWithoutAnEndIsRefusedByName(t *testing.T) {
	for kind, script := range map[string]string{
		"pipe": `mkfifo ../more`, "device": `ln -s /dev/zero ../more`, "endless": `truncate -s 1T ../more`,
	} {
		t.Run(kind, func(t *testing.T) {
			r := newRepo(t)
			r.sh(script + `; printf '[include]\n\tpath = ../../more\n' >> .git/config`)
			_, err := snapshot.Take(t.Context(), r.dir, r.o)
			if !fault.Is(err, snapshot.CodeUnreadable) || !strings.Contains(err.Error(), "more") {
				t.Errorf("%v", err)
			}
		})
	}
	for kind, script := range map[string]string{
		"null device": `ln -s /dev/null ../more`, "folder": `mkdir ../more`, "nothing": `true`,
	} {
		t.Run(kind, func(t *testing.T) {
			r := newRepo(t)
			r.sh(script + `; printf '[include]\n\tpath = ../../more\n' >> .git/config`)
			if _, err := snapshot.Take(t.Context(), r.dir, r.o); err != nil && exec.Command("git", "-C", r.dir, "rev-parse").Run() == nil {
				t.Errorf("git goes on: %v", err)
			}
		})
	}
}
