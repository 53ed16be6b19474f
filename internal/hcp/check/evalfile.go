package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// EvalFile is where a pack keeps its eval cases.
const EvalFile = "hcp.eval.json"

// The codes of this package's faults.
const (
	CodeNoEvals  = "no_evals"
	CodeBadEvals = "bad_evals"
)

// Case is one call that has to answer in a certain way.
type Case struct {
	Name   string   `json:"name"`
	Verb   string   `json:"verb"`
	Args   hcp.Args `json:"args,omitempty"`
	Expect *Expect  `json:"expect,omitempty"`
}

// Expect is what a case expects; what it does not name may be anything.
type Expect struct {
	OK          *bool    `json:"ok,omitempty"`
	Error       string   `json:"error,omitempty"`
	Contains    []string `json:"contains,omitempty"`
	NotContains []string `json:"not_contains,omitempty"`
	JSON        *bool    `json:"json,omitempty"`
	MaxMS       *float64 `json:"max_ms,omitempty"`
	MaxTokens   *float64 `json:"max_tokens,omitempty"`
}

// succeeds reports whether a case expects success.
func (c *Case) succeeds() bool { return c.Expect == nil || c.Expect.OK != nil && *c.Expect.OK }

// refuses reports whether a case expects the gate to refuse it.
func (c *Case) refuses() bool {
	confirmed, _ := c.Args["confirm"].(bool)
	return !confirmed && c.Args["confirm"] != "true" && c.Expect != nil && c.Expect.OK != nil && !*c.Expect.OK
}

// longestEvals bounds an eval file.
const longestEvals = 4 << 20

// ReadCases reads the eval cases of a pack. Without a file the fault has the
// code no_evals.
func ReadCases(dir string) ([]Case, error) {
	path := filepath.Join(dir, EvalFile)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Newf(CodeNoEvals, "the pack has no %s", EvalFile).
			WithHint("write a starter with --init-evals")
	case err != nil || !info.Mode().IsRegular() || info.Size() > longestEvals:
		return nil, fault.Newf(CodeBadEvals, "%s is no plain file of a few kilobytes", EvalFile).Because(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Newf(CodeBadEvals, "%s cannot be read", EvalFile).Because(err)
	}
	var doc struct {
		Cases []Case `json:"cases"`
	}
	if _, err := canon.DecodeOpen(data, &doc, canon.Limits{MaxBytes: longestEvals}); err != nil {
		return nil, fault.Newf(CodeBadEvals, "%s cannot be used: %s", EvalFile, err).Because(err)
	}
	for i, c := range doc.Cases {
		if c.Name == "" || c.Verb == "" {
			return nil, fault.Newf(CodeBadEvals, "case %d of %s has no name or no verb", i+1, EvalFile)
		}
	}
	return doc.Cases, nil
}

func evalPlace(pointer string) Where { return Where{File: EvalFile, Pointer: pointer} }

// cases reads the eval file and applies the rules E001 to E003, and E004 as far
// as it shows without running anything.
func (f *finder) cases(p *pack.Pack, dir string) (cases []Case, found bool) {
	cases, err := ReadCases(dir)
	if fault.Is(err, CodeNoEvals) {
		f.add("E001", Warn, evalPlace(""), "the pack has no eval cases", "Run hcpx check <pack_dir> --init-evals, and put real values in.")
		return nil, false
	}
	if err != nil {
		f.add("E005", Error, evalPlace(""), fault.From(err).Message, "Mend the file; its schema is printed by: hcpx schema hcp.eval")
		return nil, false
	}
	reads := false
	refused := map[string]bool{}
	for i := range cases {
		c := &cases[i]
		entry, known := p.Entry(c.Verb)
		if _, declared := p.Command(c.Verb); !declared || !known {
			f.add("E002", Error, evalPlace(fmt.Sprintf("/cases/%d/verb", i)), fmt.Sprintf("case %q names the command %q, which the pack does not have", c.Name, c.Verb),
				closest(c.Verb, p.Keys()))
			continue
		}
		reads = reads || entry.Operation == hcp.OperationRead && c.succeeds()
		refused[c.Verb] = refused[c.Verb] || c.refuses()
	}
	for _, key := range p.Keys() {
		if entry, _ := p.Entry(key); entry.Confirm != hcp.ConfirmNone && entry.Operation == hcp.OperationWrite && !refused[key] {
			f.add("E003", Warn, evalPlace("/cases"), fmt.Sprintf("no case shows that %q is refused without confirm", key),
				fmt.Sprintf(`Add { "name": "%s is refused without confirm", "verb": %q, "args": {…}, "expect": { "ok": false, "error": "confirm required" } }.`, key, key))
		}
	}
	if !reads && hasReads(p) {
		f.add("E004", Warn, evalPlace("/cases"), "no case expects a read to succeed", "Add one with real arguments.")
	}
	return cases, true
}

func hasReads(p *pack.Pack) bool {
	return slices.ContainsFunc(p.Keys(), func(key string) bool {
		entry, _ := p.Entry(key)
		return entry.Operation == hcp.OperationRead
	})
}

func closest(name string, names []string) string {
	if near := fault.Closest(name, names); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return "Name one of " + quoteAll(names) + "."
}

// Starter makes the cases to begin with: each read succeeds, each write that
// asks is refused.
func Starter(p *pack.Pack) []Case {
	yes, no := true, false
	ms, tokens := 3000.0, 5000.0
	cases := []Case{}
	for _, key := range p.Keys() {
		entry, _ := p.Entry(key)
		c := Case{Verb: key, Args: starterArgs(p, key)}
		switch {
		case entry.Operation == hcp.OperationRead:
			c.Name = key + " returns JSON"
			c.Expect = &Expect{OK: &yes, JSON: &yes, MaxMS: &ms, MaxTokens: &tokens}
		case entry.Confirm != hcp.ConfirmNone:
			c.Name = key + " is refused without confirm"
			c.Expect = &Expect{OK: &no, Error: "confirm required"}
		default:
			continue
		}
		cases = append(cases, c)
	}
	return cases
}

// starterArgs are the required arguments with the manifest's first example, or
// a word that says what is to be done.
func starterArgs(p *pack.Pack, key string) hcp.Args {
	args, err := command.Declared(&p.Manifest, key)
	if err != nil {
		return nil
	}
	var given hcp.Args
	for _, a := range args {
		if !a.Required {
			continue
		}
		if given == nil {
			given = hcp.Args{}
		}
		given[a.Name] = "TODO " + a.Name
		if a.Example != nil && !isTODO(a.Example) {
			given[a.Name] = a.Example
		}
	}
	return given
}

func isTODO(v any) bool {
	text, ok := v.(string)
	return ok && strings.HasPrefix(text, "TODO")
}

// InitEvals writes the starter, never over a file that is there.
func InitEvals(dir string) (written bool, cases int, err error) {
	p, err := pack.Load(dir)
	if err != nil {
		return false, 0, err
	}
	starter := Starter(p)
	data, err := canon.MarshalIndent(struct {
		Schema string `json:"$schema"`
		Cases  []Case `json:"cases"`
	}{"https://harnesscontextprotocol.io/schemas/hcp.eval.json", starter})
	if err != nil {
		return false, 0, err
	}
	err = durable.CreateFile(filepath.Join(dir, EvalFile), append(data, '\n'), 0o644)
	if errors.Is(err, fs.ErrExist) {
		return false, len(starter), nil
	}
	if err != nil {
		return false, 0, fault.Newf("cannot_write", "%s cannot be written", EvalFile).Because(err)
	}
	return true, len(starter), nil
}
