package store

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
)

// Every call reads the session and one record, in a process that has read
// nothing before. The general decoder first has to learn their types, which
// takes longer than reading them. So the layout that this program writes is read
// here by hand; for a document with anything else in it, a reader reports that it
// does not know it, and the decoder decides.

// quick walks a checked document. Once it met something that it does not know,
// unknown stays set and what it returned is void.
type quick struct {
	canon.Cursor
	unknown bool
}

// object reads an object whose members it gives to member, which returns false
// for a name that it does not know.
func (q *quick) object(member func(name string) bool) {
	if q.unknown = q.unknown || q.Kind() != '{'; q.unknown {
		return
	}
	q.Open()
	for !q.unknown && q.More() {
		q.unknown = !member(q.Member()) || q.unknown
		q.Up()
	}
	q.Close()
}

// list reads an array.
func (q *quick) list(item func()) {
	if q.unknown = q.unknown || q.Kind() != '['; q.unknown {
		return
	}
	q.Open()
	for i := 0; !q.unknown && q.More(); i++ {
		q.Item(i)
		item()
		q.Up()
	}
	q.Close()
}

func (q *quick) text(into *string) bool {
	if q.Kind() != '"' {
		return false
	}
	*into = q.Str()
	return true
}

func (q *quick) truth(into *bool) bool {
	word := q.Literal()
	*into = word == "true"
	return *into || word == "false"
}

func (q *quick) signed(into *int64) bool {
	if q.Kind() != '0' {
		return false
	}
	n, err := strconv.ParseInt(q.Literal(), 10, 64)
	*into = n
	return err == nil
}

func (q *quick) unsigned(bits int) (uint64, bool) {
	if q.Kind() != '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(q.Literal(), 10, bits)
	return n, err == nil
}

// ids reads a list as idList does.
func (q *quick) ids(into *[]string) bool {
	*into = []string{}
	q.list(func() {
		var id string
		if q.unknown = !q.text(&id) || !validID(id); !q.unknown && !slices.Contains(*into, id) {
			*into = append(*into, id)
		}
	})
	return true
}

// quickState reads state.json where it has the members of this version alone.
func quickState(data []byte) (st State, known bool) {
	if canon.Check(data, canon.Limits{}) != nil {
		return st, false
	}
	st.Activated, st.Connected = []string{}, []string{}
	q := quick{Cursor: canon.NewCursor(string(data))}
	q.object(func(name string) bool {
		switch name {
		case "activated":
			return q.ids(&st.Activated)
		case "connected":
			return q.ids(&st.Connected)
		case "grants":
			if q.Kind() != '[' {
				return false
			}
			var err error
			st.Grants, err = parseGrants(jsontext.Value(q.Raw()))
			return err == nil
		}
		return false
	})
	return st, !q.unknown
}

// quickRecord reads a record as this program writes it.
func quickRecord(data []byte) (rec *record, known bool) {
	if canon.Check(data, canon.Limits{MaxBytes: recordLimit}) != nil {
		return nil, false
	}
	rec = &record{}
	q := quick{Cursor: canon.NewCursor(string(data))}
	q.object(func(name string) bool {
		switch name {
		case "format":
			n, known := q.unsigned(31)
			rec.Format = int(n)
			return known
		case "pack_id":
			return q.text(&rec.PackID)
		case "installed":
			return q.installed(&rec.Installed)
		case "incoming":
			return q.installed(&rec.Incoming)
		case "previous":
			return q.installed(&rec.Previous)
		case "accepted":
			return q.accepted(&rec.Accepted)
		}
		return false
	})
	return rec, !q.unknown
}

func (q *quick) installed(into **Installed) bool {
	i := &Installed{}
	*into = i
	q.object(func(name string) bool {
		switch name {
		case "at":
			return q.text(&i.At)
		case "source":
			return q.text(&i.Source)
		case "digest":
			return q.text(&i.Digest)
		case "bundle":
			return q.text(&i.Bundle)
		case "taken":
			return q.signed(&i.Taken)
		case "files":
			quickLines(q, (*[]pack.File)(&i.Files), parseFile)
			return true
		case "folders":
			quickLines(q, (*[]pack.Folder)(&i.Folders), parseFolder)
			return true
		}
		return false
	})
	return true
}

func quickLines[T any](q *quick, into *[]T, parse func(string) (T, error)) {
	q.list(func() {
		var line string
		if q.unknown = !q.text(&line); q.unknown {
			return
		}
		item, err := parse(line)
		*into, q.unknown = append(*into, item), err != nil
	})
}

func (q *quick) accepted(into **Accepted) bool {
	a := &Accepted{}
	*into = a
	q.object(func(name string) bool {
		switch name {
		case "at":
			return q.text(&a.At)
		case "digest":
			return q.text(&a.Digest)
		case "bin":
			return q.binary(&a.Bin)
		case "surface":
			known := q.Kind() == '{'
			a.Surface = jsontext.Value(q.Raw())
			return known
		}
		return false
	})
	return true
}

func (q *quick) binary(into **Binary) bool {
	b := &Binary{}
	*into = b
	q.object(func(name string) bool {
		switch name {
		case "name":
			return q.text(&b.Name)
		case "path":
			return q.text(&b.Path)
		case "argv0":
			return q.text(&b.Argv0)
		case "sha256":
			return q.text(&b.SHA256)
		case "reason":
			return q.text(&b.Reason)
		case "inside":
			return q.truth(&b.Inside)
		case "hashed_at":
			return q.signed(&b.HashedAt)
		case "identity":
			return q.identity(b)
		case "interpreters":
			b.Interpreters = []Interpreter{}
			q.list(func() { q.interpreter(b) })
			return true
		}
		return false
	})
	return true
}

func (q *quick) interpreter(b *Binary) {
	var i Interpreter
	q.object(func(name string) bool {
		switch name {
		case "name":
			return q.text(&i.Name)
		case "path":
			return q.text(&i.Path)
		}
		return false
	})
	b.Interpreters = append(b.Interpreters, i)
}

func (q *quick) identity(b *Binary) bool {
	id := &b.Identity
	q.object(func(name string) (known bool) {
		switch name {
		case "dev":
			id.Device, known = q.unsigned(64)
		case "ino":
			id.Inode, known = q.unsigned(64)
		case "mode":
			var mode uint64
			mode, known = q.unsigned(32)
			id.Mode = uint32(mode)
		case "size":
			known = q.signed(&id.Size)
		case "mtime":
			known = q.signed(&id.Modified)
		case "ctime":
			known = q.signed(&id.Changed)
		}
		return known
	})
	return true
}
