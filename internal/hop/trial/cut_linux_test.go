//go:build amd64 || arm64

package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/clock"
)

// kinds are what happens at a call: the machine stops, hop is killed while its
// children go on, whoever writes is killed, the disk is full from then on, or the
// one call fails.
var kinds = []string{"all", "hop", "writer", "full", "io"}

// shortCuts is how many cuts a short run makes.
const shortCuts = 60

// TestEveryCut cuts operations at the calls that change files, and looks what is
// left. A short run takes calls and kinds that are spread over all there are; with
// -cuts it makes that many, and from a certain number on every one there is.
func TestEveryCut(t *testing.T) {
	bin := programs(t)
	if why := canCut(t, bin); why != "" {
		t.Log("left out, since processes cannot be traced here: " + why)
		return
	}
	if *one != "" {
		oneCut(t, bin, *one)
		return
	}
	var courses []*course
	possible := 0
	for _, o := range operations() {
		c := newCourse(t, bin, o)
		courses = append(courses, c)
		possible += len(kinds) * c.writes
	}
	total := *cuts
	if total == 0 {
		total = shortCuts
	}
	t.Run("cuts", func(t *testing.T) {
		first := 0
		for _, c := range courses {
			begin := first
			first += len(kinds) * c.writes
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.t = t
				for k := range total {
					if at := k * possible / total; at >= begin && at < begin+len(kinds)*c.writes {
						c.cut(kinds[(at-begin)%len(kinds)], 1+(at-begin)/len(kinds))
					}
				}
			})
		}
	})
	made, losses := 0, 0
	for _, c := range courses {
		t.Logf("%-34s %4d calls, %5d cuts, %5d acknowledged, %5d done again, %4d repaired, %d losses",
			c.name, c.writes, c.made, c.acked, c.again, c.repaired, c.losses)
		made, losses = made+c.made, losses+c.losses
	}
	t.Logf("%d cuts of %d calls in %d ways, %d losses", made, possible/len(kinds), len(kinds), losses)
}

// oneCut makes the cut of which a loss was told, with the number of the call.
func oneCut(t *testing.T, bin, told string) {
	t.Helper()
	words := strings.Split(told, ",")
	for _, o := range operations() {
		if len(words) == 3 && o.name == words[0] {
			call, err := strconv.Atoi(words[2])
			if err != nil {
				t.Fatal(err)
			}
			newCourse(t, bin, o).cut(words[1], call)
			return
		}
	}
	t.Fatalf("%q names no cut", told)
}

// canCut says why this machine lets nobody trace processes, or nothing.
func canCut(t *testing.T, bin string) string {
	p := &project{t: t, dir: t.TempDir(), bin: bin, home: t.TempDir()}
	cmd := p.command("version")
	report := filepath.Join(p.home, "report")
	cmd.Args = append([]string{"cutter", "none", "0", report, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = filepath.Join(bin, "cutter")
	if a := run(t, cmd); a.exit != 0 {
		return a.stderr
	}
	return ""
}

// course is an operation with what it does when nothing cuts it.
type course struct {
	*project
	operation
	args  []string
	saved string
	// writes is how many calls of it change files.
	writes int
	exit   int
	// before and after are the project without and with the operation.
	before, after picture
	// made, acked, again, repaired and losses count cuts.
	made, acked, again, repaired, losses int
}

func newCourse(t *testing.T, bin string, o operation) *course {
	t.Helper()
	c := &course{project: newProject(t, bin), operation: o}
	c.args = o.prepare(c.project)
	c.saved = c.dir + ".saved"
	copyTree(t, c.dir, c.saved)
	c.before = c.look()
	c.reset()
	a, report := c.cutAt("none", 0)
	if a.body == nil || report.Writes < 5 {
		t.Fatalf("%s: exit %d, %d writes\n%s%s", c.name, a.exit, report.Writes, a.stdout, a.stderr)
	}
	c.writes, c.exit, c.after = report.Writes, a.exit, c.look()
	if o.anew {
		// The operation brings back what was there before somebody damaged it.
		damaged := c.before.files
		c.before = c.after
		c.before.files = damaged
	}
	return c
}

// reset brings the project back to what it was before the operation.
func (c *course) reset() {
	removeTree(c.t, c.dir)
	copyTree(c.t, c.saved, c.dir)
}

// cutAt runs the operation under the cutter.
func (c *course) cutAt(kind string, n int) (answer, cutReport) {
	cmd := c.command(append([]string{"--json"}, c.args...)...)
	file := filepath.Join(c.home, "report")
	cmd.Args = append([]string{"cutter", kind, strconv.Itoa(n), file, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = filepath.Join(c.bin, "cutter")
	cmd.Stdin = strings.NewReader(c.stdin)
	a := run(c.t, cmd)
	var report cutReport
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &report)
	}
	if a.exit != 0 || err != nil {
		c.t.Fatalf("%s: the cutter failed: %v\n%s", c.name, err, a.stderr)
	}
	a.exit = report.Exit
	return a, report
}

// picture is what there is of a project.
type picture struct {
	// index says that there is one that can be read.
	index  bool
	states map[string]hop.State
	// operations are what was done, oldest first, each as verb and states.
	operations []string
	ids        []string
	accepted   string
	head       string
	files      map[string]string
}

// look takes a picture of the project as it is.
func (c *course) look() picture {
	c.t.Helper()
	shot := picture{states: map[string]hop.State{}, files: files(c.t, c.dir), head: c.git("rev-parse", "HEAD")}
	for path, text := range c.workspaces() {
		shot.files[path] = text
	}
	ctx := context.Background()
	p, err := op.Open(ctx, op.Surroundings{Dir: c.dir, Environ: c.env(), Home: c.home, Clock: clock.System()})
	if err != nil {
		return shot
	}
	defer p.Close()
	shot.index = true
	all, err := p.All(ctx)
	must(c.t, err)
	for _, e := range all {
		shot.states[e.State.ID] = e.State
	}
	accepted, err := p.Accepted(ctx)
	must(c.t, err)
	shot.accepted = fingerprint(accepted.State)
	shot.operations, shot.ids = c.history(ctx, p.Ledger, shot.states)
	return shot
}

// history lists what was done, oldest first.
func (c *course) history(ctx context.Context, l *ledger.Ledger, states map[string]hop.State) (prints, ids []string) {
	list, err := l.Operations(ctx, 1000)
	must(c.t, err)
	slices.Reverse(list)
	for _, o := range list {
		words := []string{o.Verb}
		for _, id := range o.States {
			words = append(words, fingerprint(states[id]))
		}
		prints, ids = append(prints, strings.Join(words, separator)), append(ids, o.ID)
	}
	return prints, ids
}

// separator stands between the states of an operation.
const separator = " + "

// fingerprint is what is the same in every run of an operation.
func fingerprint(s hop.State) string {
	return fmt.Sprintf("%s %.8s %q %q", s.Kind, s.SourceTree, s.Prompt, withoutIDs(s.Summary))
}

// withoutIDs cuts what differs from run to run.
func withoutIDs(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if _, ok := hop.KindOf(w); ok {
			words[i] = "ID"
		}
	}
	return strings.Join(words, " ")
}

// workspaces are the files of the workspaces.
func (c *course) workspaces() map[string]string {
	dir := filepath.Join(c.dir, ".hop", "workspaces")
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	return files(c.t, dir)
}
