// Package access decides what runs without asking: the user's or operator's
// setting, on top of the grants that decide who may act at all. It implements
// the modes, the two kinds of approval and the confirm gate of §4.5, §6.3 step
// 6 and RFC 0006.
//
// Settings come in layers: the user's file, the environment and the project's
// file, where the project can only tighten, and the environment only tightens
// when an agent is at work (Merge). Rules refine the mode (Decide).
//
// Invariants: a pack's Policy can only make a call ask, never make it run; a
// command whose Policy says "always" asks in every mode unless a rule that
// names the command exactly allows it; a deny rule that matches is the last
// word; settings, rules or Policy values that nobody defined deny. Everything
// here is a pure function of the call and the settings.
package access

import (
	"fmt"

	"bridle/hcp"
)

// Mode says how much runs without asking.
type Mode string

// The three modes. The zero value stands for ModeAuto, the documented default.
const (
	ModeManual Mode = "manual"
	ModeAuto   Mode = "auto"
	ModeRun    Mode = "run"
)

// Approvals says who can satisfy an ask.
type Approvals string

// The two kinds. The zero value stands for ApprovalsAgent, the documented
// default. Under ApprovalsHuman a confirm in the envelope counts for nothing.
const (
	ApprovalsAgent Approvals = "agent"
	ApprovalsHuman Approvals = "human"
)

// Settings are the effective access settings for one call.
type Settings struct {
	Mode      Mode
	Approvals Approvals
	Rules     []Rule
	// Index is that of the rules, or nil.
	Index Index
}

// Request is the call as access sees it. Confirmed says that the envelope
// carried confirm or apply.
type Request struct {
	PackID    string
	Key       string
	Operation hcp.Operation
	Confirm   hcp.Confirm
	Args      hcp.Args
	Confirmed bool
}

// Decision is what happens to a call.
type Decision string

// The three decisions, named as hcpx commands prints them. The zero value is
// none of them and must be treated as a denial.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Codes of a verdict that is not Allow.
const (
	CodeConfirmRequired = "confirm_required"
	CodeDeniedByRule    = "denied_by_rule"
	CodeBadMode         = "bad_mode"
	CodeBadPolicy       = "bad_policy"
	CodeBadRule         = "bad_rule"
)

// ErrorConfirmRequired is the error string of an ask that nothing satisfied.
const ErrorConfirmRequired = "confirm required"

// ReasonCode names why a call asks, for user interfaces (RFC 0007).
type ReasonCode string

// The reasons of an ask.
const (
	ReasonConfirmAlways ReasonCode = "confirm_always"
	ReasonConfirm       ReasonCode = "confirm"
	ReasonModeManual    ReasonCode = "mode_manual"
	ReasonRuleAsk       ReasonCode = "rule_ask"
)

// By names who satisfied a call that runs.
type By string

// Who let it run: the mode alone, a rule, the agent that passed confirm, or a
// person.
const (
	ByMode  By = "mode"
	ByRule  By = "rule"
	ByAgent By = "agent"
	ByHuman By = "human"
)

// Verdict is the decision with what a result, an approval card and the journal
// say about it. Mode and Approvals are the effective ones. Reason and
// ReasonCode say why the call asks, also when the ask was satisfied.
type Verdict struct {
	Decision   Decision
	Code       string
	Reason     string
	ReasonCode ReasonCode
	Hint       string
	Mode       Mode
	Approvals  Approvals
	By         By
}

// Note returns the verdict as the result envelope carries it.
func (v Verdict) Note() *hcp.AccessNote {
	return &hcp.AccessNote{Mode: string(v.Mode), Reason: v.Reason, Approvals: string(v.Approvals)}
}

