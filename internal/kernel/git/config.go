package git

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"bridle/internal/kernel/fault"
)

// config is what files of git's configuration say, in order: of two values the
// later counts. Keys are "section.name" or "section.subsection.name", with
// section and name in lower case.
type config struct {
	entries []configEntry
}

type configEntry struct {
	key, value string
	bare       bool // the key stands alone, which means true
}

// get returns the value that counts, or "".
func (c *config) get(key string) string {
	value, _ := c.lookup(key)
	return value
}

func (c *config) lookup(key string) (value string, ok bool) {
	for _, e := range c.entries {
		if e.key == key {
			value, ok = e.value, true
			if e.bare {
				value = "true"
			}
		}
	}
	return value, ok
}

// truth reads a value as git reads booleans.
func (c *config) truth(key string, otherwise bool) bool {
	value, ok := c.lookup(key)
	if !ok {
		return otherwise
	}
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	case "", "false", "no", "off":
		return false
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}

// The bounds of a configuration.
const (
	maxConfigFile  = 4 << 20
	maxConfigDepth = 10
)

// configReader reads one file and those that it includes.
type configReader struct {
	gitDir string // for conditions
	branch string
	home   string
	out    *config
}

func (r *Repository) readConfig() (*config, error) {
	reader := configReader{gitDir: r.gitDir, branch: branchIn(r.gitDir), home: r.options.Home, out: &config{}}
	if err := reader.file(filepath.Join(r.common, "config"), 0); err != nil {
		return nil, err
	}
	if reader.out.truth("extensions.worktreeconfig", false) {
		if err := reader.file(filepath.Join(r.gitDir, "config.worktree"), 0); err != nil {
			return nil, err
		}
	}
	return reader.out, nil
}

// personal is the user's own configuration, of which little is used.
func (r *Repository) personal() (*config, error) {
	r.userOnce.Do(func() {
		reader := configReader{gitDir: r.gitDir, branch: branchIn(r.gitDir), home: r.options.Home, out: &config{}}
		r.user = reader.out
		if r.options.ConfigHome != "" {
			r.userErr = reader.file(filepath.Join(r.options.ConfigHome, "git", "config"), 0)
		}
		if r.options.Home != "" && r.userErr == nil {
			r.userErr = reader.file(filepath.Join(r.options.Home, ".gitconfig"), 0)
		}
	})
	return r.user, r.userErr
}

