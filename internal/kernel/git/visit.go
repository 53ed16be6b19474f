package git

import (
	"errors"
	"io/fs"
	"strings"
)

// The reasons why a snapshot lacks a path, or has it in an older form.
const (
	ReasonEmbedded   = "it is a repository of its own"
	ReasonUnreadable = "it cannot be read"
	ReasonTooLarge   = "it is larger than the limit"
	ReasonSpecial    = "it is neither a file nor a link nor a folder"
	ReasonDotGit     = "its name stands for the repository itself"
	ReasonSubmodule  = "the submodule has changes of its own"
	ReasonUnborn     = "the submodule has no commit"
	ReasonNoModule   = "the files lie in the place of a submodule that is not checked out"
	ReasonFilter     = "it needs a filter program, which may not run here"
	ReasonChanging   = "it changes while it is read"
)

// visitor looks at the names of one folder.
type visitor struct {
	*scan
	node   *node
	folder *folder
}

// unlisted keeps the entries that are not there because they are not checked
// out on purpose. Other entries without a name on disk are gone.
func (v *visitor) unlisted(names []name) {
	if !v.skipping {
		return
	}
	for at := v.node.lo; at < v.node.hi; {
		e := &v.old[at]
		first, _, deeper := strings.Cut(e.path[len(v.node.path):], "/")
		there := has(names, first)
		if !deeper {
			if e.skipped() && !there {
				v.keep(e)
			}
			at++
			continue
		}
		sub := v.child(v.node, first, at)
		if at = sub.hi; !there {
			sub.absent = true
			v.retain(sub)
			v.node.dirs = append(v.node.dirs, sub)
		}
	}
}

// take looks at one name.
func (v *visitor) take(nm name) error {
	if isDotGit(nm.text) {
		path := v.node.path + nm.text
		if nm.text != ".git" && !v.isIgnored(path, nm.kind == typeFolder) {
			v.problem(path, ReasonDotGit)
		}
		return nil
	}
	if nm.kind == typeOther {
		return v.file(nm.text)
	}
	if nm.kind == typeUnknown {
		info, err := v.folder.info(nm.text)
		if err != nil {
			return v.unseen(v.node.path+nm.text, err)
		}
		if !info.isFolder() {
			return v.file(nm.text)
		}
	}
	return v.dir(nm.text)
}

// dir looks at a folder.
func (v *visitor) dir(name string) error {
	path := v.node.path + name
	excluded := v.isExcluded(path)
	if e := v.exact(name); e != nil && e.mode == ModeGitlink {
		if excluded {
			v.keep(e)
			return nil
		}
		return v.submodule(path, e)
	}
	sub := v.child(v.node, name, v.position(name, true))
	switch {
	case excluded:
		sub.absent, sub.keepAll = true, true
		v.retain(sub)
	case sub.lo == sub.hi && v.isIgnored(path, true):
		return nil
	}
	v.node.dirs = append(v.node.dirs, sub)
	return nil
}

// position finds where a name of this folder stands, or would stand, among the
// entries; a folder's stand as if its name ended in a slash.
func (v *visitor) position(name string, folder bool) int {
	lo, skip := v.node.lo, len(v.node.path)
	return lo + search(v.node.hi-lo, func(i int) bool {
		rest := v.old[lo+i].path[skip:]
		n := min(len(rest), len(name))
		if c := strings.Compare(rest[:n], name[:n]); c != 0 || len(rest) < len(name) {
			return c > 0
		}
		return !folder || len(rest) > n && rest[n] >= '/'
	})
}

// exact returns the entry of a name in this folder; of an unmerged one, the
// first.
func (v *visitor) exact(name string) *indexEntry {
	at := v.position(name, false)
	if at < v.node.hi && v.old[at].path[len(v.node.path):] == name {
		return &v.old[at]
	}
	return nil
}

// isExcluded says whether the caller left a path out.
func (s *scan) isExcluded(path string) bool {
	for _, x := range s.exclude {
		if strings.HasPrefix(path, x) && (len(path) == len(x) || path[len(x)] == '/') {
			return true
		}
	}
	return false
}

// file looks at what is no folder.
func (v *visitor) file(name string) error {
	e := v.exact(name)
	tracked := e != nil && e.flags&flagUntracked == 0
	path := v.pathOf(name, e)
	switch {
	case v.isExcluded(path):
		if e != nil {
			v.keep(e)
		}
		return nil
	case !tracked && v.isIgnored(path, false):
		return nil
	}
	info, err := v.folder.info(name)
	if err != nil {
		return v.unseen(path, err)
	}
	if e != nil && v.fresh(e, &info) {
		v.keep(e)
		return nil
	}
	switch {
	case info.isSymlink():
		return v.symlink(name, path, e, info)
	case info.isRegular():
		return v.regular(name, path, e, info)
	case tracked:
		v.problem(path, ReasonSpecial)
		v.keep(e)
	}
	return nil
}

// pathOf is the path of a name in this folder. That of an entry needs no memory.
func (v *visitor) pathOf(name string, e *indexEntry) string {
	if e != nil {
		return e.path
	}
	return v.node.path + name
}

// unseen handles a name that was listed and cannot be looked at.
func (v *visitor) unseen(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone meanwhile
	}
	v.cannot(path, ReasonUnreadable)
	return nil
}

// cannot names a path and keeps what the index has of it.
func (v *visitor) cannot(path, reason string) {
	v.problem(path, reason)
	if e := v.exact(path[len(v.node.path):]); e != nil {
		v.keep(e)
	}
}

// keep takes an entry over as it is.
func (v *visitor) keep(e *indexEntry) {
	if e.stage() != 0 {
		return
	}
	v.node.files = append(v.node.files, e)
	v.node.kept++
}

// put takes a file with its new id. A file that may still change unseen is
// looked at again next time.
func (v *visitor) put(path string, e *indexEntry, raw string, mode uint32, info *fileInfo) {
	fresh := &indexEntry{path: path, raw: raw, mode: mode, stat: info.stat, flags: flagUntracked}
	if e != nil {
		fresh.path = e.path // shares the memory of the index
		fresh.flags = e.flags & flagUntracked
	}
	if !fresh.stat.before(&v.mark) {
		fresh.stat = stat{}
	}
	n := v.node
	n.files = append(n.files, fresh)
	if e != nil && e.stage() == 0 && e.raw == raw && e.mode == mode && e.flags&flagIntent == 0 {
		n.kept++
		if e.stat != fresh.stat || e.flags != fresh.flags {
			n.restated++
		}
	}
}

// fresh says whether a file is the one that the index knows.
func (s *scan) fresh(e *indexEntry, info *fileInfo) bool {
	if !s.trust || e.stage() != 0 || e.flags&flagIntent != 0 || !e.stat.same(&info.stat) {
		return false
	}
	switch {
	case info.isSymlink():
		return e.mode == ModeLink
	case info.isRegular():
		return e.mode == ModeExec || e.mode == ModeFile
	}
	return false
}

// isIgnored says whether an untracked path is ignored, by itself or because the
// folder is.
func (v *visitor) isIgnored(path string, folder bool) bool {
	return v.inIgnored(v.node) || v.ignoresOf(v.node).ignored(path, folder)
}

// inIgnored says whether a folder is ignored; what is in it cannot be taken out
// again.
func (s *scan) inIgnored(n *node) bool {
	if n.path == "" {
		return false
	}
	n.excludedOnce.Do(func() {
		n.excluded = n.lo != n.hi &&
			(s.inIgnored(n.parent) || s.ignoresOf(n.parent).ignored(strings.TrimSuffix(n.path, "/"), true))
	})
	return n.excluded
}
