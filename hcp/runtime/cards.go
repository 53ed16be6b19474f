package hcpruntime

import (
	"encoding/json"

	"bridle/hcp"
	"bridle/internal/hcp/card"
	"bridle/internal/hcp/command"
)

// ApprovalView is the card of a call: built from the pack and the call's
// arguments, never from text that a model wrote.
func ApprovalView(p *Pack, key string, args hcp.Args, o hcp.ViewOptions) *hcp.ApprovalView {
	return card.View(&p.Manifest, key, args, o)
}

// FormatApprovalView draws a card as plain lines, with whatever a terminal would
// obey or hide escaped. cli may be empty.
func FormatApprovalView(v *hcp.ApprovalView, cli string) []string { return card.Text(v, cli) }

// SuggestPreview is the preview that an author should declare for a command
// with these arguments.
func SuggestPreview(p *Pack, key string, argNames []string) hcp.Preview {
	return card.Suggest(&p.Manifest, key, argNames)
}

// LintApprovalPreview reports what is wrong with a declared preview.
func LintApprovalPreview(p *Pack, key string, argNames []string) []string {
	return card.Lint(&p.Manifest, key, argNames)
}

// ApprovalViewKinds are the kinds of cards that hosts draw.
func ApprovalViewKinds() []string { return card.Kinds() }

// ApprovalViewFields are the fields of a kind, in the order of drawing.
func ApprovalViewFields(kind string) []string { return card.KindFields(kind) }

// DefaultViewRules and DefaultSignalRules are the data by which cards are
// inferred and facts pointed out.
func DefaultViewRules() []hcp.ViewRule { return card.DefaultViewRules() }

// DefaultSignalRules are the facts that cards point out.
func DefaultSignalRules() []hcp.SignalRule { return card.DefaultSignalRules() }

// ApprovalOptions are the answers that a host may offer next to a card.
func ApprovalOptions(p *Pack, key string, view *hcp.ApprovalView, args hcp.Args) []hcp.ApprovalOption {
	return card.Options(card.OptionsInput{
		PackID: p.ID, Key: key, Confirm: p.Policy.Verbs[key].Confirm, View: view, Args: args,
		Declared: card.ArgumentNames(&p.Manifest, key),
	})
}

// Titles are the words for a step of a run: while it runs and after.
type Titles struct{ Live, Done string }

// CommandTitle words a call in the pack's words, or returns nil when the command
// declares no title. Pass the JSON result to fill its fields in Done.
func CommandTitle(p *Pack, key string, args hcp.Args, result json.RawMessage) *Titles {
	t := command.Title(&p.Manifest, key, args, result)
	if t == nil {
		return nil
	}
	return &Titles{t.Live, t.Done}
}

// Description is a call in the pack's words, with the exact command line.
type Description struct {
	PackName string
	Summary  string
	Args     []hcp.CallArg
	CLI      string
}

// DescribeCommand words a call.
func DescribeCommand(p *Pack, key string, args hcp.Args) Description {
	return Description(card.Describe(&p.Manifest, key, args))
}

// ArgsFromArgv reads arguments out of a command line that an agent wrote: argv is
// what follows the command's own words.
func ArgsFromArgv(p *Pack, key string, argv []string) (hcp.Args, error) {
	args, err := command.FromArgv(&p.Manifest, key, argv)
	return args, public(err)
}

// Argument is one argument of a command as its pack declares it. Type is empty
// when any type goes.
type Argument struct {
	Name        string
	Required    bool
	Description string
	Example     any
	Type        string
	Enum        []any
	Default     any
	Pattern     string
	// Limits words the bounds that the other fields do not carry.
	Limits string
}

// VerbArguments are the arguments of a command, in the order of its schema;
// without a schema those that its command line has places for. A schema that
// cannot be used, or a command that is none, is an error.
func VerbArguments(p *Pack, key string) ([]Argument, error) {
	declared, err := command.Declared(&p.Manifest, key)
	if err != nil {
		return nil, public(err)
	}
	list := make([]Argument, len(declared))
	for i, a := range declared {
		list[i] = Argument{a.Name, a.Required, a.Description, a.Example, a.Type, a.Enum, a.Default, a.Pattern, a.Limits}
	}
	return list, nil
}

// LintCommandTitle reports what is wrong with the title that a command declares,
// as hcpx check does (M026).
func LintCommandTitle(p *Pack, key string, argNames []string) []string {
	return command.LintTitle(&p.Manifest, key, argNames)
}
