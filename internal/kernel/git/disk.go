package git

import (
	"bytes"

	"bridle/internal/kernel/durable"
)

// diskTrouble knows from what git printed that this machine's disk is why it
// failed: git ends with the same code for everything, and with the system's own
// words, which the C locale fixes. What another machine says stands behind a mark
// of its own and counts for nothing.
func diskTrouble(stderr []byte) (code, hint string) {
	for line := range bytes.Lines(stderr) {
		if bytes.HasPrefix(line, []byte("remote:")) {
			continue
		}
		line = bytes.TrimSpace(line)
		for _, t := range []struct{ words, code, hint string }{
			{": No space left on device", durable.CodeDiskFull, "free some space and run the command again"},
			{": Disk quota exceeded", durable.CodeDiskFull, "free some space of yours and run the command again"},
			{": Read-only file system", durable.CodeReadOnly, "mount it for writing, or work in another place"},
			{": Input/output error", durable.CodeIO, "the system's log may say more; when the cause is gone, run the command again"},
			{"': Permission denied", durable.CodeNotPermitted, "look whose the repository's files are and what their permissions allow"},
			{"insufficient permission for adding an object to repository database", durable.CodeNotPermitted, "look whose the repository's files are and what their permissions allow"},
		} {
			if bytes.Contains(line, []byte(t.words)) {
				return t.code, t.hint
			}
		}
	}
	return "", ""
}
