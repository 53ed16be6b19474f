package host

import (
	"os"
	"path/filepath"

	"bridle/internal/kernel/fault"
)

// CodeNoAdopt is a workspace that opted out.
const CodeNoAdopt = "no_adopt"

// optOut is the file by which a workspace opts out of adopting.
const optOut = ".hcp/no-adopt"

// CodeNoWorkspace is a folder that no host is configured in.
const CodeNoWorkspace = "no_workspace"

// refuseStore refuses a folder whose .hcp is a store: the files of the plugin
// would lie among those of the store, as they would in the person's home.
func refuseStore(dir, store string) error {
	own := filepath.Join(dir, ".hcp")
	_, isStore := os.Lstat(filepath.Join(own, "store.json"))
	if isStore != nil && !sameFile(own, store) {
		return nil
	}
	return fault.Newf(CodeNoWorkspace, "%q holds the store and is no workspace", dir).
		WithHint("change to the project that the agent works in")
}

func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
}

// refuseOptedOut refuses a workspace, or a repository around it, that opted out.
func refuseOptedOut(dirs ...string) error {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(optOut))); err == nil {
			return fault.Newf(CodeNoAdopt, "the workspace %q opted out of adopting", dir).
				WithHint("its file %s says so; whoever owns the workspace may remove it", optOut)
		}
	}
	return nil
}
