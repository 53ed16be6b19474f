package git

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"bridle/internal/kernel/fault"
)

// Signature says who and when. The zone of When is kept.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Header is a line of a commit that this package does not know, such as a
// signature.
type Header struct{ Key, Value string }

// Commit is the content of a commit.
type Commit struct {
	Tree              OID
	Parents           []OID
	Author, Committer Signature
	Extra             []Header
	Message           string
}

// encodeCommit returns the bytes of a commit.
func encodeCommit(format Format, c Commit) ([]byte, error) {
	var out bytes.Buffer
	for i, id := range append([]OID{c.Tree}, c.Parents...) {
		if err := format.Check(id); err != nil {
			return nil, err
		}
		key := "parent "
		if i == 0 {
			key = "tree "
		}
		out.WriteString(key + string(id) + "\n")
	}
	for _, who := range []struct {
		key string
		s   Signature
	}{{"author", c.Author}, {"committer", c.Committer}} {
		if strings.ContainsAny(who.s.Name+who.s.Email, "<>\n\x00") || who.s.Email == "" {
			return nil, fault.Newf(CodeBadObject, "the %s %q cannot stand in a commit", who.key, who.s.Name+" <"+who.s.Email+">")
		}
		if who.s.When.Unix() < 0 {
			return nil, fault.Newf(CodeBadObject, "the time of the %s lies before 1970", who.key)
		}
		out.WriteString(who.key + " " + who.s.String() + "\n")
	}
	for _, h := range c.Extra {
		if h.Key == "" || strings.ContainsAny(h.Key, " \n\x00") || strings.IndexByte(h.Value, 0) >= 0 {
			return nil, fault.Newf(CodeBadObject, "the header %q cannot stand in a commit", h.Key)
		}
		out.WriteString(h.Key + " " + strings.ReplaceAll(h.Value, "\n", "\n ") + "\n")
	}
	if strings.IndexByte(c.Message, 0) >= 0 {
		return nil, fault.New(CodeBadObject, "the message of a commit cannot hold a NUL byte")
	}
	out.WriteString("\n" + c.Message)
	return out.Bytes(), nil
}

// String is the form that commits use.
func (s Signature) String() string {
	return s.Name + " <" + s.Email + "> " + strconv.FormatInt(s.When.Unix(), 10) + " " + s.When.Format("-0700")
}

// decodeCommit reads the bytes of a commit. People and times in forms that git
// would not write today are read as far as they go.
func decodeCommit(format Format, data []byte) (Commit, error) {
	var c Commit
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	if bytes.HasPrefix(data, []byte("\n")) {
		head, message = nil, data[1:]
	}
	c.Message = string(message)
	for line := range bytes.SplitSeq(bytes.TrimSuffix(head, []byte("\n")), []byte("\n")) {
		if len(line) > 0 && line[0] == ' ' && len(c.Extra) > 0 {
			c.Extra[len(c.Extra)-1].Value += "\n" + string(line[1:])
			continue
		}
		key, value, _ := strings.Cut(string(line), " ")
		switch {
		case key == "tree" && c.Tree == "":
			c.Tree = OID(value)
		case key == "parent" && len(c.Extra) == 0:
			c.Parents = append(c.Parents, OID(value))
		case key == "author" && c.Author == (Signature{}):
			c.Author = parseSignature(value)
		case key == "committer" && c.Committer == (Signature{}):
			c.Committer = parseSignature(value)
		default:
			c.Extra = append(c.Extra, Header{key, value})
		}
	}
	for _, id := range append([]OID{c.Tree}, c.Parents...) {
		if format.Check(id) != nil {
			return Commit{}, malformed("a commit", "names its tree or a parent by what is no object id")
		}
	}
	return c, nil
}

func parseSignature(text string) Signature {
	var s Signature
	open, end := strings.IndexByte(text, '<'), strings.LastIndexByte(text, '>')
	if open < 0 || end < open {
		s.Name = strings.TrimSpace(text)
		return s
	}
	s.Name, s.Email = strings.TrimSpace(text[:open]), text[open+1:end]
	seconds, zone, _ := strings.Cut(strings.TrimSpace(text[end+1:]), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return s
	}
	s.When = time.Unix(unix, 0).In(zoneOf(zone))
	return s
}

// zoneOf reads "+0130". An unreadable zone is taken for UTC.
func zoneOf(text string) *time.Location {
	n, err := strconv.Atoi(text)
	if err != nil || len(text) != 5 || n%100 > 59 || n%100 < -59 {
		return time.UTC
	}
	seconds := (n/100*60 + n%100) * 60
	if seconds == 0 {
		return time.UTC
	}
	return time.FixedZone(text, seconds)
}
