package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

// run is what one run of the test program left.
type run struct {
	code        int
	out, errOut string
}

// start is the invocation that a case changes.
func start(args ...string) (cli.Invocation, *bytes.Buffer, *bytes.Buffer) {
	var out, errOut bytes.Buffer
	return cli.Invocation{
		Program: "tool",
		Args:    args,
		Env:     cli.NewEnv([]string{"TERM=xterm"}),
		Stdin:   strings.NewReader(""),
		Stdout:  &out,
		Stderr:  &errOut,
		Clock:   clock.Fixed(time.Unix(0, 0)),
	}, &out, &errOut
}

func exec(t *testing.T, args ...string) run {
	t.Helper()
	inv, out, errOut := start(args...)
	code := app().Run(context.Background(), inv)
	return run{code, out.String(), errOut.String()}
}

// app is a program with one verb of every kind.
func app() cli.App {
	return cli.App{
		Name: "tool", Short: "a program for tests", Protocol: "T/1", Groups: []string{"things"},
		Verbs: []cli.Verb{
			{Name: "echo", Aliases: []string{"say"}, Short: "print the words", Group: "things", New: echo},
			{Name: "fail", Short: "fail as told", New: failing},
			{Name: "skill", Short: "print text", New: skill},
			{Name: "bare", Short: "take no words", New: bare, Hidden: true},
			{Name: "far", Short: "handed over"},
			{Name: "table", Short: "print a table", New: table},
		},
		Elsewhere: func(c *cli.Call) (cli.Result, error) {
			return cli.Result{Value: map[string]any{"far": c.Args}}, nil
		},
	}
}

func echo(c *cli.Call) *cobra.Command {
	var shout bool
	cmd := &cobra.Command{Use: "echo <word> [word…]", Example: "tool echo hi"}
	cmd.RunE = c.Run(func(_ context.Context, args []string) (cli.Result, error) {
		return cli.Result{Value: struct {
			OK    bool     `json:"ok"`
			Words []string `json:"words"`
			Shout bool     `json:"shout"`
		}{true, args, shout}}, nil
	})
	cmd.Flags().BoolVar(&shout, "shout", false, "in capitals")
	return cmd
}

func skill(c *cli.Call) *cobra.Command {
	return &cobra.Command{Use: "skill", RunE: c.Run(func(context.Context, []string) (cli.Result, error) {
		return cli.Result{Value: map[string]any{"skill": "# hi\x1b[2J"}, Raw: "# hi\x1b[2J"}, nil
	})}
}

// bare checks its arguments by one of cobra's own checks.
func bare(c *cli.Call) *cobra.Command {
	return &cobra.Command{Use: "bare --dir <directory>", Args: cobra.NoArgs, RunE: c.Run(func(context.Context, []string) (cli.Result, error) {
		return cli.Result{}, nil
	})}
}

func table(c *cli.Call) *cobra.Command {
	return &cobra.Command{Use: "table", RunE: c.Run(func(context.Context, []string) (cli.Result, error) {
		return cli.Result{Value: []string{"a"}, Exit: 3, Text: func(p *cli.Page) {
			p.Table([][]any{{"name", p.Green("ok")}, {p.Bold("a\u202eb"), "x"}})
		}}, nil
	})}
}

func failing(c *cli.Call) *cobra.Command {
	return &cobra.Command{Use: "fail <how>", RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		switch args[0] {
		case "fault":
			return cli.Result{}, fault.New("not_installed", `pack "x" is not installed`).
				WithHint("install it").WithNext("tool install x").WithExit(7)
		case "error":
			return cli.Result{}, errors.New("disk on fire")
		case "exit":
			return cli.Result{Value: map[string]any{"ok": false}, Exit: 7}, nil
		case "panic":
			panic("index out of range")
		default:
			return cli.Result{}, ctx.Err()
		}
	})}
}

