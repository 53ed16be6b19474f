//go:build !linux

package proc

import "context"

// Supervise runs a program like Run. Only Linux has what a supervisor needs, so
// nothing is proven about processes that left the group.
func Supervise(ctx context.Context, s Spec, v Supervision) (Result, Proof, error) {
	if err := v.check(&s); err != nil {
		return Result{}, Proof{}, err
	}
	s.Unmarked = true
	result, err := Run(ctx, s)
	if err != nil {
		return Result{}, Proof{}, err
	}
	return result, Proof{
		Method: ProcessGroup, Killed: result.Leftovers,
		Reason: "this system does not tell whether a process left the group",
	}, nil
}

// SupervisorMain is for Linux; elsewhere no program becomes a supervisor.
func SupervisorMain([]string) (code int, handled bool) { return 0, false }
