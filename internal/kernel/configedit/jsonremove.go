package configedit

import "slices"

// remove takes parts of a JSON document out again, the last one first: a member
// and an item that still are what was written, and a container that is empty. A
// value that replaced another gives it back. It returns what it left alone.
func (e *Edit) remove(parts []Part) (left []Part, err error) {
	for i := len(parts) - 1; i >= 0; i-- {
		part := parts[i]
		d, err := e.open()
		if err != nil {
			return nil, err
		}
		done := false
		switch part.Kind {
		case PartMember:
			done = e.removeMember(d, part)
		case PartItem:
			e.removeItem(d, part)
			done = true
		case PartContainer:
			if n, found := d.at(part.Path); !found || n.kind != 0 && len(n.members)+len(n.items) == 0 {
				done = true
				e.cutMember(d, part.Path)
			}
		case PartBlock:
		}
		if !done {
			left = append(left, part)
		}
	}
	return left, nil
}

// RemoveItems takes the items out of the list at a path that match; they are given
// as JSON. A list that is empty then goes too.
func (e *Edit) RemoveItems(path []string, match func(item []byte) bool) error {
	for {
		d, err := e.open()
		if err != nil {
			return err
		}
		n, found := d.at(path)
		if !found || n.kind != '[' {
			return nil
		}
		at := slices.IndexFunc(n.items, func(item node) bool { return match([]byte(d.plain[item.start:item.end])) })
		if at < 0 {
			return nil
		}
		if len(n.items) == 1 {
			e.cutMember(d, path)
			return nil
		}
		e.removeItem(d, Part{Path: path, Text: d.canonical(n.items[at])})
	}
}

// removeMember reports whether the member is gone or what it was before.
func (e *Edit) removeMember(d *document, part Part) bool {
	n, found := d.at(part.Path)
	if !found {
		return true
	}
	if d.canonical(n) != part.Text {
		return false
	}
	if part.Before != "" {
		e.put(n.start, n.end, part.Before)
		return true
	}
	e.cutMember(d, part.Path)
	return true
}

// removeItem takes an item out where it still is there.
func (e *Edit) removeItem(d *document, part Part) {
	list, found := d.at(part.Path)
	if !found {
		return
	}
	for i, item := range list.items {
		if d.canonical(item) != part.Text {
			continue
		}
		starts, ends := make([]int, len(list.items)), make([]int, len(list.items))
		for k, other := range list.items {
			starts[k], ends[k] = other.start, other.end
		}
		e.cut(d, starts, ends, i)
		return
	}
}

func (e *Edit) cutMember(d *document, path []string) {
	parent, found := d.at(path[:len(path)-1])
	if !found {
		return
	}
	i, found := parent.member(path[len(path)-1])
	if !found {
		return
	}
	starts, ends := make([]int, len(parent.members)), make([]int, len(parent.members))
	for k, m := range parent.members {
		starts[k], ends[k] = m.start, m.value.end
	}
	e.cut(d, starts, ends, i)
}

// cut removes child i with the white space before it and the comma that it no
// longer needs. Comments stay, whoever they belong to.
func (e *Edit) cut(d *document, starts, ends []int, i int) {
	from, to := starts[i], ends[i]
	for from > 0 && (e.text[from-1] == ' ' || e.text[from-1] == '\t' || e.text[from-1] == '\n' || e.text[from-1] == '\r') {
		from--
	}
	last := i == len(starts)-1
	if comma := e.comma(d, to); comma >= 0 {
		e.put(comma, comma+1, "")
	} else if last && i > 0 {
		// Nothing follows: the comma before it goes, from the back, so that
		// the offsets in front of it stay.
		e.put(from, to, "")
		if comma := e.comma(d, ends[i-1]); comma >= 0 {
			e.put(comma, comma+1, "")
		}
		return
	}
	e.put(from, to, "")
}

// comma returns the place of the comma behind a value, or -1. A trailing one is
// blank in the plain text and is looked for in the text itself.
func (e *Edit) comma(d *document, at int) int {
	for i := at; i < len(e.text); i++ {
		switch {
		case i < len(d.plain) && d.plain[i] == ',':
			return i
		case i < len(d.plain) && (d.plain[i] == '}' || d.plain[i] == ']'):
			return -1
		case i < len(d.plain) && d.plain[i] == ' ' && e.text[i] == ',' && !d.inComment(e.text, at, i):
			return i
		}
	}
	return -1
}

// inComment reports whether a place lies in a comment that begins after at,
// where nothing but white space, comments and a comma can stand.
func (d *document) inComment(text string, at, place int) bool {
	for i := at; i < place; i++ {
		if text[i] != '/' {
			continue
		}
		end := i
		if text[i+1] == '*' {
			for end = i + 2; end+1 < len(text) && (text[end] != '*' || text[end+1] != '/'); end++ {
			}
			end += 2
		} else {
			for end < len(text) && text[end] != '\n' && text[end] != '\r' {
				end++
			}
		}
		if place < end {
			return true
		}
		i = end - 1
	}
	return false
}
