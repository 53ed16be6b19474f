package cli

import "runtime/debug"

// version is stamped by the linker: -X bridle/internal/kernel/cli.version=v1.2.3.
var version string

// Version returns the version of this build: the stamped one, else the one
// that `go install` recorded, else "dev".
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