// file reads a file; one that is not there says nothing.
func (c *configReader) file(path string, depth int) error {
	if depth > maxConfigDepth {
		return fault.Newf(CodeUnsupported, "the git configuration in %q includes too many files in a row", path)
	}
	data, err := ReadPlain(path, maxConfigFile)
	if errors.Is(err, ErrTooLong) {
		return fault.Newf(CodeUnsupported, "the git configuration in %q is larger than %d bytes", path, maxConfigFile)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && depth > 0 {
		return nil
	}
	if err != nil {
		return unreadable(path, err)
	}
	entries, err := parseConfig(data)
	if err != nil {
		return fault.Newf(CodeCorrupt, "the git configuration in %q cannot be read: %s", path, err.Error()).Because(err)
	}
	for _, e := range entries {
		c.out.entries = append(c.out.entries, e)
		include := e.key == "include.path"
		if condition, ok := strings.CutPrefix(e.key, "includeif."); ok {
			condition, ok = strings.CutSuffix(condition, ".path")
			include = ok && c.holds(condition, path)
		}
		if !include || e.value == "" {
			continue
		}
		target := c.expand(e.value)
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		if err := c.file(target, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// expand replaces the user's home.
func (c *configReader) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && c.home != "" {
		return filepath.Join(c.home, rest)
	}
	return path
}

// holds decides a condition. Conditions over remotes do not hold: what they
// bring is not what this package reads.
func (c *configReader) holds(condition, from string) bool {
	kind, pattern, _ := strings.Cut(condition, ":")
	fold := false
	switch kind {
	case "gitdir":
	case "gitdir/i":
		fold = true
	case "onbranch":
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		return c.branch != "" && wildmatch(pattern, c.branch, false)
	default:
		return false
	}
	pattern = c.expand(pattern)
	switch {
	case strings.HasPrefix(pattern, "./"):
		pattern = filepath.ToSlash(filepath.Dir(from)) + pattern[1:]
	case !filepath.IsAbs(pattern):
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	return wildmatch(pattern, filepath.ToSlash(c.gitDir), fold)
}

// configParser walks over the bytes of one file.
type configParser struct {
	data    []byte
	at      int
	section string
}

var errConfig = errors.New("it has a line that is no configuration")

// parseConfig reads the bytes of a file.
func parseConfig(data []byte) ([]configEntry, error) {
	p := configParser{data: data}
	if len(data) >= 3 && string(data[:3]) == "\xef\xbb\xbf" {
		p.at = 3
	}
	var entries []configEntry
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == '#' || c == ';':
			p.line()
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.at++
		case c == '[':
			if err := p.header(); err != nil {
				return nil, err
			}
		case isLetter(c) && p.section != "":
			e, err := p.entry()
			if err != nil {
				return nil, err
			}
			entries = append(entries, e)
		default:
			return nil, errConfig
		}
	}
	return entries, nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isKeyByte(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' }

func (p *configParser) line() {
	for p.at < len(p.data) && p.data[p.at] != '\n' {
		p.at++
	}
}

// next is the byte at hand; a carriage return before a line feed is passed over.
func (p *configParser) next() (byte, bool) {
	if p.at >= len(p.data) {
		return '\n', false
	}
	c := p.data[p.at]
	p.at++
	if c == '\r' && p.at < len(p.data) && p.data[p.at] == '\n' {
		p.at++
		c = '\n'
	}
	return c, true
}

// header reads "[section]", "[section.sub]" or "[section "sub"]".
func (p *configParser) header() error {
	p.at++
	var name strings.Builder
	for {
		c, ok := p.next()
		switch {
		case !ok || c == '\n':
			return errConfig
		case c == ']':
			p.section = strings.ToLower(name.String())
			if p.section == "" {
				return errConfig
			}
			return nil
		case c == ' ' || c == '\t':
			return p.subsection(strings.ToLower(name.String()))
		case !isKeyByte(c) && c != '.':
			return errConfig
		}
		name.WriteByte(c)
	}
}

func (p *configParser) subsection(section string) error {
	for p.at < len(p.data) && (p.data[p.at] == ' ' || p.data[p.at] == '\t') {
		p.at++
	}
	if c, ok := p.next(); !ok || c != '"' || section == "" {
		return errConfig
	}
	var sub strings.Builder
	for {
		c, ok := p.next()
		switch {
		case !ok || c == '\n' || c == 0:
			return errConfig
		case c == '"':
			if c, ok := p.next(); !ok || c != ']' {
				return errConfig
			}
			p.section = section + "." + sub.String()
			return nil
		case c == '\\':
			if c, ok = p.next(); !ok || c == '\n' {
				return errConfig
			}
		}
		sub.WriteByte(c)
	}
}

func (p *configParser) entry() (configEntry, error) {
	start := p.at
	for p.at < len(p.data) && isKeyByte(p.data[p.at]) {
		p.at++
	}
	e := configEntry{key: p.section + "." + strings.ToLower(string(p.data[start:p.at]))}
	for p.at < len(p.data) && (p.data[p.at] == ' ' || p.data[p.at] == '\t') {
		p.at++
	}
	c, ok := p.next()
	switch {
	case !ok || c == '\n':
		e.bare = true
		return e, nil
	case c == '#' || c == ';':
		p.line()
		e.bare = true
		return e, nil
	case c != '=':
		return e, errConfig
	}
	value, err := p.value()
	e.value = value
	return e, err
}

// value reads to the end of the line: quotes, escapes, comments, continued
// lines. Unquoted white space at the ends does not count.
func (p *configParser) value() (string, error) {
	var out strings.Builder
	kept := 0 // without trailing white space
	quoted := false
	for {
		c, ok := p.next()
		switch {
		case c == '\n':
			if quoted {
				return "", errConfig
			}
			return out.String()[:kept], nil
		case c == 0 && ok:
			return "", errConfig
		case !quoted && (c == ' ' || c == '\t'):
			if out.Len() > 0 {
				out.WriteByte(c)
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			p.line()
			continue
		case c == '"':
			quoted = !quoted
			kept = out.Len()
			continue
		case c == '\\':
			escaped, more, err := p.escape()
			if err != nil {
				return "", err
			}
			if !more {
				continue
			}
			c = escaped
		}
		out.WriteByte(c)
		kept = out.Len()
	}
}

// escape reads what follows a backslash; a line feed continues the line.
func (p *configParser) escape() (c byte, more bool, err error) {
	c, ok := p.next()
	if !ok {
		return 0, false, nil
	}
	switch c {
	case '\n':
		return 0, false, nil
	case 't':
		return '\t', true, nil
	case 'b':
		return '\b', true, nil
	case 'n':
		return '\n', true, nil
	case '\\', '"':
		return c, true, nil
	}
	return 0, false, errConfig
}
