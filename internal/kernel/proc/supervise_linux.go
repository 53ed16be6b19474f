package proc

import (
	"context"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
)

// supervisorFlag is the hidden first argument that makes a program a supervisor.
const supervisorFlag = "__bridle-supervise"

// cleanupTime is what a supervisor gets beyond the program's own grace before it
// is killed itself.
const cleanupTime = sweepLimit + 3*time.Second

// Supervise runs a program like Run, but below a supervisor process of its own
// that ends with the calling process and leaves no descendant of the program, and
// tells by which method and whether that is proven. The supervisor comes up while
// Spec.Before is at work. It returns an error when the program did not start or the
// supervisor was lost; the result and the proof are then what is known.
func Supervise(ctx context.Context, s Spec, v Supervision) (Result, Proof, error) {
	if err := s.validate(); err != nil {
		return Result{}, Proof{}, err
	}
	if err := v.check(&s); err != nil {
		return Result{}, Proof{}, err
	}
	if err := beforeStart(ctx, s.Path); err != nil {
		return Result{}, Proof{}, err
	}
	outer := s
	outer.Path, outer.Argv0, outer.Args = v.Program, "", []string{supervisorFlag}
	outer.Env, outer.Dir, outer.Unmarked = nil, "", true
	outer.Grace = s.grace() + cleanupTime
	o := &overseer{spec: &s, supervision: v}
	if err := o.open(); err != nil {
		return Result{}, Proof{}, startFault(v.Program, "", err, false)
	}
	defer o.close()
	r := &run{spec: &outer, over: o, before: s.begin(ctx)}
	if err := r.perform(ctx); err != nil {
		return Result{}, Proof{}, err
	}
	return o.conclude(r)
}

// overseer is the caller's side of a supervised run.
type overseer struct {
	spec        *Spec
	supervision Supervision
	ours        *os.File // the caller's end of the conversation
	theirs      int      // the supervisor's, its descriptor 3; -1 once it has it
	namespaced  bool
	told        chan struct{} // closed when the order is out
	heard       chan struct{} // closed when there is nothing more to hear
	refused     []string
	driver      int    // the program's number as the supervisor sees it
	cage        string // its control group
	end         *verdict
}

func (o *overseer) open() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	o.theirs = pair[1]
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		unix.Close(pair[1])
		return err
	}
	o.ours = os.NewFile(uintptr(pair[0]), "supervisor")
	o.told, o.heard = make(chan struct{}), make(chan struct{})
	return nil
}

func (o *overseer) close() {
	_ = o.ours.Close()
	if o.theirs >= 0 {
		unix.Close(o.theirs)
	}
}

// launch starts the supervisor on the calling thread: in a namespace if it may be
// and the system gives one.
func (o *overseer) launch(outer *Spec, e *ends) (child, error) {
	if o.supervision.allows(PIDNamespace) {
		for _, way := range namespaces() {
			started, err := start(outer, outer.Env, e, nil, o.attributes(way))
			if err == nil {
				o.namespaced = true
				return started, nil
			}
			if !denied(err) {
				return started, err
			}
		}
	}
	if !o.supervision.allows(Cgroup) && !o.supervision.allows(Subreaper) {
		return child{}, fault.New(CodeNoSupervisor, "this system gives no PID namespace").
			WithHint("allow the methods \"cgroup\" and \"subreaper\"")
	}
	// Killed at once it could not end the program's descendants; it is asked, and
	// the end of the conversation tells it too.
	return start(outer, outer.Env, e, nil, o.attributes(func(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }))
}

// attributes add the conversation's descriptor to a start.
func (o *overseer) attributes(change func(*syscall.SysProcAttr)) func(*syscall.ProcAttr) {
	return func(a *syscall.ProcAttr) {
		a.Files = append(a.Files, uintptr(o.theirs))
		change(a.Sys)
	}
}

// namespaces are the ways to a PID namespace: plainly for those who may, and
// through a user namespace in which the caller stays who it is.
func namespaces() []func(*syscall.SysProcAttr) {
	const own = unix.CLONE_NEWPID | unix.CLONE_NEWNS
	plain := func(a *syscall.SysProcAttr) { a.Cloneflags = own }
	user := func(a *syscall.SysProcAttr) {
		a.Cloneflags = own | unix.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // to mount its own /proc; given up before the program starts
	}
	if os.Geteuid() == 0 {
		return []func(*syscall.SysProcAttr){plain, user}
	}
	return []func(*syscall.SysProcAttr){user}
}

