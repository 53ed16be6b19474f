package pack

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// Draft is what could be read of a pack, and everything that keeps it from
// loading. It loads exactly if there is no problem.
type Draft struct {
	Pack
	// Surface and Policy are the text of the files that are strict JSON, else nil.
	Surface, PolicyText []byte
	// HasManifest and HasPolicy say that the file is there and a JSON object, so
	// that what it lacks can be told from what could not be read.
	HasManifest, HasPolicy bool
	Problems               []Problem
	// Loose says that an id or a key holds by the text only, not by the schema.
	Loose bool
}

type skillMode int

const (
	readSkill skillMode = iota
	findSkill           // look whether it is there, and leave it
)

// Examine reads as much of the pack in dir as it can. The error says that dir
// is no directory that can be read; what is wrong within it is in the Draft.
func Examine(dir string) (*Draft, error) { return examine(dir, readSkill) }

func examine(dir string, skill skillMode) (*Draft, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, noDirectory(dir, err)
	}
	defer root.Close()
	d := &Draft{Pack: Pack{Dir: filepath.Clean(dir)}}
	d.readSurface(root)
	d.readPolicy(root)
	d.readSkill(root, skill)
	if i := slices.IndexFunc(d.Problems, func(p Problem) bool { return p.Code == CodeUnsupportedVersion }); i >= 0 {
		// The rules of this major say nothing about a pack of another one.
		d.Problems = d.Problems[i : i+1]
	}
	return d, nil
}

func noDirectory(dir string, err error) error {
	if exhausted(err) {
		return manyFiles(quote(dir), err)
	}
	f := fault.Newf(CodeNoPack, "%q is no directory that can be read", dir).Because(err)
	if errors.Is(err, fs.ErrNotExist) {
		f = fault.Newf(CodeNoPack, "there is no directory %q", dir).Because(err)
	}
	return f.WithHint("point at the directory that holds %s", SurfaceFile)
}

// Label names the pack in a message: by its id, or by its directory where no id
// is known.
func (d *Draft) Label() string {
	if d.ID != "" {
		return d.ID
	}
	return filepath.Base(d.Dir)
}

func (d *Draft) readSurface(root *os.Root) {
	data, ok := d.readFile(root, SurfaceFile, MaxJSON)
	if !ok {
		return
	}
	if p := strict(SurfaceFile, data, surfaceIssue); p != nil {
		d.Problems = append(d.Problems, *p)
		d.ID = salvageID(data)
		return
	}
	d.Surface = data
	r := readManifest(data)
	d.take(r.reader)
	if !r.isObject {
		return
	}
	d.HasManifest = true
	d.Manifest, d.ID = r.m, r.m.ID
	d.structure(r)
	d.Kind, d.Meta = d.Manifest.EffectiveKind(), deriveMeta(&d.Manifest)
}

// structure adds the rules that look at several fields. A place that has been
// reported already is not reported again.
func (d *Draft) structure(r *manifestReader) {
	issues := append(reconcile(&d.Manifest), Structure(&d.Manifest)...)
	declared := func(issue hcp.LintIssue) bool {
		return slices.ContainsFunc(d.Problems, func(p Problem) bool {
			switch issue {
			case wrapWithoutBin:
				return p.LintIssue == issue || p.Pointer == "/wrap" || p.Pointer == "/wrap/bin" || p.Pointer == "/hcp/wrap/bin"
			case openapiWithoutRef:
				return p.LintIssue == issue || hasField(p.Pointer, "openapi")
			case senseWithoutRef:
				return hasField(p.Pointer, "stimulusTriggers")
			case controlBinding:
				return hasField(p.Pointer, "binding")
			}
			return p.LintIssue == issue || hasField(p.Pointer, issue.Key) && issue.Kind == hcp.LintInvalidMeta
		})
	}
	if !r.hasVerbs {
		p := Problem{LintIssue: wrapUnnamed, Code: CodeBadPack, File: SurfaceFile, Pointer: "/verbs"}
		if d.Manifest.EffectiveKind() != hcp.KindWrap || d.Manifest.PassThrough != nil {
			p = *r.report("/verbs", "is missing")
		}
		d.Problems = append(d.Problems, p)
	}
	for _, issue := range issues {
		if !declared(issue) {
			d.Problems = append(d.Problems, Problem{LintIssue: issue, Code: CodeBadPack, File: SurfaceFile, Stricter: true})
		}
	}
}

func hasField(pointer, name string) bool {
	return pointer == "/"+name || len(pointer) > len(name)+1 && pointer[:len(name)+2] == "/"+name+"/"
}

func (d *Draft) readPolicy(root *os.Root) {
	data, ok := d.readFile(root, PolicyFile, MaxJSON)
	if !ok {
		return
	}
	if p := strict(PolicyFile, data, policyIssue); p != nil {
		d.Problems = append(d.Problems, *p)
		return
	}
	d.PolicyText = data
	r, policy := readPolicy(data)
	d.take(r)
	if !r.isObject {
		return
	}
	d.HasPolicy, d.Policy = true, policy
	if d.HasManifest && d.ID != "" && policy.SurfaceID != "" && policy.SurfaceID != d.ID {
		d.add(hcp.LintMissingVerb, d.ID, PolicyFile, CodeBadPack, "policy surface_id %q !== %q", policy.SurfaceID, d.ID)
	}
	if !d.HasManifest && d.ID == "" && ids.IsLoosePackID(policy.SurfaceID) {
		d.ID = policy.SurfaceID
		for i := range d.Problems {
			if d.Problems[i].Kind == hcp.LintMissingSurface {
				d.Problems[i].Message = d.lacks(SurfaceFile)
			}
		}
	}
}

func (d *Draft) readSkill(root *os.Root, mode skillMode) {
	if mode == findSkill {
		d.SkillPresent = d.find(root, SkillFile, MaxSkill)
		return
	}
	data, ok := d.readFile(root, SkillFile, MaxSkill)
	if !ok {
		// A pack with the deprecated inline text can still be read about; it
		// does not load.
		d.Skill = d.Manifest.Harness
		return
	}
	if !utf8.Valid(data) {
		d.add(hcp.LintSkill, SkillFile, SkillFile, CodeBadPack, "%s is not UTF-8", SkillFile)
		return
	}
	d.Skill, d.SkillPresent = string(data), true
	if d.Manifest.Harness != "" {
		d.note("%s is the Skill; the field harness is ignored", SkillFile)
	}
}

// take moves what a reader found into the draft.
func (d *Draft) take(r *reader) {
	d.Problems = append(d.Problems, r.problems...)
	d.Notes = append(d.Notes, r.notes...)
	d.Loose = d.Loose || r.loose
}

// salvageID looks for the id in a manifest that is not strict JSON, up to the
// place where it cannot be read any more.
func salvageID(data []byte) string {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return ""
	}
	for {
		name, err := dec.ReadToken()
		if err != nil || name.Kind() != '"' {
			return ""
		}
		if name.String() != "id" {
			if err := dec.SkipValue(); err != nil {
				return ""
			}
			continue
		}
		value, err := dec.ReadToken()
		if err != nil || value.Kind() != '"' || !ids.IsLoosePackID(value.String()) {
			return ""
		}
		return value.String()
	}
}
