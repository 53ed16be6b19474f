package trial

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// secret is a credential of nobody's.
const secret = "ghp_R4nd0mLetters99AndDigits77xQzWvUtSr1"

// hub makes a bare repository that is the remote of the project. It lies in the
// folder that is put back before each cut, so what a cut did to it goes, too.
func (p *project) hub() string {
	p.t.Helper()
	dir := filepath.Join(p.dir, ".git", "hub.git")
	p.git("init", "-q", "--bare", "-b", "main", "--template=", dir)
	p.git("remote", "add", "hub", dir)
	p.git("push", "-q", "hub", "main")
	return dir
}

// other is another machine, which shares with the same remote, after it has done
// something of its own.
func (p *project) other(hub string) {
	p.t.Helper()
	p.git("clone", "-q", hub, p.dir+".other")
	q := *p
	q.dir, q.home = p.dir+".other", p.home+".other"
	must(p.t, os.MkdirAll(q.home, 0o755))
	q.done("share", "origin")
	q.propose(q.start("by another machine"), "b.txt", "by another machine\n")
	q.done("share", "origin")
}

// leak records a credential in two attempts, loose and in a pack.
func (p *project) leak() {
	p.t.Helper()
	p.done("init")
	one := p.start("one")
	p.write(filepath.Join(one.workspace, "src/key.txt"), "user = me\ntoken = "+secret+"\n")
	p.done("checkpoint", one.prompt)
	p.git("gc", "-q")
	two := p.start("two")
	p.write(filepath.Join(two.workspace, "key.txt"), "user = me\ntoken = "+secret+"\n")
	p.done("checkpoint", two.prompt)
}

// unlockHub removes the locks that killed processes of the remote left, which is
// for whoever keeps the remote to do: no other machine can know that they are
// nobody's.
func (p *project) unlockHub() {
	p.t.Helper()
	must(p.t, filepath.WalkDir(filepath.Join(p.dir, ".git", "hub.git"), func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && filepath.Ext(path) == ".lock" {
			err = os.Remove(path)
		}
		return err
	}))
}

// event is a hook's payload of a conversation.
func event(name, more string) string {
	return `{"session_id":"s-1","hook_event_name":"` + name + `",` + more + `}`
}

// conversation has a client's conversation begin, and returns its workspace.
func (p *project) conversation() string {
	p.t.Helper()
	p.done("init")
	a := p.done("begin", "--agent", "claude", "--session", "s-1", "an instruction")
	return a.text("data.workspace")
}

// answering are the operations that come from a client's events, and what tells a
// prompt's answer.
func answering() []operation {
	return []operation{
		{name: "complete", stdin: "An answer.\n", prepare: func(p *project) []string {
			p.done("init")
			w := p.start("work")
			p.write(filepath.Join(w.workspace, "a.txt"), "changed\n")
			return []string{"complete", w.prompt, "--stdin"}
		}},
		{name: "complete that ends the attempt", stdin: "An answer.\n", prepare: func(p *project) []string {
			p.done("init")
			return []string{"complete", p.start("work").prompt, "--stdin"}
		}},
		{name: "hook of a first message", stdin: event("UserPromptSubmit", `"prompt":"an instruction"`), prepare: func(p *project) []string {
			p.done("init")
			return []string{"hook", "claude"}
		}},
		{name: "hook of a message", stdin: event("UserPromptSubmit", `"prompt":"a follow-up"`), prepare: func(p *project) []string {
			p.write(filepath.Join(p.conversation(), "a.txt"), "changed\n")
			return []string{"hook", "claude"}
		}},
		{name: "hook of a tool", stdin: event("PostToolUse", `"tool_name":"Bash"`), prepare: func(p *project) []string {
			p.write(filepath.Join(p.conversation(), "a.txt"), "changed\n")
			return []string{"hook", "claude"}
		}},
		{name: "hook of an answer", stdin: event("Stop", `"last_assistant_message":"Done."`), prepare: func(p *project) []string {
			p.write(filepath.Join(p.conversation(), "a.txt"), "changed\n")
			return []string{"hook", "claude"}
		}},
		{name: "hook install", prepare: func(p *project) []string {
			p.done("init")
			p.write(".claude/settings.json", `{"hooks":{},"mine":true}`+"\n")
			return []string{"hook", "install", "claude"}
		}},
	}
}

// sharing are the operations on a remote, and the one that rewrites records.
func sharing() []operation {
	return []operation{
		{name: "share for the first time", prepare: func(p *project) []string {
			p.hub()
			p.done("init")
			p.propose(p.start("work"), "a.txt", "proposed\n")
			return []string{"share", "hub"}
		}},
		{name: "share both ways", receives: true, prepare: func(p *project) []string {
			hub := p.hub()
			p.done("init")
			p.done("share", "hub")
			p.other(hub)
			p.done("land", p.propose(p.start("work"), "a.txt", "landed\n"))
			return []string{"share", "hub"}
		}},
		{name: "push", prepare: func(p *project) []string {
			p.hub()
			p.done("init")
			p.done("land", p.propose(p.start("work"), "a.txt", "landed\n"))
			return []string{"push", "hub", "main"}
		}},
		{name: "land on a remote", prepare: func(p *project) []string {
			p.hub()
			p.done("init")
			p.done("share", "hub")
			return []string{"land", "--remote", "hub", p.propose(p.start("work"), "a.txt", "landed\n"), "--", "true"}
		}},
		{name: "purge", rewrites: true, prepare: func(p *project) []string {
			p.leak()
			return []string{"purge", "--path", "src/key.txt", "--path", "key.txt"}
		}},
	}
}
