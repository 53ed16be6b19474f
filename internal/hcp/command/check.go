package command

import (
	"fmt"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// Check holds the arguments of a call against the command's declaration and
// returns them in their final form: numbers as text, text read as its declared
// type, empty values left out, the reserved names left out. The caller's value
// is not changed, and checking a checked value changes nothing.
func Check(m *hcp.Manifest, key string, args hcp.Args) (hcp.Args, error) {
	f, err := formOf(m, key)
	if err != nil {
		return nil, err
	}
	return f.check(args)
}

func (f *form) check(args hcp.Args) (hcp.Args, error) {
	checked, err := f.readable(args)
	if err != nil {
		return nil, err
	}
	if err := f.refuseUnknown(checked); err != nil {
		return nil, err
	}
	for i := range f.arguments {
		a := &f.arguments[i]
		if value, given := checked[a.Name]; given {
			checked[a.Name] = a.schema.coerce(value)
		}
	}
	// After the text was read: "[]" is an empty list and as empty as that.
	for name, value := range checked {
		if textOf(value) == "" {
			delete(checked, name)
		}
	}
	if err := f.refuseMissing(checked); err != nil {
		return nil, err
	}
	bad, err := f.schema.check(map[string]any(checked), "")
	if err != nil {
		return nil, f.badSchema(err)
	}
	if bad != nil {
		return nil, f.badArgument(bad)
	}
	return checked, nil
}

// readable copies the arguments into plain form and enforces the bounds.
func (f *form) readable(args hcp.Args) (hcp.Args, error) {
	checked := make(hcp.Args, len(args))
	total := 0
	for _, name := range sortedNames(args) {
		if IsReserved(name) {
			continue
		}
		value, err := plain(args[name], 0)
		if err != nil {
			return nil, fault.Newf(CodeBadArgument, "argument %q %v", name, err).
				WithHint("give a value that JSON can carry, as UTF-8 text without NUL")
		}
		size := sizeOf(value)
		if total += len(name) + size; size > maxValueBytes || total > maxArgsBytes {
			return nil, fault.Newf(CodeBadArgument, "argument %q is too large", name).
				WithHint("one value takes up to %d bytes and all together %d; pass a file instead", maxValueBytes, maxArgsBytes)
		}
		checked[name] = value
	}
	return checked, nil
}

func (f *form) refuseUnknown(args hcp.Args) error {
	var unknown []string
	for _, name := range sortedNames(args) {
		if _, known := f.argument(name); !known {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	names := make([]string, 0, len(f.arguments))
	for _, a := range f.arguments {
		names = append(names, a.Name)
	}
	hint := f.label() + " takes no arguments"
	if len(names) > 0 {
		hint = f.label() + " takes: " + strings.Join(names, ", ")
	}
	candidates := slices.Concat(names, []string{hcp.ArgConfirm, hcp.ArgApply, hcp.ArgMode})
	for _, name := range slices.Backward(unknown) {
		if near := fault.Closest(name, candidates); near != "" {
			hint = fmt.Sprintf("did you mean %q instead of %q? %s", near, name, hint)
		}
	}
	return fault.Newf(CodeUnknownArgument, "unknown %s for %s", argumentsNamed(unknown), f.label()).
		WithHint("%s", hint).WithNext(f.listing())
}

func (f *form) refuseMissing(args hcp.Args) error {
	var missing []string
	for _, a := range f.arguments {
		if _, given := args[a.Name]; a.Required && !given {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.Newf(CodeMissingArgument, "missing %s for %s", argumentsNamed(missing), f.label()).
		WithHint("%s takes %s", f.label(), f.summaries()).WithNext(f.listing())
}

// summaries lists every argument for a hint.
func (f *form) summaries() string {
	if len(f.arguments) == 0 {
		return "no arguments"
	}
	lines := make([]string, len(f.arguments))
	for i := range f.arguments {
		lines[i] = f.arguments[i].summary()
	}
	return strings.Join(lines, "; ")
}

func (f *form) badArgument(bad *misfit) error {
	name, inner, nested := strings.Cut(strings.TrimPrefix(bad.pointer, "/"), "/")
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	place := fmt.Sprintf("argument %q", name)
	switch {
	case bad.pointer == "":
		place = "the arguments of " + f.label()
	case nested:
		place += fmt.Sprintf(" at %q", "/"+inner)
	}
	e := fault.Newf(CodeBadArgument, "%s must %s", place, bad.want)
	if a, ok := f.argument(name); ok {
		e = e.WithHint("%s takes %s", f.label(), a.summary())
	}
	return e.WithNext(f.listing())
}

// listing is the command that shows what the pack's commands take.
func (f *form) listing() string { return "hcpx commands " + Line([]string{f.packID}) + " --json" }

// argumentsNamed is "argument" or "arguments" with their names.
func argumentsNamed(names []string) string {
	noun := "argument"
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = fmt.Sprintf("%q", name)
	}
	if len(names) > 1 {
		noun += "s"
	}
	return noun + " " + strings.Join(words, ", ")
}
