package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Value is what a flag sets. Type names what it takes, for the help text; a
// "bool" may stand without a value.
type Value interface {
	String() string
	Set(text string) error
	Type() string
}

// Flag is one option of a command. Usage explains it; a word in back quotes
// stands for its value.
type Flag struct {
	Name, Short, Usage string
	Value              Value
	// Changed says that the command line had it.
	Changed bool
}

// unquoted returns the name of the value and the usage without back quotes.
func (f *Flag) unquoted() (name, usage string) {
	before, rest, quoted := strings.Cut(f.Usage, "`")
	if name, after, closed := strings.Cut(rest, "`"); quoted && closed {
		return name, before + name + after
	}
	if f.isBool() {
		return "", f.Usage
	}
	return f.Value.Type(), f.Usage
}

func (f *Flag) isBool() bool { return f.Value.Type() == "bool" }

// Flags are the options of a command.
type Flags struct{ list []*Flag }

// Var adds a flag that a value of any kind takes.
func (s *Flags) Var(v Value, name, usage string) { s.add(v, name, "", usage) }

func (s *Flags) add(v Value, name, short, usage string) {
	s.list = append(s.list, &Flag{Name: name, Short: short, Usage: usage, Value: v})
}

// StringVar adds a flag for a text.
func (s *Flags) StringVar(p *string, name, value, usage string) {
	*p = value
	s.add(&variable[string]{p, "string", func(t string) (string, error) { return t, nil }}, name, "", usage)
}

// BoolVar adds a flag that is on or off.
func (s *Flags) BoolVar(p *bool, name string, value bool, usage string) {
	*p = value
	s.add(&variable[bool]{p, "bool", strconv.ParseBool}, name, "", usage)
}

// Bool is BoolVar with a variable of its own.
func (s *Flags) Bool(name string, value bool, usage string) *bool {
	p := new(bool)
	s.BoolVar(p, name, value, usage)
	return p
}

// IntVar adds a flag for a whole number.
func (s *Flags) IntVar(p *int, name string, value int, usage string) {
	s.IntVarP(p, name, "", value, usage)
}

// IntVarP is IntVar with a letter that stands for the name.
func (s *Flags) IntVarP(p *int, name, short string, value int, usage string) {
	*p = value
	s.add(&variable[int]{p, "int", strconv.Atoi}, name, short, usage)
}

// Int is IntVar with a variable of its own.
func (s *Flags) Int(name string, value int, usage string) *int {
	p := new(int)
	s.IntVar(p, name, value, usage)
	return p
}

// Int64Var is IntVar for large numbers.
func (s *Flags) Int64Var(p *int64, name string, value int64, usage string) {
	*p = value
	read := func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }
	s.add(&variable[int64]{p, "int", read}, name, "", usage)
}

// DurationVar adds a flag for a time span such as 90s.
func (s *Flags) DurationVar(p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	s.add(&variable[time.Duration]{p, "duration", time.ParseDuration}, name, "", usage)
}

// StringArrayVar adds a flag that may stand several times.
func (s *Flags) StringArrayVar(p *[]string, name string, value []string, usage string) {
	*p = value
	s.add(&texts{list: p, split: func(t string) []string { return []string{t} }}, name, "", usage)
}

// StringSliceVar adds a flag that may stand several times and takes several
// texts with commas between them.
func (s *Flags) StringSliceVar(p *[]string, name string, value []string, usage string) {
	*p = value
	s.add(&texts{list: p, split: func(t string) []string { return strings.Split(t, ",") }}, name, "", usage)
}

// Lookup returns the flag of that name, or nil.
func (s *Flags) Lookup(name string) *Flag {
	return s.find(func(f *Flag) bool { return f.Name == name })
}

func (s *Flags) find(is func(*Flag) bool) *Flag {
	if i := slices.IndexFunc(s.list, is); i >= 0 {
		return s.list[i]
	}
	return nil
}

// Changed reports whether the command line had the flag.
func (s *Flags) Changed(name string) bool {
	f := s.Lookup(name)
	return f != nil && f.Changed
}

