package guard_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/kernel/fault"
)

// A driver that gives no answer leaves no room for a proof but the failure, which
// the record holds word for word.
func TestFailureWithoutAnAnswerSaysHowItWasCleanedUp(t *testing.T) {
	const proven, unproven = "; none of its processes is left, proven by ", "; nothing proves that none of its processes is left ("
	for name, c := range map[string]struct {
		execute, code string
		seconds       int
	}{
		"killed":        {"kill -9 $$", hound.CodeDriver, 60},
		"timed out":     {"sleep 1000", hound.CodeTimeout, 1},
		"a flood":       {"yes", hound.CodeTooMuch, 60},
		"no answer":     {"exit 0", hound.CodeBadResponse, 60},
		"its own words": {`echo "none of its processes is left, proven by me" >&2; exit 3`, hound.CodeDriver, 60},
	} {
		p := newProject(t, script{execute: c.execute, manifest: map[string]any{"timeouts_seconds": map[string]any{"default": 60, "w": c.seconds}}}).commit()
		guards := map[string]*guard.Guard{proven: newGuard(t, nil)}
		if name == "killed" {
			guards[unproven] = guard.Doubt(newGuard(t, nil))
		}
		for end, g := range guards {
			plan, err := newGuard(t, nil).Plan(context.Background(), p.call("w"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = g.Execute(context.Background(), p.manifest, plan, nil)
			last := strings.LastIndex(err.Error(), "; n")
			if !fault.Is(err, c.code) || last < 0 || !strings.HasPrefix(err.Error()[last:], end) {
				t.Errorf("%s: %v", name, err)
			}
			if r := p.recorded(plan); r.Error != fault.From(err).Message {
				t.Errorf("%s: the record says %q, not %q", name, r.Error, err)
			}
			if err := os.RemoveAll(p.root + "/.hound"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestFailureOfAReadSaysHowItWasCleanedUp(t *testing.T) {
	p := newProject(t, script{check: "exit 3", read: "kill -9 $$", plan: "exit 3"}).commit()
	ctx := context.Background()
	for end, g := range map[string]*guard.Guard{"; none of its processes is left, proven by ": newGuard(t, nil), "; nothing proves that none of its processes is left (": guard.Doubt(newGuard(t, nil))} {
		_, check := g.Check(ctx, p.manifest)
		_, read := g.Invoke(ctx, p.call("r"), false)
		_, plan := g.Plan(ctx, p.call("w"))
		for what, err := range map[string]error{"check": check, "read": read, "plan": plan} {
			if err == nil || !strings.Contains(err.Error(), end) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	// What was never started left nothing, and nothing is said.
	missing := newProject(t, script{manifest: map[string]any{"exec": []string{"./tools/none"}}}).commit()
	if _, err := newGuard(t, nil).Check(ctx, missing.manifest); !fault.Is(err, hound.CodeDriverMissing) || strings.Contains(err.Error(), "processes") {
		t.Errorf("%v", err)
	}
}

// Checks and plans have no place for a proof: that there is none is told beside
// them, once for each time that the driver ran.
func TestUnprovenCleanupIsTold(t *testing.T) {
	p := newProject(t, script{}).commit()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var told []hound.Mode
	options := guard.Options{Supervisor: self, LockWait: 20 * time.Second, Unproven: func(mode hound.Mode, c hound.Cleanup) {
		if c.Proven || c.Method == "" {
			t.Errorf("%+v", c)
		}
		told = append(told, mode)
	}}
	for _, c := range []struct {
		guard *guard.Guard
		want  []hound.Mode
	}{
		{guard.New(options), nil},
		{guard.Doubt(guard.New(options)), []hound.Mode{hound.ModeCheck, hound.ModeRead, hound.ModePlan, hound.ModePlan, hound.ModeExecute}},
	} {
		told = nil
		ctx := context.Background()
		if _, err := c.guard.Check(ctx, p.manifest); err != nil {
			t.Fatal(err)
		}
		if _, err := c.guard.Invoke(ctx, p.call("r"), false); err != nil {
			t.Fatal(err)
		}
		plan, err := c.guard.Plan(ctx, p.call("w"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.guard.Execute(ctx, p.manifest, plan, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(told, c.want) {
			t.Errorf("told of %v, not %v", told, c.want)
		}
		if err := os.RemoveAll(p.root + "/.hound"); err != nil {
			t.Fatal(err)
		}
	}
}
