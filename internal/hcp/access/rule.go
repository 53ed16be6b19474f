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
	// text and amount are what the value is as text and as a number, where it is
	// one.
	text             string
	amount           decimal
	isText, isNumber bool
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
		w := wanted{name: name, want: want}
		if w.text, w.isText = scalar(want); w.isText {
			w.amount, w.isNumber = parseDecimal(w.text)
		}
		out.args = append(out.args, w)
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

// facts are the arguments of one call as conditions compare them, each read once
// however many rules ask for it.
type facts struct {
	call *Request
	seen []fact
}

// fact is one argument.
type fact struct {
	name  string
	value any
	given bool
	// text and amount are what the value is as text and as a number.
	text             string
	amount           decimal
	isText, isNumber bool
}

func (f *facts) of(name string) *fact {
	for i := range f.seen {
		if f.seen[i].name == name {
			return &f.seen[i]
		}
	}
	value, given := f.call.Args[name]
	read := fact{name: name, value: value, given: given && value != nil}
	if read.text, read.isText = scalar(value); read.isText {
		read.amount, read.isNumber = parseDecimal(read.text)
	}
	f.seen = append(f.seen, read)
	return &f.seen[len(f.seen)-1]
}

// is reports whether the argument is written as the condition wants it.
func (f *fact) is(w *wanted) bool {
	if f.isText && w.isText {
		return f.text == w.text
	}
	return equal(f.value, w.want)
}

// covers is the generous comparison; see the function of that name.
func (f *fact) covers(w *wanted) bool {
	if !f.isText || !w.isText {
		return covers(f.value, w.want)
	}
	return alike(f.text, w.text, f.amount, w.amount, f.isNumber && w.isNumber)
}

// conditional reports whether a rule has conditions.
func (r *Rule) conditional() bool {
	return r.When != nil && (r.When.Op != "" || len(r.When.Args) > 0 || len(r.When.Max) > 0)
}

// conditions judges the conditions. Where a value is not what the condition is
// about, such as a text that a number is wanted from, a rule that allows does
// not apply, and one that asks or denies does.
func conditions(r *Rule, f *facts) condition {
	if !r.conditional() {
		return unconditional
	}
	if r.When.Op != "" && r.When.Op != f.call.Operation {
		return unmet
	}
	c := r.read
	if c == nil {
		c = readConditions(r.When)
	}
	allows := r.Decision == string(Allow)
	for i := range c.args {
		want, got := c.args[i].want, f.of(c.args[i].name)
		switch {
		case want == nil && got.given, want != nil && !got.given:
			return unmet
		case want != nil && !got.is(&c.args[i]) && (allows || !got.covers(&c.args[i])):
			return unmet
		}
	}
	for i := range c.most {
		got := f.of(c.most[i].name)
		if !got.given {
			return unmet
		}
		within, isNumber := c.most[i].admits(got)
		if isNumber && !within || !isNumber && allows {
			return unmet
		}
	}
	return met
}

func (c *capped) admits(f *fact) (within, isNumber bool) {
	if !c.known || !f.isNumber {
		return false, false
	}
	return f.amount.compare(c.most) <= 0, true
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
	return alike(a, b, x, y, isX && isY)
}

// alike compares two texts that are perhaps both numbers.
func alike(a, b string, x, y decimal, numbers bool) bool {
	if numbers {
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

// Index finds the rules that can match a command without looking at all others. A
// settings file with a thousand rules is read once and asked many times.
type Index map[string][]int

// indexed is the number of rules from which an index is worth making.
const indexed = 16

// NewIndex returns an index of rules, or nil where going through them is as good.
func NewIndex(rules []Rule) Index {
	if len(rules) < indexed {
		return nil
	}
	index := make(Index, len(rules))
	for i := range rules {
		index[rules[i].Match] = append(index[rules[i].Match], i)
	}
	return index
}

// judge finds the rule that decides: any deny, else the most specific ask or
// allow. An exact command beats a pack, which beats everything; a rule with
// conditions beats one without; ask wins a tie. Of rules that are alike the first
// one counts.
func judge(call *Request, rules []Rule, index Index) ruling {
	j := judging{rules: rules, facts: facts{call: call}, at: len(rules), denied: len(rules)}
	if index == nil {
		for i := range rules {
			j.consider(i)
		}
		return j.ruling()
	}
	for _, pattern := range patternsFor(call.PackID, call.Key) {
		for _, i := range index[pattern] {
			j.consider(i)
		}
	}
	return j.ruling()
}

// patternsFor are all the patterns that can name the command; see matches.
func patternsFor(packID, key string) [4]string {
	return [...]string{packID + "." + key, key, packID + ".*", "*"}
}

// judging is what the rules looked at so far decide.
type judging struct {
	rules []Rule
	facts facts
	// at is the place of the best rule, and rank how good it is; denied is the
	// place of the first rule that denies. Both are behind the end without one.
	at, rank, denied int
	scope, deniedAs  scope
}

func (j *judging) consider(i int) {
	r := &j.rules[i]
	denies := r.Decision == string(Deny)
	if denies && i >= j.denied {
		return
	}
	s := matches(&r.AccessRule, j.facts.call.PackID, j.facts.call.Key)
	if s == none {
		return
	}
	rank := int(s) * 4
	if r.conditional() {
		rank += 2
	}
	if r.Decision != string(Allow) {
		rank++ // ask wins a tie
	}
	if !denies && (rank < j.rank || rank == j.rank && i > j.at) {
		return // whatever its conditions say, it does not decide
	}
	switch {
	case conditions(r, &j.facts) == unmet:
	case denies:
		j.denied, j.deniedAs = i, s
	default:
		j.at, j.rank, j.scope = i, rank, s
	}
}

func (j *judging) ruling() ruling {
	switch {
	case j.denied < len(j.rules):
		return ruling{&j.rules[j.denied], j.deniedAs}
	case j.at < len(j.rules):
		return ruling{&j.rules[j.at], j.scope}
	}
	return ruling{}
}
