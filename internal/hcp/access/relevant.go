package access

import (
	"slices"

	"bridle/hcp"
)

// ParseConfigFor reads an access.json as ParseConfig does, without the rules
// that can only be about other commands: a file with a thousand rules is read
// before every call, and few of them are about it. At holds the place that each
// rule has in the file. What Decide says about the command is the same.
//
// A rule is left out only where it is plainly valid and plainly about something
// else. All that the quick look does not know, it leaves in, so that every byte
// of the document is either understood here or read by ParseConfig.
func ParseConfigFor(data []byte, packID, key string) (c hcp.AccessConfig, at []int, err error) {
	short, at, ok := withoutForeignRules(data, packID, key)
	if ok {
		if c, plain := plainConfig(short); plain {
			return c, at, nil
		}
		if c, err := ParseConfig(short); err == nil && len(c.Rules) == len(at) {
			return c, at, nil
		}
	}
	// A fault is named with its place in the whole document.
	c, err = ParseConfig(data)
	return c, nil, err
}

// plainConfig reads settings of a mode, of who approves and of rules, all written
// plainly: what most files say of a command. A decoder for any type takes longer to
// get ready than all the rest of the reading.
func plainConfig(data []byte) (c hcp.AccessConfig, ok bool) {
	r := reader{data: data}
	r.space()
	ok = r.members(func(name []byte) (known bool) {
		var text []byte
		switch string(name) {
		case "mode":
			text, known = r.text()
			c.Mode = string(text)
		case "approvals":
			text, known = r.text()
			c.Approvals = string(text)
		case "rules":
			c.Rules, known = r.rules()
		}
		return known
	})
	r.space()
	return c, ok && r.at == len(data) && CheckConfig(&c) == nil
}

// withoutForeignRules cuts the rules out of the document that can match no
// command of that name. It fails where the document is not laid out plainly.
func withoutForeignRules(data []byte, packID, key string) (short []byte, at []int, ok bool) {
	if len(data) > MaxConfigBytes {
		return nil, nil, false
	}
	r := reader{data: data}
	if !r.findRules() {
		return nil, nil, false
	}
	patterns := patternsFor(packID, key)
	short = append(make([]byte, 0, 1024), data[:r.at]...)
	for place := 0; ; place++ {
		start := r.at
		match, plain := r.rule()
		if !plain {
			r.at = start
			if !r.skip() || r.at == start || data[start] != '{' {
				return nil, nil, false
			}
		}
		if !plain || slices.Contains(patterns[:], string(match)) {
			if len(at) > 0 {
				short = append(short, ',')
			}
			short, at = append(short, data[start:r.at]...), append(at, place)
		}
		r.space()
		switch {
		case r.take(','):
			r.space()
		case r.take(']'):
			return append(append(short, ']'), data[r.at:]...), at, true
		default:
			return nil, nil, false
		}
	}
}