// Decide applies the mode to the command and, when the command asks, looks
// whether the envelope satisfies the ask.
func Decide(r Request, s Settings) Verdict {
	v := Verdict{Mode: s.Mode, Approvals: s.Approvals}
	if v.Mode == "" {
		v.Mode = ModeAuto
	}
	if v.Approvals == "" {
		v.Approvals = ApprovalsAgent
	}
	if problem, code := undefined(r, v); problem != "" {
		v.Decision, v.Code, v.Reason = Deny, code, problem
		return v
	}
	found := judge(&r, s.Rules, s.Index)
	if found.rule != nil && !ruleIsKnown(found.rule.Decision) {
		v.Decision, v.Code, v.Reason = Deny, CodeBadRule, fmt.Sprintf("unknown decision %q of the %s", found.rule.Decision, found.rule)
		return v
	}
	if found.rule != nil && found.rule.Decision == string(Deny) {
		v.Decision, v.Code, v.Reason = Deny, CodeDeniedByRule, "the "+found.rule.String()+" denies this command"
		v.Hint = "stop and tell the user, whose rule forbids it; do not reach the same result another way"
		return v
	}
	v.ReasonCode, v.Reason = whyAsk(r, v.Mode, found)
	switch {
	case v.ReasonCode == "" && found.rule != nil && found.rule.Decision == string(Allow):
		v.Decision, v.By, v.Reason = Allow, ByRule, "the "+found.rule.String()+" allows it"
	case v.ReasonCode == "":
		v.Decision, v.By, v.Reason = Allow, ByMode, whyRun(r, v.Mode)
	case r.Confirmed && v.Approvals == ApprovalsAgent:
		v.Decision, v.By = Allow, ByAgent
	default:
		v.Decision, v.Code, v.Hint = Ask, CodeConfirmRequired, askHint(v.Approvals)
	}
	return v
}

func ruleIsKnown(decision string) bool {
	switch Decision(decision) {
	case Allow, Ask, Deny:
		return true
	}
	return false
}

// Unknown says which of the two is none of the known ones, so that no command
// runs, or "".
func Unknown(mode Mode, approvals Approvals) string {
	switch mode {
	case ModeManual, ModeAuto, ModeRun:
	default:
		return fmt.Sprintf("unknown access mode %q", string(mode))
	}
	switch approvals {
	case ApprovalsAgent, ApprovalsHuman:
	default:
		return fmt.Sprintf("unknown approvals %q", string(approvals))
	}
	return ""
}

func undefined(r Request, v Verdict) (problem, code string) {
	if problem := Unknown(v.Mode, v.Approvals); problem != "" {
		return problem, CodeBadMode
	}
	switch r.Operation {
	case hcp.OperationRead, hcp.OperationWrite:
	default:
		return fmt.Sprintf("unknown Policy operation %q", string(r.Operation)), CodeBadPolicy
	}
	switch r.Confirm {
	case hcp.ConfirmNone, hcp.ConfirmAsk, hcp.ConfirmAlways:
	default:
		return fmt.Sprintf("unknown Policy confirm %q", string(r.Confirm)), CodeBadPolicy
	}
	return "", ""
}

// whyAsk says why the call asks, or nothing. The command's own "always" comes
// first, since only an exact allow rule is an answer to it; then the rule that
// decides; then the table of modes. A confirm on a read cannot pass lint;
// should one get here, it asks like a write's.
func whyAsk(r Request, mode Mode, found ruling) (ReasonCode, string) {
	allowed := found.rule != nil && found.rule.Decision == string(Allow)
	switch {
	case r.Confirm == hcp.ConfirmAlways && allowed && found.scope == exact:
		return "", ""
	case r.Confirm == hcp.ConfirmAlways:
		return ReasonConfirmAlways, `Policy confirm "always": every mode asks`
	case allowed:
		return "", ""
	case found.rule != nil:
		return ReasonRuleAsk, "the " + found.rule.String() + " asks"
	case r.Confirm == hcp.ConfirmAsk && mode != ModeRun:
		return ReasonConfirm, fmt.Sprintf("Policy confirm: access mode %q asks", string(mode))
	case mode == ModeManual:
		return ReasonModeManual, `access mode "manual" asks for every command`
	default:
		return "", ""
	}
}

func whyRun(r Request, mode Mode) string {
	if mode == ModeRun {
		return `access mode "run" runs what is not marked "always"`
	}
	return fmt.Sprintf("access mode %q runs a %s without confirm", string(mode), r.Operation)
}

func askHint(a Approvals) string {
	if a == ApprovalsHuman {
		return "nothing ran; ask the user to approve exactly this call, then run the same command again unchanged; confirm=true does not count here"
	}
	return "nothing ran; run it again with confirm=true only if the user approved this exact action with these values, in the request itself or after seeing the preview"
}
