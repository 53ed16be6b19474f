//go:build amd64 || arm64

package trial

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestAFullDiskStopsNoReader: what is recorded is told where the disk takes nothing
// any more, with a note, also when a killed command left part of it in the index's
// log.
func TestAFullDiskStopsNoReader(t *testing.T) {
	bin := programs(t)
	if why := canCut(t, bin); why != "" {
		t.Log("left out, since processes cannot be traced here: " + why)
		return
	}
	for _, killed := range []bool{false, true} {
		c := &course{project: newProject(t, bin)}
		c.done("init")
		w := c.start("work")
		c.write(filepath.Join(w.workspace, "a.txt"), "changed\n")
		c.done("checkpoint", w.prompt)
		if killed {
			c.leaveLog(w)
		}
		want := map[string]string{}
		for _, args := range questions(w.prompt) {
			c.args = args
			a, report := c.cutAt("full", 1)
			name := strings.Join(args, " ")
			if a.exit != 0 {
				t.Errorf("log left: %t, hop %s on a full disk: exit %d, %s%s (%s)", killed, name, a.exit, a.stdout, a.stderr, report.Path)
			}
			want[name] = data(a)
			if args[0] == "status" && !strings.Contains(a.stdout, "disk is full") && !strings.Contains(a.stdout, "cannot be opened or made") {
				t.Errorf("log left: %t, no note: %s", killed, a.stdout)
			}
		}
		c.args = []string{"prompt", "--from", w.prompt, "more"}
		if a, _ := c.cutAt("full", 1); a.exit != 1 || a.text("hint") == "" {
			t.Errorf("log left: %t, prompt on a full disk: exit %d, %s%s", killed, a.exit, a.stdout, a.stderr)
		}
		// With room again the answers are the same.
		for _, args := range questions(w.prompt) {
			name := strings.Join(args, " ")
			if got := data(c.done(args...)); got != want[name] {
				t.Errorf("log left: %t, hop %s said on the full disk\n%s\nand now\n%s", killed, name, want[name], got)
			}
		}
		c.done("doctor")
	}
}

func questions(state string) [][]string {
	return [][]string{
		{"status"}, {"log"}, {"ops"}, {"graph"}, {"history"}, {"state", state}, {"show", state}, {"env", state}, {"config"},
	}
}

// data is an answer without the notes.
func data(a answer) string {
	if told, ok := a.body["data"].(map[string]any); ok {
		delete(told, "warnings")
	}
	text, err := json.Marshal(a.body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// leaveLog kills checkpoints, at their end first, until one has left what it
// recorded in the log of the index.
func (c *course) leaveLog(w work) {
	c.t.Helper()
	c.args = []string{"checkpoint", w.prompt}
	log := filepath.Join(c.dir, ".hop", "hop.db-wal")
	file := filepath.Join(w.workspace, "a.txt")
	c.write(file, "counted\n")
	_, report := c.cutAt("none", 0)
	for n := report.Writes; n > 0; n-- {
		c.write(file, "killed at "+strconv.Itoa(n)+"\n")
		c.cutAt("all", n)
		if info, err := os.Stat(log); err == nil && info.Size() > 0 {
			// What makes the log quick to read can be made anew, given room.
			must(c.t, os.RemoveAll(filepath.Join(c.dir, ".hop", "hop.db-shm")))
			return
		}
	}
	c.t.Fatal("no kill left a log")
}

// TestAShareThatFailsHereRefusesNothing: what this machine's disk does not take is
// no fault of the remote's, so the exchange fails instead of naming refs as
// refused, at whatever call of git's the disk gives way.
func TestAShareThatFailsHereRefusesNothing(t *testing.T) {
	bin := programs(t)
	if why := canCut(t, bin); why != "" {
		t.Log("left out, since processes cannot be traced here: " + why)
		return
	}
	i := slices.IndexFunc(sharing(), func(o operation) bool { return o.name == "share both ways" })
	c := newCourse(t, bin, sharing()[i])
	byGit, failed := 0, 0
	for n := 1; n <= c.writes && byGit < 6; n++ {
		c.reset()
		a, report := c.cutAt("io", n)
		if a.exit == 0 && strings.Contains(a.stdout, `"refused"`) {
			t.Errorf("call %d failed (%s %s): it says that refs were refused\n%s", n, report.Call, report.Path, a.stdout)
		}
		if a.exit != 0 && (a.text("hint") == "" || a.code() == "") {
			t.Errorf("call %d failed (%s %s): exit %d, %s%s", n, report.Call, report.Path, a.exit, a.stdout, a.stderr)
		}
		if report.Child {
			byGit++
		}
		if a.code() == "io_failed" {
			failed++
		}
	}
	if byGit == 0 || failed == 0 {
		t.Errorf("%d calls of git's failed, and %d exchanges", byGit, failed)
	}
}
