package card

import "bridle/hcp"

// DefaultViewRules are the rules by which a card's kind is inferred, in the
// order in which they are tried.
func DefaultViewRules() []hcp.ViewRule {
	calendar := []string{"calendar", "event", "meeting", "appointment", "booking", "invite", "invitation"}
	return []hcp.ViewRule{
		{Kind: Event, Action: "cancel", Nouns: calendar, Words: []string{"cancel", "delete", "remove", "decline", "uninvite"}},
		{Kind: Event, Action: "create", Nouns: calendar, Words: []string{"create", "add", "new", "schedule", "book", "invite", "insert"}},
		{Kind: Event, Action: "update", Nouns: calendar, Words: []string{"update", "edit", "move", "reschedule", "change", "patch"}},
		{Kind: Payment, Words: []string{"pay", "transfer", "payout", "refund", "charge", "donate", "tip", "buy", "purchase", "order", "send", "wire", "withdraw", "deposit"}, Args: []string{"amount|total|price|sum"}},
		{Kind: Message, Words: []string{"send", "reply", "forward", "message", "post", "mail", "email", "sms", "notify", "dm", "comment"}, Args: []string{"to|recipient|recipients|channel|room|chat|thread|email", "subject|body|text|message|content"}},
		{Kind: Message, Words: []string{"send", "reply", "forward"}, Args: []string{"to|recipient|recipients|channel"}},
		{Kind: Publish, Words: []string{"publish", "release", "deploy", "push", "launch", "promote"}},
		{Kind: Removal, Words: []string{"remove", "delete", "destroy", "drop", "purge", "erase", "wipe", "trash", "uninstall", "revoke", "rm", "clear", "prune", "discard"}},
		{Kind: Record, Action: "create", Words: []string{"create", "add", "new", "insert", "register", "open", "import", "upload"}},
		{Kind: Record, Action: "update", Words: []string{"update", "edit", "set", "change", "patch", "rename", "move", "assign", "close", "merge", "save", "write", "upsert", "replace", "apply"}},
		{Kind: Fields},
	}
}

// synonyms are the arguments that can fill the fields of a kind, the best
// first.
func synonyms(kind string) map[string][]string {
	switch kind {
	case Message:
		return map[string][]string{
			"from": {"from", "sender"}, "to": {"to", "recipients", "recipient", "email", "phone", "user"}, "cc": {"cc"},
			"channel": {"channel", "room", "chat", "thread"}, "subject": {"subject", "topic", "title"},
			"body": {"body", "text", "message", "content", "html"},
		}
	case Payment:
		return map[string][]string{
			"amount": {"amount", "total", "price", "sum"}, "currency": {"currency"},
			"to":   {"to", "payee", "recipient", "beneficiary", "merchant", "vendor", "destination", "iban"},
			"from": {"from", "account", "source"}, "memo": {"memo", "note", "reference", "description", "message"},
		}
	case Event:
		return map[string][]string{
			"title": {"title", "summary", "subject", "name", "event", "id", "*_id"}, "when": {"when", "start", "starts_at", "start_time", "date", "time"},
			"until": {"until", "end", "ends_at", "end_time"}, "where": {"where", "location", "place", "room"},
			"attendees": {"attendees", "guests", "invitees", "participants", "invite"},
		}
	case Removal:
		return map[string][]string{
			"what": {"what", "name", "title", "path", "file", "item", "target", "query"}, "id": {"id", "ids", "*_id", "*_ids"},
			"count": {"count"}, "irreversible": {"irreversible", "permanent", "permanently"},
		}
	case Publish:
		return map[string][]string{
			"target": {"target", "environment", "env", "registry", "to", "channel", "remote", "destination", "site"},
			"what":   {"what", "package", "name", "artifact", "path", "dir", "branch", "ref", "title"}, "version": {"version", "tag"},
		}
	case Record:
		return map[string][]string{"id": {"id", "*_id"}}
	}
	return nil
}

// DefaultSignalRules are the facts that cards point out, in their order.
func DefaultSignalRules() []hcp.SignalRule {
	return []hcp.SignalRule{
		{Text: "Moves money", Kinds: []string{Payment}},
		{Text: "Cannot be undone", Group: "undone", Kinds: []string{Removal}, True: []string{"irreversible", "permanent", "permanently", "hard"}},
		{Text: "Cannot be undone", Group: "undone", Kinds: []string{Removal}, Words: []string{"delete", "destroy", "purge", "erase", "wipe", "drop"}},
		{Text: "Removes {{n}} items", Kinds: []string{Removal}, Fields: []string{"what", "id", "count"}, AtLeast: 2},
		{Text: "Tells {{n}} people it is cancelled", Group: "event", Kinds: []string{Event}, Action: "cancel", Fields: []string{"attendees"}, AtLeast: 2},
		{Text: "Tells 1 person it is cancelled", Group: "event", Kinds: []string{Event}, Action: "cancel", Fields: []string{"attendees"}, AtLeast: 1},
		{Text: "Cancels the event", Group: "event", Kinds: []string{Event}, Action: "cancel"},
		{Text: "Invites {{n}} people", Group: "event", Kinds: []string{Event}, Fields: []string{"attendees"}, AtLeast: 2},
		{Text: "Goes to {{n}} people", Kinds: []string{Message}, Fields: []string{"to", "cc", "bcc"}, AtLeast: 2},
		{Text: "Everyone in the channel can read it", Kinds: []string{Message}, Fields: []string{"channel"}, AtLeast: 1},
		{Text: "Goes live", Kinds: []string{Publish}},
		{Text: "Overrides a safety check", True: []string{"force", "no_verify", "skip_checks"}},
		{Text: "Reaches everything below", True: []string{"recursive", "all"}},
	}
}
