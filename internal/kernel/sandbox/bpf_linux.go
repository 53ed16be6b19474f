//go:build linux && (amd64 || arm64)

package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// rule is what the filter does about one system call: the first check that fits
// decides, else otherwise does.
type rule struct {
	call      uint32
	checks    []check
	otherwise uint32
}

// check looks at the low 32 bits of an argument, as the kernel itself does for
// every argument checked here: they are ints, flags of that width, or commands.
// Comparing all 64 bits would let a caller slip past by setting a high one.
type check struct {
	arg    int
	mask   uint32 // bits that are looked at
	test   test
	value  uint32
	action uint32
}

type test int

const (
	equal  test = iota // masked argument is value
	differ             // masked argument is not value
	anyBit             // masked argument is not zero
)

const allBits = 0xffffffff

// Offsets in struct seccomp_data; the architectures here are little-endian, so
// the low half of argument n comes first.
const (
	offsetCall = 0
	offsetArch = 4
	offsetArgs = 16
)

// assemble turns the rules into a filter program. Calls are found by binary
// search, since the kernel runs the program once for every call number when it
// is installed, to learn which are always allowed.
func assemble(arch uint32, preamble []unix.SockFilter, rules []rule) []unix.SockFilter {
	rules = slices.Clone(rules)
	slices.SortFunc(rules, func(a, b rule) int { return int(a.call) - int(b.call) })
	program := []unix.SockFilter{
		load(offsetArch),
		jump(unix.BPF_JEQ, arch, 1, 0),
		result(unix.SECCOMP_RET_KILL_PROCESS),
		load(offsetCall),
	}
	program = append(program, preamble...)
	return append(program, search(rules)...)
}

func search(rules []rule) []unix.SockFilter {
	if len(rules) <= 2 {
		var out []unix.SockFilter
		for _, r := range rules {
			body := block(r)
			out = append(out, jump(unix.BPF_JEQ, r.call, 0, uint8(len(body))))
			out = append(out, body...)
		}
		return append(out, result(unix.SECCOMP_RET_ALLOW))
	}
	middle := len(rules) / 2
	low, high := search(rules[:middle]), search(rules[middle:])
	out := []unix.SockFilter{
		jump(unix.BPF_JGE, rules[middle].call, 0, 1),
		{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(low))},
	}
	return append(append(out, low...), high...)
}

// block is the code for one call; it always ends with a result.
func block(r rule) []unix.SockFilter {
	var out []unix.SockFilter
	for _, c := range r.checks {
		out = append(out, load(uint32(offsetArgs+8*c.arg)))
		if c.mask != allBits {
			out = append(out, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask})
		}
		switch c.test {
		case equal:
			out = append(out, jump(unix.BPF_JEQ, c.value, 0, 1))
		case differ:
			out = append(out, jump(unix.BPF_JEQ, c.value, 1, 0))
		case anyBit:
			out = append(out, jump(unix.BPF_JEQ, 0, 1, 0))
		}
		out = append(out, result(c.action))
	}
	return append(out, result(r.otherwise))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(test uint16, k uint32, whenTrue, whenFalse uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, K: k, Jt: whenTrue, Jf: whenFalse}
}

func result(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}
