package proc

import (
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: everything that the leader starts belongs to it, and
// ends with it, also when this process dies.
type group struct {
	job    windows.Handle
	leader windows.Handle
}

func newGroup(*exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	return &group{job: job}, nil
}

// adopt puts the leader into the job. What it started before that is missed.
func (g *group) adopt(cmd *exec.Cmd) {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.SYNCHRONIZE
	leader, err := windows.OpenProcess(access, false, uint32(cmd.Process.Pid))
	if err != nil {
		return
	}
	g.leader = leader
	_ = windows.AssignProcessToJobObject(g.job, leader)
}

// ask ends the tree: Windows has no request that every program understands.
func (g *group) ask() { g.kill() }

func (g *group) kill() {
	_ = windows.TerminateJobObject(g.job, 1)
	if g.leader != 0 {
		_ = windows.TerminateProcess(g.leader, 1)
	}
}

func (g *group) await(*exec.Cmd) {
	if g.leader != 0 {
		_, _ = windows.WaitForSingleObject(g.leader, windows.INFINITE)
	}
}

func (g *group) close() {
	if g.leader != 0 {
		_ = windows.CloseHandle(g.leader)
	}
	_ = windows.CloseHandle(g.job)
}

func ending(state *os.ProcessState) (code int, signal string) { return state.ExitCode(), "" }
