package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
)

// Probe is one start of the program.
type Probe struct {
	Name   string   `json:"name"`
	Argv   []string `json:"argv"`
	Exit   int      `json:"exit"`
	MS     int64    `json:"ms"`
	Tokens int      `json:"tokens"`
	JSON   bool     `json:"json"`
	// Skipped says why the program was not started.
	Skipped string `json:"skipped,omitempty"`

	key            string
	stdout, stderr string
	timedOut       bool
	took           time.Duration
	refused        string // by the runtime, before the program ran
}

// The bounds of an answer that an agent reads.
const (
	manyTokens = 25_000
	someTokens = 5_000
	slow       = 3 * time.Second
)

// unknownWord is a subcommand that no program has.
const unknownWord = "hcp-no-such-command"

// probe starts the program as an agent would, without a terminal, with nothing
// to read, and applies the rules R001 to R014. Nobody asked for these calls one by
// one, so they have no network, but for the reads where the caller opens it.
func (f *finder) probe(ctx context.Context, o Options, p *pack.Pack, cases []Case) ([]Probe, error) {
	probes, err := f.probeProgram(ctx, o, p)
	if err != nil || len(probes) == 0 {
		return probes, err
	}
	reads, err := f.probeReads(ctx, o, p, cases)
	return append(probes, reads...), err
}

// probeProgram asks the program for help and for what it does not have. It is
// called through commands of a pack that is made for this.
func (f *finder) probeProgram(ctx context.Context, o Options, p *pack.Pack) ([]Probe, error) {
	dir, err := os.MkdirTemp(o.Temp, "hcpx-probe-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	subcommands := subcommandsOf(p)
	probes, err := writeProbePack(p, filepath.Join(dir, "pack"), subcommands)
	if err != nil {
		return nil, err
	}
	l, err := newLab(ctx, o, nil, filepath.Join(dir, "pack"))
	if err != nil {
		return nil, err
	}
	defer l.close()
	l.rt.Disconnect()
	if ready, err := l.rt.Store.Verify(ctx, p.ID); err != nil || !ready.Bin.Runnable() {
		why := "there is none"
		if err == nil && ready.Bin != nil {
			why = ready.Bin.Reason
		}
		f.add("R001", Error, surface("/wrap/bin"), fmt.Sprintf("wrap.bin %q cannot be found: %s", p.Manifest.Wrap.Bin, why),
			"Put the program into the pack with its executable mode, or install it on the PATH.")
		return []Probe{}, nil
	}
	for i := range probes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.start(ctx, &probes[i], nil)
		if refused := probes[i].refused; refused != "" {
			// What the runtime says of the place is nothing that the program did.
			f.add("R012", Info, surface("/wrap/bin"), "the program could not be called here: "+refused,
				"Start the check in the folder of a project, where the pack's commands could run.")
			return []Probe{}, nil
		}
	}
	f.help(probes[0])
	f.unknown(probes[1])
	for i, sub := range subcommands {
		f.subcommand(sub, probes[2+i], probes[1])
	}
	return probes, nil
}

// start runs a probe and keeps what came of it.
func (l *lab) start(ctx context.Context, probe *Probe, args hcp.Args) {
	got := l.exec(ctx, probe.key, args)
	probe.took, probe.MS, probe.timedOut = got.took, got.took.Milliseconds(), got.timedOut
	probe.stdout, probe.stderr = got.Stdout, got.Stderr
	if probe.stdout == "" && got.Result != nil {
		probe.stdout = string(got.Result)
	}
	if got.ExitCode != nil {
		probe.Exit = *got.ExitCode
	} else if !got.OK && !probe.timedOut {
		probe.refused = got.Error
	}
	if probe.refused != "" {
		probe.stderr = got.Error
	}
	probe.Tokens, probe.JSON = tokens(probe.stdout), isJSON(probe.stdout)
}

// subcommand is the fixed beginning of a command line behind the program's name.
type subcommand struct {
	key   string
	words []string
}

func subcommandsOf(p *pack.Pack) []subcommand {
	var subs []subcommand
	for _, key := range p.Keys() {
		c, _ := p.Command(key)
		var words []string
		for i, word := range c.CLI {
			if i == 0 {
				continue
			}
			if strings.HasPrefix(word, "-") || strings.Contains(word, "{{") {
				break
			}
			words = append(words, word)
		}
		if len(words) > 0 {
			subs = append(subs, subcommand{key, words})
		}
	}
	return subs
}

