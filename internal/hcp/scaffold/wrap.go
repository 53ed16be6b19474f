package scaffold

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/card"
	"bridle/internal/hcp/catalog"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// The codes of wrapping a program.
const (
	CodeBinNotFound = "bin_not_found"
	CodeWrapFailed  = "wrap_failed"
)

// Drafted is one command of a draft, and why its Policy row is what it is.
type Drafted struct {
	Command   string        `json:"command"`
	CLI       []string      `json:"cli"`
	Operation hcp.Operation `json:"operation"`
	Confirm   hcp.Confirm   `json:"confirm,omitzero"`
	Why       string        `json:"why"`
	// LeftOut are flags of the subcommand that the draft has no argument for.
	LeftOut []string `json:"left_out,omitempty"`
}

// Wrapped is a pack that was drafted from a program's help.
type Wrapped struct {
	PackID, Class, Bin string
	Files              []string
	Commands           []Drafted
	// Candidates are subcommands that the help names and the draft leaves out.
	Candidates []string
	// JSON says that the help knows an option for JSON.
	JSON     bool
	Warnings []string
	// Review is the command line whose help the draft is to be compared with.
	Review []string
}

// IDOf is the id of a pack that wraps this program, when the caller names none.
func IDOf(bin string) string {
	name := strings.ToLower(filepath.Base(bin))
	for _, end := range []string{".exe", ".sh", ".py", ".js", ".mjs", ".rb", ".pl"} {
		name = strings.TrimSuffix(name, end)
	}
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name), "-")
}

// Wrap drafts a pack for a program from what its help says, into dir, which must
// not exist. The program runs in the sandbox and only to print its help.
func Wrap(ctx context.Context, m Machine, bin, id, class, dir string) (Wrapped, error) {
	if err := usableID(id); err != nil {
		return Wrapped{}, err
	}
	if !slices.Contains(Classes, class) {
		return Wrapped{}, fault.Newf(CodeBadTemplate, "there is no class %q", class).WithHint("the classes are %s", strings.Join(Classes, ", "))
	}
	p, notes, err := m.find(bin)
	if err != nil {
		return Wrapped{}, err
	}
	if err := vacant(dir); err != nil {
		return Wrapped{}, wrapFailed(err)
	}
	if err := p.enter(m); err != nil {
		return Wrapped{}, err
	}
	defer p.leave()
	s, err := p.look(ctx)
	if err != nil {
		return Wrapped{}, err
	}
	if err := ctx.Err(); err != nil {
		return Wrapped{}, fault.New("canceled", "the draft was ended before anything was written").Because(err)
	}
	d := newDraft(id, class, p.name, s)
	if err := d.build(); err != nil {
		return Wrapped{}, err
	}
	files, err := d.files()
	if err != nil {
		return Wrapped{}, err
	}
	if err := place(dir, files); err != nil {
		return Wrapped{}, wrapFailed(err)
	}
	w := d.result(notes)
	for name := range files {
		w.Files = append(w.Files, name)
	}
	slices.Sort(w.Files)
	report, err := lint.Dir(dir)
	if err != nil {
		return Wrapped{}, err
	}
	for _, issue := range report.Issues {
		w.Warnings = append(w.Warnings, "lint: "+issue.Message)
	}
	return w, nil
}

// wrapFailed gives a failure to write the code that it has here.
func wrapFailed(err error) error {
	return fault.New(CodeWrapFailed, fault.From(err).Message).Because(err).WithHint("pick another --id or --dir")
}

// draft is the pack while it is made.
type draft struct {
	id, class, bin string
	survey         *survey
	manifest       hcp.Manifest
	policy         hcp.Policy
	drafted        []Drafted
	json           bool
	warnings       []string
}

