// Package approval keeps requests for a person's yes and makes each yes count
// once, for exactly what the person saw (RFC 0006).
//
// Invariants:
//
//   - A yes is bound to a Subject: the pack and its files, the command, its
//     arguments, the words that run, the executable, the directory, the
//     Principal, tenant and project, and the sandbox. If any of it is different,
//     the call asks again, and is told what changed.
//   - One yes, one run: of several runs at once, in whatever processes, one wins.
//   - A request is open and an answer counts for fifteen minutes from the
//     question, by the clock and, where the machine tells how long it has been
//     running, by that as well: setting the clock back adds no time. When it is
//     seen to go back, every request and answer is void.
//   - A store that cannot be read or written answers nothing: no call runs on it.
package approval

// The codes of this package's faults.
const (
	// CodeBadApproval is an id that is unknown, used or expired.
	CodeBadApproval = "bad_approval"
	// CodeBadApprovals is a store that cannot be used.
	CodeBadApprovals = "bad_approvals"
	// CodeTooMany is a store that holds as many requests as it may.
	CodeTooMany = "too_many_approvals"
	// CodeRejected is a call that a person has refused.
	CodeRejected = "rejected"
)