func TestJSONIsAcceptedAnywhereBeforeTheDashes(t *testing.T) {
	for _, args := range [][]string{
		{"--json", "echo", "a", "b"},
		{"echo", "--json", "a", "b"},
		{"echo", "a", "--json", "b"},
		{"echo", "a", "b", "--json"},
		{"echo", "a", "--json", "--", "b"},
		{"say", "a", "b", "--json=true"},
	} {
		got := exec(t, args...)
		if want := `{"ok":true,"words":["a","b"],"shout":false}` + "\n"; got.out != want || got.code != 0 || got.errOut != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
	got := exec(t, "echo", "--", "a", "--json")
	if !strings.Contains(got.out, "\n  \"words\": [") || !strings.Contains(got.out, `"--json"`) {
		t.Errorf("--json behind -- is an argument, got %q", got.out)
	}
}

func TestFailureIsOneObjectWithJSONAndASentenceWithout(t *testing.T) {
	got := exec(t, "fail", "fault", "--json")
	want := `{"ok":false,"error":"pack \"x\" is not installed","code":"not_installed","hint":"install it","next":["tool install x"]}` + "\n"
	if got.out != want || got.errOut != "" || got.code != 7 {
		t.Errorf("%+v", got)
	}
	got = exec(t, "fail", "fault")
	want = "tool: pack \"x\" is not installed\nhint: install it\nnext: tool install x\n"
	if got.out != "" || got.errOut != want || got.code != 7 {
		t.Errorf("%+v", got)
	}
	got = exec(t, "fail", "error", "--json")
	if got.code != 1 || !strings.Contains(got.out, `"code":"internal"`) || !strings.Contains(got.out, "disk on fire") {
		t.Errorf("%+v", got)
	}
}

func TestEveryBadCommandLineIsAnsweredInTheFormAskedFor(t *testing.T) {
	for _, c := range []struct {
		args  []string
		error string
		hint  string
	}{
		{[]string{"ech", "--json"}, `unknown command "ech"`, `did you mean "echo"?`},
		{[]string{"zzz", "--json"}, `unknown command "zzz"`, "tool help lists the commands"},
		{[]string{"echo", "--json"}, "missing <word>", "usage: tool echo <word> [word…]"},
		{[]string{"skill", "--json", "extra"}, `unexpected argument "extra"`, "usage: tool skill"},
		{[]string{"echo", "--shuot", "a", "--json"}, `unknown flag "--shuot"`, `did you mean "--shout"? usage: tool echo <word> [word…]`},
		{[]string{"echo", "a", "--jsn", "--json"}, `unknown flag "--jsn"`, `did you mean "--json"? usage: tool echo <word> [word…]`},
		{[]string{"echo", "-x", "a", "--json"}, `unknown flag "-x"`, "usage: tool echo <word> [word…]"},
		{[]string{"echo", "--shout=maybe", "a", "--json"}, `flag "--shout" does not take the value "maybe"`, "usage: tool echo <word> [word…]"},
		{[]string{"--nope", "echo", "a", "--json"}, `unknown flag "--nope"`, "usage: tool <command> [arguments] [--json]"},
		{[]string{"help", "ech", "--json"}, `unknown command "ech"`, `did you mean "echo"?`},
		{[]string{"skill", "--json=maybe"}, `flag "--json" does not take the value "maybe"`, "usage: tool skill"},
		{[]string{"bare", "extra", "--json"}, `unexpected argument "extra"`, "usage: tool bare --dir <directory>"},
		{[]string{"completion", "tcsh", "--json"}, `unknown shell "tcsh"`, "the shells are bash, zsh, fish, powershell"},
	} {
		got := exec(t, c.args...)
		var f struct {
			OK                *bool
			Error, Code, Hint string
		}
		if err := json.Unmarshal([]byte(got.out), &f); err != nil || f.OK == nil || *f.OK {
			t.Errorf("%q: %v, %+v", c.args, err, got)
			continue
		}
		if f.Error != c.error || f.Hint != c.hint || f.Code != "usage" || got.code != 1 {
			t.Errorf("%q: %+v", c.args, f)
		}
	}
}

func TestPanicBecomesAnInternalFailureWithoutATrace(t *testing.T) {
	got := exec(t, "fail", "panic", "--json")
	if got.code != 1 || !strings.Contains(got.out, `"code":"internal"`) || strings.Contains(got.out+got.errOut, "goroutine") {
		t.Errorf("%+v", got)
	}
}

func TestCancelledRunSaysInterrupted(t *testing.T) {
	inv, out, _ := start("fail", "cancel", "--json")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := app().Run(ctx, inv); code != cli.ExitInterrupted || !strings.Contains(out.String(), `"code":"interrupted"`) {
		t.Errorf("%d %s", code, out)
	}
}

// brokenWriter fails every write.
type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestReaderThatWentAwayIsNoComplaint(t *testing.T) {
	for _, args := range [][]string{{"echo", "a"}, {"--version"}, {"fail", "fault", "--json"}} {
		inv, _, errOut := start(args...)
		inv.Stdout = brokenWriter{syscall.EPIPE}
		if code := app().Run(context.Background(), inv); code != 141 || errOut.Len() > 0 {
			t.Errorf("%q: code %d, stderr %q", args, code, errOut)
		}
	}
}

// A result that is lost is no success, whatever form it has; that the command ran
// is told, so that nobody runs a write twice unknowing.
func TestOutputThatCannotBeWrittenFails(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"echo", "a", "--json"}, 1, []string{"ran and succeeded", "could not be written: no space left on device"}},
		{[]string{"echo", "a"}, 1, []string{"ran and succeeded"}},
		{[]string{"skill"}, 1, []string{"ran and succeeded"}},
		{[]string{"help"}, 1, []string{"could not be written"}},
		{[]string{"echo", "--help"}, 1, []string{"could not be written"}},
		{[]string{"version", "--json"}, 1, []string{"could not be written"}},
		{[]string{"--version"}, 1, []string{"could not be written"}},
		{[]string{"completion", "bash"}, 1, []string{"could not be written"}},
		{[]string{"fail", "exit", "--json"}, 7, []string{"ran and failed", "could not be written"}},
		{[]string{"fail", "fault", "--json"}, 7, []string{`pack "x" is not installed`, "hint: install it"}},
	} {
		inv, _, errOut := start(c.args...)
		inv.Stdout = brokenWriter{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}}
		code := app().Run(context.Background(), inv)
		if code != c.code {
			t.Errorf("%q: exit %d, want %d", c.args, code, c.code)
		}
		for _, want := range c.want {
			if !strings.Contains(errOut.String(), want) {
				t.Errorf("%q: stderr %q lacks %q", c.args, errOut, want)
			}
		}
	}
}

