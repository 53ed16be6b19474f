package lint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
)

func quoted(s string) string {
	const longest = 60
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return fmt.Sprintf("%+q", s)
}

// skillSecrets: no credential in the Skill, also none that is made up, since
// agents copy it (§5.2).
func (f *findings) skillSecrets(md markdown) {
	for _, l := range md.lines {
		what := credential(l.text, l.fenced)
		for _, span := range codeSpans(l.seen) {
			if what == "" && !l.fenced {
				what = credential(span, true)
			}
		}
		if what != "" {
			f.add(hcp.LintSkill, "secret", "%s line %d holds %s", pack.SkillFile, l.number, what)
		}
	}
}

// document looks through a JSON file of the pack for credentials (§8.1) and for
// text that cannot be seen. A file that was not read is nil.
func (f *findings) document(file string, text []byte, kind hcp.LintKind) {
	if text == nil {
		return
	}
	root, err := canon.Parse(text, canon.Limits{MaxBytes: pack.MaxJSON})
	if err != nil {
		return // reported where the file was read
	}
	f.walk(&place{file: file, kind: kind}, root)
}

// place is where a value stands in a JSON file.
type place struct {
	file string
	kind hcp.LintKind
	path []string
}

func (p *place) String() string { return p.file + " " + quoted("/"+strings.Join(p.path, "/")) }

func (p *place) below(name string) *place {
	return &place{p.file, p.kind, append(slices.Clone(p.path), name)}
}

func (p *place) name() string {
	if len(p.path) == 0 {
		return ""
	}
	return p.path[len(p.path)-1]
}

func (f *findings) walk(p *place, v any) {
	down := func(name string, v any) {
		p.path = append(p.path, name)
		f.walk(p, v)
		p.path = p.path[:len(p.path)-1]
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f.text(p, name)
			down(name, v[name])
		}
	case []any:
		for i, item := range v {
			down(strconv.Itoa(i), item)
			if flag, ok := previous(v, i); ok {
				f.flagged(p.below(strconv.Itoa(i)), flag, item)
			}
		}
	case string:
		f.text(p, v)
		if assigns(p.name(), v, true) {
			f.secret(p, "a value for "+quoted(p.name()))
		}
	case json.Number:
		if secretName(p.name()) == secretFor && looksRandom("k"+v.String()) {
			f.secret(p, "a value for "+quoted(p.name()))
		}
	}
}

// text looks at one string, be it a value or a name.
func (f *findings) text(p *place, s string) {
	for l := range strings.SplitSeq(s, "\n") {
		if what := credential(l, false); what != "" {
			f.secret(p, what)
			break
		}
	}
	for l := range strings.SplitSeq(s, "\n") {
		if names := hiddenCharacters(l); names != "" {
			f.add(p.kind, "hidden", "%s holds characters that a person cannot see: %s", p, names)
			break
		}
	}
}

func (f *findings) secret(p *place, what string) {
	f.add(hcp.LintBinding, "secret", "%s holds %s; the runtime's hub gives credentials, not the pack", p, what)
}

func previous(list []any, i int) (string, bool) {
	if i == 0 {
		return "", false
	}
	s, ok := list[i-1].(string)
	return s, ok && strings.HasPrefix(s, "-")
}

// flagged looks at the value of a flag of its own in a list of arguments.
func (f *findings) flagged(p *place, flag string, value any) {
	if s, ok := value.(string); ok && !strings.HasPrefix(s, "-") && assigns(strings.TrimLeft(flag, "-"), s, true) {
		f.secret(p, "a value for "+quoted(flag))
	}
}
