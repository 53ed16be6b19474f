package proc

import (
	"path/filepath"

	"bridle/internal/kernel/fault"
)

// Fault codes of supervised runs.
const (
	CodeNoSupervisor   = "no_supervisor"   // the supervisor could not be started or set up
	CodeSupervisorLost = "supervisor_lost" // it ended before it could report
	CodeNoReadOnly     = "no_read_only"    // directories cannot be made read-only for the program
)

// Method is how a supervised run makes sure that nothing of it is left.
type Method string

// The methods, the strongest first.
const (
	// PIDNamespace: the supervisor is the first process of a PID namespace. When it
	// is gone the kernel has ended everything in it, which no process can leave.
	PIDNamespace Method = "pid_namespace"
	// Cgroup: the program runs in a control group that is killed at once, below a
	// supervisor to which every orphan falls.
	Cgroup Method = "cgroup"
	// Subreaper: every orphan falls to the supervisor, which looks for its
	// descendants and kills them until it has no child left.
	Subreaper Method = "subreaper"
	// ProcessGroup: the group is killed; what left it is not seen. Systems other
	// than Linux have no more.
	ProcessGroup Method = "process_group"
)

// Supervision says how a run is supervised.
type Supervision struct {
	// Program is the absolute path of a program whose main calls SupervisorMain
	// first; it is started once more to be the supervisor. A command line names
	// itself; a library's user names such a command line.
	Program string
	// Methods are those that may be used, in any order; nil allows all.
	Methods []Method
	// ReadOnly are absolute directories that the program and its descendants cannot
	// change, with everything mounted below: mounted read-only in a PID namespace,
	// or where there is none with mounts, closed by a confinement (package sandbox)
	// that also keeps names in the directories above them. Without either nothing
	// runs.
	ReadOnly []string
}

// Proof says what is known about the descendants of a supervised run.
type Proof struct {
	Method Method
	// Proven says that no descendant is left, on the kernel's word.
	Proven bool
	// Killed is how many processes were still there when the program had ended.
	Killed int
	// Reason says why nothing is proven.
	Reason string
}

func (v Supervision) allows(m Method) bool {
	if v.Methods == nil {
		return true
	}
	for _, method := range v.Methods {
		if method == m {
			return true
		}
	}
	return false
}

// check refuses what a supervised run does not take.
func (v Supervision) check(s *Spec) error {
	switch {
	case !filepath.IsAbs(v.Program):
		return fault.Newf(CodeNoSupervisor, "supervisor path %q is not absolute", v.Program).
			WithHint("name a program that was built with a supervisor, such as hound")
	case s.Profile != nil || s.Kept != nil || s.Cgroup || s.Mark != "":
		return fault.Newf(CodeBadSpec, "program %q cannot be supervised with a profile, a group or a mark of its own", s.Path)
	}
	if len(v.ReadOnly) > 0 && s.Dir == "" {
		return noReadOnly("no working directory is named")
	}
	for _, dir := range v.ReadOnly {
		if !filepath.IsAbs(dir) {
			return noReadOnly("\"" + dir + "\" is not absolute")
		}
	}
	return nil
}

func noReadOnly(why string) error {
	return fault.Newf(CodeNoReadOnly, "the program cannot be given a read-only view: %s", why).
		WithHint("run it without, so that changes are found instead of prevented")
}