func TestTerminalGetsTablesAndColourButNoControlCharacters(t *testing.T) {
	inv, out, _ := start("table")
	inv.Terminal = cli.Terminal{Stdout: true, Width: 80}
	if code := app().Run(context.Background(), inv); code != 3 {
		t.Errorf("code %d", code)
	}
	want := "name      \x1b[32mok\x1b[0m\n\x1b[1ma\\u202eb\x1b[0m  x\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out, want)
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		inv, out, _ := start("table")
		inv.Env = cli.NewEnv([]string{env})
		inv.Terminal = cli.Terminal{Stdout: true}
		app().Run(context.Background(), inv)
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("%s: %q", env, out)
		}
	}
	if got := exec(t, "table"); got.out != "[\n  \"a\"\n]\n" {
		t.Errorf("a pipe got %q", got.out)
	}
}

func TestRawTextIsExactInAPipeAndVisibleOnATerminal(t *testing.T) {
	if got := exec(t, "skill"); got.out != "# hi\x1b[2J\n" {
		t.Errorf("%q", got.out)
	}
	inv, out, _ := start("skill")
	inv.Terminal = cli.Terminal{Stdout: true}
	app().Run(context.Background(), inv)
	if out.String() != "# hi\\x1b[2J\n" {
		t.Errorf("%q", out)
	}
}

func TestHelpNamesEveryVerbAndIsOneObjectWithJSON(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {}} {
		got := exec(t, args...)
		for _, want := range []string{"usage: tool <command>", "echo", "far", "completion"} {
			if !strings.Contains(got.out, want) {
				t.Errorf("%q lacks %q:\n%s", args, want, got.out)
			}
		}
		asJSON := exec(t, append(args, "--json")...)
		var h struct {
			OK   bool
			Help []string
		}
		if err := json.Unmarshal([]byte(asJSON.out), &h); err != nil || !h.OK || strings.Join(h.Help, "\n")+"\n" != got.out {
			t.Errorf("%q: %v\n%s", args, err, asJSON.out)
		}
	}
	for _, args := range [][]string{{"help", "echo"}, {"echo", "--help"}, {"help", "say"}} {
		got := exec(t, args...)
		for _, want := range []string{"usage: tool echo <word> [word…]", "alias: say", "--shout", "--json", "tool echo hi"} {
			if !strings.Contains(got.out, want) {
				t.Errorf("%q lacks %q:\n%s", args, want, got.out)
			}
		}
	}
}

func TestBeforeStopsAVerbButNotItsHelp(t *testing.T) {
	guarded := app()
	guarded.Before = func(*cli.Call) error { return fault.New("nested", "not here") }
	for args, want := range map[string]int{"echo a": 1, "far": 1, "version": 0, "help": 0, "echo --help": 0} {
		inv, _, _ := start(strings.Fields(args)...)
		if code := guarded.Run(context.Background(), inv); code != want {
			t.Errorf("%s: code %d, want %d", args, code, want)
		}
	}
}

func TestVerbWithoutACommandIsHandedOverWithItsWords(t *testing.T) {
	if got := exec(t, "far", "--unknown", "x", "--json"); got.out != `{"far":["far","--unknown","x","--json"]}`+"\n" {
		t.Errorf("%+v", got)
	}
}

func TestHelpForAVerbElsewhereIsAskedForThere(t *testing.T) {
	for _, json := range []string{"false", "true"} {
		if got := exec(t, "help", "far", "--json="+json); !strings.Contains(strings.ReplaceAll(got.out, "\n    ", ""), `["far","--help","--json=`+json+`"`) {
			t.Errorf("%+v", got)
		}
	}
}

