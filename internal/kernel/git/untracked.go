package git

import (
	"context"
	"os"
	"strings"
	"time"
)

// Untracked lists what git neither tracks nor ignores below some paths of a
// working tree, or in all of it when none is given. A nested repository is one
// name that ends in a slash. Names are as in the file system, relative to the
// root. Only the rules inside the repository count: .gitignore files and
// info/exclude.
func (p Program) Untracked(ctx context.Context, root string, paths ...string) ([]string, error) {
	args := append([]string{"ls-files", "-z", "--others", "--exclude-standard", "--"}, paths...)
	out, err := p.run(ctx, call{dir: root, home: os.DevNull, timeout: time.Minute, args: args})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}
