package record

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

const (
	filePerm = 0o600
	dirPerm  = 0o700
)

// Directory is the record of one run on the disk.
type Directory struct {
	Path string
	// above are the folders between the repository's root and Path.
	above []string
	run   Run
	files map[string][]byte
	// mode is the directory's, as it was made.
	mode fs.FileMode
	// written is what the files hold since the last write.
	written map[string][]byte
}

// Exists refuses to go on when the plan has a record already, or had one.
func Exists(path string) error {
	_, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return removed(path)
	case errors.Is(err, syscall.ENOTDIR):
		return nil // what stands in the way is Create's to refuse
	case err != nil:
		return durable.Explain("look for", path, err)
	}
	return exists(path)
}

// removed refuses a plan whose record was removed since: it was executed all the
// same. A list that cannot be read may name any plan.
func removed(path string) error {
	dir, planID := filepath.Split(path)
	ids, err := PrunedPlans(dir)
	switch {
	case err != nil:
		return err
	case slices.Contains(ids, planID):
		list := filepath.Join(dir, Pruned)
		return fault.Newf(hound.CodeRunExists, "the plan was executed before: %q names its record among those that were removed", list).
			WithHint("a plan is executed once; make a new one").WithExit(hound.ExitRefused)
	}
	return nil
}

func exists(path string) error {
	return fault.Newf(hound.CodeRunExists, "the plan was executed before: %q is there", path).
		WithHint("a plan is executed once; make a new one").
		WithNext("hound verify " + path).WithExit(hound.ExitRefused)
}

// Create publishes the record of a run that has not begun: all of its files, or
// nothing. The way from the repository's root to it, relative with slashes, must
// lead through real folders: behind a link the record would lie anywhere. The
// caller holds the lock of the repository.
func Create(root, relative string, run Run) (*Directory, error) {
	files, err := run.documents()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(root, filepath.FromSlash(relative))
	d := &Directory{Path: path, above: above(root, relative), run: run, files: files}
	if err := Reachable(root, relative); err != nil {
		return nil, err
	}
	first := map[string][]byte{}
	for name, data := range files {
		first[name] = data
	}
	for name, member := range map[string]string{hound.ResultFile: "result", hound.IndexFile: "index"} {
		pending := hound.RunPending{SchemaVersion: hound.SchemaRunPending, PlanID: run.Plan.PlanID, Record: member}
		if first[name], err = document.Line(pending); err != nil {
			return nil, err
		}
	}
	if err := Exists(path); err != nil {
		return nil, err
	}
	if err := publish(path, first); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, exists(path)
		}
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, durable.Explain("look at", path, err)
	}
	d.mode, d.written = info.Mode(), first
	return d, nil
}

// Reachable refuses a way from a repository's root to a record that leads through
// anything but folders: the other end of a link is not the repository's.
func Reachable(root, relative string) error {
	d := Directory{above: above(root, relative)}
	if bad := d.blocked(); bad != "" {
		return fault.Newf(hound.CodeBadManifest, "the run root cannot be used: %q is no folder", bad).
			WithHint("records must lie in the repository itself; nothing was done").WithExit(hound.ExitRefused)
	}
	return nil
}

// above lists the folders between a root and a path below it, the outermost first.
func above(root, relative string) []string {
	var list []string
	parts := strings.Split(relative, "/")
	for i := 1; i < len(parts); i++ {
		list = append(list, filepath.Join(root, filepath.Join(parts[:i]...)))
	}
	return list
}

