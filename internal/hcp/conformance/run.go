package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/proc"
)

// Status is how a vector ended.
type Status string

// The statuses. A vector about an optional part is left out when the caller or
// the driver says so.
const (
	Passed  Status = "pass"
	Failed  Status = "fail"
	LeftOut Status = "left_out"
)

// Outcome is what became of one vector.
type Outcome struct {
	Name     string   `json:"name"`
	Sections []string `json:"sections"`
	Status   Status   `json:"status"`
	Why      []string `json:"why,omitempty"`
}

// Runner runs vectors.
type Runner struct {
	Suite *Suite
	Start Starter
	// Temp is where packs are laid out; "" is the system's place.
	Temp string
	// LeaveOut are optional parts whose vectors are not run.
	LeaveOut []string
}

// cliTimeout ends a pack's program that the runner itself started.
const cliTimeout = time.Minute

// Run runs one vector.
func (r Runner) Run(ctx context.Context, v Vector) Outcome {
	out := Outcome{Name: v.Name, Sections: v.Sections, Status: Passed}
	if v.Optional != "" && slices.Contains(r.LeaveOut, v.Optional) {
		out.Status = LeftOut
		return out
	}
	if err := r.inside(ctx, v, &out); err != nil {
		out.Status, out.Why = Failed, append(out.Why, err.Error())
	}
	return out
}

// inside gives the vector its directory and its driver.
func (r Runner) inside(ctx context.Context, v Vector, out *Outcome) (err error) {
	dir, err := os.MkdirTemp(r.Temp, "hcp-vector-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory that stays harms nothing
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	place := filepath.Join(dir, "driver")
	if err := os.Mkdir(place, 0o700); err != nil {
		return err
	}
	driver, err := r.Start(ctx, place)
	if err != nil {
		return err
	}
	defer func() {
		if closing := driver.Close(); err == nil && closing != nil {
			err = fmt.Errorf("close the driver: %w", closing)
		}
	}()
	d := dialogue{suite: r.Suite, vector: v, driver: driver, dir: dir, packs: map[string]string{}, kept: answers{}}
	return d.walk(ctx, out)
}

// dialogue is a vector at work.
type dialogue struct {
	suite  *Suite
	vector Vector
	driver Driver
	dir    string
	packs  map[string]string // where they were laid out
	kept   answers
}

func (d *dialogue) walk(ctx context.Context, out *Outcome) error {
	for i, step := range d.vector.Steps {
		raw, err := d.ask(ctx, step.Request)
		if err != nil {
			return fmt.Errorf("step %d (%s): %w", i+1, step.Request.Do, err)
		}
		answer, wrong := step.Expect.check(raw, d.kept)
		if missing, _ := resolve(answer, "/unsupported"); missing == true {
			out.Status, out.Why = Failed, []string{fmt.Sprintf("step %d (%s): the driver lacks it", i+1, step.Request.Do)}
			if d.vector.Optional != "" {
				out.Status = LeftOut
			}
			return nil
		}
		if len(wrong) > 0 {
			out.Status = Failed
			for _, w := range wrong {
				out.Why = append(out.Why, fmt.Sprintf("step %d (%s): %s", i+1, step.Request.Do, w))
			}
			// What follows builds on this step.
			return nil
		}
		if step.Keep != "" {
			d.kept[step.Keep] = answer
		}
	}
	return nil
}

// ask sends a request with directories in place of the names of packs.
func (d *dialogue) ask(ctx context.Context, r Request) ([]byte, error) {
	r.Packs = slices.Clone(r.Packs)
	for i, name := range r.Packs {
		dir, err := d.place(name)
		if err != nil {
			return nil, err
		}
		r.Packs[i] = dir
	}
	if r.Pack != "" {
		dir, err := d.place(r.Pack)
		if err != nil {
			return nil, err
		}
		r.Pack = dir
	}
	if r.Do == "cli" {
		return d.cli(ctx, r)
	}
	return d.driver.Do(ctx, r)
}

func (d *dialogue) place(name string) (string, error) {
	if dir, ok := d.packs[name]; ok {
		return dir, nil
	}
	dir, err := d.suite.lay(d.vector, name, filepath.Join(d.dir, "packs"))
	d.packs[name] = dir
	return dir, err
}

type cliAnswer struct {
	OK       bool            `json:"ok"`
	ExitCode int             `json:"exit_code"`
	Result   json.RawMessage `json:"result"`
}

// cli runs a pack's own program, as a person at a terminal would: the runner
// answers this request itself, so that the other face of a command is compared
// with something that no driver has touched.
func (d *dialogue) cli(ctx context.Context, r Request) ([]byte, error) {
	p, err := pack.Load(r.Pack)
	if err != nil {
		return nil, err
	}
	if p.Manifest.Wrap == nil {
		return nil, fmt.Errorf("pack %q wraps no program", p.ID)
	}
	result, err := proc.Run(ctx, proc.Spec{
		Path: filepath.Join(r.Pack, filepath.FromSlash(p.Manifest.Wrap.Bin)), Args: r.Words, Dir: d.dir,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + d.dir}, Timeout: cliTimeout,
	})
	if err != nil {
		return nil, err
	}
	answer := cliAnswer{OK: result.ExitCode == 0, ExitCode: result.ExitCode, Result: result.Stdout.Head}
	if canon.Check(answer.Result, canon.Limits{}) != nil {
		answer.Result = []byte(strconv.Quote(string(result.Stdout.Head)))
	}
	return canon.Marshal(answer)
}