// denied tells a system that gives no namespace from a supervisor that cannot be
// run.
func denied(err error) bool {
	for _, errno := range [...]syscall.Errno{unix.EPERM, unix.EINVAL, unix.ENOSYS, unix.ENOSPC, unix.EUSERS, unix.EACCES, unix.EROFS, unix.ENOENT} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// begin hands the supervisor its order and listens.
func (o *overseer) begin() {
	unix.Close(o.theirs)
	o.theirs = -1
	task := order{
		path: o.spec.Path, dir: o.spec.Dir, argv: o.spec.argv(), env: o.spec.Env, grace: o.spec.grace(),
		cgroup: o.supervision.allows(Cgroup), readOnly: o.supervision.ReadOnly,
	}
	go func() {
		defer close(o.heard)
		err := writeWords(o.ours, task.words())
		close(o.told)
		if err == nil {
			o.listen()
		}
	}()
}

// ask has the supervisor end the program with a grace. A signal could come before
// the supervisor is ready for it, and the first process of a namespace would
// never know.
func (o *overseer) ask() {
	go func() {
		<-o.told
		_ = writeWords(o.ours, []string{wordStop})
	}()
}

func (o *overseer) listen() {
	for {
		words, err := readWords(o.ours)
		if err != nil || len(words) < 3 {
			return
		}
		switch words[0] {
		case wordRefused:
			if len(words) == 4 {
				o.refused = words
			}
		case wordStarted:
			o.driver, _ = strconv.Atoi(words[1])
			o.cage = words[2]
		case wordEnded:
			if end, err := parseVerdict(words); err == nil {
				o.end = &end
			}
		}
	}
}

// hearOut takes the last words of a supervisor that is gone. Nobody else has its
// end of the conversation, so this is over at once.
func (o *overseer) hearOut() {
	timer := time.AfterFunc(time.Second, func() { _ = o.ours.Close() })
	defer timer.Stop()
	<-o.heard
}

// proven says of a supervisor that is gone that nothing is left below it: the
// kernel has ended what was in its namespace, or had no child of it left to tell of.
func (o *overseer) proven() bool {
	if o.namespaced {
		return true
	}
	o.hearOut()
	return o.end != nil && o.end.empty
}

// conclude makes of the supervisor's end and its last words what became of the
// program.
func (o *overseer) conclude(r *run) (Result, Proof, error) {
	o.hearOut()
	result := r.result
	if o.refused != nil {
		return Result{}, Proof{}, o.refusal()
	}
	if o.end == nil {
		return o.lost(result)
	}
	status := unix.WaitStatus(o.end.status)
	result.ExitCode, result.Signal = exitOf(status)
	result.Leftovers = o.end.killed
	proof := Proof{Method: o.end.method, Proven: o.end.empty, Killed: o.end.killed}
	if o.namespaced {
		proof.Proven = true
	}
	if !proof.Proven {
		proof.Reason = "the supervisor could not end all descendants in time"
	}
	result.Caged = proof.Method == Cgroup
	return result, proof, nil
}

// refusal is why the program was not started.
func (o *overseer) refusal() error {
	stage, text := o.refused[1], o.refused[3]
	number, err := strconv.Atoi(o.refused[2])
	switch {
	case stage == stageReadOnly:
		return noReadOnly(text)
	case stage == stageStart && err == nil && number > 0:
		return startFault(o.spec.Path, o.spec.Dir, syscall.Errno(number), false)
	}
	return fault.Newf(CodeNoSupervisor, "the supervisor of program %q could not be set up: %s", o.spec.Path, text)
}

// lost is what is known when the supervisor did not report. In a namespace the
// kernel has ended everything with it; elsewhere the program has died with it and
// what it started is looked for.
func (o *overseer) lost(result Result) (Result, Proof, error) {
	proof := Proof{Method: Subreaper, Reason: "the supervisor was killed"}
	switch {
	case o.namespaced:
		proof = Proof{Method: PIDNamespace, Proven: true}
	case o.cage != "":
		proof.Method = Cgroup
		proof.Killed = endCage(o.cage)
		fallthrough
	default:
		if o.driver > 0 {
			proof.Killed += endSession(o.driver)
		}
	}
	result.ExitCode, result.Leftovers = -1, proof.Killed
	return result, proof, fault.Newf(CodeSupervisorLost, "the supervisor of program %q ended before it could report", o.spec.Path).
		WithHint("someone killed it, or the system ran out of memory")
}
