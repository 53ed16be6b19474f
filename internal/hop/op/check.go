package op

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
	"bridle/internal/kernel/journal"
)

// CheckRequest is a command to run on an exact checkpoint.
type CheckRequest struct {
	State   string
	Command []string
	// Reuse answers from earlier evidence about the same run, where it succeeded.
	Reuse bool
}

// Check records the workspace of the state's attempt and runs the command in a
// clean checkout of exactly that. What is edited meanwhile does not matter.
func (p *Project) Check(ctx context.Context, r CheckRequest) (hop.Check, error) {
	_, attempt, err := p.stateOfAttempt(ctx, r.State)
	if err != nil {
		return hop.Check{}, err
	}
	c, err := p.checkpointForCheck(ctx, attempt)
	if err != nil {
		return hop.Check{}, err
	}
	check, err := p.examine(ctx, c.State, p.environment(c.State, p.absolute(attempt)), r, false)
	if err != nil {
		return hop.Check{}, err
	}
	check.StateID = c.ID
	if err := p.record(ctx, "check", func(t *ledger.Tx) error {
		t.About(attempt.ID)
		check.CreatedAt = t.Now()
		t.Check(check)
		return nil
	}); err != nil {
		return hop.Check{}, err
	}
	check.Incomplete = c.Incomplete
	if check.ExitCode != 0 {
		return check, checkFailed(check)
	}
	return check, nil
}

func (p *Project) checkpointForCheck(ctx context.Context, attempt hop.Attempt) (hop.Checkpointed, error) {
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "check")
	if err != nil {
		return hop.Checkpointed{}, err
	}
	defer unlock()
	return p.checkpoint(ctx, attempt)
}

func checkFailed(c hop.Check) error {
	f := fault.Newf(CodeCheckFailed, "check %q failed: %s %s", c.ID, QuoteAll(c.Command), ending(c)).WithExit(hop.ExitValidation).
		WithHint("the evidence is recorded; mend the workspace and check again").WithNext("hop show " + c.ID)
	return f.Because(&Details{Check: &c})
}

// ending says how a command ended.
func ending(c hop.Check) string {
	switch {
	case c.TimedOut:
		return "took longer than its time limit"
	case c.Signal != "":
		return "was ended by " + c.Signal
	default:
		return "ended with exit code " + itoa(c.ExitCode)
	}
}

// examine runs a command on a state's tree in a clean checkout. The evidence is
// not recorded yet.
func (p *Project) examine(ctx context.Context, s hop.State, env hop.Environment, r CheckRequest, validation bool) (hop.Check, error) {
	argv, counts := redactCommand(r.Command)
	check := hop.Check{
		ID: hop.NewID(hop.PrefixEvidence, p.Clock.Now()), AttemptID: s.AttemptID, TreeHash: s.SourceTree,
		Command: argv, CreatedAt: p.Clock.Now().UTC(),
	}
	p.say("preparing a clean checkout")
	proof := workspace.ByState
	if validation {
		proof = workspace.ByContent
	}
	slot, err := workspace.Take(ctx, p.Repo, p.Layout, p.Config, git.OID(s.SourceTree), git.OID(s.GitCommit), proof)
	if err != nil {
		return check, err
	}
	defer slot.Release()
	check.Seeds = slot.Seeds
	if check.Key, err = p.runKey(s.SourceTree, r.Command, slot); err != nil {
		return check, err
	}
	if r.Reuse {
		if known, found, err := p.Remembered(ctx, check.Key); err != nil || found && known.ExitCode == 0 {
			return repeated(check, known), err
		}
	}
	p.say("running the command")
	out, err := p.runCommand(ctx, r.Command, slot.Dir, env, p.Config.Check.Limit(), validation)
	if err != nil {
		return check, err
	}
	check.ExitCode, check.Signal, check.TimedOut, check.Output = out.ExitCode, out.Signal, out.TimedOut, out.Output
	check.Redactions = addCounts(counts, out.Redactions)
	check.DurationMS, check.Leftovers = out.Duration.Milliseconds(), out.Leftovers
	if out.Size > maxOutput {
		check.OutputBytes = out.Size
	}
	return check, nil
}

// repeated is evidence of its own that repeats an earlier one.
func repeated(check, known hop.Check) hop.Check {
	check.ExitCode, check.Output, check.OutputBytes = known.ExitCode, known.Output, known.OutputBytes
	check.Redactions, check.ReusedFrom = known.Redactions, known.ID
	if known.ReusedFrom != "" {
		check.ReusedFrom = known.ReusedFrom
	}
	return check
}

// runKey identifies a run: tree, command, seeds and environment. The variables
// that name states differ from run to run and are left out. The digest has a key
// of this project's, since what is in an environment can be guessed.
func (p *Project) runKey(tree string, argv []string, slot *workspace.Slot) (string, error) {
	key, err := journal.Key(filepath.Join(p.Layout.Dir(), "evidence.key"))
	if err != nil {
		return "", err
	}
	var sum bytes.Buffer
	part := func(words ...string) {
		for _, word := range words {
			sum.WriteString(word)
			sum.WriteByte(0)
		}
		sum.WriteByte(1)
	}
	part(tree)
	part(argv...)
	part(slot.Seeds...)
	for _, path := range slot.Seeds {
		part(stamp(filepath.Join(p.Layout.Root, filepath.FromSlash(path))))
	}
	var env []string
	for _, entry := range p.Environ {
		if name, _, _ := strings.Cut(entry, "="); !strings.HasPrefix(name, "HOP_") && !perProcess(name) {
			env = append(env, entry)
		}
	}
	slices.Sort(env)
	part(env...)
	return journal.KeyedDigest(key, sum.Bytes()), nil
}

// perProcess are variables that say where a shell stands, not how it behaves.
func perProcess(name string) bool {
	return slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name)
}

// stamp changes when a seed does.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return info.ModTime().UTC().String() + " " + itoa(int(info.Size()))
}