func newDraft(id, class, bin string, s *survey) *draft {
	d := &draft{id: id, class: class, bin: bin, survey: s, warnings: slices.Clone(s.warnings)}
	binding := &hcp.Binding{Mode: hcp.BindingPublic, Hub: hcp.HubPublic}
	if class == catalog.GatedWrite {
		binding = &hcp.Binding{Mode: hcp.BindingLocal, Hub: hcp.HubLocalCredential}
	}
	d.manifest = hcp.Manifest{
		ID: id, Name: title(id), CLIBin: bin, Kind: hcp.KindWrap, Plane: hcp.PlaneRuntime,
		Transports: []hcp.Transport{hcp.TransportCLI, hcp.TransportJSONExec}, Binding: binding,
		Wrap: &hcp.Wrap{Bin: bin, Workspace: &hcp.Workspace{Mode: hcp.WorkspaceProject}},
	}
	d.policy = hcp.Policy{SurfaceID: id, Version: 1, Verbs: map[string]hcp.PolicyEntry{}, Stimuli: map[string]hcp.PolicyEntry{}}
	return d
}

// build makes the commands, each with its Policy row.
func (d *draft) build() error {
	rootFlag, rootKnows := jsonFlag(d.survey.root)
	d.manifest.Wrap.JSONFlag, d.json = rootFlag, rootKnows
	if rootKnows && slices.Equal(rootFlag, defaultJSON()) {
		d.manifest.Wrap.JSONFlag = nil
	}
	for _, f := range d.survey.commands {
		if err := d.command(f, rootFlag); err != nil {
			return err
		}
	}
	if len(d.drafted) == 0 {
		d.template()
	}
	d.warn()
	return nil
}

// command drafts one.
func (d *draft) command(f *found, rootFlag []string) error {
	form := formOf(d.bin, f)
	words := f.words
	if len(words) == 0 {
		words = []string{d.bin}
	}
	v := judge(words, f.about, d.flagsOf(f))
	if !f.asked && f.about == "" && v.confirm == hcp.ConfirmNone {
		v = verdict{hcp.OperationWrite, hcp.ConfirmAsk, "nothing but its name could be read"}
	}
	if v.confirm != hcp.ConfirmNone {
		form.confirm()
	}
	c := hcp.Command{Description: describe(f), CLI: form.tokens, Policy: ""}
	if v.operation == hcp.OperationWrite {
		c.Policy = string(hcp.OperationWrite)
	}
	schema, err := form.schema()
	if err != nil {
		return err
	}
	if schema != nil {
		c.Args = schema
	}
	if flag, known := jsonFlag(f.page); known {
		d.json = true
		if !slices.Equal(flag, rootFlag) {
			c.JSONFlag = flag
		}
	}
	key := d.key(words)
	d.manifest.Verbs.Set(key, c)
	d.policy.Verbs[key] = hcp.PolicyEntry{Operation: v.operation, Privacy: hcp.Privacy{Land: hcp.LandLocal}, Confirm: v.confirm}
	if v.confirm != hcp.ConfirmNone {
		preview := card.Suggest(&d.manifest, key, card.ArgumentNames(&d.manifest, key))
		c.Preview = &preview
		d.manifest.Verbs.Set(key, c)
	}
	d.drafted = append(d.drafted, Drafted{Command: key, CLI: form.tokens, Operation: v.operation, Confirm: v.confirm, Why: v.why, LeftOut: form.left})
	return nil
}

// flagsOf are the flags of a subcommand's own page and usage.
func (d *draft) flagsOf(f *found) []string {
	var flags []string
	for _, u := range f.usage {
		for _, p := range u.Parts {
			flags = append(flags, p.Flag)
		}
	}
	if sharedPage(f) {
		return flags
	}
	for _, o := range f.page.Options {
		flags = append(flags, o.Flag, o.Short)
	}
	return flags
}

// confirm adds the program's own flag by which it does not ask.
func (b *form) confirm() {
	for _, flag := range confirming {
		if slices.Contains(b.tokens, flag) {
			return
		}
	}
	for _, flag := range confirming {
		o := b.option(flag)
		if o == nil || o.Value != "" || flag == "-y" && !slices.Contains(confirming, o.Flag) {
			continue
		}
		// Flags go before a literal "--" and behind the words.
		at := slices.Index(b.tokens, "--")
		if at < 0 {
			at = len(b.tokens)
		}
		b.tokens = slices.Insert(b.tokens, at, flag)
		b.left = slices.DeleteFunc(b.left, func(left string) bool { return left == o.Flag })
		return
	}
}