// blocked is the first thing above the record that is there and no folder.
func (d *Directory) blocked() string {
	for _, path := range d.above {
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}

// draftEnd ends the name of a record's directory while it is made.
const draftEnd = ".new"

// isDraft reports whether a name is that of a record in the making. The caller
// of Create holds the lock of the repository: none but its own is being made.
func isDraft(name string) bool {
	id, ends := strings.CutSuffix(name, draftEnd)
	return ends && strings.HasPrefix(id, ".") && document.IsSHA256(id[1:])
}

// sweep removes what attempts that were cut off have left.
func sweep(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return durable.Explain("read", parent, err)
	}
	for _, entry := range entries {
		if !isDraft(entry.Name()) {
			continue
		}
		if err := durable.RemoveAll(filepath.Join(parent, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// publish fills a hidden directory and moves it into place.
func publish(path string, files map[string][]byte) error {
	parent, name := filepath.Split(path)
	if err := durable.MkdirAll(filepath.Clean(parent), dirPerm); err != nil {
		return err
	}
	if err := sweep(filepath.Clean(parent)); err != nil {
		return err
	}
	making := filepath.Join(parent, "."+name+draftEnd)
	if err := durable.MkdirAll(making, dirPerm); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := durable.CreateFile(filepath.Join(making, name), files[name], filePerm); err != nil {
			return errors.Join(err, durable.RemoveAll(making))
		}
	}
	if err := durable.PublishDir(making, path); err != nil {
		return errors.Join(err, durable.RemoveAll(making))
	}
	return nil
}

// Altered names the files that are not as they were written, sorted: changed,
// missing, re-moded, under another name as well, or new; "." is the directory
// itself.
func (d *Directory) Altered() []string {
	if info, err := os.Lstat(d.Path); err != nil || info.Mode() != d.mode || d.blocked() != "" {
		return []string{"."}
	}
	var altered []string
	for name, data := range d.written {
		path := filepath.Join(d.Path, name)
		if have, err := readFile(path, isAsWritten); err != nil || !bytes.Equal(have, data) {
			altered = append(altered, name)
		}
	}
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return append(altered, ".")
	}
	for _, entry := range entries {
		if _, ours := d.written[entry.Name()]; !ours {
			altered = append(altered, entry.Name())
		}
	}
	slices.Sort(altered)
	return altered
}

// Finish writes the result and the index, and everything else where it is not
// as it was. What does not belong goes.
func (d *Directory) Finish(result hound.RunResult) error {
	files := map[string][]byte{}
	for name, data := range d.files {
		files[name] = data
	}
	var err error
	if files[hound.ResultFile], err = document.Line(result); err != nil {
		return err
	}
	index := hound.RunIndex{SchemaVersion: hound.SchemaRunIndex, PlanID: d.run.Plan.PlanID, Files: map[string]string{}}
	for name, data := range files {
		index.Files[name] = document.Sum(data)
	}
	if files[hound.IndexFile], err = document.Line(index); err != nil {
		return err
	}
	if err := d.clear(); err != nil {
		return err
	}
	// The index comes last: only with it is the record complete.
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return name == hound.IndexFile })
	for _, name := range append(names, hound.IndexFile) {
		path := filepath.Join(d.Path, name)
		if have, err := readFile(path, isAsWritten); err == nil && bytes.Equal(have, files[name]) {
			continue
		}
		if err := durable.WriteFile(path, files[name], filePerm); err != nil {
			return err
		}
	}
	d.written = files
	// A file in the making may stay where its lock could not be taken.
	return d.clear()
}

// clear makes room for the record where a driver put something in its place.
func (d *Directory) clear() error {
	for bad := d.blocked(); bad != ""; bad = d.blocked() {
		if err := durable.RemoveAll(bad); err != nil {
			return err
		}
	}
	info, err := os.Lstat(d.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Explain("look at", d.Path, err) // it may be there, and whole
	}
	if err == nil && info.IsDir() && info.Mode() != d.mode {
		if err := os.Chmod(d.Path, d.mode); err != nil {
			return durable.Explain("close", d.Path, err)
		}
	}
	if err != nil || !info.IsDir() {
		if err := durable.RemoveAll(d.Path); err != nil {
			return err
		}
		if err := durable.MkdirAll(d.Path, dirPerm); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return durable.Explain("read", d.Path, err)
	}
	for _, entry := range entries {
		if _, ours := d.written[entry.Name()]; ours && entry.Type().IsRegular() {
			continue
		}
		if err := durable.RemoveAll(filepath.Join(d.Path, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// readFile returns the content of a regular file of a record that no link stands
// for. It must be good: as one just written, or as one to be checked, which nobody
// may run, and not everybody write; copies may be readable by others.
func readFile(path string, good func(fs.FileInfo) bool) ([]byte, error) {
	file, err := openNoLink(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !good(info) || info.Size() > document.MaxBytes {
		return nil, fs.ErrInvalid
	}
	data := make([]byte, info.Size()+1)
	n, err := io.ReadFull(file, data)
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, fs.ErrInvalid // it grew meanwhile, or cannot be read
	}
	return data[:n], nil
}
