package check

import (
	"fmt"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// Words by which a command's name tells what it does.
var (
	risky = []string{
		"delete", "remove", "rm", "destroy", "purge", "wipe", "drop", "erase", "send", "email", "pay", "transfer", "charge", "refund",
		"purchase", "buy", "order", "publish", "release", "deploy",
	}
	money   = []string{"pay", "transfer", "charge", "refund", "purchase", "buy", "payout"}
	writing = []string{
		"create", "add", "update", "set", "edit", "write", "put", "post", "push", "move", "rename", "merge", "close", "reopen", "cancel",
		"install", "uninstall", "upload", "import", "apply", "reset", "start", "stop", "restart", "enable", "disable", "approve", "reject",
		"comment", "assign", "archive", "commit", "new", "sync", "save", "submit", "revoke", "rotate",
	}
	health       = []string{"doctor", "status", "health", "whoami"}
	ownConfirm   = []string{"--confirm", "--apply", "--yes", "-y", "--force", "-f", "--assume-yes", "--no-confirm", "--no-input", "--execute"}
	setupReading = []string{"status", "doctor", "check", "list", "show"}
)

// last is the last part of a command's name, and its words.
func nameWords(key string) []string {
	at := strings.LastIndexByte(key, '.')
	return strings.FieldsFunc(key[at+1:], func(r rune) bool { return r == '_' || r == '-' })
}

func named(key string, words []string) bool {
	parts := nameWords(key)
	return len(parts) > 0 && slices.Contains(words, parts[0])
}

func row(key string, more ...string) Where {
	pointer := "/verbs/" + escape(key)
	for _, name := range more {
		pointer += "/" + name
	}
	return Where{File: pack.PolicyFile, Pointer: pointer}
}

// policy applies the rules P001 to P007.
func (f *finder) policy(p *pack.Pack) {
	writes, healthy := false, false
	for _, key := range p.Keys() {
		entry, found := p.Entry(key)
		if !found {
			continue
		}
		c, _ := p.Command(key)
		writes = writes || entry.Operation == hcp.OperationWrite
		healthy = healthy || named(key, health)
		if entry.Operation == hcp.OperationRead {
			f.readRow(key, entry)
		} else {
			f.writeRow(p, key, entry, c)
		}
	}
	if writes && !healthy {
		f.add("P006", Warn, Where{File: pack.PolicyFile, Pointer: "/verbs"}, "the pack writes and has no command that tells its state",
			"Add a doctor or status command, as a read.")
	}
}

func (f *finder) readRow(key string, entry hcp.PolicyEntry) {
	switch {
	case named(key, risky):
		f.add("P001", Error, row(key, "operation"), fmt.Sprintf("%q sounds like something that cannot be taken back, and is a read", key),
			`Set "operation": "write" and "confirm": true, or give it a name that says it only looks.`)
	case named(key, []string{"connect", "login"}) || strings.HasPrefix(key, "setup.") && !named(key, setupReading):
		f.add("P005", Warn, row(key, "operation"), fmt.Sprintf("%q changes what is set up, and is a read", key), `Set "operation": "write".`)
	case named(key, writing):
		f.add("P001", Warn, row(key, "operation"), fmt.Sprintf("%q sounds like a write, and is a read", key),
			`Set "operation": "write", or give it a name that says it only looks.`)
	}
	if entry.Confirm != hcp.ConfirmNone {
		f.add("P003", Error, row(key, "confirm"), fmt.Sprintf("%q is a read and asks", key), "Remove confirm, or make it a write.")
	}
}

func (f *finder) writeRow(p *pack.Pack, key string, entry hcp.PolicyEntry, c hcp.Command) {
	if named(key, risky) && entry.Confirm == hcp.ConfirmNone {
		f.add("P002", Error, row(key), fmt.Sprintf("%q cannot be taken back and does not ask", key), `Add "confirm": true.`)
	}
	if named(key, money) && entry.Confirm == hcp.ConfirmAsk {
		f.add("P007", Info, row(key, "confirm"), fmt.Sprintf("%q moves money, and the access mode run would not ask", key), `Set "confirm": "always".`)
	}
	if entry.Confirm == hcp.ConfirmNone || p.Kind != hcp.KindWrap || len(c.CLI) == 0 {
		return
	}
	if !slices.ContainsFunc(c.CLI, func(word string) bool {
		flag, _, _ := strings.Cut(word, "=")
		return slices.Contains(ownConfirm, flag)
	}) {
		f.add("P004", Warn, verb(key, "cli"), fmt.Sprintf("%q asks, and its command line has no flag by which the program itself confirms", key),
			"Add the program's own flag, such as --confirm, if it has one; without it the program may ask and hang.")
	}
}
