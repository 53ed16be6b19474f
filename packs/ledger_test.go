package packs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ledger runs the pack's program with a private HOME.
func ledger(t testing.TB, home string, args ...string) outcome {
	t.Helper()
	needs(t, "sh", "od", "awk")
	return start(t, command{path: script(t, "ledger", "ledger"), args: args, env: []string{"HOME=" + home}})
}

func pay(t testing.TB, home, amount, payee, memo string) outcome {
	t.Helper()
	return ledger(t, home, "transfer", amount, "--to", payee, "--memo", memo, "--confirm", "--json")
}

func TestLedgerWorksFromItsFirstCommand(t *testing.T) {
	home := t.TempDir()
	if got := ledger(t, home, "setup", "status", "--json").object(t); got["ready"] != false || got["verb"] != "setup.status" {
		t.Errorf("setup status: %v", got)
	}
	status := ledger(t, home, "status", "--json").object(t)
	if status["balance"] != "250.00" || status["linked"] != false || status["provider"] != nil {
		t.Errorf("status: %v", status)
	}
	if got := ledger(t, home, "list", "--json").object(t); at(t, got, "entries", 0, "memo") != "Opening balance" {
		t.Errorf("list: %v", got)
	}
	if entries, _ := os.ReadDir(home); len(entries) != 0 {
		t.Errorf("reads left %v behind", entries)
	}
	got := pay(t, home, "2.80", "demo-transit", "").object(t)
	for name, want := range map[string]string{"verb": "transfer", "amount": "2.80", "payee": "demo-transit", "balance": "247.20", "memo": "", "id": "e-1"} {
		if got[name] != want {
			t.Errorf("transfer: %s = %v, want %q", name, got[name], want)
		}
	}
}

func TestLedgerSetupAndConnectMayBeRepeated(t *testing.T) {
	home := t.TempDir()
	for i, created := range []bool{true, false, false} {
		if got := ledger(t, home, "setup", "all", "-y", "--json").object(t); got["created"] != created || got["verb"] != "setup.apply" {
			t.Errorf("setup %d: %v", i, got)
		}
		if got := ledger(t, home, "connect", "demo", "--json").object(t); got["provider"] != "demo" || got["linked"] != true {
			t.Errorf("connect %d: %v", i, got)
		}
	}
	for i, updated := range []bool{true, false} {
		if got := ledger(t, home, "setup", "update", "--json").object(t); got["verb"] != "setup.update" || got["updated"] != updated || got["ready"] != true {
			t.Errorf("update %d: %v", i, got)
		}
	}
	if got := ledger(t, t.TempDir(), "setup", "update", "--json").object(t); got["updated"] != false || got["ready"] != false {
		t.Errorf("update without a store: %v", got)
	}
	if got := ledger(t, home, "status", "--json").object(t); got["linked"] != true || got["provider"] != "demo" {
		t.Errorf("status: %v", got)
	}
	if got := ledger(t, home, "setup", "status", "--json").object(t); got["ready"] != true {
		t.Errorf("setup status: %v", got)
	}
	left, err := filepath.Glob(filepath.Join(home, ".ledger", ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("connect left %v behind", left)
	}
}

func TestLedgerCountsExactly(t *testing.T) {
	home := t.TempDir()
	balance := 25000
	for _, c := range []struct {
		amount string
		cents  int
	}{
		{"0.01", 1},
		{"0.1", 10},
		{"2.80", 280},
		{"2.8", 280},
		{"7", 700},
		{"0.29", 29},
		{"19.99", 1999},
		{"1.15", 115},
		{"999.99", -1},
		{"100", 10000},
		{"0.07", 7},
		{"9.09", 909},
		{"99999999", -1},
	} {
		got := pay(t, home, c.amount, "demo-rent", "m")
		if c.cents < 0 {
			got.refused(t, "nothing was paid")
			continue
		}
		balance -= c.cents
		v := got.object(t)
		if want := fmt.Sprintf("%d.%02d", balance/100, balance%100); v["balance"] != want {
			t.Errorf("after %s: balance %v, want %s", c.amount, v["balance"], want)
		}
		if want := fmt.Sprintf("%d.%02d", c.cents/100, c.cents%100); v["amount"] != want {
			t.Errorf("%s became %v", c.amount, v["amount"])
		}
	}
	rest := fmt.Sprintf("%d.%02d", balance/100, balance%100)
	if v := pay(t, home, rest, "demo-rent", "").object(t); v["balance"] != "0.00" {
		t.Errorf("spending all of it left %v", v["balance"])
	}
	pay(t, home, "0.01", "demo-rent", "").refused(t, "does not cover")
}

func TestLedgerRefusesWhatIsNoPositiveAmount(t *testing.T) {
	home := t.TempDir()
	for _, amount := range []string{
		"0", "0.00", "0.0", "-1", "-0.01", "+1", "1e3", "0x10", "1,50", "1.234", "1.", ".5", "1.2.3", " 1", "1 ", "007", "00.10",
		"abc", "1a", "NaN", "Infinity", "٢.٨٠", "1\n", "1;id", "$(id)", "a[$(id)]", "1234567890", "99999999999999999999",
	} {
		got := ledger(t, home, "transfer", "--to", "demo-transit", "--confirm", "--json", "--", amount)
		if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, "no amount") {
			t.Errorf("%q: %+v", amount, got)
		}
	}
	ledger(t, home, "transfer", "", "--to", "demo-transit", "--confirm").refused(t, "needs an amount")
	if entries, _ := os.ReadDir(home); len(entries) != 0 {
		t.Errorf("refused transfers left %v behind", entries)
	}
}