// writeProbePack copies the pack with other commands: the program's help, an
// unknown subcommand, and the help of each subcommand. They are reads, with the
// flags of a call but for the one that selects JSON.
func writeProbePack(p *pack.Pack, dir string, subs []subcommand) ([]Probe, error) {
	if err := os.CopyFS(dir, os.DirFS(p.Dir)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	name := p.Manifest.CLIBin
	if name == "" {
		name = filepath.Base(p.Manifest.Wrap.Bin)
	}
	probes := []Probe{
		{Name: "help", Argv: []string{name, "--help"}, key: "probe.help"},
		{Name: "unknown subcommand", Argv: []string{name, unknownWord}, key: "probe.unknown"},
	}
	for i, sub := range subs {
		probes = append(probes, Probe{
			Name: "help of " + sub.key, Argv: slices.Concat([]string{name}, sub.words, []string{"--help"}), key: "probe.help" + strconv.Itoa(i),
		})
	}
	verbs, rows := map[string]any{}, map[string]any{}
	skill := "# HCP — Probes\n\nProbes. No login.\n\n"
	for _, probe := range probes {
		verbs[probe.key] = map[string]any{"description": probe.Name, "cli": probe.Argv, "json_flag": []string{}}
		rows[probe.key] = map[string]any{"operation": "read", "privacy": map[string]any{"land": "local"}}
		skill += "`" + probe.key + "`\n"
	}
	wrap := *p.Manifest.Wrap
	manifest := map[string]any{
		"id": p.ID, "name": p.Manifest.Name, "kind": "wrap", "cliBin": name,
		"binding": map[string]any{"mode": "public", "hub": "public"}, "wrap": wrap, "verbs": verbs,
	}
	policy := map[string]any{"surface_id": p.ID, "version": 1, "verbs": rows, "stimuli": map[string]any{}}
	for file, value := range map[string]any{pack.SurfaceFile: manifest, pack.PolicyFile: policy} {
		data, err := canon.MarshalIndent(value)
		if err == nil {
			err = durable.WriteFile(filepath.Join(dir, file), data, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	return probes, durable.WriteFile(filepath.Join(dir, pack.SkillFile), []byte(skill), 0o644)
}

func (f *finder) help(probe Probe) {
	if probe.timedOut || probe.Exit != 0 || probe.refused != "" || strings.TrimSpace(probe.stdout+probe.stderr) == "" {
		f.add("R002", Warn, surface("/wrap/bin"), fmt.Sprintf("%s does not print help: exit %d", command.Line(probe.Argv), probe.Exit),
			"Make --help print the usage on stdout and exit 0.")
	}
	f.color(probe)
}

func (f *finder) unknown(probe Probe) {
	where := surface("/wrap/bin")
	switch {
	case probe.timedOut:
		f.add("R005", Error, where, command.Line(probe.Argv)+" does not finish", "Make the program fail at once on what it does not know, and never ask without a terminal.")
	case probe.Exit == 0:
		f.add("R003", Error, where, command.Line(probe.Argv)+" exits 0", "Make an unknown subcommand exit with another code than 0.")
	case strings.TrimSpace(probe.stderr) == "" && !probe.JSON:
		f.add("R004", Warn, where, command.Line(probe.Argv)+" fails without a word on stderr and without JSON", "Say on stderr what is wrong.")
	}
	f.color(probe)
}

// unknownMarks are how programs say that they have no such subcommand.
var unknownMarks = []string{"unknown command", "unknown subcommand", "no such command", "no such subcommand", "is not a", "unrecognized", "unrecognised", "invalid command", "invalid choice", "unknown verb", "unknown option", "unknown argument"}

// subcommand applies R014: the help of a subcommand that does not exist fails,
// as the unknown one does.
func (f *finder) subcommand(sub subcommand, probe, unknown Probe) {
	if probe.timedOut || probe.Exit == 0 || unknown.Exit == 0 {
		return
	}
	said := strings.ToLower(probe.stdout + probe.stderr)
	line := strings.Join(slices.Concat(probe.Argv[:1], sub.words), " ")
	// What the program says of the word that nobody has, it would say of this one.
	alike := strings.ReplaceAll(strings.ToLower(unknown.stdout+unknown.stderr), unknownWord, strings.ToLower(sub.words[0])) == said
	if !alike && !slices.ContainsFunc(unknownMarks, func(mark string) bool {
		return strings.Contains(said, mark) && strings.Contains(said, strings.ToLower(sub.words[len(sub.words)-1]))
	}) {
		return
	}
	f.add("R014", Error, verb(sub.key, "cli"), fmt.Sprintf("%q is not a command of this program (%s)", line, firstLine(probe.stderr+probe.stdout)),
		fmt.Sprintf("Point the cli of %q at a subcommand that exists (see %q), or remove %q from surface.json, policy.json and HARNESS.md.", sub.key, probe.Argv[0]+" --help", sub.key))
}

func (f *finder) color(probe Probe) {
	if strings.Contains(probe.stdout+probe.stderr, "\x1b[") {
		f.add("R007", Warn, surface("/wrap/bin"), command.Line(probe.Argv)+" prints colours though NO_COLOR is set and nothing is a terminal",
			"Print colours only to a terminal, and never with NO_COLOR.")
	}
}

// probeReads calls every read for which there are arguments.
func (f *finder) probeReads(ctx context.Context, o Options, p *pack.Pack, cases []Case) ([]Probe, error) {
	l, err := newLab(ctx, o, p, o.Dir)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if !o.Network {
		l.rt.Disconnect()
	}
	var probes []Probe
	ran := 0
	for _, key := range p.Keys() {
		entry, _ := p.Entry(key)
		if entry.Operation != hcp.OperationRead {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		probe := Probe{Name: key, key: key, Argv: []string{}}
		args, missing := readArgs(p, key, cases)
		if missing != "" {
			probe.Skipped = "no value for " + missing
			probes = append(probes, probe)
			continue
		}
		if argv, err := command.Render(&p.Manifest, key, args); err == nil {
			probe.Argv = append([]string{argv.Name}, argv.Args()...)
		}
		l.start(ctx, &probe, args)
		if probe.refused != "" {
			probe.Skipped = probe.refused
		} else {
			ran++
			f.read(key, probe, o.Network)
		}
		probes = append(probes, probe)
	}
	if ran == 0 && hasReads(p) {
		f.add("R012", Info, surface("/verbs"), "no read could be called", "Give the required arguments of one read examples that are real, or an eval case.")
	}
	return probes, nil
}

// readArgs are those of the first eval case that expects success, else the
// examples of the required arguments.
func readArgs(p *pack.Pack, key string, cases []Case) (args hcp.Args, missing string) {
	for i := range cases {
		if cases[i].Verb == key && cases[i].succeeds() && !slices.ContainsFunc(slices.Collect(maps.Values(cases[i].Args)), isTODO) {
			return cases[i].Args, ""
		}
	}
	args = starterArgs(p, key)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if isTODO(args[name]) {
			return nil, name
		}
	}
	return args, ""
}

// read applies the rules about a read that was called, with the network or without.
func (f *finder) read(key string, probe Probe, network bool) {
	where, line := verb(key), command.Line(probe.Argv)
	f.color(probe)
	if probe.timedOut {
		f.add("R005", Error, where, line+" does not finish with nothing to read", "Never ask when there is no terminal; fail with a sentence instead.")
		return
	}
	healthy := named(key, []string{"doctor", "status", "health"})
	switch {
	case healthy && probe.Exit > 2:
		f.add("R011", Warn, where, fmt.Sprintf("%s exits %d", line, probe.Exit), "Exit 0 when healthy, 2 on a warning and 1 on failure.")
	case !healthy && probe.Exit != 0:
		fix := "Mend the command line or the example arguments, so that the read succeeds."
		if !network {
			fix += " It had no network: where it needs one, check with --network."
		}
		f.add("R013", Error, where, fmt.Sprintf("%s fails: %s", line, firstLine(probe.stderr)), fix)
		if strings.TrimSpace(probe.stderr) == "" && !probe.JSON {
			f.add("R004", Warn, where, line+" fails without a word on stderr and without JSON", "Say on stderr what is wrong.")
		}
		return
	}
	if probe.Exit == 0 && !probe.JSON {
		f.add("R006", Error, where, line+" prints something else than JSON on stdout", "Print the JSON alone on stdout, and messages on stderr; or set json_flag to the flag that selects JSON.")
	}
	switch {
	case probe.Tokens > manyTokens:
		f.add("R008", Warn, where, fmt.Sprintf("%s prints about %d tokens", line, probe.Tokens), "Add a limit or a filter, with a default that stays far below 25,000 tokens.")
	case probe.Tokens > someTokens:
		f.add("R009", Info, where, fmt.Sprintf("%s prints about %d tokens", line, probe.Tokens), "Make a short form the default.")
	}
	if probe.took > slow {
		f.add("R010", Info, where, fmt.Sprintf("%s takes %d ms", line, probe.MS), "Say so in the description, or make it faster.")
	}
}