// describe says what a command does, in the words of its help where they can be
// shown.
func describe(f *found) string {
	if f.about == "" || lint.Unfit(f.about) != "" {
		return "TODO: say what it takes and what it returns"
	}
	return strings.ToUpper(f.about[:1]) + f.about[1:] + "."
}

// key is the name of a command: its words, in lower case, with dots.
func (d *draft) key(words []string) string {
	var parts []string
	for _, word := range words {
		for _, part := range nameParts(word) {
			part = strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
					return r
				}
				return -1
			}, part)
			if part != "" && part[0] >= '0' && part[0] <= '9' {
				part = "n" + part
			}
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	key := strings.Join(parts, ".")
	if !ids.IsCommandKey(key) {
		key = "call"
	}
	if slices.Contains(anyWords, key) {
		key += ".call"
	}
	base := key
	for n := 2; ; n++ {
		if _, taken := d.manifest.Verbs.Get(key); !taken {
			return key
		}
		key = fmt.Sprintf("%s%d", base, n)
	}
}

// template is the command of a draft for a program whose help says nothing that
// could be read. hcpx check refuses it by its description.
func (d *draft) template() {
	d.manifest.Wrap.JSONFlag = []string{}
	c := hcp.Command{Description: "Template command: print the program's help; replace this by the commands of the program.", CLI: []string{d.bin, "--help"}}
	d.manifest.Verbs.Set("help", c)
	d.policy.Verbs["help"] = hcp.PolicyEntry{Operation: hcp.OperationRead, Privacy: hcp.Privacy{Land: hcp.LandLocal}}
	d.warnings = append(d.warnings, "no usage line could be read, so the draft has a template command only; replace it in surface.json, policy.json and HARNESS.md")
}

// warn says what an author is to know before reviewing.
func (d *draft) warn() {
	add := func(text string) { d.warnings = append(d.warnings, text) }
	for _, why := range slices.Sorted(maps.Keys(d.survey.unfit)) {
		add("left out, because " + why + ": " + strings.Join(d.survey.unfit[why], ", "))
	}
	if !d.json && len(d.drafted) > 0 {
		add("the help names no option for JSON, so json_flag is empty and results are text; agents need JSON")
	}
	if slices.Contains(hosts, d.bin) {
		add(quote(d.bin) + " runs what its arguments name, which no Policy can judge: wrap the program that it is to run")
	}
	writes, healthy := false, false
	for _, c := range d.drafted {
		writes = writes || c.Operation == hcp.OperationWrite
		healthy = healthy || slices.ContainsFunc([]string{"status", "doctor", "health"}, func(w string) bool { return strings.HasSuffix("."+c.Command, "."+w) })
	}
	if writes && !healthy {
		add("the draft writes and has no status or doctor command by which an agent sees the state first")
	}
	if writes && d.class == catalog.PublicRead {
		add("the draft writes; if the program needs a login, draft it again with --class gated-write")
	}
	if len(d.drafted) > mostDrafted {
		add(fmt.Sprintf("%d commands are more than agents choose well among: keep the 5 to 12 that matter", len(d.drafted)))
	}
}

// files are the pack.
func (d *draft) files() (map[string]string, error) {
	files := map[string]string{pack.SkillFile: d.skill(), "README.md": readme(d.id)}
	for name, value := range map[string]any{pack.SurfaceFile: d.manifest, pack.PolicyFile: d.policy} {
		data, err := canon.MarshalIndent(value)
		if err != nil {
			return nil, err
		}
		files[name] = string(data) + "\n"
	}
	text, err := packageFile(d.id, files)
	files["package.json"] = text
	return files, err
}

func (d *draft) result(notes []string) Wrapped {
	w := Wrapped{
		PackID: d.id, Class: d.class, Bin: d.bin, Commands: d.drafted, JSON: d.json,
		Candidates: slices.Clone(d.survey.left), Warnings: append(slices.Clone(notes), d.warnings...), Review: []string{d.bin, "--help"},
	}
	for _, f := range d.survey.commands {
		if len(f.words) > 0 {
			w.Review = slices.Concat([]string{d.bin}, f.words, []string{"--help"})
			break
		}
	}
	return w
}

func quote(text string) string { return `"` + text + `"` }
