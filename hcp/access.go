package hcp

import "encoding/json"

// AccessConfig is an access.json: the user's, or a project's, word on what runs
// without asking (RFC 0006). Projects and Stores say what belongs to the user
// and count in the user's own file only.
type AccessConfig struct {
	Mode      string                `json:"mode,omitempty"`
	Packs     map[string]AccessPack `json:"packs,omitzero"`
	Approvals string                `json:"approvals,omitempty"`
	Rules     []AccessRule          `json:"rules,omitzero"`
	// Projects lists the ids that HCP_PROJECT_ID may name.
	Projects []string `json:"projects,omitzero"`
	// Stores lists further stores, by absolute path, whose grants count when an
	// agent uses them.
	Stores []string `json:"stores,omitzero"`
}

// AccessPack holds the settings for one pack.
type AccessPack struct {
	Mode string `json:"mode"`
}

// AccessRule refines the mode. Match is pack.command, pack.* or *.
type AccessRule struct {
	Match    string      `json:"match"`
	Decision string      `json:"decision"`
	When     *AccessWhen `json:"when,omitempty"`
	Note     string      `json:"note,omitempty"`
}

// AccessWhen are the conditions of a rule. A rule whose conditions fail does
// not apply. Args want an argument to equal a value, null wants it to be
// absent; Max caps a numeric argument; Op wants a read or a write.
type AccessWhen struct {
	Args map[string]any         `json:"args,omitzero"`
	Max  map[string]json.Number `json:"max,omitzero"`
	Op   Operation              `json:"op,omitempty"`
}

// ApprovalView is the card that a person sees: what will happen, typed so that
// a host can draw it. It is built from the pack and the call's arguments alone.
// Values stand as they are; whoever shows them makes characters visible that a
// screen would obey or hide.
type ApprovalView struct {
	Kind   string     `json:"kind"`
	Title  string     `json:"title"`
	Fields ViewFields `json:"fields"`
	// Rest holds the arguments that no field shows.
	Rest    ViewFields `json:"rest"`
	Signals []string   `json:"signals"`
	// Sources names the arguments behind each field.
	Sources map[string][]string `json:"sources"`
	// Inferred says that the pack declares no preview for the command.
	Inferred bool `json:"inferred"`
}

// ViewFields are named values in the order in which they are drawn.
type ViewFields struct{ ordered[any] }

// ApprovalOption is an answer that a host may put next to the card.
type ApprovalOption struct {
	Kind string `json:"kind"`
	// Rule is what allow_session stands for, About names in words whom it is
	// bound to.
	Rule  *AccessRule `json:"rule,omitempty"`
	About string      `json:"about,omitempty"`
}

// The kinds of answers.
const (
	AllowOnce    = "allow_once"
	RejectOnce   = "reject_once"
	AllowSession = "allow_session"
)

// ViewRule is one row of the data by which the kind of a card is inferred. It
// fits when one of Words and, where given, one of Nouns is a word of the pack's
// id or the command, and when for each entry of Args, names with | between
// them, the call has one. Fields names for each field the arguments that can
// fill it, the best first.
type ViewRule struct {
	Kind   string              `json:"kind"`
	Words  []string            `json:"words"`
	Nouns  []string            `json:"nouns,omitzero"`
	Args   []string            `json:"args,omitzero"`
	Action string              `json:"action,omitempty"`
	Title  string              `json:"title,omitempty"`
	Fields map[string][]string `json:"fields,omitzero"`
}

// SignalRule is one row of the data by which signals are raised. It fits when
// each of its conditions holds; one that is empty holds. In Text, {{n}} is the
// number of items that Fields hold together, of which there must be at least
// AtLeast.
type SignalRule struct {
	Text    string   `json:"text"`
	Kinds   []string `json:"kinds,omitzero"`
	Action  string   `json:"action,omitempty"`
	Words   []string `json:"words,omitzero"`
	Fields  []string `json:"fields,omitzero"`
	AtLeast int      `json:"at_least,omitempty"`
	// True names arguments or fields of which one must be true.
	True []string `json:"true,omitzero"`
	// Group names a fact: of the rules of a group the first that fits is raised.
	Group string `json:"group,omitempty"`
}

// ViewOptions are a host's own rules. They are tried before the defaults.
type ViewOptions struct {
	Rules   []ViewRule   `json:"rules,omitzero"`
	Signals []SignalRule `json:"signals,omitzero"`
}
