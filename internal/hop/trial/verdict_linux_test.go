//go:build amd64 || arm64

package trial

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/clock"
)

// verdict collects what is wrong after one cut.
type verdict struct {
	*course
	label string
	lost  bool
	// there says that there is a project.
	there bool
}

func (v *verdict) loss(format string, args ...any) {
	v.lost = true
	v.t.Errorf("%s: %s", v.label, fmt.Sprintf(format, args...))
}

// must runs a command that has to succeed.
func (v *verdict) must(args ...string) answer {
	a := v.hop(args...)
	if a.exit != 0 {
		v.loss("hop %s: exit %d: %s%s", strings.Join(args, " "), a.exit, a.text("error"), a.stderr)
	}
	return a
}

// cut cuts the operation once and looks at what is left.
func (c *course) cut(kind string, n int) {
	c.reset()
	a, report := c.cutAt(kind, n)
	c.made++
	v := &verdict{course: c, label: fmt.Sprintf("%s, %q at call %d (%s %s)", c.name, kind, n, report.Call, report.Path)}
	v.answer(a)
	complete := v.recorded(a)
	if v.there {
		v.sound()
	}
	if !complete {
		v.repeat()
	}
	v.usable()
	if v.rewrites {
		v.spotless()
	}
	if v.lost {
		c.losses++
	}
}

// answer looks at what the operation said: a failure that it could tell says its
// code and what to do.
func (v *verdict) answer(a answer) {
	if a.acknowledged() {
		v.acked++
	}
	if a.exit > 0 && a.exit != v.exit && (a.body == nil || a.code() == "" || a.text("hint") == "") {
		v.loss("exit %d without a code and a hint: %s%s", a.exit, a.stdout, a.stderr)
	}
	if a.exit == 2 && v.exit != 2 {
		v.loss("a failure is told as a wrong use: %s", a.stdout)
	}
}

// recorded looks at what is recorded, after the next command has healed what the
// cut left, and reports whether the operation is done.
func (v *verdict) recorded(a answer) (complete bool) {
	status := v.hop("status")
	v.there = status.code() != "no_project"
	if status.exit != 0 && v.before.index && status.code() != "index_broken" {
		v.loss("the next command fails: %s%s", status.text("error"), status.stderr)
	}
	now := v.look()
	v.files(now)
	if now.head != v.before.head && now.head != v.after.head {
		v.loss("the user's branch is at %s", now.head)
	}
	if !now.index {
		if a.acknowledged() || v.before.index && !v.anew {
			v.loss("the index is gone")
		}
		return false
	}
	for id, s := range v.before.states {
		if got := now.states[id]; got.Digest != s.Digest && !(v.rewrites && got.SourceTree == v.after.states[id].SourceTree) {
			v.loss("state %s is not as it was", id)
		}
	}
	made, complete := now.since(v.before)
	expected, _ := v.after.since(v.before)
	if !complete {
		v.loss("operations are missing: %q of %q", now.ids, v.before.ids)
		return false
	}
	if !v.beginning(made, expected) {
		v.loss("it made %q, which is not a beginning of %q", made, expected)
		return false
	}
	complete = len(made) == len(expected)
	// What gc could not record it leaves where it is, and what share could not fetch
	// it leaves where that is: they say so.
	told := strings.Contains(a.stdout, `"preserved"`) || strings.Contains(a.stdout, `"refused"`)
	if a.acknowledged() && !complete && a.exit == 0 && !told {
		v.loss("acknowledged, and not there: %q of %q", made, expected)
	}
	if accepted := lastAccepted(v.before.accepted, made); now.accepted != accepted && !(v.receives && (now.accepted == v.before.accepted || now.accepted == v.after.accepted)) {
		v.loss("the accepted state is %s and not %s", now.accepted, accepted)
	}
	// Where nothing is recorded that was not there before, done is what was said.
	return complete && (len(expected) > 0 || a.acknowledged())
}

// since are the operations that an earlier picture does not have, and whether it
// has all of that one.
func (now picture) since(before picture) (made []string, complete bool) {
	had := 0
	for i, id := range now.ids {
		if had < len(before.ids) && before.ids[had] == id {
			had++
		} else {
			made = append(made, now.operations[i])
		}
	}
	return made, had == len(before.ids)
}

// beginning reports whether operations are the first of those expected; of another
// machine's, and of those that do not hang together, it may be any part.
func (v *verdict) beginning(made, expected []string) bool {
	for _, o := range expected {
		switch {
		case len(made) == 0:
			return true
		case made[0] == o:
			made = made[1:]
		case !v.receives && !v.severally:
			return false
		}
	}
	return len(made) == 0
}

