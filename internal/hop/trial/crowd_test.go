package trial

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bridle/internal/hop/op"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// landings is how many proposals TestCrowd lands.
var landings = flag.Int("landings", 32, "how many disjoint proposals to land in all, by 32 processes at once")

// crowd is how many processes are at work at once.
const crowd = 32

// mostAgain bounds how often a landing answers that others were faster, and
// mostComposed how often it composes anew by itself: once overtaken, it has a turn.
const (
	mostAgain    = 1
	mostComposed = 2
)

// tally counts what the crowd did.
type tally struct {
	sync.Mutex
	proposals map[string]string // proposal to the file it brings
	accepted  map[string]string // accepted state to proposal
	retried   int
	composed  float64
	// most is how often one landing composed anew.
	most float64
}

// TestCrowd lets many processes begin, record, propose and land at once on one
// repository. Whatever was acknowledged is there at the end, each landing is one
// accepted state on one line, and nobody waits for ever.
func TestCrowd(t *testing.T) {
	p := newProject(t, programs(t))
	p.done("init")
	all := &tally{proposals: map[string]string{}, accepted: map[string]string{}}
	began := time.Now()
	var group sync.WaitGroup
	for worker := range crowd {
		group.Go(func() {
			for n := worker; n < *landings; n += crowd {
				if !all.contribute(p, worker, n) {
					return
				}
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	if t.Failed() {
		return
	}
	all.verify(t, p)
	t.Logf("%d proposals of %d processes landed in %.1f s: %.1f a second, each with start, checkpoint, propose and land; composed anew %.0f times, one at most %.0f times, given again %d times",
		*landings, crowd, took.Seconds(), float64(*landings)/took.Seconds(), all.composed, all.most, all.retried)
	if all.most > mostComposed {
		t.Errorf("a landing composed anew %.0f times, more than %d", all.most, mostComposed)
	}
}

// contribute is one piece of work from its instruction to its landing.
func (all *tally) contribute(p *project, worker, n int) bool {
	file := fmt.Sprintf("by-%d/%d.txt", worker, n)
	a := p.hop("start", "--agent", fmt.Sprintf("worker-%d", worker), "bring "+file)
	if !all.fine(p, a, "start") {
		return false
	}
	prompt, workspace := a.text("data.prompt.id"), a.text("data.workspace")
	p.write(filepath.Join(workspace, file), "by "+file+"\n")
	if a := p.hop("checkpoint", prompt); !all.fine(p, a, "checkpoint") {
		return false
	}
	a = p.hop("propose", "--summary", "bring "+file, prompt)
	if !all.fine(p, a, "propose") {
		return false
	}
	proposal := a.text("data.proposal.id")
	land := []string{"land", proposal}
	if n%4 == 0 { // some with a validation, which takes longer than the others' landings
		land = append(land, "--", "test", "-f", file)
	}
	for range mostAgain + 1 {
		a := p.hop(land...)
		if a.exit == 21 {
			all.Lock()
			all.retried++
			all.Unlock()
			continue
		}
		if !all.fine(p, a, "land") {
			return false
		}
		all.note(a, proposal, file)
		return true
	}
	p.t.Errorf("proposal %s was overtaken %d times", proposal, mostAgain+1)
	return false
}

func (all *tally) note(a answer, proposal, file string) {
	all.Lock()
	defer all.Unlock()
	all.proposals[proposal] = file
	all.accepted[a.text("data.state.id")] = proposal
	if data, ok := a.body["data"].(map[string]any); ok {
		retries, _ := data["retries"].(float64)
		all.composed += retries
		all.most = max(all.most, retries)
	}
}

func (all *tally) fine(p *project, a answer, what string) bool {
	if a.exit != 0 || !a.acknowledged() {
		p.t.Errorf("%s: exit %d\n%s%s", what, a.exit, a.stdout, a.stderr)
		return false
	}
	return true
}

// verify looks whether all that was acknowledged is there, in one line.
func (all *tally) verify(t *testing.T, p *project) {
	t.Helper()
	if len(all.accepted) != *landings || len(all.proposals) != *landings {
		t.Fatalf("%d proposals and %d accepted states of %d", len(all.proposals), len(all.accepted), *landings)
	}
	head := p.done("status").text("data.accepted_head.id")
	line := 0
	for head != "" {
		state := p.done("state", head)
		if proposal, ours := all.accepted[head]; ours {
			line++
			if !strings.Contains(state.stdout, proposal) {
				t.Errorf("accepted state %s does not come from %s", head, proposal)
			}
		}
		head = ""
		data, _ := state.body["data"].(map[string]any)
		parents, _ := data["parents"].([]any)
		for _, parent := range parents {
			if m, _ := parent.(map[string]any); m["role"] == "canonical_parent" {
				head, _ = m["state_id"].(string)
			}
		}
	}
	if line != *landings {
		t.Errorf("%d of %d landings are on the accepted line", line, *landings)
	}
	tree := p.git("ls-tree", "-r", "--name-only", "refs/hop/accepted")
	for _, file := range all.proposals {
		if !strings.Contains(tree, file) {
			t.Errorf("%s was landed and is not there", file)
		}
	}
	if d := p.hop("doctor"); d.exit != 0 {
		t.Errorf("the doctor finds: %s", d.stdout)
	}
}

// TestAFaultNamesWhoHoldsTheLock: who waits in vain is told for whom.
func TestAFaultNamesWhoHoldsTheLock(t *testing.T) {
	p := newProject(t, programs(t))
	p.done("init")
	w := p.start("work")
	unlock, err := durable.Lock(t.Context(), filepath.Join(p.dir, ".hop", "ledger.lock"), "a slow writer")
	must(t, err)
	project, err := op.Open(t.Context(), op.Surroundings{Dir: p.dir, Environ: p.env(), Home: p.home, Clock: clock.System()})
	must(t, err)
	defer project.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := project.Checkpoint(ctx, w.prompt); !fault.Is(err, durable.CodeLocked) || !strings.Contains(err.Error(), "a slow writer (pid") {
		t.Errorf("got %v", err)
	}
	unlock()
	p.done("checkpoint", w.prompt)

	// Collecting does not wait: it leaves alone what somebody is at work in.
	unlock, err = durable.Lock(t.Context(), filepath.Join(p.dir, ".hop", "locks", w.attempt+".lock"), "a slow reader")
	must(t, err)
	defer unlock()
	if a := p.done("gc", "--all"); !strings.Contains(a.stdout, "a slow reader (pid") {
		t.Errorf("the holder is not named: %s", a.stdout)
	}
}
