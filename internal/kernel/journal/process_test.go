package journal

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The test program starts itself to be other processes: the environment says
// which part to play.
func TestMain(m *testing.M) {
	if part := os.Getenv("JOURNAL_TEST_PART"); part != "" {
		if err := play(part, os.Getenv("JOURNAL_TEST_PATH")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(part, path string) error {
	switch part {
	case "fifty": // append fifty lines
		j, err := Open(path, Options{Holder: "fifty", Wait: 10 * DefaultWait})
		if err != nil {
			return err
		}
		for n := range 50 {
			how := NoSync
			if n%10 == 0 {
				how = Sync
			}
			if _, err := j.Append(context.Background(), event{Command: strconv.Itoa(os.Getpid()), N: n}, how); err != nil {
				return err
			}
		}
		return j.Close()
	case "forever": // append and say which line is acknowledged
		j, err := Open(path, Options{MaxBytes: 20000})
		if err != nil {
			return err
		}
		for n := 0; ; n++ {
			head, err := j.Append(context.Background(), event{Command: strings.Repeat("x", n%300), N: n}, NoSync)
			if err != nil {
				return err
			}
			fmt.Println(head.Seq, head.Hash)
		}
	default:
		return playHere(part, path)
	}
}

func part(part, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "JOURNAL_TEST_PART="+part, "JOURNAL_TEST_PATH="+path)
	return cmd
}

func TestSixteenProcessesAppendWithoutLoss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	const processes = 16
	errs := make(chan error)
	for range processes {
		cmd := part("fifty", path)
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		go func() { errs <- cmd.Wait() }()
	}
	for range processes {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if r := intact(t, path); r.Lines != processes*50 || r.Healed != 0 || r.Torn != 0 {
		t.Errorf("report %+v", r)
	}
	next := map[string]int{}
	lines, err := Read(path, nil, 0)
	must(t, err)
	for _, l := range lines {
		var e event
		must(t, l.Decode(&e))
		if e.N != next[e.Command] {
			t.Errorf("process %s: %d where %d should be", e.Command, e.N, next[e.Command])
		}
		next[e.Command]++
	}
}

func TestAKilledProcessLosesNothingThatWasAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var kept []Head
	for round := range 12 {
		cmd := part("forever", path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		said := bufio.NewScanner(out)
		for n := 0; said.Scan(); n++ {
			var head Head
			if _, err := fmt.Sscan(said.Text(), &head.Seq, &head.Hash); err != nil {
				break // the last words, cut short
			}
			kept = append(kept, head)
			if n == 20+17*round {
				must(t, cmd.Process.Kill())
			}
		}
		_ = cmd.Wait()
		intact(t, path, kept...)
		j := open(t, path, Options{})
		kept = append(kept, add(t, j, round))
		if r := intact(t, path, kept...); r.Torn != 0 {
			t.Errorf("round %d: %+v", round, r)
		}
	}
}
