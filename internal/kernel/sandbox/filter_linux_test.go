//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// event is one system call as the filter sees it.
type event struct {
	arch, call uint32
	args       [6]uint64
}

// interpret runs a filter program as the kernel does, over the instructions that
// it may use.
func interpret(t testing.TB, program []unix.SockFilter, e event) uint32 {
	t.Helper()
	var a uint32
	for at, steps := 0, 0; ; steps++ {
		if at >= len(program) || steps > len(program) {
			t.Fatalf("the program runs off its end")
		}
		in := program[at]
		at++
		jump := func(taken bool) {
			if taken {
				at += int(in.Jt)
			} else {
				at += int(in.Jf)
			}
		}
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			switch {
			case in.K == offsetCall:
				a = e.call
			case in.K == offsetArch:
				a = e.arch
			case in.K >= offsetArgs && in.K < offsetArgs+48 && (in.K-offsetArgs)%8 == 0:
				a = uint32(e.args[(in.K-offsetArgs)/8])
			default:
				t.Fatalf("load from %d", in.K)
			}
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(a == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(a >= in.K)
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		default:
			t.Fatalf("instruction %#x", in.Code)
		}
	}
}

// plainly decides as the rules say, one after the other.
func plainly(rules []rule, e event) uint32 {
	switch {
	case e.arch != auditArch:
		return unix.SECCOMP_RET_KILL_PROCESS
	case callCeiling > 0 && uint64(e.call) >= uint64(callCeiling):
		return noSuchCall
	}
	for _, r := range rules {
		if r.call != e.call {
			continue
		}
		for _, c := range r.checks {
			value := uint32(e.args[c.arg]) & c.mask
			if c.test == equal && value == c.value || c.test == differ && value != c.value || c.test == anyBit && value != 0 {
				return c.action
			}
		}
		return r.otherwise
	}
	return allow
}

// policies are all kinds of profiles on all kinds of kernels.
func policies() map[string][]rule {
	all := map[string][]rule{}
	for _, network := range []Network{NetworkInherit, NetworkNone} {
		for _, sockets := range []bool{false, true} {
			for _, abi := range []int{2, 3, 6, 7, 10} {
				p := Profile{Network: network, Unix: sockets}
				all[fmt.Sprintf("network %d, unix %v, abi %d", network, sockets, abi)] = rules(p, abi, 1000, 1001, mediated)
			}
		}
	}
	return all
}

func TestFilterDecidesAsItsRulesSay(t *testing.T) {
	for name, list := range policies() {
		program := assemble(auditArch, callCeiling, list)
		if len(program) > 250 {
			t.Errorf("%s: %d instructions", name, len(program))
		}
		interesting := []uint64{0, 1, 2, 3, 5, 10, 15, 16, 17, 38, 40, 1000, 1001, 23, unix.SOCK_CLOEXEC | 2}
		for _, r := range list {
			for _, c := range r.checks {
				interesting = append(interesting, uint64(c.value), uint64(c.mask), uint64(c.value)|1<<32, uint64(c.mask&-c.mask))
			}
		}
		random := rand.New(rand.NewPCG(1, 2))
		for call := range uint32(600) {
			for range 200 {
				e := event{arch: auditArch, call: call}
				for i := range e.args {
					e.args[i] = interesting[random.IntN(len(interesting))]
				}
				if got, want := interpret(t, program, e), plainly(list, e); got != want {
					t.Fatalf("%s: call %d %v: %#x, want %#x", name, call, e.args, got, want)
				}
			}
		}
		for _, e := range []event{
			{arch: auditArch ^ 1, call: unix.SYS_GETPID},
			{arch: 0x40000003, call: 20},
			{arch: auditArch, call: 0x40000000},
			{arch: auditArch, call: 0x40000000 + unix.SYS_PTRACE},
			{arch: auditArch, call: 1<<32 - 1},
		} {
			if got, want := interpret(t, program, e), plainly(list, e); got != want {
				t.Fatalf("%s: %+v: %#x, want %#x", name, e, got, want)
			}
		}
	}
}

