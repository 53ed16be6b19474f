package op

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
)

func TestAnIndexThatIsGoneIsMadeAnewOrItIsTold(t *testing.T) {
	ctx := context.Background()
	p, root := demo(t, map[string]string{"a": "a"})
	s := p.Surroundings
	if err := errors.Join(p.Close(), os.Remove(filepath.Join(root, ".hop", "hop.db"))); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
	defer cancel()
	if _, err := OpenAgain(late, s); !fault.Is(err, CodeIndexGone) || fault.From(err).Hint == "" {
		t.Errorf("without time: %v", err)
	}
	again, err := OpenAgain(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	s.Dir = t.TempDir()
	if _, err := OpenAgain(ctx, s); !fault.Is(err, CodeNoProject) {
		t.Errorf("without a repository: %v", err)
	}
}
