package hcpruntime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"bridle/hcp"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/command"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/clock"
)

// Approvals keeps requests for a person's yes: each counts for one run of
// exactly the call that was asked about, within fifteen minutes.
type Approvals struct{ desk *approval.Desk }

// NewMemoryApprovals keeps them as long as the process lasts.
func NewMemoryApprovals() *Approvals {
	return &Approvals{approval.New(&approval.Memory{}, clock.System())}
}

// NewFileApprovals keeps them in a private file that several processes share.
func NewFileApprovals(path string) *Approvals {
	return &Approvals{approval.New(approval.NewFile(path, "hcpruntime"), clock.System())}
}

// Waiting lists the requests that wait, the oldest first.
func (a *Approvals) Waiting(ctx context.Context) ([]hcp.ApprovalRequest, error) {
	records, err := a.desk.Waiting(ctx)
	if err != nil {
		return nil, public(err)
	}
	list := make([]hcp.ApprovalRequest, len(records))
	for i := range records {
		list[i] = records[i].Request
	}
	return list, nil
}

// Approve and Reject answer a request for a person. Agents never call them.
func (a *Approvals) Approve(ctx context.Context, id string) error { return a.Decide(ctx, id, true) }

// Reject refuses a request.
func (a *Approvals) Reject(ctx context.Context, id string) error { return a.Decide(ctx, id, false) }

// Decide is Approve or Reject.
func (a *Approvals) Decide(ctx context.Context, id string, yes bool) error {
	_, err := a.desk.Decide(ctx, id, yes)
	return public(err)
}

// Cancel answers an open request as cancelled, as when the run that asked was
// given up. A request that is answered stays as it is.
func (a *Approvals) Cancel(ctx context.Context, id string) error {
	return public(a.desk.Cancel(ctx, id))
}

// Call is what a request for approval of a host's own call is about, and all
// that its approval is bound to: the pack as it was loaded, the command, its
// arguments and the words they render to, who acts, and where.
type Call struct {
	Pack    *Pack
	VerbKey string
	Args    hcp.Args
	// Scope is who acts for whom; Dir is the directory that the call works in.
	Scope hcp.AuthzContext
	Dir   string
}

// ApprovalState is how a request stands.
type ApprovalState = string

// The states that an answer can have. The zero value is no answer.
const (
	ApprovalGiven    ApprovalState = "approved"
	ApprovalRejected ApprovalState = "rejected"
)

// Answer is what a person said to a call. Changed names what is different from
// a call that they approved, where it is not this one.
type Answer struct {
	ID      string
	State   ApprovalState
	Changed []string
}

// Request keeps the question about a call until a person answers, completes it
// with its id and its end, and returns the id. The same question that is open
// already is not asked twice.
func (a *Approvals) Request(ctx context.Context, c Call, request *hcp.ApprovalRequest) (string, error) {
	s, err := c.subject()
	if err != nil {
		return "", public(err)
	}
	id, err := a.desk.Request(ctx, s, request)
	return id, public(err)
}

// Consume looks whether a person answered exactly this call, and uses up a yes:
// of several calls at once one gets it.
func (a *Approvals) Consume(ctx context.Context, c Call) (Answer, error) {
	s, err := c.subject()
	if err != nil {
		return Answer{}, public(err)
	}
	return a.consume(ctx, s)
}

func (a *Approvals) consume(ctx context.Context, s approval.Subject) (Answer, error) {
	answer, err := a.desk.Consume(ctx, s)
	if err != nil {
		return Answer{}, public(err)
	}
	return Answer{ID: answer.ID, State: string(answer.State), Changed: answer.Changed}, nil
}

// subject checks the call and binds to it.
func (c *Call) subject() (approval.Subject, error) {
	args, _, err := c.checked()
	if err != nil {
		return approval.Subject{}, err
	}
	return c.bound(args)
}

// checked are the arguments without the reserved ones, which come apart.
func (c *Call) checked() (hcp.Args, command.Control, error) {
	rest, control, err := command.SplitControl(c.Args)
	if err != nil {
		return nil, control, err
	}
	args, err := command.Check(&c.Pack.Manifest, c.VerbKey, rest)
	return args, control, err
}

func (c *Call) bound(args hcp.Args) (approval.Subject, error) {
	s := approval.Subject{
		PackID: c.Pack.ID, Key: c.VerbKey, Args: args, Dir: c.Dir,
		Principal: c.Scope.Principal.ID, TenantID: c.Scope.TenantID, ProjectID: c.Scope.ProjectID,
	}
	text, err := canon.Marshal(struct {
		Manifest hcp.Manifest `json:"manifest"`
		Policy   hcp.Policy   `json:"policy"`
		Skill    string       `json:"skill"`
	}{c.Pack.Manifest, c.Pack.Policy, c.Pack.Skill})
	if err != nil {
		return s, err
	}
	sum := sha256.Sum256(text)
	s.PackDigest = hex.EncodeToString(sum[:])
	if inward(c.Pack).Kind == hcp.KindWrap {
		argv, err := command.Render(&c.Pack.Manifest, c.VerbKey, args)
		if err != nil {
			return s, err
		}
		s.Argv = argv.Args()
	}
	return s, nil
}
