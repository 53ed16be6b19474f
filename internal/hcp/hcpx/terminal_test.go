package hcpx

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
)

// screen runs a verb as a person at a terminal would, in the store at home.
func screen(t *testing.T, home string, words ...string) (string, int) {
	t.Helper()
	var out, errOut bytes.Buffer
	inv := cli.Invocation{
		Program: Name, Args: words, Dir: home, Home: home, UserID: "uid-test",
		AccountHome: func() (string, error) { return "", errors.New("no such user") },
		Env:         cli.NewEnv([]string{"TERM=xterm", "NO_COLOR=1", "PATH=/usr/bin:/bin"}),
		Stdin:       strings.NewReader(""), Stdout: &out, Stderr: &errOut,
		Clock:    clock.Fixed(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)),
		Terminal: cli.Terminal{Stdout: true, Stderr: true, Width: 80},
	}
	code := App().Run(context.Background(), inv)
	return out.String() + errOut.String(), code
}

func TestEveryVerbSpeaksToAPersonAtATerminal(t *testing.T) {
	home := t.TempDir()
	echo, err := filepath.Abs("../../../packs/echo")
	if err != nil {
		t.Fatal(err)
	}
	ledger := filepath.Join(filepath.Dir(echo), "ledger")
	for _, c := range []struct {
		words []string
		code  int
		lines []string
	}{
		{[]string{"lint", echo}, 0, []string{"ok  echo has no issues"}},
		{[]string{"install", echo}, 0, []string{"installed echo: echo.ping, echo.say", "next: hcpx activate echo"}},
		{[]string{"install", ledger}, 0, []string{"installed ledger: "}},
		{[]string{"exec", "echo", "echo.ping"}, 1, []string{"refused: echo echo.ping: pack echo is installed but not activated", "next: hcpx activate echo"}},
		{[]string{"activate", "echo", "ledger"}, 0, []string{"activated echo, ledger"}},
		{[]string{"list"}, 0, []string{"pack     adapter    commands  state", "echo     composite  2         activated", "hcp-cli  composite  18        always on"}},
		{[]string{"exec", "echo", "echo.say", "--", "message=hi"}, 0, []string{"{", `  "message": "hi"`, "}"}},
		{[]string{"exec", "ledger", "transfer", "--", "amount=2.80", "payee=demo-transit"}, 1, []string{"refused: ledger transfer: confirm required", "would run: ledger transfer 2.80 --to demo-transit --confirm", "hint: "}},
		{[]string{"exec", "echo"}, 1, []string{"refused: no command of pack echo is named", "  echo.say  read  allow"}},
		{[]string{"commands", "echo"}, 0, []string{"  echo.ping  read  allow", "    hcpx exec echo echo.ping --json"}},
		{[]string{"availability", "echo"}, 0, []string{"echo  installed · activated · connected · executable", "  echo.ping  read  personal  may run"}},
		{[]string{"availability", "nosuch"}, 0, []string{"nosuch  unavailable  not installed"}},
		{[]string{"connect", "ledger"}, 0, []string{"connected ledger"}},
		{[]string{"skill", "echo"}, 0, []string{"# HCP"}},
		{[]string{"schema"}, 0, []string{"surface", "policy"}},
		{[]string{"deactivate", "ledger"}, 0, []string{"deactivated ledger"}},
		{[]string{"uninstall", "ledger"}, 0, []string{"removed ledger"}},
		{[]string{"uninstall", "ledger"}, 1, []string{"hcpx: pack not installed: ledger"}},
		{[]string{"help", "exec"}, 0, []string{"exec: run one command of a pack", "  --args JSON  the arguments as one JSON object"}},
	} {
		text, code := screen(t, home, c.words...)
		if code != c.code || strings.Contains(text, "\x1b") {
			t.Errorf("%q: code %d, %q", c.words, code, text)
		}
		for _, line := range c.lines {
			if !strings.Contains("\n"+text, "\n"+line) {
				t.Errorf("%q lacks the line %q:\n%s", c.words, line, text)
			}
		}
	}
}

func TestDoctorTellsAPersonWhatToMend(t *testing.T) {
	text, code := screen(t, t.TempDir(), "doctor")
	for _, want := range []string{"acting as", "uid-test, human", "warning: hcpx-kit is missing, which has the heavy commands"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if code != exitWarning {
		t.Errorf("code %d", code)
	}
}
