package scaffold

import (
	"embed"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/catalog"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
	"bridle/packs"
)

// The codes of this package's faults.
const (
	CodeBadID       = "bad_id"
	CodeBadTemplate = "bad_template"
	CodeDirExists   = "dir_exists"
	CodeWriteFailed = "write_failed"
)

// Begun is a pack that was begun.
type Begun struct {
	PackID   string
	Template string
	Files    []string
}

// Classes are the templates by the class of the pack, Golds those that are a
// copy of a pack which comes with the program.
var (
	Classes = []string{catalog.PublicRead, catalog.GatedWrite}
	Golds   = []string{"transit", "ledger", "echo"}
)

//go:embed all:template
var templates embed.FS

// Init writes a pack to begin with into dir, which must not exist: the three
// files, a demonstration program, a README and a package.json. A gold template
// keeps its own id; the others get the one that is given.
func Init(dir, id, template string) (Begun, error) {
	if err := usableID(id); err != nil {
		return Begun{}, err
	}
	files, err := contents(id, template)
	if err != nil {
		return Begun{}, err
	}
	begun := Begun{PackID: id, Template: template}
	if slices.Contains(Golds, template) {
		begun.PackID = template
	}
	if _, taken := files["README.md"]; !taken {
		files["README.md"] = readme(begun.PackID)
	}
	if files["package.json"], err = packageFile(begun.PackID, files); err != nil {
		return Begun{}, err
	}
	for name := range files {
		begun.Files = append(begun.Files, name)
	}
	slices.Sort(begun.Files)
	return begun, place(dir, files)
}

// usableID refuses what cannot be the id of a new pack.
func usableID(id string) error {
	if !ids.IsPackID(id) || !ids.IsPathElement(id) || slices.Contains([]string{hcp.BootstrapPack, "hcp", "hcpx"}, id) {
		return fault.Newf(CodeBadID, "%q cannot be the id of a new pack", id).
			WithHint("use lower-case letters, digits and hyphens, such as weather; hcp and hcpx are the names of this program")
	}
	return nil
}

// contents are the files of a template.
func contents(id, template string) (map[string]string, error) {
	files := map[string]string{}
	var tree fs.FS
	switch {
	case slices.Contains(Golds, template):
		tree, _ = packs.Pack(template)
	case slices.Contains(Classes, template):
		sub, err := fs.Sub(templates, "template/"+template)
		if err != nil {
			return nil, err
		}
		tree = sub
	default:
		known := append(append([]string{}, Classes...), Golds...)
		return nil, fault.Newf(CodeBadTemplate, "there is no template %q", template).WithHint("the templates are %s", strings.Join(known, ", "))
	}
	gold := slices.Contains(Golds, template)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		text := string(data)
		if !gold {
			text = strings.NewReplacer("PACK_ID", id, "PACK_NAME", title(id)).Replace(text)
		}
		files[name] = text
		return err
	})
	return files, err
}

// title is an id as a name for people.
func title(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '.' || r == '_' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// packageFile is the package.json by which a pack is an npm package as well.
func packageFile(id string, files map[string]string) (string, error) {
	type pointer struct {
		Pack string `json:"pack"`
	}
	doc := struct {
		Name         string            `json:"name"`
		Version      string            `json:"version"`
		Description  string            `json:"description"`
		License      string            `json:"license"`
		HCP          pointer           `json:"hcp"`
		Bin          map[string]string `json:"bin,omitempty"`
		Files        []string          `json:"files"`
		Dependencies map[string]string `json:"dependencies"`
	}{
		Name: "hcp-pack-" + id, Version: "0.1.0", Description: "HCP pack " + id, License: "UNLICENSED", HCP: pointer{"."},
		Dependencies: map[string]string{"@harnesscontextprotocol/cli": "*"},
	}
	for name := range files {
		top, rest, below := strings.Cut(name, "/")
		if !slices.Contains(doc.Files, top) {
			doc.Files = append(doc.Files, top)
		}
		if below && top == "bin" && path.Ext(rest) != ".awk" {
			doc.Bin = map[string]string{id: "./" + name}
		}
	}
	slices.Sort(doc.Files)
	data, err := canon.MarshalIndent(doc)
	return string(data) + "\n", err
}

func readme(id string) string {
	return "# " + title(id) + "\n\nAn HCP pack.\n\n```sh\nhcpx check . --probe\nhcpx install .\nhcpx activate " + id + "\nhcpx commands " + id + "\n```\n"
}

// vacant refuses a folder that is there.
func vacant(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fault.Newf(CodeDirExists, "%q is there already", dir).WithHint("pick another id, or another folder with --dir")
	}
	return nil
}

// place writes the files beside dir and moves them there in one step.
func place(dir string, files map[string]string) error {
	if err := vacant(dir); err != nil {
		return err
	}
	failed := func(err error) error {
		return fault.Newf(CodeWriteFailed, "%q cannot be written", dir).Because(err).WithHint("pick a folder that you may write to with --dir")
	}
	parent := filepath.Dir(dir)
	if err := durable.MkdirOpen(parent); err != nil {
		return failed(err)
	}
	temp, err := os.MkdirTemp(parent, ".hcpx-init-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	staged := filepath.Join(temp, "pack")
	for name, text := range files {
		file := filepath.Join(staged, filepath.FromSlash(name))
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return failed(err)
		}
		if err := durable.WriteFile(file, []byte(text), mode); err != nil {
			return failed(err)
		}
	}
	if err := durable.PublishDir(staged, dir); err != nil {
		return failed(err)
	}
	return nil
}