func TestLedgerRefusesWithOneSentence(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"transfer", "2.80", "--to", "demo-transit"}, "needs --confirm"},
		{[]string{"transfer", "2.80", "--confirm"}, "--to with a payee"},
		{[]string{"transfer", "2.80", "--to", "nobody", "--confirm"}, "demo-transit, demo-rent or demo-grocer"},
		{[]string{"transfer", "2.80", "--to", "demo-transit demo-rent", "--confirm"}, "unknown payee"},
		{[]string{"transfer", "2.80", "--to", "*", "--confirm"}, "unknown payee"},
		{[]string{"transfer", "2.80", "--to"}, "needs a value"},
		{[]string{"transfer", "2.80", "--to", "demo-rent", "--confirm", "--memo", strings.Repeat("x", 501)}, "longer than 500 bytes"},
		{[]string{"transfer", "250.01", "--to", "demo-rent", "--confirm"}, "does not cover 250.01 EUR"},
		{[]string{"transfer", "--to", "demo-rent", "--confirm"}, "needs an amount"},
		{[]string{"transfer", "1", "2", "--to", "demo-rent", "--confirm"}, "needs an amount"},
		{[]string{"connect"}, "needs one provider"},
		{[]string{"connect", "bank"}, `unknown provider "bank"; known is demo`},
		{[]string{"setup"}, "setup needs"},
		{[]string{"setup", "all"}, "needs -y"},
		{[]string{"setup", "some", "-y"}, "setup needs"},
		{[]string{"list", "--limit", "0"}, "no limit"},
		{[]string{"list", "--limit=201"}, "no limit"},
		{[]string{"list", "--confirm"}, `unknown option "--confirm"`},
		{[]string{"refund"}, `unknown command "refund"`},
		{[]string{"status", "now"}, "no further words"},
	} {
		ledger(t, home, c.args...).refused(t, c.want)
	}
	if entries, _ := os.ReadDir(home); len(entries) != 1 || entries[0].Name() != ".ledger" {
		t.Errorf("refused commands left %v behind", entries)
	}
	if got := ledger(t, home, "list", "--json").object(t); len(got["entries"].([]any)) != 1 {
		t.Errorf("a refused transfer is listed: %v", got)
	}
}

func TestLedgerKeepsAnyMemo(t *testing.T) {
	home := t.TempDir()
	var control strings.Builder
	for b := byte(1); b < 128; b++ {
		control.WriteByte(b)
	}
	memos := []string{
		`say "hi" \ there`, "two\nlines\r\n\ttabbed", control.String(), "Überweisung → 😀 \u202e", "--confirm", "-", "%s %d %n",
		"$(id) `id` ${HOME}", "it's", " leading and trailing ", "\t", "\\u0041", "\u2028",
	}
	for _, memo := range memos {
		if got := pay(t, home, "0.01", "demo-grocer", memo).object(t); got["memo"] != memo {
			t.Errorf("%q came back as %q", memo, got["memo"])
		}
	}
	list := ledger(t, home, "list", "--limit=100", "--json").object(t)
	for i, memo := range memos {
		if got := at(t, list, "entries", len(memos)-1-i, "memo"); got != memo {
			t.Errorf("listed: %q became %q", memo, got)
		}
	}
	for memo, want := range map[string]string{
		"a\xffb": "a\ufffdb", "\xe2\x82": "\ufffd", "\xed\xa0\x80": "\ufffd\ufffd\ufffd", "\xc0\xaf": "\ufffd\ufffd",
		"\xf4\x90\x80\x80!": "\ufffd\ufffd\ufffd\ufffd!", "\xf0\x9f\x98": "\ufffd", "\xe2A": "\ufffdA",
	} {
		if got := pay(t, home, "0.01", "demo-grocer", memo).object(t); got["memo"] != want {
			t.Errorf("%q became %q, want %q", memo, got["memo"], want)
		}
	}
}