func TestFailureLayoutIsTheProtocols(t *testing.T) {
	other := app()
	other.Failure = func(f *fault.Error) any { return map[string]any{"schema": "other", "code": f.Code} }
	other.FailureToStderr = true
	inv, out, errOut := start("fail", "fault", "--json")
	other.Run(context.Background(), inv)
	if out.Len() > 0 || errOut.String() != `{"code":"not_installed","schema":"other"}`+"\n" {
		t.Errorf("stdout %q, stderr %q", out, errOut)
	}
}

func TestVersionIsTheSameInEveryForm(t *testing.T) {
	flag, verb := exec(t, "--version"), exec(t, "version")
	for _, args := range [][]string{{"--version", "--json"}, {"--json", "--version"}} {
		if got, want := exec(t, args...), exec(t, "version", "--json"); got != want {
			t.Errorf("%q: %+v, want %+v", args, got, want)
		}
	}
	if flag.out != verb.out || !strings.HasPrefix(flag.out, "tool ") || !strings.HasSuffix(flag.out, " (T/1)\n") {
		t.Errorf("%q %q", flag.out, verb.out)
	}
	if got := exec(t, "version", "--json"); !strings.Contains(got.out, `"cli":"tool"`) {
		t.Errorf("%q", got.out)
	}
}

// Main tells the version before it looks at anything; it is the same line.
func TestMainTellsTheVersionAloneAsRunDoes(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args, stdout := os.Args, os.Stdout
	os.Args, os.Stdout = []string{"tool", "--version"}, write
	code := cli.Main(app())
	os.Args, os.Stdout = args, stdout
	write.Close()
	out, err := io.ReadAll(read)
	if want := exec(t, "--version"); err != nil || code != 0 || string(out) != want.out {
		t.Errorf("%d %q %v, want %q", code, out, err, want.out)
	}
}

func TestMainReportsAVersionThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no full device")
	}
	defer full.Close()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args, stdout, stderr := os.Args, os.Stdout, os.Stderr
	os.Args, os.Stdout, os.Stderr = []string{"tool", "--version"}, full, write
	code := cli.Main(app())
	os.Args, os.Stdout, os.Stderr = args, stdout, stderr
	write.Close()
	if out, err := io.ReadAll(read); err != nil || code != 1 || !strings.Contains(string(out), "could not be written") {
		t.Errorf("%d %q %v", code, out, err)
	}
}

func TestCompletionScriptsExistForEveryShellAndWordsComplete(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := exec(t, "completion", shell); got.code != 0 || !strings.Contains(got.out, "tool") {
			t.Errorf("%s: code %d", shell, got.code)
		}
	}
	if got := exec(t, "__complete", "ec"); !strings.HasPrefix(got.out, "echo\tprint the words\n") {
		t.Errorf("%q", got.out)
	}
	if got := exec(t, "__complete", "completion", ""); !strings.Contains(got.out, "fish") {
		t.Errorf("%q", got.out)
	}
}

func TestManualHasAPageForEveryVerbAndEscapesItsText(t *testing.T) {
	pages := map[string]string{}
	for _, page := range cli.ManPages(app()) {
		pages[page.Name] = page.Text
	}
	for _, name := range []string{"tool.1", "tool-echo.1", "tool-help.1", "tool-completion.1"} {
		if !strings.HasPrefix(pages[name], ".TH \"") {
			t.Errorf("%s: %q", name, pages[name])
		}
	}
	if _, found := pages["tool-far.1"]; found {
		t.Error("a verb of another program has a page here")
	}
	if text := pages["tool-echo.1"]; !strings.Contains(text, "\n.B \\-\\-shout\nin capitals\n") || !strings.Contains(text, "tool echo <word> [word…]") {
		t.Error(text)
	}
	for name, text := range pages {
		for line := range strings.Lines(text) {
			if macro, found := strings.CutPrefix(line, "."); found && !strings.HasPrefix(macro, "S") && !strings.HasPrefix(macro, "T") && !strings.HasPrefix(macro, "B") && !strings.HasPrefix(macro, "nf") && !strings.HasPrefix(macro, "fi") {
				t.Errorf("%s: text became the macro %q", name, line)
			}
		}
	}
}

func TestTextsAboutTheProgramStayTextBehindAPipe(t *testing.T) {
	for _, c := range []struct {
		args []string
		json bool
	}{
		{[]string{"echo", "a"}, true},
		{[]string{"version"}, true},
		{[]string{"help"}, false},
		{[]string{"help", "echo"}, false},
		{[]string{"echo", "--help"}, false},
		{[]string{}, false},
		{[]string{"help", "--json"}, true},
	} {
		inv, out, _ := start(c.args...)
		a := app()
		a.JSONWhenPiped = true
		a.Run(context.Background(), inv)
		if got := json.Valid(out.Bytes()); got != c.json {
			t.Errorf("%q: JSON is %v: %s", c.args, got, out)
		}
	}
}
