package command

import (
	"strings"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// ParsePairs reads the words behind "--" as name=value. The first "=" splits,
// so a value may contain more of them. Values are text; Check gives them the
// type that the command declares, but for confirm and apply. What a word holds is not repeated in a
// message, only where it stands.
func ParsePairs(words []string) (hcp.Args, error) {
	args := make(hcp.Args, len(words))
	for i, word := range words {
		name, value, found := strings.Cut(word, "=")
		bare := strings.TrimLeft(name, "-")
		switch {
		case !found:
			return nil, badPair(i, "is not name=value").
				WithHint(`write each argument as name=value, for example from=Central, and quote a value with spaces`)
		case bare == "":
			return nil, badPair(i, "has no name before \"=\"").
				WithHint(`write each argument as name=value, for example from=Central`)
		case bare != name && isName(bare):
			return nil, badPair(i, "begins with a dash").WithHint("write %s=… without dashes", bare)
		case !isName(name):
			return nil, badPair(i, "has a name that no argument can have").
				WithHint("a name is visible ASCII without spaces, quotes and braces")
		}
		if _, twice := args[name]; twice {
			return nil, fault.Newf(CodeBadArgument, "argument %q is given twice", name).WithHint("give %q once", name)
		}
		if err := plainText(value); err != nil {
			return nil, fault.Newf(CodeBadArgument, "argument %q %v", name, err).
				WithHint("give a value that JSON can carry, as UTF-8 text without NUL")
		}
		args[name] = controlValue(name, value)
	}
	return args, nil
}

func badPair(i int, problem string) *fault.Error {
	return fault.Newf(CodeBadArgument, "argument %d after \"--\" %s", i+1, problem)
}

// ParseJSON reads the text of --args: one JSON object, read strictly.
func ParseJSON(text []byte) (hcp.Args, error) {
	value, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		return nil, fault.Newf(CodeBadArgsJSON, "--args cannot be read as JSON: %v", err).Because(err).WithHint("%s", argsHint)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fault.Newf(CodeBadArgsJSON, "--args must be a JSON object, not %s", article(kindOf(value))).WithHint("%s", argsHint)
	}
	return object, nil
}

const argsHint = `write a JSON object in single quotes, for example --args '{"from":"Central","to":"Harbour"}'`

// Merge joins the arguments of --args and those behind "--". A name in both is
// refused: neither could win without hiding the other.
func Merge(a, b hcp.Args) (hcp.Args, error) {
	merged := make(hcp.Args, len(a)+len(b))
	for name, value := range a {
		merged[name] = value
	}
	for _, name := range sortedNames(b) {
		if _, twice := merged[name]; twice {
			return nil, fault.Newf(CodeBadArgument, "argument %q is given twice", name).
				WithHint(`give %q either in --args or behind "--"`, name)
		}
		merged[name] = b[name]
	}
	return merged, nil
}
