// Package corpus makes texts with and without credentials, to measure how well
// a detector does. The files say only which form a credential has and where it
// stands; every value is drawn when a file is read, the same at every reading,
// so that no file holds anything that looks like a live credential.
//
// A folder holds up to five files:
//
//   - positive.txt and negative.txt: samples that begin with a line "%% + name"
//     or "%% - name" and go on to the next such line
//   - providers.txt: lines "name | form" of credentials
//   - benign.txt: the same of values that are none
//   - contexts.txt: lines in which @ stands for a form; every form stands in
//     some of them
//
// What is to be found stands in ⟦ ⟧, less what stands up to ⟩ in it. «w36» are
// 36 characters drawn from the class w; the classes and the other names are
// those of the function draw.
package corpus

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Sample is one text.
type Sample struct {
	Name   string
	Text   string
	Labels []Span // the credentials; none in a negative sample
}

// A Span is a stretch of a text, in bytes.
type Span struct{ Start, End int }

// In how many contexts every form stands. A value that is no secret stands in
// more of them, so that the samples without a secret are no fewer than those
// with one.
const (
	contextsEach   = 3
	contextsBenign = 8
)

// Load reads a folder. The same seed makes the same values.
func Load(dir string, seed uint64) ([]Sample, error) {
	c := &maker{seed: seed}
	var all []Sample
	for _, name := range []string{"positive.txt", "negative.txt"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for _, block := range strings.Split("\n"+string(text), "\n%% ")[1:] {
			title, body, _ := strings.Cut(block, "\n")
			s, err := c.sample(title, body+"\n")
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	matrix, err := c.matrix(dir)
	return append(all, matrix...), err
}

// matrix puts every form into some contexts.
func (c *maker) matrix(dir string) ([]Sample, error) {
	contexts, err := lines(filepath.Join(dir, "contexts.txt"))
	if err != nil {
		return nil, err
	}
	var all []Sample
	next := 0
	for _, file := range []string{"providers.txt", "benign.txt"} {
		forms, err := lines(filepath.Join(dir, file))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		for _, line := range forms {
			name, form, found := strings.Cut(line, " | ")
			if !found {
				return nil, fmt.Errorf("%s: no form in %q", file, line)
			}
			each := contextsEach
			if file == "benign.txt" {
				each = contextsBenign
			}
			for range each {
				context := contexts[next%len(contexts)]
				next++
				if strings.HasPrefix(form, "https://") && strings.Contains(context, "k=⟦") {
					context = strings.Replace(context, "https://api.service.test/v1/items?k=", "", 1)
				}
				sign := "+ "
				if file == "benign.txt" {
					context = strings.NewReplacer("⟦", "", "⟧", "").Replace(context)
					sign = "- "
				}
				s, err := c.sample(sign+name+" in "+context, strings.Replace(context, "@", form, 1)+"\n")
				if err != nil {
					return nil, err
				}
				all = append(all, s)
			}
		}
	}
	return all, nil
}

// lines reads the lines of a file but for comments.
func lines(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") {
			out = append(out, line)
		}
	}
	return out, nil
}

// maker draws values: the same ones for the same seed.
type maker struct{ seed, count uint64 }

// below draws a number below n.
func (c *maker) below(n int) int {
	c.count++
	block := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, c.seed), c.count)
	sum := sha256.Sum256(block)
	return int(binary.BigEndian.Uint32(sum[:])>>1) % n
}