// sorted are the flags by name.
func (s *Flags) sorted() []*Flag {
	return slices.SortedFunc(slices.Values(s.list), func(a, b *Flag) int { return strings.Compare(a.Name, b.Name) })
}

// variable is a Value over one variable.
type variable[T any] struct {
	at   *T
	kind string
	read func(string) (T, error)
}

func (v *variable[T]) String() string { return fmt.Sprint(*v.at) }
func (v *variable[T]) Type() string   { return v.kind }
func (v *variable[T]) Set(text string) error {
	value, err := v.read(text)
	if err == nil {
		*v.at = value
	}
	return err
}

// texts is a Value over a list. The first use replaces what it was made with.
type texts struct {
	list  *[]string
	set   bool
	split func(string) []string
}

func (v *texts) String() string { return strings.Join(*v.list, ",") }
func (v *texts) Type() string   { return "strings" }
func (v *texts) Set(text string) error {
	if !v.set {
		*v.list, v.set = nil, true
	}
	*v.list = append(*v.list, v.split(text)...)
	return nil
}

// flagError is a flag that cannot be used as it stands on the command line.
type flagError struct {
	kind  flagProblem
	flag  string // with its dashes
	value string
}

type flagProblem int

const (
	unknownFlag flagProblem = iota
	noValue
	badValue
	badFlag
)

func (e *flagError) Error() string { return fmt.Sprintf("flag %q cannot be used", e.flag) }

// helpWanted says that help was asked for.
type helpWanted struct{}

func (helpWanted) Error() string { return "help is wanted" }

// parse takes the flags out of the words and sets them. What is left are the
// arguments; dash is the number of those in front of a literal "--", or -1.
func (s *Flags) parse(words []string) (args []string, dash int, err error) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			return append(args, words[i+1:]...), len(args), nil
		case strings.HasPrefix(word, "--"):
			i, err = s.long(words, i)
		case len(word) > 1 && word[0] == '-':
			i, err = s.short(words, i)
		default:
			args = append(args, word)
		}
		if err != nil {
			return args, -1, err
		}
	}
	return args, -1, nil
}

// long sets the flag --name or --name=value at i, and returns the place of the
// last word that belongs to it.
func (s *Flags) long(words []string, i int) (int, error) {
	name, value, given := strings.Cut(words[i][2:], "=")
	if name == "" || name[0] == '-' {
		return i, &flagError{kind: badFlag, flag: words[i]}
	}
	f := s.Lookup(name)
	switch {
	case f == nil && name == "help":
		return i, helpWanted{}
	case f == nil:
		return i, &flagError{kind: unknownFlag, flag: "--" + name}
	case given:
	case f.isBool():
		value = "true"
	case i+1 == len(words):
		return i, &flagError{kind: noValue, flag: "--" + name}
	default:
		i++
		value = words[i]
	}
	return i, f.set(value)
}

// short sets the flags of a word such as -n, -n3, -n=3 or -n 3.
func (s *Flags) short(words []string, i int) (int, error) {
	for letters := words[i][1:]; letters != ""; {
		letter, rest := letters[:1], letters[1:]
		f := s.find(func(f *Flag) bool { return f.Short == letter })
		switch {
		case f == nil && letter == "h":
			return i, helpWanted{}
		case f == nil:
			return i, &flagError{kind: unknownFlag, flag: "-" + letter}
		case strings.HasPrefix(rest, "="):
			return i, f.set(rest[1:])
		case f.isBool():
			if err := f.set("true"); err != nil {
				return i, err
			}
			letters = rest
			continue
		case rest != "":
			return i, f.set(rest)
		case i+1 == len(words):
			return i, &flagError{kind: noValue, flag: "--" + f.Name}
		}
		return i + 1, f.set(words[i+1])
	}
	return i, nil
}

func (f *Flag) set(value string) error {
	if err := f.Value.Set(value); err != nil {
		return &flagError{kind: badValue, flag: "--" + f.Name, value: value}
	}
	f.Changed = true
	return nil
}