func TestLedgerListsNewestFirstWithinTheLimit(t *testing.T) {
	home := t.TempDir()
	for i := 1; i <= 4; i++ {
		pay(t, home, fmt.Sprint(i), "demo-grocer", "").object(t)
	}
	got := ledger(t, home, "list", "--limit", "2", "--json").object(t)
	if len(got["entries"].([]any)) != 2 || fmt.Sprint(got["total"]) != "5" ||
		at(t, got, "entries", 0, "id") != "e-4" || at(t, got, "entries", 1, "amount") != "3.00" || at(t, got, "entries", 1, "balance") != "244.00" {
		t.Errorf("%v", got)
	}
	if text := ledger(t, home, "list"); text.code != 0 || strings.Count(text.stdout, "\n") != 5 {
		t.Errorf("%+v", text)
	}
}

// Eight of twelve simultaneous transfers of 30.00 are covered by 250.00.
func TestLedgerNeverSpendsTheSameBalanceTwice(t *testing.T) {
	home := t.TempDir()
	outcomes := make([]outcome, 12)
	var wait sync.WaitGroup
	for i := range outcomes {
		wait.Go(func() { outcomes[i] = pay(t, home, "30", "demo-rent", fmt.Sprint(i)) })
	}
	wait.Wait()
	paid := 0
	for _, o := range outcomes {
		if o.code == 0 {
			paid++
			continue
		}
		o.refused(t, "does not cover")
	}
	status := ledger(t, home, "status", "--json").object(t)
	if paid != 8 || status["balance"] != "10.00" || fmt.Sprint(status["entries"]) != "9" {
		t.Errorf("%d paid, %v", paid, status)
	}
	list := ledger(t, home, "list", "--json").object(t)
	for i := range 9 {
		if want := fmt.Sprintf("%d.00", 10+30*i); at(t, list, "entries", i, "balance") != want {
			t.Errorf("entry %d: %v", i, at(t, list, "entries", i))
		}
	}
	names, err := os.ReadDir(filepath.Join(home, ".ledger", "entries"))
	if err != nil || len(names) != 8 {
		t.Errorf("the store holds %v (%v)", names, err)
	}
}

func TestLedgerRefusesADamagedStore(t *testing.T) {
	for name, text := range map[string]string{
		"000000001": "2026-01-01T00:00:00Z\ttransfer\tx\t1\tdemo-rent\t\n",
		"000000002": "2026-01-01T00:00:00Z\ttransfer\t1\ta[$(touch hit)]\tdemo-rent\t\n",
		"000000003": "",
		"000000009": "2026-01-01T00:00:00Z\n",
		"000000008": "2026-01-01T00:00:00Z\ttransfer\t08\t1\tdemo-rent\t\n",
		"*":         "hello\n",
		"notes":     "hello\n",
	} {
		home := t.TempDir()
		dir := filepath.Join(home, ".ledger", "entries")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ledger(t, home, "status", "--json").refused(t, "")
		pay(t, home, "1", "demo-rent", "").refused(t, "")
	}
}

func TestLedgerSaysWhereItCannotWrite(t *testing.T) {
	needs(t, "sh", "od", "awk")
	path := script(t, "ledger", "ledger")
	for _, home := range []string{"/dev/null", ""} {
		for _, args := range [][]string{{"setup", "all", "-y"}, {"connect", "demo"}, {"transfer", "1", "--to", "demo-rent", "--confirm"}} {
			start(t, command{path: path, args: args, env: []string{"HOME=" + home}}).refused(t, "HOME")
		}
	}
}

func TestLedgerAnswersTheSameUnderEveryShellAndAwk(t *testing.T) {
	needs(t, "sh", "od", "awk")
	sameEverywhere(t, command{path: script(t, "ledger", "ledger")}, [][]string{
		{"setup", "status", "--json"},
		{"setup", "all", "-y", "--json"},
		{"connect", "demo", "--json"},
		{"status", "--json"},
		{"list", "--json"},
		{"list"},
		{"transfer", "1.5", "--to", "x", "--confirm"},
		{"transfer", "1e1", "--to", "demo-rent", "--confirm"},
		{"--help"},
		{"transfer", "1.50", "--to", "demo-rent", "--memo", "é\xff\"\\\n😀", "--confirm"},
	})
}