func TestAssemblerAgreesWithAnyRules(t *testing.T) {
	actions := []uint32{allow, notPermitted, denied, noSuchCall}
	rapid.Check(t, func(rt *rapid.T) {
		calls := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 60), 0, 20, rapid.ID[uint32]).Draw(rt, "calls")
		small := rapid.Uint32Range(0, 7)
		var list []rule
		for _, call := range calls {
			r := rule{call: call, otherwise: rapid.SampledFrom(actions).Draw(rt, "otherwise")}
			for range rapid.IntRange(0, 4).Draw(rt, "checks") {
				r.checks = append(r.checks, check{
					arg: rapid.IntRange(0, 2).Draw(rt, "arg"), mask: rapid.SampledFrom([]uint32{allBits, 1, 3, 7}).Draw(rt, "mask"),
					test: test(rapid.IntRange(0, 2).Draw(rt, "test")), value: small.Draw(rt, "value"),
					action: rapid.SampledFrom(actions).Draw(rt, "action"),
				})
			}
			list = append(list, r)
		}
		program := assemble(auditArch, callCeiling, list)
		for call := range uint32(62) {
			e := event{arch: auditArch, call: call}
			for i := range 3 {
				e.args[i] = uint64(small.Draw(rt, "value")) | uint64(rapid.Uint32Range(0, 1).Draw(rt, "high"))<<32
			}
			if got, want := interpret(t, program, e), plainly(list, e); got != want {
				rt.Fatalf("call %d %v: %#x, want %#x", call, e.args, got, want)
			}
		}
	})
}

func TestNoCallHasTwoRules(t *testing.T) {
	for name, list := range policies() {
		seen := map[uint32]bool{}
		for _, r := range list {
			if seen[r.call] {
				t.Errorf("%s: call %d has two rules, of which one is never looked at", name, r.call)
			}
			seen[r.call] = true
		}
	}
}

// The calls that must be refused whatever the profile are named here again, so
// that one cannot be lost from the list unnoticed.
func TestCallsThatAreAlwaysRefused(t *testing.T) {
	must := map[string]uint32{
		"ptrace": unix.SYS_PTRACE, "process_vm_readv": unix.SYS_PROCESS_VM_READV, "process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
		"bpf": unix.SYS_BPF, "perf_event_open": unix.SYS_PERF_EVENT_OPEN, "keyctl": unix.SYS_KEYCTL,
		"add_key": unix.SYS_ADD_KEY, "request_key": unix.SYS_REQUEST_KEY, "mount": unix.SYS_MOUNT,
		"umount2": unix.SYS_UMOUNT2, "pivot_root": unix.SYS_PIVOT_ROOT, "move_mount": unix.SYS_MOVE_MOUNT,
		"open_tree": unix.SYS_OPEN_TREE, "fsopen": unix.SYS_FSOPEN, "fsconfig": unix.SYS_FSCONFIG,
		"fsmount": unix.SYS_FSMOUNT, "fspick": unix.SYS_FSPICK, "mount_setattr": unix.SYS_MOUNT_SETATTR,
		"setns": unix.SYS_SETNS, "unshare": unix.SYS_UNSHARE, "userfaultfd": unix.SYS_USERFAULTFD,
		"kexec_load": unix.SYS_KEXEC_LOAD, "init_module": unix.SYS_INIT_MODULE, "finit_module": unix.SYS_FINIT_MODULE,
		"pidfd_getfd": unix.SYS_PIDFD_GETFD, "clone3": unix.SYS_CLONE3, "io_uring_setup": unix.SYS_IO_URING_SETUP,
		"io_uring_enter": unix.SYS_IO_URING_ENTER, "io_uring_register": unix.SYS_IO_URING_REGISTER,
		"open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT, "chroot": unix.SYS_CHROOT, "pidfd_send_signal": unix.SYS_PIDFD_SEND_SIGNAL,
	}
	for name, list := range policies() {
		program := assemble(auditArch, callCeiling, list)
		for call, number := range must {
			for _, args := range [][6]uint64{{}, {1, 1, 1, 1, 1, 1}, {1 << 32, 1 << 63, 0, 0, 0, 0}} {
				got := interpret(t, program, event{auditArch, number, args})
				if got != notPermitted && got != noSuchCall {
					t.Errorf("%s: %s is answered with %#x", name, call, got)
				}
			}
		}
	}
}
