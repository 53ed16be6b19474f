package fileid

import (
	"testing"
	"time"
)

const second = int64(time.Second)

func TestIdentityIsTrustedOnceItSettled(t *testing.T) {
	for _, c := range []struct {
		id    Identity
		taken int64
		want  bool
	}{
		{Identity{}, 100 * second, false},
		{Identity{Modified: 5*second + 1, Changed: 5*second + 1}, 5*second + 1, false},
		{Identity{Modified: 5*second + 1, Changed: 5*second + 1}, 6 * second, true},
		{Identity{Modified: 5 * second, Changed: 5 * second}, 6 * second, false}, // no nanoseconds: a coarse clock
		{Identity{Modified: 5 * second, Changed: 5 * second}, 8 * second, true},
		{Identity{Modified: 9*second + 1, Changed: 5*second + 1}, 9*second + 2, false},
		{Identity{Modified: 5*second + 1}, 100 * second, false},
	} {
		if got := c.id.Settled(c.taken); got != c.want {
			t.Errorf("%+v settled at %d: %v", c.id, c.taken, got)
		}
	}
}
