package proc

import (
	"encoding/binary"
	"sync"

	"golang.org/x/sys/unix"
)

// bell wakes the polling thread from other goroutines.
type bell struct {
	mu sync.Mutex
	fd int // -1 once closed: a late ring must not reach a reused number
}

func newBell() (*bell, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return &bell{fd: fd}, nil
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fd >= 0 {
		var one [8]byte
		binary.NativeEndian.PutUint64(one[:], 1)
		_, _ = unix.Write(b.fd, one[:]) // full means that it rings already
	}
}

// hush takes the ringing back.
func (b *bell) hush() {
	var count [8]byte
	_, _ = unix.Read(b.fd, count[:]) // nothing to read means that it is quiet
}

func (b *bell) close() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	unix.Close(b.fd)
	b.fd = -1
}
