package hcpx

import (
	"os"
	"path/filepath"
	"runtime"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// CodeNoKit is a verb of hcpx-kit on a machine that lacks it.
const CodeNoKit = "kit_missing"

// kitName is the file name of the sibling program.
func kitName() string {
	if runtime.GOOS == "windows" {
		return Name + "-kit.exe"
	}
	return Name + "-kit"
}

// kitPath returns where the sibling program is: beside this program's own file
// and nowhere else, so that no PATH can put another in its place.
func kitPath(executable string) (string, bool) {
	if executable == "" {
		return "", false
	}
	resolved, err := filepath.EvalSymlinks(executable)
	if err != nil {
		return "", false
	}
	path := filepath.Join(filepath.Dir(resolved), kitName())
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular()
}

// handOver replaces this process by hcpx-kit with the same words.
func handOver(c *cli.Call) (cli.Result, error) {
	path, found := kitPath(c.Executable)
	if !found {
		return cli.Result{}, fault.Newf(CodeNoKit, "this command is part of %q, which is not beside %s", kitName(), Name).
			WithHint("install both programs into one folder; %q was looked for", path)
	}
	return cli.Result{}, proc.Exec(path, append([]string{path}, c.Args...), c.Env.List())
}
