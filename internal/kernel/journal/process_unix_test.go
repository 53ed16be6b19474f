//go:build unix

package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
)

func playHere(part, path string) error {
	switch part {
	case "limited":
		return appendUnderLimit(path)
	case "both": // one line of each durability
		j, err := Open(path, Options{})
		if err != nil {
			return err
		}
		for _, how := range []Durability{NoSync, Sync} {
			if _, err := j.Append(context.Background(), event{N: int(how) + 1}, how); err != nil {
				return err
			}
		}
		return j.Close()
	default:
		return errors.New("no such part")
	}
}

func appendUnderLimit(path string) error {
	// The kernel lets the file grow by 100 bytes only, less than a line.
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	limit := unix.Rlimit{Cur: uint64(info.Size()) + 100, Max: uint64(info.Size()) + 100}
	j, err := Open(path, Options{})
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for _, how := range []Durability{Sync, NoSync} {
		head, err := j.Append(context.Background(), event{Command: strings.Repeat("x", 500)}, how)
		if !errors.Is(err, unix.EFBIG) || head != (Head{}) {
			return fmt.Errorf("got %+v %w", head, err)
		}
	}
	return nil
}

func TestAWriteThatIsCutShortLeavesTheFileAsItWas(t *testing.T) {
	path, heads := written(t, 5, Options{})
	before := content(t, path)
	if out, err := part("limited", path).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if content(t, path) != before {
		t.Error("the file changed")
	}
	add(t, open(t, path, Options{}), 6)
	if r := intact(t, path, heads...); r.Healed != 0 {
		t.Errorf("report %+v", r)
	}
}

func TestAFIFOIsRefusedAndHangsNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	must(t, unix.Mkfifo(path, 0o600))
	if _, err := Open(path, Options{}); !fault.Is(err, CodeUnsafe) {
		t.Errorf("Open: %v", err)
	}
	if _, err := Key(path); !fault.Is(err, CodeBadKey) {
		t.Errorf("Key: %v", err)
	}
}

func TestWhoseFileMayBeTrusted(t *testing.T) {
	for _, c := range []struct {
		mode      os.FileMode
		owner, me int
		others    bool
	}{
		{0o600, 7, 7, false},
		{0o644, 7, 7, false},
		{0o620, 7, 7, true},
		{0o602, 7, 7, true},
		{0o600, 0, 7, false},
		{0o600, 8, 7, true},
		{0o600, 8, 0, false},
		{0o666, 8, 0, true},
	} {
		if got := canOthersWrite(c.mode, c.owner, c.me); got != c.others {
			t.Errorf("%o of %d seen by %d: %v", c.mode, c.owner, c.me, got)
		}
	}
}
