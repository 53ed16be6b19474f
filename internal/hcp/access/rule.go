package access

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"bridle/hcp"
)

// Rule is a rule with the place it comes from.
type Rule struct {
	hcp.AccessRule
	Origin Origin
	// Index is its place among the rules of its origin.
	Index int

	read *read
}

// read is a rule's conditions as they are compared.
type read struct {
	args []wanted
	most []capped
}

type wanted struct {
	name string
	want any
}

type capped struct {
	name string
	most decimal
	// known is false where the cap is no number, so that nothing is below it.
	known bool
}

// NewRule reads a rule for comparing it with many calls.
func NewRule(r hcp.AccessRule, from Origin, index int) Rule {
	rule := Rule{AccessRule: r, Origin: from, Index: index}
	rule.read = readConditions(r.When)
	return rule
}

func readConditions(w *hcp.AccessWhen) *read {
	var out read
	if w == nil {
		return &out
	}
	for name, want := range w.Args {
		out.args = append(out.args, wanted{name, want})
	}
	for name, most := range w.Max {
		d, known := parseDecimal(string(most))
		out.most = append(out.most, capped{name, d, known})
	}
	return &out
}

// String names the rule for a person, by where it is and what it matches.
func (r *Rule) String() string {
	text := fmt.Sprintf("%s rule %d %q", r.Origin, r.Index, r.Match)
	if r.Note != "" {
		text += " (" + r.Note + ")"
	}
	return text
}

// scope is how much a pattern names.
type scope int

const (
	none scope = iota
	everything
	onePack
	exact
)

// matches reports how exactly a rule names the command. Ids are compared byte
// by byte. The name of a command is its pack's id, a dot and its key.
//
// Two commands can have one name, since keys and, in packs that were named
// before the grammar was fixed, ids hold dots; and a key that begins with its
// pack's id is mostly written without repeating it. Rules that refuse or ask
// cover every command that may be meant. A rule that allows covers only the
// reading that the grammar of today gives, in which a pack's id has no dot.
func matches(r *hcp.AccessRule, packID, key string) scope {
	pattern := r.Match
	if pattern == "*" {
		return everything
	}
	rest, ok := strings.CutPrefix(pattern, packID)
	if ok && rest == ".*" {
		return onePack
	}
	if !ok || len(rest) < 2 || rest[0] != '.' {
		return none
	}
	allows := r.Decision == string(Allow)
	switch {
	case rest[1:] == key:
		if allows && strings.Contains(packID, ".") {
			return none
		}
		return exact
	case !allows && pattern == key:
		return exact
	}
	return none
}

// condition is how a rule's conditions stand to a call.
type condition int

const (
	unmet condition = iota
	unconditional
	met
)

// conditions judges the conditions. Where a value is not what the condition is
// about, such as a text that a number is wanted from, a rule that allows does
// not apply, and one that asks or denies does.
func conditions(r *Rule, call *Request) condition {
	if r.When == nil || r.When.Op == "" && len(r.When.Args) == 0 && len(r.When.Max) == 0 {
		return unconditional
	}
	if r.When.Op != "" && r.When.Op != call.Operation {
		return unmet
	}
	c := r.read
	if c == nil {
		c = readConditions(r.When)
	}
	allows := r.Decision == string(Allow)
	for i := range c.args {
		want := c.args[i].want
		got, given := call.Args[c.args[i].name]
		given = given && got != nil
		switch {
		case want == nil && given, want != nil && !given:
			return unmet
		case want != nil && !equal(got, want) && (allows || !covers(got, want)):
			return unmet
		}
	}
	for i := range c.most {
		got, given := call.Args[c.most[i].name]
		if !given || got == nil {
			return unmet
		}
		within, isNumber := c.most[i].admits(got)
		if isNumber && !within || !isNumber && allows {
			return unmet
		}
	}
	return met
}

func (c *capped) admits(value any) (within, isNumber bool) {
	text, ok := scalar(value)
	if !ok || !c.known {
		return false, false
	}
	got, ok := parseDecimal(text)
	return ok && got.compare(c.most) <= 0, ok
}

// equal reports whether two values are written alike: scalars by their text,
// lists item by item, and nothing else.
func equal(a, b any) bool {
	listA, isListA := a.([]any)
	listB, isListB := b.([]any)
	if isListA != isListB {
		return false
	}
	if isListA {
		if len(listA) != len(listB) {
			return false
		}
		for i := range listA {
			if !equal(listA[i], listB[i]) {
				return false
			}
		}
		return true
	}
	textA, okA := scalar(a)
	textB, okB := scalar(b)
	return okA && okB && textA == textB
}

// covers is the generous comparison of rules that tighten: a list that has the
// value among its items, a number written otherwise, a text in other letter
// case or with space around it.
func covers(got, want any) bool {
	if list, ok := got.([]any); ok {
		for _, item := range list {
			if equal(item, want) || covers(item, want) {
				return true
			}
		}
		return false
	}
	a, okA := scalar(got)
	b, okB := scalar(want)
	if !okA || !okB {
		return !okA // a value without a text may hold anything
	}
	x, isX := parseDecimal(a)
	y, isY := parseDecimal(b)
	if isX && isY {
		return x.compare(y) == 0
	}
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// scalar is the text of a value that has one.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// ruling is what the rules say about a call.
type ruling struct {
	rule  *Rule
	scope scope
}

// judge finds the rule that decides: any deny, else the most specific ask or
// allow. An exact command beats a pack, which beats everything; a rule with
// conditions beats one without; ask wins a tie.
func judge(call *Request, rules []Rule) ruling {
	var best ruling
	rank := 0
	for i := range rules {
		r := &rules[i]
		s := matches(&r.AccessRule, call.PackID, call.Key)
		if s == none {
			continue
		}
		denies := r.Decision == string(Deny)
		if !denies && rank >= int(s)*4+3 {
			continue // whatever its conditions say, it does not decide
		}
		c := conditions(r, call)
		if c == unmet {
			continue
		}
		if denies {
			return ruling{r, s}
		}
		this := int(s) * 4
		if c == met {
			this += 2
		}
		if r.Decision != string(Allow) {
			this++ // ask wins a tie
		}
		if this > rank {
			rank, best = this, ruling{r, s}
		}
	}
	return best
}
