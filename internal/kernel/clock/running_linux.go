package clock

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Running tells how long this run of the machine has lasted, sleep included.
func (system) Running() (boot string, lasted time.Duration, ok bool) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", 0, false
	}
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &at); err != nil {
		return "", 0, false
	}
	return strings.TrimSpace(string(id)), time.Duration(at.Nano()), true
}
