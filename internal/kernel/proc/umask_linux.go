package proc

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
)

func umask() (fs.FileMode, bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if text, found := strings.CutPrefix(line, "Umask:"); found {
			mask, err := strconv.ParseUint(strings.TrimSpace(text), 8, 9)
			return fs.FileMode(mask), err == nil
		}
	}
	return 0, false
}
