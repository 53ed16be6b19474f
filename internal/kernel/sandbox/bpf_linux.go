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

// assemble turns the rules into a filter program for one architecture. Calls
// numbered from ceiling on belong to another table of the same architecture and
// are answered as absent; the numbers of ordinary calls are found by binary
// search. Size matters: at every start the kernel translates the program and
// runs it once for every call number, to learn which it may always allow.
func assemble(arch, ceiling uint32, rules []rule) []unix.SockFilter { //nolint:unparam // other values on other architectures
	a := assembler{code: make([]instruction, 0, 256)}
	a.emit(instruction{code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, k: offsetArch})
	foreign := a.answer(unix.SECCOMP_RET_KILL_PROCESS)
	a.test(unix.BPF_JEQ, arch, next, foreign)
	a.emit(instruction{code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, k: offsetCall})
	segments := a.segments(rules, ceiling)
	a.search(segments)
	for i, r := range rules {
		if len(r.checks) > 0 && a.at[a.blocks[i]] < 0 {
			a.place(a.blocks[i])
			a.block(r)
		}
	}
	return a.finish()
}

// label stands for a place in the program that is not known yet.
type label int

// next is the label of the following instruction.
const next label = -1

type instruction struct {
	code     uint16
	k        uint32
	yes, no  label
	branches bool
}

type assembler struct {
	code    []instruction
	at      []int // place of each label
	answers []uint32
	results []label // label of each answer
	blocks  []label // label of the block of each rule that has one
}

func (a *assembler) label() label {
	a.at = append(a.at, -1)
	return label(len(a.at) - 1)
}

func (a *assembler) place(l label) { a.at[l] = len(a.code) }

func (a *assembler) emit(i instruction) { a.code = append(a.code, i) }

func (a *assembler) test(op uint16, k uint32, yes, no label) {
	a.emit(instruction{code: unix.BPF_JMP | op | unix.BPF_K, k: k, yes: yes, no: no, branches: true})
}

// answer returns the label of the instruction that ends with the action. All
// ends with one action share it.
func (a *assembler) answer(action uint32) label {
	if i := slices.Index(a.answers, action); i >= 0 {
		return a.results[i]
	}
	a.answers = append(a.answers, action)
	a.results = append(a.results, a.label())
	return a.results[len(a.results)-1]
}

// segment is a run of call numbers that are treated alike, up to the next one.
type segment struct {
	from uint32
	to   label
}

// blockLabel is the label of a rule's block. Rules that say the same share one.
func (a *assembler) blockLabel(rules []rule, i int) label {
	for j, earlier := range rules[:i] {
		if earlier.otherwise == rules[i].otherwise && slices.Equal(earlier.checks, rules[i].checks) {
			return a.blocks[j]
		}
	}
	return a.label()
}

// segments cuts the line of call numbers where the treatment changes.
func (a *assembler) segments(rules []rule, ceiling uint32) []segment {
	type entry struct {
		call uint32
		to   label
	}
	entries := make([]entry, 0, len(rules))
	a.blocks = make([]label, len(rules))
	for i, r := range rules {
		to := a.answer(r.otherwise)
		if len(r.checks) > 0 {
			to = a.blockLabel(rules, i)
			a.blocks[i] = to
		}
		entries = append(entries, entry{r.call, to})
	}
	slices.SortFunc(entries, func(x, y entry) int { return int(x.call) - int(y.call) })
	allowed := a.answer(unix.SECCOMP_RET_ALLOW)
	line := make([]segment, 1, 2*len(entries)+2)
	line[0] = segment{0, allowed}
	extend := func(from uint32, to label) {
		last := &line[len(line)-1]
		switch {
		case last.from == from:
			last.to = to
		case last.to != to:
			line = append(line, segment{from, to})
		}
	}
	for i, e := range entries {
		extend(e.call, e.to)
		if i+1 == len(entries) || entries[i+1].call != e.call+1 {
			extend(e.call+1, allowed)
		}
	}
	if ceiling > 0 {
		extend(ceiling, a.answer(noSuchCall))
	}
	return line
}

func (a *assembler) search(line []segment) {
	if len(line) == 1 {
		return // the caller jumps to the label itself
	}
	middle := len(line) / 2
	low, high := line[:middle], line[middle:]
	lowLabel, highLabel := low[0].to, high[0].to
	if len(low) > 1 {
		lowLabel = next
	}
	if len(high) > 1 {
		highLabel = a.label()
	}
	a.test(unix.BPF_JGE, high[0].from, highLabel, lowLabel)
	a.search(low)
	if len(high) > 1 {
		a.place(highLabel)
		a.search(high)
	}
}

// block is the code for a rule with checks; it always ends with an answer.
func (a *assembler) block(r rule) {
	loaded := -1
	for i, c := range r.checks {
		whole := c.mask == allBits
		if loaded != c.arg || !whole {
			a.emit(instruction{code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, k: uint32(offsetArgs + 8*c.arg)})
			loaded = c.arg
		}
		if !whole {
			a.emit(instruction{code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, k: c.mask})
			loaded = -1
		}
		hit, miss := a.answer(c.action), next
		if i == len(r.checks)-1 {
			miss = a.answer(r.otherwise)
		}
		switch c.test {
		case equal:
			a.test(unix.BPF_JEQ, c.value, hit, miss)
		case differ:
			a.test(unix.BPF_JEQ, c.value, miss, hit)
		case anyBit:
			a.test(unix.BPF_JEQ, 0, miss, hit)
		}
	}
}

// finish puts the answers at the end and resolves the labels. Jumps reach 255
// instructions; that no profile needs more is a test.
func (a *assembler) finish() []unix.SockFilter {
	for i, action := range a.answers {
		a.place(a.results[i])
		a.emit(instruction{code: unix.BPF_RET | unix.BPF_K, k: action})
	}
	program := make([]unix.SockFilter, len(a.code))
	for i, in := range a.code {
		program[i] = unix.SockFilter{Code: in.code, K: in.k}
		if in.branches {
			program[i].Jt, program[i].Jf = a.distance(i, in.yes), a.distance(i, in.no)
		}
	}
	return program
}

func (a *assembler) distance(from int, l label) uint8 {
	if l == next {
		return 0
	}
	d := a.at[l] - from - 1
	if d < 0 || d > 255 {
		panic("sandbox: the filter has a jump that is too long")
	}
	return uint8(d)
}
