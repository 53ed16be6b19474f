package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// The codes of this package's refusals. Those of the first group stand in the
// protocol's published list.
const (
	CodeMissingPack    = "missing_pack"
	CodeUnknownPack    = "unknown_pack"
	CodeNotActivated   = "not_activated"
	CodeMissingCommand = "missing_command"
	CodeUnknownCommand = "unknown_command"
	CodeDenied         = "denied"

	CodeNoPolicy             = "no_policy"
	CodeAdapterNotExecutable = "adapter_not_executable"
	CodeAuditUnavailable     = "audit_unavailable"
	CodeNoHub                = "no_hub"
	CodeTooDeep              = "too_deep"
	CodeBadEnvelope          = "bad_envelope"
)

// The strings that stand in the specification are written here as it has them;
// ids in them are unquoted.

func unknownPack(id string, installed []string) *fault.Error {
	f := fault.Newf(CodeUnknownPack, "unknown pack %s", shown(id))
	if near := fault.Closest(id, installed); near != "" {
		return f.WithHint("did you mean %q?", near).WithNext(command.Line([]string{"hcpx", "commands", near}))
	}
	f.WithHint("no installed pack has this id; list the installed ones, or install it").WithNext("hcpx list")
	if ids.IsPackID(id) {
		f.WithNext("hcpx search " + id)
	}
	return f
}

func notActivated(id string) *fault.Error {
	return fault.Newf(CodeNotActivated, "pack %s not activated", id).
		WithHint("activate the pack, then run the command again").
		WithNext(command.Line([]string{"hcpx", "activate", id}))
}

func missingCommand(p *pack.Pack) *fault.Error {
	return fault.Newf(CodeMissingCommand, "no command of pack %q named", p.ID).
		WithHint("%s", commandsOf(p)).
		WithNext(command.Line([]string{"hcpx", "commands", p.ID}))
}

// commandsOf lists what may be called, in words.
func commandsOf(p *pack.Pack) string {
	keys := command.Keys(&p.Manifest, &p.Policy)
	if len(keys) == 0 {
		return "it has none"
	}
	return "its commands: " + strings.Join(keys, ", ")
}

// noPolicy tells a command that the pack does not have from one that it
// declares without a Policy entry: the caller can mend the first only.
func noPolicy(p *pack.Pack, key string) *fault.Error {
	f := fault.Newf(CodeUnknownCommand, "no policy for %s", shown(key))
	if _, declared := command.Lookup(&p.Manifest, key); declared {
		f.Code = CodeNoPolicy
		return f.WithHint("pack %q declares the command but not its Policy entry, so it never runs; the pack's author adds the entry", p.ID)
	}
	keys := command.Keys(&p.Manifest, &p.Policy)
	next := command.Line([]string{"hcpx", "commands", p.ID})
	if near := fault.Closest(key, keys); near != "" {
		return f.WithHint("pack %q has no such command; did you mean %q? %s", p.ID, near, commandsOf(p)).WithNext(next)
	}
	return f.WithHint("pack %q has no such command; %s", p.ID, commandsOf(p)).WithNext(next)
}

// unauthenticated refuses a call whose session cannot be told. A session that says
// itself what is wrong with it, such as settings that cannot be read, is left its
// words and its code.
func unauthenticated(cause error) *fault.Error {
	var told *fault.Error
	if errors.As(cause, &told) && told.Code != fault.CodeInternal {
		known := *told
		return &known
	}
	return fault.New(CodeDenied, "denied: no authenticated principal with a tenant").
		WithHint("stop and tell the user: the session does not say who acts").Because(cause)
}

// deniedByAccess refuses what the user's rules forbid, and what access cannot
// make sense of.
func deniedByAccess(v access.Verdict) *fault.Error {
	f := fault.New(v.Code, v.Reason).WithHint("%s", v.Hint)
	if f.Code == "" {
		f.Code = CodeDenied
	}
	if f.Message == "" {
		f.Message = "denied"
	}
	if f.Hint == "" {
		f.Hint = "stop and tell the user; do not reach the same result another way"
	}
	return f
}

// Rejected refuses a call to which a person said no: an agent's confirm is no
// answer to that.
func Rejected(id string) *fault.Error {
	return fault.Newf(approval.CodeRejected, "the user rejected this call (request %s)", id).
		WithHint("nothing ran; do not run it again and do not reach the same result another way; ask the user what to do instead")
}

func mockRefused() *fault.Error {
	return fault.New(binding.CodeMockRefused, "mode=mock is refused outside the sandbox").
		WithHint("leave mode out, or run in sandbox mode")
}

func mockRequired(id string) *fault.Error {
	return fault.Newf(binding.CodeMockRequired, "pack %q has only a mock binding, which must be asked for", id).
		WithHint("add mode=mock to the arguments; environment variables cannot ask for it")
}

func noHub(r binding.Request) *fault.Error {
	return fault.Newf(CodeNoHub, "no hub mints %s credentials in this runtime", r.Mode).
		WithHint("nothing ran, and no other credential was tried; the runtime's operator has to supply a hub")
}

func notExecutable(kind hcp.Kind, runtime string) *fault.Error {
	return fault.Newf(CodeAdapterNotExecutable, "adapter %s not executable in %s", kind, runtime).
		WithHint("the pack is valid, but this runtime cannot run its commands")
}

// auditUnavailable says what a log that takes no entry means for the call, and
// how to mend the log: the log's own advice where it has some.
func auditUnavailable(cause error, consequence string) *fault.Error {
	mend := "make room or fix its permissions, then run the command again"
	if f, ok := errors.AsType[*fault.Error](cause); ok && f.Hint != "" {
		mend = f.Hint
	}
	return fault.New(CodeAuditUnavailable, "the audit log cannot be written: "+reason(cause)).
		WithHint("%s; %s", consequence, mend).Because(cause)
}

// reason is a cause's own words where it is a fault, made for people; a bare
// system error would show paths of the host program.
func reason(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Message
	}
	return "the log refused the entry"
}

func tooDeep() *fault.Error {
	return fault.New(CodeTooDeep, fmt.Sprintf("commands ran commands more than %d levels deep", maxDepth)).
		WithHint("a composite command probably calls itself")
}

// shown is a name from the caller, cut where no pack, command or argument could
// have so long a name.
func shown(name string) string {
	const longest = 128
	if len(name) <= longest {
		return name
	}
	return string(cutUTF8([]byte(name), longest)) + "…"
}
