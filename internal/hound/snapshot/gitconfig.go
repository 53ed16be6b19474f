package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/git"
)

// setting is one line of a configuration file.
type setting struct {
	key   string // section.name or section.subsection.name; section and name in lower case
	value string
}

// parseConfig reads git's configuration format. What git would refuse is passed
// over: the file's bytes are recorded anyway, and only names of further files are
// looked for here.
func parseConfig(text string) (settings []setting) {
	section := ""
	text = strings.TrimPrefix(text, "\ufeff")
	for text != "" {
		var line string
		line, text = logicalLine(text)
		line = strings.TrimLeft(line, " \t\r\f\v")
		if strings.HasPrefix(line, "[") {
			var rest string
			section, rest = sectionName(line[1:])
			line = strings.TrimLeft(rest, " \t")
		}
		if line == "" || line[0] == '#' || line[0] == ';' || section == "" {
			continue
		}
		name, value, given := strings.Cut(line, "=")
		if !given {
			value = "true"
		}
		settings = append(settings, setting{section + "." + strings.ToLower(strings.TrimSpace(name)), configValue(value)})
	}
	return settings
}

// logicalLine takes a line with those that continue it.
func logicalLine(text string) (line, rest string) {
	for {
		part, after, found := strings.Cut(text, "\n")
		part = strings.TrimSuffix(part, "\r")
		if continued, ok := strings.CutSuffix(part, `\`); ok && found && !strings.HasSuffix(continued, `\`) {
			line, text = line+continued, after
			continue
		}
		return line + part, after
	}
}

func sectionName(text string) (name, rest string) {
	quoted := false
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case c == '"':
			quoted = !quoted
			if quoted {
				head := strings.ToLower(strings.TrimRight(b.String(), " \t"))
				b.Reset()
				b.WriteString(head + ".")
			}
		case !quoted && c == ']':
			name = b.String()
			if !strings.Contains(text[:i], `"`) {
				name = strings.ToLower(name)
			}
			return name, text[i+1:]
		default:
			b.WriteByte(c)
		}
	}
	return "", ""
}

// configValue takes quotes, escapes and comments out of a value.
func configValue(text string) string {
	text = strings.TrimLeft(text, " \t")
	var b strings.Builder
	quoted, kept := false, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted = !quoted
			kept = b.Len()
			continue
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(unescape(text[i]))
			kept = b.Len()
			continue
		case !quoted && (c == '#' || c == ';'):
			return b.String()[:kept]
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			kept = b.Len()
		}
	}
	return b.String()[:kept]
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}

// configuration is all that configuration files say, and which files those are.
type configuration struct {
	home     string
	settings []setting
	files    []string // absolute, each once, also those that are not there
	seen     map[string]bool
	endless  bool // there were more files than are looked at
	// unusable is the first file that git itself could not come to the end of.
	unusable error
}

// maxConfig bounds one file of configuration.
const maxConfig = 4 << 20

// maxConfigFiles bounds how many files a configuration is taken from.
const maxConfigFiles = 1000

// read takes a file and those that it may include. A condition of an include is
// taken as fulfilled: what it depends on may change.
func (c *configuration) read(path string) {
	path = filepath.Clean(path)
	if c.seen[path] {
		return
	}
	if len(c.files) >= maxConfigFiles {
		c.endless = true
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[path] = true
	c.files = append(c.files, path)
	data, err := git.ReadPlain(path, maxConfig)
	if err != nil {
		// That it is not there or not readable is recorded with the file. Git goes on
		// without it; a pipe, a device or no end it would read as well.
		if endless := errors.Is(err, git.ErrTooLong) || errors.Is(err, git.ErrNotPlain) && !isFolder(path); endless && c.unusable == nil {
			c.unusable = unreadable(path, err)
		}
		return
	}
	for _, s := range parseConfig(string(data)) {
		c.settings = append(c.settings, s)
		if s.key == "include.path" || strings.HasPrefix(s.key, "includeif.") && strings.HasSuffix(s.key, ".path") {
			if target := c.resolve(s.value, filepath.Dir(path)); target != "" {
				c.read(target)
			}
		}
	}
}

// resolve makes a path of a configuration absolute; "" when it cannot be known.
func (c *configuration) resolve(path, dir string) string {
	switch {
	case path == "" || strings.HasPrefix(path, "%(prefix)"):
		return ""
	case path == "~" || strings.HasPrefix(path, "~/"):
		if c.home == "" {
			return ""
		}
		return filepath.Join(c.home, path[1:])
	case strings.HasPrefix(path, "~"):
		return ""
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(dir, path)
}

// last returns the last value of a key.
func (c *configuration) last(key string) (value string, ok bool) {
	for _, s := range c.settings {
		if s.key == key {
			value, ok = s.value, true
		}
	}
	return value, ok
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
