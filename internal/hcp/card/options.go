package card

import (
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/command"
)

// OptionsInput is what the answers depend on.
type OptionsInput struct {
	PackID, Key string
	Confirm     hcp.Confirm
	View        *hcp.ApprovalView
	Args        hcp.Args
	// Declared names the arguments that the command takes, so that a rule can
	// keep those of the audience away that this call does not have.
	Declared []string
}

// SessionNote marks the rule of an allow_session.
const SessionNote = "session"

// audience are the fields that say who gets a message, and names of arguments
// that add to it.
var audience = [...]string{"to", "cc", "channel"}

var audienceNames = [...]string{
	"to", "cc", "bcc", "channel", "channels", "recipient", "recipients", "room", "chat", "thread", "email", "phone", "user", "reply_to",
}

// Options computes the answers. Running the call once and not running it are
// always offered; a yes for the session only where it cannot widen what the
// person saw.
func Options(in OptionsInput) []hcp.ApprovalOption {
	options := []hcp.ApprovalOption{{Kind: hcp.AllowOnce}, {Kind: hcp.RejectOnce}}
	if in.View == nil || in.Confirm == hcp.ConfirmAlways {
		return options
	}
	switch in.View.Kind {
	case Removal, Payment, Publish, Event:
		return options
	}
	rule := &hcp.AccessRule{Match: in.PackID + "." + in.Key, Decision: "allow", Note: SessionNote}
	if in.Confirm == hcp.ConfirmNone {
		return append(options, hcp.ApprovalOption{Kind: hcp.AllowSession, Rule: rule})
	}
	if in.View.Kind != Message {
		return options
	}
	when, about := bound(in)
	if about == "" {
		return options
	}
	rule.When = when
	return append(options, hcp.ApprovalOption{Kind: hcp.AllowSession, Rule: rule, About: about})
}

// bound are the conditions that hold a message to the audience of the card: the
// arguments behind it keep their values, and none is added.
func bound(in OptionsInput) (*hcp.AccessWhen, string) {
	when := &hcp.AccessWhen{Args: map[string]any{}}
	var about []string
	for _, field := range audience {
		value, ok := in.View.Fields.Get(field)
		if !ok {
			continue
		}
		text := command.TitleValue(value)
		if text == "" {
			return nil, "" // there are no words for it
		}
		about = append(about, field+" "+text)
		for _, name := range in.View.Sources[field] {
			when.Args[name] = in.Args[name]
		}
	}
	for _, name := range slices.Concat(in.Declared, argNames(in.Args)) {
		if _, ok := when.Args[name]; ok || !slices.ContainsFunc(audienceNames[:], func(n string) bool { return sameName(name, n) }) {
			continue
		}
		when.Args[name] = in.Args[name] // null where the call has none
	}
	return when, strings.Join(about, ", ")
}

func argNames(args hcp.Args) []string {
	names := make([]string, 0, len(args))
	for name := range args {
		names = append(names, name)
	}
	return names
}
