package git

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// The modes that entries of a tree have.
const (
	ModeTree    uint32 = 0o040000
	ModeFile    uint32 = 0o100644
	ModeExec    uint32 = 0o100755
	ModeLink    uint32 = 0o120000
	ModeGitlink uint32 = 0o160000
)

// Entry is one entry of a tree. Its name is bytes: git promises no encoding.
type Entry struct {
	Mode uint32
	Name string
	ID   OID
}

// IsTree says whether the entry is a folder.
func (e Entry) IsTree() bool { return e.Mode == ModeTree }

// compareEntries is git's order: a folder sorts as if its name ended in a
// slash.
func compareEntries(a, b Entry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(tail(a, n), tail(b, n))
}

// tail is the byte that decides between names of which one begins the other.
func tail(e Entry, n int) int {
	switch {
	case n < len(e.Name):
		return int(e.Name[n])
	case e.IsTree():
		return '/'
	}
	return 0
}

// encodeTree returns the bytes of a tree, whatever order the entries come in,
// and refuses what git would not accept in one.
func encodeTree(format Format, entries []Entry) ([]byte, error) {
	sorted := entries
	if !slices.IsSortedFunc(entries, compareEntries) {
		sorted = slices.Clone(entries)
		slices.SortFunc(sorted, compareEntries)
	}
	if err := checkEntries(format, sorted); err != nil {
		return nil, err
	}
	size := 0
	for _, e := range sorted {
		size += len("100644 ") + len(e.Name) + 1 + format.Size()
	}
	out := make([]byte, 0, size)
	for _, e := range sorted {
		out = appendOctal(out, e.Mode)
		out = append(out, ' ')
		out = append(out, e.Name...)
		out = append(out, 0)
		out = append(out, e.ID.raw()...)
	}
	return out, nil
}

func appendOctal(out []byte, mode uint32) []byte {
	var digits [11]byte
	at := len(digits)
	for ; mode > 0; mode >>= 3 {
		at--
		digits[at] = '0' + byte(mode&7)
	}
	return append(out, digits[at:]...)
}

func checkEntries(format Format, sorted []Entry) error {
	// A file and a folder of one name do not stand side by side in git's order
	// ("a", "a.b", "a/"), so names are also compared as a set.
	names := make(map[string]bool, len(sorted))
	for _, e := range sorted {
		switch e.Mode {
		case ModeTree, ModeFile, ModeExec, ModeLink, ModeGitlink:
		default:
			return badTree("the entry %q has the mode %o", e.Name, e.Mode)
		}
		if reason := badName(e.Name); reason != "" {
			return badTree("the name %q %s", e.Name, reason)
		}
		if names[e.Name] {
			return badTree("the name %q occurs twice", e.Name)
		}
		names[e.Name] = true
		if err := format.Check(e.ID); err != nil {
			return err
		}
		if e.ID.IsZero() {
			return badTree("the entry %q names no object", e.Name)
		}
	}
	return nil
}

// badName says why a name may not stand in a tree that is ever checked out. It
// refuses what any of the usual file systems would take for the repository's
// own folder.
func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case name == "." || name == "..":
		return "is not one of a file"
	case strings.ContainsAny(name, "/\x00"):
		return "has a character that names do not have"
	case isDotGit(name):
		return "stands for the repository itself"
	}
	return ""
}

// isDotGit knows the names that HFS+ and NTFS take for ".git".
func isDotGit(name string) bool {
	if len(name) < 4 {
		return false
	}
	if c := name[0]; c != '.' && c != 'g' && c != 'G' && c != 0xe2 && c != 0xef {
		return false
	}
	plain := strings.ToLower(strings.Map(func(r rune) rune {
		if hfsIgnores(r) {
			return -1
		}
		return r
	}, name))
	if cut := strings.IndexAny(plain, `\:`); cut >= 0 {
		plain = plain[:cut] // an NTFS stream, or a separator there
	}
	plain = strings.TrimRight(plain, " .")
	return plain == ".git" || plain == "git~1"
}

// hfsIgnores are the characters that HFS+ leaves out when it compares names.
func hfsIgnores(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}

func badTree(format string, args ...any) error {
	return fault.Newf(CodeBadObject, "a tree cannot be made: "+format, args...)
}

// decodeTree reads the bytes of a tree. What it accepts it returns as it is:
// order and names are those of the object, however odd.
func decodeTree(format Format, data []byte) ([]Entry, error) {
	size := format.Size()
	entries := make([]Entry, 0, len(data)/(size+16)+1)
	for len(data) > 0 {
		mode, rest, ok := takeOctal(data)
		if !ok {
			return nil, malformed("a tree", "has an entry without a mode")
		}
		end := bytes.IndexByte(rest, 0)
		if end <= 0 || len(rest) < end+1+size {
			return nil, malformed("a tree", "ends in the middle of an entry")
		}
		name := string(rest[:end])
		if strings.IndexByte(name, '/') >= 0 {
			return nil, malformed("a tree", "has a name with a slash")
		}
		entries = append(entries, Entry{Mode: canonicalMode(mode), Name: name, ID: oidOf(rest[end+1 : end+1+size])})
		data = rest[end+1+size:]
	}
	return entries, nil
}

// takeOctal reads the digits before a space.
func takeOctal(data []byte) (mode uint32, rest []byte, ok bool) {
	for i, c := range data {
		switch {
		case c == ' ':
			return mode, data[i+1:], i > 0
		case c < '0' || c > '7' || i > 6:
			return 0, nil, false
		}
		mode = mode<<3 | uint32(c-'0')
	}
	return 0, nil, false
}

// canonicalMode maps what old versions of git and other programs have written
// to the modes of today, as git does when it reads them.
func canonicalMode(mode uint32) uint32 {
	switch mode & 0o170000 {
	case 0o100000:
		if mode&0o100 != 0 {
			return ModeExec
		}
		return ModeFile
	case 0o120000:
		return ModeLink
	case 0o040000:
		return ModeTree
	}
	return ModeGitlink
}

func malformed(what, why string) *fault.Error {
	return fault.Newf(CodeBadObject, "%s cannot be read: it %s", what, why)
}
