package access

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// The codes of settings that cannot be used.
const (
	// CodeBadPattern is a rule that names no command, pack or everything.
	CodeBadPattern = "bad_pattern"
	// CodeBadSettings is an access.json that cannot be used.
	CodeBadSettings = "bad_settings"
	// CodeProjectCannotAllow is an allow rule for a project's file.
	CodeProjectCannotAllow = "project_cannot_allow"
)

// Bounds of an access.json.
const (
	MaxConfigBytes = 1 << 20
	maxNote        = 500
)

// ParseConfig reads an access.json. The document is closed: what nobody defined
// is refused with its place, since a setting that is misspelt may have been
// meant to forbid something.
func ParseConfig(data []byte) (hcp.AccessConfig, error) {
	var c hcp.AccessConfig
	if err := canon.Decode(data, &c, canon.Limits{MaxBytes: MaxConfigBytes}); err != nil {
		return hcp.AccessConfig{}, err
	}
	if err := CheckConfig(&c); err != nil {
		return hcp.AccessConfig{}, err
	}
	return c, nil
}

// CheckConfig reports the first setting that is none, with its place.
func CheckConfig(c *hcp.AccessConfig) error {
	if c.Mode != "" && !IsMode(c.Mode) {
		return misplaced("/mode", "is %q, not manual, auto or run", c.Mode)
	}
	if c.Approvals != "" && !IsApprovals(c.Approvals) {
		return misplaced("/approvals", "is %q, not human or agent", c.Approvals)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Packs)) {
		at := "/packs/" + pointerWord(id)
		if !ids.IsLoosePackID(id) {
			return misplaced(at, "is no pack id")
		}
		if !IsMode(c.Packs[id].Mode) {
			return misplaced(at+"/mode", "is %q, not manual, auto or run", c.Packs[id].Mode)
		}
	}
	for i := range c.Rules {
		if err := CheckRule(&c.Rules[i], "/rules/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// CheckRule reports the first thing about a rule that makes it none.
func CheckRule(r *hcp.AccessRule, at string) error {
	if !IsPattern(r.Match) {
		return misplaced(at+"/match", "is %q, which is no pack.command, pack.* or *", r.Match)
	}
	if !ruleIsKnown(r.Decision) {
		return misplaced(at+"/decision", "is %q, not allow, ask or deny", r.Decision)
	}
	if len(r.Note) > maxNote {
		return misplaced(at+"/note", "is longer than %d bytes", maxNote)
	}
	if r.When == nil {
		return nil
	}
	switch r.When.Op {
	case "", hcp.OperationRead, hcp.OperationWrite:
	default:
		return misplaced(at+"/when/op", "is %q, not read or write", string(r.When.Op))
	}
	for _, name := range slices.Sorted(maps.Keys(r.When.Args)) {
		if !isCondition(r.When.Args[name]) {
			return misplaced(at+"/when/args/"+pointerWord(name), "is no text, number, boolean, null or list of those")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.When.Max)) {
		if _, ok := parseDecimal(string(r.When.Max[name])); !ok {
			return misplaced(at+"/when/max/"+pointerWord(name), "is %q, not a plain decimal number", string(r.When.Max[name]))
		}
	}
	return nil
}

func isCondition(v any) bool {
	if v == nil {
		return true
	}
	if list, ok := v.([]any); ok {
		return !slices.ContainsFunc(list, func(item any) bool { _, ok := scalar(item); return !ok })
	}
	_, ok := scalar(v)
	return ok
}

// IsMode reports whether the text is one of the three modes.
func IsMode(text string) bool {
	switch Mode(text) {
	case ModeManual, ModeAuto, ModeRun:
		return true
	}
	return false
}

// IsApprovals reports whether the text says who may approve.
func IsApprovals(text string) bool {
	return Approvals(text) == ApprovalsAgent || Approvals(text) == ApprovalsHuman
}

// IsDecimal reports whether the text is a number that Max can compare.
func IsDecimal(text string) bool {
	_, ok := parseDecimal(text)
	return ok
}

// IsPattern reports whether the text can be a rule's match: *, a pack's id with
// .* behind it, or a pack's id, a dot and a command's key. All are ASCII, so
// that a look-alike letter cannot seem to name another command.
func IsPattern(text string) bool {
	if text == "*" {
		return true
	}
	if id, ok := strings.CutSuffix(text, ".*"); ok {
		// With a dot it would look like a part of a pack, and match nothing.
		return ids.IsLoosePackID(id) && !strings.Contains(id, ".")
	}
	id, key, ok := strings.Cut(text, ".")
	return ok && ids.IsLoosePackID(id) && ids.IsLooseCommandKey(key) && !strings.Contains(key, "*")
}

// BadPattern refuses a pattern with what it may be.
func BadPattern(text string) *fault.Error {
	hint := `name a command as pack.command, a whole pack as pack.*, or everything as *`
	if lower := strings.ToLower(text); lower != text && IsPattern(lower) {
		hint += fmt.Sprintf("; did you mean %q?", lower)
	}
	return fault.Newf(CodeBadPattern, "%q names no command", text).WithHint("%s", hint)
}

// BadMode refuses a mode that is none.
func BadMode(text string) *fault.Error {
	f := fault.Newf(CodeBadMode, "unknown access mode %q", text)
	modes := []string{string(ModeManual), string(ModeAuto), string(ModeRun)}
	if near := fault.Closest(text, modes); near != "" {
		return f.WithHint("did you mean %q? the modes are manual, auto and run", near)
	}
	return f.WithHint("the modes are manual, auto and run")
}

func misplaced(pointer, format string, args ...any) error {
	return &canon.Error{Pointer: pointer, Reason: fmt.Sprintf(format, args...)}
}

func pointerWord(name string) string {
	if !utf8.ValidString(name) {
		name = strings.ToValidUTF8(name, "\uFFFD")
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
