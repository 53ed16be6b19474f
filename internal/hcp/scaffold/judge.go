package scaffold

import (
	"slices"
	"strings"

	"bridle/hcp"
)

// Words by which a subcommand's name tells what it does. A name that is in none
// of the lists is taken for a write that asks.
var (
	riskyWords = []string{
		"delete", "remove", "rm", "del", "destroy", "purge", "wipe", "drop", "erase", "clear", "clean", "prune", "gc", "kill", "send", "email", "mail",
		"reply", "forward", "pay", "transfer", "charge", "refund", "purchase", "buy", "order", "payout", "withdraw", "publish", "unpublish", "release",
		"deploy", "push", "post", "tweet", "invite", "cancel", "revoke", "reset", "rollback", "restore", "terminate", "shutdown", "reboot", "force",
		"overwrite", "grant", "merge", "rebase", "migrate", "uninstall", "logout", "deprecate",
	}
	writingWords = []string{
		"create", "add", "update", "set", "write", "put", "move", "rename", "close", "reopen", "upload", "import", "sync", "save",
		"comment", "assign", "archive", "commit", "new", "copy", "tag", "label", "mark", "note", "draft", "init", "append",
	}
	readingWords = []string{
		"list", "ls", "get", "show", "view", "status", "info", "search", "find", "log", "logs", "diff", "describe", "cat", "print", "count", "doctor",
		"health", "version", "whoami", "tree", "blame", "history", "explain", "ps", "inspect", "lookup", "query", "stat", "stats", "read", "recv", "brief",
		"doc", "docs", "outdated", "capabilities", "validate", "balance", "top", "head", "tail", "grep", "summary", "report", "images", "who", "what", "display",
	}
	// changingWords in the text of a command that has the name of a read say that
	// it is more than that.
	changingWords = []string{
		"delete", "deletes", "remove", "removes", "create", "creates", "update", "updates", "write", "writes", "install", "installs", "modify", "modifies",
		"send", "sends", "publish", "publishes", "set", "sets", "reset", "upload", "uploads", "start", "stop", "execute", "executes", "apply", "edit", "add", "pay", "open", "opens", "browser",
	}
	// anyWords run whatever their arguments say: no Policy can judge that.
	anyWords = []string{"run", "exec", "execute", "shell", "sh", "bash", "call", "invoke", "command", "cmd", "raw", "any", "cli", "do", "eval", "script", "x"}
	// ownWords wait for a person, or are about the program itself.
	ownWords = []string{"help", "completion", "completions", "tui", "repl", "console", "login", "signin", "interactive", "watch", "serve", "server", "attach", "self-update"}
	// hosts run what their arguments name.
	hosts = []string{"sh", "bash", "zsh", "dash", "fish", "python", "python3", "node", "deno", "bun", "perl", "ruby", "lua", "php", "awk", "gawk", "sed", "xargs", "env", "sudo", "doas", "ssh", "find", "watch", "make", "parallel", "timeout", "nohup"}
	// confirming flags say yes for a person, forcing ones more than that.
	confirming = []string{"--confirm", "--yes", "-y", "--assume-yes", "--no-confirm"}
	forcing    = []string{"--force", "--apply", "--execute"}
)

// verdict is a guessed row of the Policy, and why.
type verdict struct {
	operation hcp.Operation
	confirm   hcp.Confirm
	why       string
}

// judge guesses what a command does from its name, its text and its flags. Only
// a name that is known to read, with a text that says nothing else, is a read.
func judge(words []string, about string, flags []string) verdict {
	asks := func(why string) verdict { return verdict{hcp.OperationWrite, hcp.ConfirmAsk, why} }
	leaf := nameParts(words[len(words)-1])
	for _, word := range words {
		for _, part := range nameParts(word) {
			if slices.Contains(riskyWords, part) {
				return asks("\"" + part + "\" sounds like something that cannot be taken back")
			}
		}
	}
	for _, flag := range flags {
		if slices.Contains(confirming, flag) || slices.Contains(forcing, flag) {
			return asks("the program has " + flag + " for it")
		}
	}
	if len(leaf) == 0 {
		return asks("what it does cannot be told from its name")
	}
	first := leaf[0]
	text := strings.FieldsFunc(strings.ToLower(about), func(r rune) bool { return r < 'a' || r > 'z' })
	changing := slices.IndexFunc(text, func(w string) bool { return slices.Contains(changingWords, w) })
	risky := slices.IndexFunc(text, func(w string) bool {
		return slices.Contains(riskyWords, w) || slices.Contains(riskyWords, strings.TrimSuffix(w, "s"))
	})
	switch {
	case slices.Contains(writingWords, first) && risky < 0:
		return verdict{hcp.OperationWrite, hcp.ConfirmNone, "\"" + first + "\" sounds like a write"}
	case risky >= 0:
		return asks("its help says \"" + text[risky] + "\"")
	case slices.Contains(readingWords, first) && changing < 0:
		return verdict{hcp.OperationRead, hcp.ConfirmNone, "\"" + first + "\" sounds like a read"}
	case slices.Contains(readingWords, first):
		return asks("it is called \"" + first + "\", and its help says \"" + text[changing] + "\"")
	}
	return asks("what it does cannot be told from its name")
}

// nameParts are the words of one name.
func nameParts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == ':' || r == '.' })
}

// unfit says why a subcommand is no command of a pack, or nothing.
func unfit(words []string) string {
	leaf := strings.ToLower(words[len(words)-1])
	switch {
	case slices.Contains(anyWords, leaf):
		return "what they run is up to their arguments, which no Policy can judge"
	case slices.Contains(ownWords, words[0]), slices.Contains(ownWords, leaf):
		return "they wait for a person, go on without end or are about the program itself"
	}
	return ""
}

// rank orders the commands of a draft that has room for some only: health,
// reads, ordinary writes, and then what asks.
func rank(words []string, about string) int {
	leaf := nameParts(words[len(words)-1])
	v := judge(words, about, nil)
	switch {
	case len(leaf) > 0 && slices.Contains([]string{"status", "doctor", "health"}, leaf[0]):
		return 0
	case v.operation == hcp.OperationRead:
		return 1
	case v.confirm == hcp.ConfirmNone:
		return 2
	}
	return 3
}