// sample draws the values of a template and takes its labels out.
func (c *maker) sample(name, template string) (Sample, error) {
	s := Sample{Name: name}
	var b strings.Builder
	start := -1
	for template != "" {
		i := strings.IndexAny(template, "«⟦⟧⟨⟩")
		if i < 0 {
			b.WriteString(template)
			break
		}
		b.WriteString(template[:i])
		mark, rest := cutRune(template[i:])
		switch mark {
		case "⟦", "⟩":
			start = b.Len()
		case "⟨":
			start = -1
		case "⟧":
			if b.Len() > start && start >= 0 {
				s.Labels = append(s.Labels, Span{start, b.Len()})
			}
			start = -1
		case "«":
			spec, after, found := strings.Cut(rest, "»")
			if !found {
				return s, fmt.Errorf("%s: no end of a value", name)
			}
			value, err := c.draw(spec)
			if err != nil {
				return s, fmt.Errorf("%s: %w", name, err)
			}
			b.WriteString(value)
			rest = after
		}
		template = rest
	}
	s.Text = b.String()
	if positive := strings.HasPrefix(name, "+"); positive != (len(s.Labels) > 0) {
		return s, fmt.Errorf("%s: %d labels", name, len(s.Labels))
	}
	return s, nil
}

func cutRune(s string) (first, rest string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

const (
	lowerSet = "abcdefghijklmnopqrstuvwxyz"
	upperSet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digitSet = "0123456789"
)

var classes = map[byte]string{
	'd': digitSet, 'h': digitSet + "abcdef", 'H': digitSet + "ABCDEF", 'a': lowerSet + digitSet, 'A': upperSet + digitSet,
	'w': lowerSet + upperSet + digitSet, 'u': lowerSet + upperSet + digitSet + "-_", 'b': lowerSet + upperSet + digitSet + "+/", '2': upperSet + "234567",
}

func (c *maker) from(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[c.below(len(set))]
	}
	return string(b)
}

var people = strings.Fields("falcon harbour violet Summer Winter copper Anchor lantern Meadow thunder Pickle rocket Walnut Bicycle penguin marble Saturn Blanket")

// draw makes one value: characters of a class, or what the name says.
func (c *maker) draw(spec string) (string, error) {
	word := func() string { return people[c.below(len(people))] }
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	switch {
	case spec == "pp": // a word and digits, as people write passwords
		return word() + c.from(digitSet, 2) + word() + c.from(digitSet, 1), nil
	case spec == "pw": // the same with a character that is neither
		return word() + c.from("!#%*+=?", 1) + word() + c.from(digitSet, 2), nil
	case spec == "pw2": // one that a URL may hold as it is
		return word() + c.from("!*.~", 1) + word() + c.from(digitSet, 2), nil
	case spec == "b64pw":
		return b64(word() + c.from(digitSet, 3) + word()), nil
	case spec == "basic":
		return b64(word() + ":" + word() + c.from(digitSet, 4)), nil
	case spec == "uuid":
		h := func(n int) string { return c.from(classes['h'], n) }
		return h(8) + "-" + h(4) + "-4" + h(3) + "-a" + h(3) + "-" + h(12), nil
	case spec == "discord":
		return base64.RawStdEncoding.EncodeToString([]byte("1"+c.from(digitSet, 17))) + "." + c.from(classes['u'], 6) + "." + c.from(classes['u'], 38), nil
	case spec == "jwt":
		raw := base64.RawURLEncoding.EncodeToString
		return raw([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + raw([]byte(`{"sub":"`+c.from(digitSet, 10)+`","iat":1772618472}`)) + "." + c.from(classes['u'], 43), nil
	case spec == "pem", spec == "pem1", spec == "pemesc":
		end := map[string]string{"pem": "\n", "pem1": "\n  ", "pemesc": `\n`}[spec]
		rows := make([]string, 6)
		for i := range rows {
			rows[i] = c.from(classes['b'], 64)
		}
		return strings.Join(rows, end), nil
	case strings.HasPrefix(spec, "sym"):
		n, err := strconv.Atoi(spec[3:])
		return c.from(lowerSet+digitSet+"!@#%^&*(-_=+)", n), err
	}
	set := classes[spec[0]]
	n, err := strconv.Atoi(spec[1:])
	if set == "" || err != nil {
		return "", fmt.Errorf("unknown value %q", spec)
	}
	return c.from(set, n), nil
}
