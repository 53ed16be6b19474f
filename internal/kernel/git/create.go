package git

import (
	"context"
	"os"
	"time"
)

// Init makes an empty repository in a folder, without anything of the machine's
// or the user's templates.
func Init(ctx context.Context, dir string, o Options) error {
	_, err := o.Program.run(ctx, call{
		dir: dir, home: os.DevNull, args: []string{"init", "--quiet", "--template=", "."}, timeout: time.Minute, allow: []string{},
	})
	return err
}