// lastAccepted is the accepted state after operations.
func lastAccepted(before string, operations []string) string {
	for _, o := range operations {
		for _, state := range strings.Split(o, separator)[1:] {
			if strings.HasPrefix(state, string(hop.KindAccepted)) {
				before = state
			}
		}
	}
	return before
}

// halfWritten begins the names of files that were being written when their writer
// was killed. The next one to write the same file removes them.
const halfWritten = ".durable-"

// files compares the user's files: each is as it was or as the operation leaves
// it, and there are no others.
func (v *verdict) files(now picture) {
	workspaces := filepath.Join(v.dir, ".hop", "workspaces") + "/"
	for path, text := range v.before.files {
		got, there := now.files[path]
		after, stays := v.after.files[path]
		if stays && after != text && strings.HasPrefix(path, workspaces) && strings.HasPrefix(after, got) {
			continue // it is being replaced, which the next command finishes
		}
		if there && got != text && (!stays || got != after) || !there && stays {
			v.loss("the file %s is %q (there: %v)", path, got, there)
		}
	}
	for path := range now.files {
		_, was := v.before.files[path]
		_, will := v.after.files[path]
		if !was && !will && !strings.HasPrefix(path, workspaces) && !strings.HasPrefix(filepath.Base(path), halfWritten) {
			v.loss("the file %s is left behind", path)
		}
	}
}

// sound asks the doctor, who may have to repair.
func (v *verdict) sound() {
	if found := v.hop("doctor"); found.exit != 0 {
		v.repaired++
		if !v.before.index || v.anew || strings.HasPrefix(v.name, "doctor") {
			v.repaired-- // it had something to repair before it was cut
		}
		v.must("doctor", "--repair")
		v.must("doctor")
	}
}

// repeat gives the command again.
func (v *verdict) repeat() {
	v.again++
	v.unlockHub()
	cmd := v.command(append([]string{"--json"}, v.args...)...)
	cmd.Stdin = strings.NewReader(v.stdin)
	if a := run(v.t, cmd); a.exit != v.exit {
		v.loss("given again: exit %d: %s%s", a.exit, a.stdout, a.stderr)
	}
	// A hook tells no fault by its exit code; what it was given is to be there.
	now := v.look()
	if expected, _ := v.after.since(v.before); v.args[0] == "hook" && len(expected) > 0 && !slices.Contains(now.operations, expected[len(expected)-1]) {
		v.loss("given again, and %q is not among %q", expected, now.operations)
	}
	for path := range now.files {
		if strings.HasPrefix(filepath.Base(path), halfWritten) {
			v.loss("the file %s is left behind after all", path)
		}
	}
	v.must("doctor")
}

// usable looks whether work can go on in every open attempt, with the files that
// it had.
func (v *verdict) usable() {
	ctx := context.Background()
	p, err := op.Open(ctx, op.Surroundings{Dir: v.dir, Environ: v.env(), Home: v.home, Clock: clock.System()})
	if err != nil {
		v.loss("the project cannot be opened: %v", err)
		return
	}
	open, err := p.OpenAttempts(ctx)
	if err := p.Close(); err != nil {
		v.loss("%v", err)
	}
	if err != nil {
		v.loss("%v", err)
		return
	}
	for _, a := range open {
		if v.foreign(a) {
			continue
		}
		v.goesOn(a)
	}
	v.git("status", "--porcelain")
	v.git("fsck", "--connectivity-only", "--no-dangling")
}

// foreign reports whether another machine began an attempt.
func (v *verdict) foreign(a hop.Attempt) bool {
	return v.hop("checkpoint", a.HeadStateID).code() == "foreign_attempt"
}

func (v *verdict) goesOn(a hop.Attempt) {
	if v.hop("checkpoint", a.HeadStateID).code() == "workspace_missing" {
		v.must("resume", a.HeadStateID)
	}
	v.must("checkpoint", a.HeadStateID)
	dir := filepath.Join(v.dir, ".hop", filepath.FromSlash(a.Workspace)) + "/"
	now := v.workspaces()
	for path, text := range v.before.files {
		if after, stays := v.after.files[path]; strings.HasPrefix(path, dir) && now[path] != text && (!stays || now[path] != after) {
			v.loss("the file %s is %q after all", path, now[path])
		}
	}
}

// spotless looks whether a purged credential is anywhere.
func (v *verdict) spotless() {
	if objects := v.git("cat-file", "--batch-all-objects", "--batch", "--unordered"); strings.Contains(objects, secret) {
		v.loss("the credential is in the object store after all")
	}
	for path, text := range v.workspaces() {
		if strings.Contains(text, secret) {
			v.loss("the credential is in %s after all", path)
		}
	}
}
