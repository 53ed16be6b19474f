// Package scaffold writes drivers to begin with: a manifest and a program that
// work as they are and keep every rule of the protocol.
//
// Invariants:
//
//   - Nothing is overwritten.
//   - What is written passes hound driver check --deep.
package scaffold

import (
	"embed"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/manifest"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

//go:embed files
var files embed.FS

// Languages are those that drivers can be written in.
var Languages = []string{"sh", "python"}

// Order says what to write.
type Order struct {
	// Root is the root of the repository; Folder, below it and relative with
	// slashes, is where the driver goes.
	Root, Folder string
	ID           string
	Language     string
}

// program is what the file of the driver is called, and the words that start it.
func (o Order) program() (name string, exec []string) {
	if o.Language == "python" {
		return "driver.py", []string{"python3", "-B", o.in("driver.py")}
	}
	return "driver.sh", []string{"./" + o.in("driver.sh")}
}

// in is a path of the driver's folder from the root.
func (o Order) in(name string) string {
	if o.Folder == "." {
		return name
	}
	return o.Folder + "/" + name
}

// ManifestName is what the manifest is called.
const ManifestName = "hound-driver.json"

// Write writes the driver and returns the paths of what was written.
func Write(o Order) ([]string, error) {
	if !manifest.IsIdentifier(o.ID) {
		return nil, fault.Newf(hound.CodeBadManifest, "%q is no identifier of a driver", o.ID).
			WithHint("letters, digits, dot, underscore and hyphen, beginning with a letter or digit").WithExit(hound.ExitRefused)
	}
	if !slices.Contains(Languages, o.Language) {
		return nil, fault.Newf(hound.CodeBadInput, "no driver is known for the language %q", o.Language).
			WithHint("the languages are %s", strings.Join(Languages, ", ")).WithExit(hound.ExitRefused)
	}
	name, exec := o.program()
	body, err := files.ReadFile("files/" + name + ".txt")
	if err != nil {
		return nil, err
	}
	form, err := files.ReadFile("files/" + ManifestName + ".txt")
	if err != nil {
		return nil, err
	}
	up := "."
	if o.Folder != "." {
		up = strings.TrimSuffix(strings.Repeat("../", strings.Count(o.Folder, "/")+1), "/")
	}
	fill := strings.NewReplacer("{{id}}", o.ID, "{{up}}", up, "{{exec}}", `"`+strings.Join(exec, `", "`)+`"`)
	folder := filepath.Join(o.Root, filepath.FromSlash(o.Folder))
	if err := durable.MkdirOpen(folder); err != nil {
		return nil, err
	}
	document := fill.Replace(string(form))
	if _, err := manifest.Parse([]byte(document)); err != nil {
		return nil, err
	}
	paths := []string{filepath.Join(folder, ManifestName), filepath.Join(folder, name)}
	if err := durable.CreateFile(paths[0], []byte(document), 0o644); err != nil {
		return nil, err
	}
	return paths, durable.CreateFile(paths[1], []byte(fill.Replace(string(body))), 0o755)
}
