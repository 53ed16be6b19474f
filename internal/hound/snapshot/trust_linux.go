package snapshot

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// localSystems are the file systems whose change times come from this machine's
// clock and move with every change of content.
var localSystems = [...]int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC,
}

// trusted says whether change times on a device can be relied on. Everything is
// hashed anew on the others: network and FUSE file systems, overlays, unknown
// ones.
func (w *walk) trusted(dev uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.local[dev]
}

// meet learns what kind of file system a directory is on.
func (w *walk) meet(dir int, dev uint64) {
	w.mu.Lock()
	_, known := w.local[dev]
	w.mu.Unlock()
	if known {
		return
	}
	var fs unix.Statfs_t
	local := false
	if unix.Fstatfs(dir, &fs) == nil {
		for _, magic := range localSystems {
			local = local || int64(fs.Type) == magic //nolint:unconvert // a different type on other architectures
		}
	}
	w.mu.Lock()
	w.local[dev] = local
	w.mu.Unlock()
}

// kernelTime is the clock that the kernel stamps changes with, less two of its
// ticks: what was changed before that cannot be changed again unseen.
func kernelTime() (int64, error) {
	var now, tick unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now); err != nil {
		return 0, fmt.Errorf("read the clock: %w", err)
	}
	if err := unix.ClockGetres(unix.CLOCK_REALTIME_COARSE, &tick); err != nil {
		return 0, fmt.Errorf("read the clock's tick: %w", err)
	}
	return now.Nano() - 2*tick.Nano(), nil
}
