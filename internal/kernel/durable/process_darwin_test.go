package durable

import (
	"os"
	"testing"
)

// asOrdinaryUser runs f as whoever runs the tests; root's case is tested on
// Linux, where one thread can be another user.
func asOrdinaryUser(t *testing.T, f func() error) error {
	t.Helper()
	if os.Geteuid() == 0 {
		return os.ErrPermission
	}
	return f()
}
