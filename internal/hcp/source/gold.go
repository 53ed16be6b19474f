package source

import (
	"os"
	"path/filepath"
	"slices"

	"bridle/internal/kernel/fault"
	"bridle/packs"
)

// publisher is the owner and scope under which the gold packs are published.
const publisher = "harnesscontextprotocol"

// gold returns the id of the gold pack that an argument names by one of its
// published names, or nothing. An argument that asks for a version means
// exactly that one, and nothing can stand in for it.
func (a Argument) gold() string {
	for _, id := range packs.IDs() {
		switch a.kind {
		case npmPackage:
			if a.version == "" && a.name == "@"+publisher+"/pack-"+id {
				return id
			}
		case gitHub:
			if a.owner != publisher || a.ref != "" {
				continue
			}
			inRepository := []string{"examples/packs/" + id, "examples/standalone/" + id, "packs/" + id}
			if a.repo == "hcp-example-"+id && a.folder == "" || a.repo == "hcp" && slices.Contains(inRepository, a.folder) {
				return id
			}
		case local, webArchive, npmLocal:
			// What names no publisher is nobody's published name.
		}
	}
	return ""
}

// standIn lays the bundled copy of a gold pack out as a folder.
func (f *fetcher) standIn(id string) (dir, note string, err error) {
	tree, ok := packs.Pack(id)
	if !ok {
		return "", "", fault.Newf(fault.CodeInternal, "the program brings no pack %q", id)
	}
	parent, err := f.folder("bundled")
	if err != nil {
		return "", "", err
	}
	dir = filepath.Join(parent, id)
	if err := os.CopyFS(dir, tree); err != nil {
		return "", "", fault.Newf(CodeFetchFailed, "cannot lay out the bundled pack %q", id).Because(err)
	}
	return dir, "\"" + f.argument.Text + "\" could not be fetched; the gold template \"" + id + "\" that comes with this program was taken instead", nil
}
