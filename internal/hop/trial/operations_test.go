package trial

import (
	"path/filepath"
	"slices"
	"strconv"
)

// operation is one that is cut: what there is before, and the command.
type operation struct {
	name    string
	prepare func(*project) []string
	// stdin is what the command reads.
	stdin string
	// receives says that it takes what another machine did, part by part.
	receives bool
	// severally says that it does several things, and may leave out what it cannot do.
	severally bool
	// rewrites says that the command replaces a credential in earlier states.
	rewrites bool
	// anew says that there is no index before, and all of it afterwards.
	anew bool
}

// operations are all that write, each in the situations in which it writes
// differently.
func operations() []operation { return slices.Concat(working(), answering(), sharing()) }

// working are the operations of one machine's work.
func working() []operation {
	return []operation{
		{name: "init", prepare: func(p *project) []string {
			p.write("a.txt", "edited\n")
			return []string{"init"}
		}},
		{name: "begin in a new project", prepare: func(p *project) []string {
			return []string{"begin", "--agent", "a", "--session", "s", "an instruction"}
		}},
		{name: "begin again", prepare: func(p *project) []string {
			p.done("init")
			a := p.done("begin", "--agent", "a", "--session", "s", "an instruction")
			p.write(filepath.Join(a.text("data.workspace"), "a.txt"), "more\n")
			return []string{"begin", "--agent", "a", "--session", "s", "a second instruction"}
		}},
		{name: "begin after commits", prepare: func(p *project) []string {
			p.done("init")
			p.write("user.txt", "by the user\n")
			p.git("add", "-A")
			p.git("-c", "user.name=User", "-c", "user.email=user@example.com", "commit", "-q", "-m", "second")
			return []string{"begin", "--agent", "a", "an instruction"}
		}},
		{name: "start", prepare: func(p *project) []string {
			p.done("init")
			p.start("earlier")
			return []string{"start", "--agent", "a", "an instruction"}
		}},
		{name: "prompt", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "new.txt"), "new\n")
			return []string{"prompt", "--from", w.prompt, "a follow-up"}
		}},
		{name: "checkpoint", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "src/c.txt"), "changed\n")
			return []string{"checkpoint", w.prompt}
		}},
		{name: "checkpoint of many files", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			for n := range 60 {
				p.write(filepath.Join(w.workspace, "many", strconv.Itoa(n)), strconv.Itoa(n)+"\n")
			}
			return []string{"checkpoint", w.prompt}
		}},
		{name: "check", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "src/c.txt"), "changed\n")
			return []string{"check", w.prompt, "--", "true"}
		}},
		{name: "check in a pooled checkout", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.done("check", w.prompt, "--", "sh", "-c", "echo left > left.out")
			p.write(filepath.Join(w.workspace, "src/c.txt"), "changed\n")
			return []string{"check", w.prompt, "--", "true"}
		}},
		{name: "failing check", prepare: func(p *project) []string {
			p.done("init")
			return []string{"check", p.start("work").prompt, "--", "false"}
		}},
		{name: "propose", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "src/c.txt"), "changed\n")
			return []string{"propose", "--summary", "a change", w.prompt}
		}},
		{name: "land", prepare: func(p *project) []string {
			p.done("init")
			return []string{"land", p.propose(p.start("work"), "a.txt", "landed\n")}
		}},
		{name: "land composed and validated", prepare: func(p *project) []string {
			p.done("init")
			one, two := p.start("one"), p.start("two")
			p.done("land", p.propose(one, "a.txt", "one\n"))
			return []string{"land", p.propose(two, "b.txt", "two\n"), "--", "grep", "-q", "one", "a.txt"}
		}},
		{name: "land that fails", prepare: func(p *project) []string {
			p.done("init")
			return []string{"land", p.propose(p.start("work"), "a.txt", "landed\n"), "--", "false"}
		}},
		{name: "land of a batch", prepare: func(p *project) []string {
			p.done("init")
			one, two := p.start("one"), p.start("two")
			return []string{"land", p.propose(one, "a.txt", "one\n"), p.propose(two, "b.txt", "two\n"), "--", "true"}
		}},
		{name: "land with sync", prepare: func(p *project) []string {
			p.done("init")
			return []string{"land", "--sync", p.propose(p.start("work"), "a.txt", "landed\n")}
		}},
		{name: "undo", prepare: func(p *project) []string {
			p.done("init")
			p.done("land", p.propose(p.start("work"), "a.txt", "landed\n"))
			return []string{"undo"}
		}},
		{name: "redo", prepare: func(p *project) []string {
			p.done("init")
			p.done("land", p.propose(p.start("work"), "a.txt", "landed\n"))
			p.done("undo")
			return []string{"redo"}
		}},
		{name: "refresh", prepare: func(p *project) []string {
			p.done("init")
			one, two := p.start("one"), p.start("two")
			p.done("land", p.propose(one, "a.txt", "one\n"))
			return []string{"refresh", p.propose(two, "a.txt", "two\n")}
		}},
		{name: "sync", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "new/file.txt"), "new\n")
			p.done("land", p.propose(w, "a.txt", "landed\n"))
			return []string{"sync"}
		}},
		{name: "sync of the branch", prepare: func(p *project) []string {
			p.done("init")
			p.done("land", p.propose(p.start("work"), "a.txt", "landed\n"))
			return []string{"sync", "--branch"}
		}},
		{name: "sync that adopts", prepare: func(p *project) []string {
			p.done("init")
			p.write("b.txt", "edited by the user\n")
			return []string{"sync", "--adopt"}
		}},
		{name: "gc", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.done("check", w.prompt, "--", "true")
			p.write(filepath.Join(w.workspace, "a.txt"), "parked\n")
			return []string{"gc", "--all"}
		}},
		{name: "gc that keeps two of three", severally: true, prepare: func(p *project) []string {
			p.done("init")
			for _, name := range []string{"one", "two", "three"} {
				w := p.start(name)
				p.write(filepath.Join(w.workspace, "a.txt"), name+"\n")
			}
			return []string{"gc", "--all"}
		}},
		{name: "begin in a parked workspace", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "a.txt"), "parked\n")
			p.write(filepath.Join(w.workspace, "new", "file.txt"), "parked\n")
			p.write(filepath.Join(w.workspace, "left.out"), "ignored\n")
			p.done("gc", "--all")
			return []string{"begin", "--agent", "a", "an instruction"}
		}},
		{name: "check in a parked workspace", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.start("other")
			p.done("gc", "--all")
			p.done("resume", w.prompt)
			return []string{"check", w.prompt, "--", "true"}
		}},
		{name: "cancel", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "a.txt"), "not wanted\n")
			return []string{"cancel", w.prompt}
		}},
		{name: "restore", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "a.txt"), "one\n")
			c := p.done("checkpoint", w.prompt).text("data.id")
			p.write(filepath.Join(w.workspace, "a.txt"), "two\n")
			p.write(filepath.Join(w.workspace, "b.txt"), "two\n")
			return []string{"restore", c}
		}},
		{name: "resume", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "a.txt"), "parked\n")
			p.done("gc", "--all")
			return []string{"resume", w.prompt}
		}},
		{name: "doctor that makes the index anew", anew: true, prepare: func(p *project) []string {
			p.done("init")
			p.done("land", p.propose(p.start("work"), "a.txt", "landed\n"))
			p.write(".hop/hop.db", "no database")
			return []string{"doctor", "--repair"}
		}},
		{name: "doctor that puts refs right", prepare: func(p *project) []string {
			p.done("init")
			p.done("land", p.propose(p.start("work"), "a.txt", "landed\n"))
			p.git("update-ref", "refs/hop/accepted", "HEAD")
			p.git("update-ref", "-d", "refs/hop/ledger/project")
			return []string{"doctor", "--repair"}
		}},
	}
}
