package proc

import (
	"strconv"
	"time"
)

// order is what a supervisor is told: what to run, and how it may contain it.
type order struct {
	path, dir string
	argv, env []string
	grace     time.Duration
	cgroup    bool // a control group may be used
	readOnly  []string
}

func (o order) words() []string {
	words := make([]string, 0, 7+len(o.readOnly)+len(o.argv)+len(o.env))
	words = append(words, o.path, o.dir, strconv.FormatInt(int64(o.grace), 10),
		strconv.FormatBool(o.cgroup), strconv.Itoa(len(o.readOnly)), strconv.Itoa(len(o.argv)))
	return append(append(append(words, o.readOnly...), o.argv...), o.env...)
}

func parseOrder(words []string) (order, error) {
	if len(words) < 7 {
		return order{}, errMessage
	}
	grace, err1 := strconv.ParseInt(words[2], 10, 64)
	cgroup, err2 := strconv.ParseBool(words[3])
	views, err3 := strconv.Atoi(words[4])
	count, err4 := strconv.Atoi(words[5])
	rest := words[6:]
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || views < 0 || count < 1 || views > len(rest) || count > len(rest)-views {
		return order{}, errMessage
	}
	return order{
		path: words[0], dir: words[1], grace: time.Duration(grace), cgroup: cgroup,
		readOnly: rest[:views], argv: rest[views : views+count], env: rest[views+count:],
	}, nil
}

// wordStop is what a caller says after the order, if anything.
const wordStop = "stop"

// The kinds of messages that a supervisor sends.
const (
	wordRefused = "refused" // stage, errno, text: the program was not started
	wordStarted = "started" // its number, its control group's directory or ""
	wordEnded   = "ended"   // wait status, killed, empty, method
)

// The stages at which a supervisor may refuse.
const (
	stageSetup    = "setup"     // of the containment
	stageReadOnly = "read-only" // of the view
	stageStart    = "start"     // of the program, with the error's number
)

// verdict is a supervisor's last message.
type verdict struct {
	status uint32
	killed int
	empty  bool // the kernel said that there is no child left
	method Method
}

func (e verdict) words() []string {
	return []string{
		wordEnded, strconv.FormatUint(uint64(e.status), 10), strconv.Itoa(e.killed),
		strconv.FormatBool(e.empty), string(e.method),
	}
}

func parseVerdict(words []string) (verdict, error) {
	if len(words) != 5 || words[0] != wordEnded {
		return verdict{}, errMessage
	}
	status, err1 := strconv.ParseUint(words[1], 10, 32)
	killed, err2 := strconv.Atoi(words[2])
	empty, err3 := strconv.ParseBool(words[3])
	if err1 != nil || err2 != nil || err3 != nil || killed < 0 {
		return verdict{}, errMessage
	}
	return verdict{uint32(status), killed, empty, Method(words[4])}, nil
}
