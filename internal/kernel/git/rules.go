package git

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
)

// ruleSet is what holds in the whole working tree: the ignore files and
// attributes outside of it, and the settings that decide about content.
type ruleSet struct {
	ignores    *ignoreChain    // the repository's own, then the user's
	attributes *attributeChain // the user's
	own        *attributeFile  // the repository's own, before all
	ends       endSettings
	fold       bool
	fileMode   bool
	drivers    map[string]bool // filters that the configuration has programs for
	digest     string          // of what decides about content
}

func (r *Repository) ruleSet() (*ruleSet, error) {
	user, err := r.personal()
	if err != nil {
		return nil, err
	}
	pick := func(key string) string {
		if value, ok := r.config.lookup(key); ok {
			return value
		}
		return user.get(key)
	}
	truth := func(key string, otherwise bool) bool {
		if _, ok := r.config.lookup(key); ok {
			return r.config.truth(key, otherwise)
		}
		return user.truth(key, otherwise)
	}
	s := &ruleSet{fold: truth("core.ignorecase", false), fileMode: truth("core.filemode", true), drivers: map[string]bool{}}
	eol := strings.ToLower(pick("core.eol"))
	s.ends.crlf = eol == "crlf" || runtime.GOOS == "windows" && eol != "lf"
	switch auto := pick("core.autocrlf"); {
	case strings.EqualFold(auto, "input"):
		s.ends.autocrlf = "input"
	case truth("core.autocrlf", false):
		s.ends.autocrlf = "true"
	}
	s.collectDrivers(r.config, user)
	return s, s.load(r, user)
}

func (s *ruleSet) collectDrivers(configs ...*config) {
	for _, c := range configs {
		for _, e := range c.entries {
			rest, ok := strings.CutPrefix(e.key, "filter.")
			dot := strings.LastIndexByte(rest, '.')
			if !ok || dot < 0 {
				continue
			}
			switch rest[dot+1:] {
			case "clean", "smudge", "process":
				if e.value != "" {
					s.drivers[rest[:dot]] = true
				}
			}
		}
	}
}

// load reads the files.
func (s *ruleSet) load(r *Repository, user *config) error {
	read := func(path string) ([]byte, error) {
		data, err := ReadPlain(path, maxRules)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			return nil, unreadable(path, err)
		}
		return data, nil
	}
	excludes, err := read(r.excludesFile(user))
	if err != nil {
		return err
	}
	exclude, err := read(filepath.Join(r.common, "info", "exclude"))
	if err != nil {
		return err
	}
	s.ignores = &ignoreChain{parseIgnore(exclude, "", s.fold), &ignoreChain{parseIgnore(excludes, "", s.fold), nil}}
	personal, err := read(r.attributesFile(user))
	if err != nil {
		return err
	}
	own, err := read(filepath.Join(r.common, "info", "attributes"))
	if err != nil {
		return err
	}
	if len(personal) > 0 {
		s.attributes = &attributeChain{parseAttributes(personal, "", true), nil}
	}
	if len(own) > 0 {
		s.own = parseAttributes(own, "", true)
	}
	h := r.format.hash()
	for _, part := range []string{string(personal), string(own), s.ends.autocrlf, truthText(s.ends.crlf), truthText(r.options.Filters)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	s.digest = string(r.format.sum(h))
	return nil
}

func truthText(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// conversion decides how a file changes on its way into the repository.
func (s *ruleSet) conversion(chain *attributeChain, path string) conversion {
	return conversionOf(chain.lookup(s.own, path, s.fold), s.ends)
}

// ignoresOf are the ignore files that hold in a folder. They are read when the
// first untracked name is met there or below.
func (s *scan) ignoresOf(n *node) *ignoreChain {
	n.ignoreOnce.Do(func() {
		above := s.rules.ignores
		if n.parent != nil {
			above = s.ignoresOf(n.parent)
		}
		n.ignores = above
		if data := s.ruleFile(n, ".gitignore", n.hasIgnore); len(data) > 0 {
			n.ignores = &ignoreChain{parseIgnore(data, n.path, s.rules.fold), above}
		}
	})
	return n.ignores
}

// attributesOf are the attribute files that hold in a folder.
func (s *scan) attributesOf(n *node) *attributeChain {
	n.attributeOnce.Do(func() {
		above := s.rules.attributes
		if n.parent != nil {
			above = s.attributesOf(n.parent)
		}
		n.attributes = above
		if data := s.ruleFile(n, ".gitattributes", n.hasAttributes); len(data) > 0 {
			n.attributes = &attributeChain{parseAttributes(data, n.path, n.path == ""), above}
		}
	})
	return n.attributes
}

// maxRuleFile is the size of the largest file of rules that git reads.
const maxRuleFile = 100 << 20

// ruleFile reads a file of rules in a folder, or from the repository when it is
// not checked out. Links are not followed.
func (s *scan) ruleFile(n *node, name string, there bool) []byte {
	if !there {
		return s.skippedFile(n, name)
	}
	f, err := s.place.folder(strings.TrimSuffix(n.path, "/"))
	if err != nil {
		return nil
	}
	defer f.close()
	file, info, err := f.open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	if !info.isRegular() || info.size > maxRuleFile {
		return nil
	}
	data := make([]byte, info.size)
	read, _ := file.ReadAt(data, 0)
	return data[:read]
}

func (s *scan) skippedFile(n *node, name string) []byte {
	if !s.skipping {
		return nil
	}
	path := n.path + name
	at := n.lo + search(n.hi-n.lo, func(i int) bool { return s.old[n.lo+i].path >= path })
	if at >= n.hi || s.old[at].path != path || !s.old[at].skipped() {
		return nil
	}
	data, err := s.w.repo.Blob(s.ctx, oidOf([]byte(s.old[at].raw)))
	if err != nil {
		return nil
	}
	return data
}
