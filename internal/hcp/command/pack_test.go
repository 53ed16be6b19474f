package command

import (
	"bridle/hcp"
	"bridle/internal/kernel/fault"

	"github.com/go-json-experiment/json"
)

// reporter is what the tests and the properties have in common.
type reporter interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// manifest reads a surface.json of a test.
func manifest(t reporter, text string) *hcp.Manifest {
	t.Helper()
	var m hcp.Manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return &m
}

// wrapOf is a wrap pack with the given commands.
func wrapOf(t reporter, verbs string) *hcp.Manifest {
	t.Helper()
	return manifest(t, `{"id":"tool","kind":"wrap","cliBin":"tool","wrap":{"bin":"tool"},"verbs":`+verbs+`}`)
}

// ledger is the gated-write pack of the specification.
func ledger(t reporter) *hcp.Manifest {
	t.Helper()
	return manifest(t, `{"id":"ledger","kind":"wrap","cliBin":"ledger","wrap":{"bin":"./bin/ledger.mjs","argv_template":["{{verb}}"]},"verbs":{
		"setup.apply":{"cli":["ledger","setup","all","-y"]},
		"connect":{"cli":["ledger","connect","{{provider}}"]},
		"transfer":{
			"description":"Pay a saved payee.",
			"cli":["ledger","transfer","{{amount}}","--to","{{payee}}","--memo","{{memo}}","--confirm"],
			"args":{"type":"object","properties":{
				"amount":{"type":"string","description":"Amount in the account currency","examples":["2.80","3"]},
				"payee":{"type":"string","description":"Payee id from payees","examples":["demo-transit"]},
				"memo":{"type":"string","description":"Optional note"}},"required":["amount","payee"]},
			"title":{"live":["Paying {{amount}} to {{payee}}","Paying a payee"],"done":["Paid {{amount}} to {{payee}}","Paid a payee"]}}}}`)
}

func faultOf(t reporter, err error, code string) *fault.Error {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("%v has code %q, want %q", err, fault.CodeOf(err), code)
	}
	return fault.From(err)
}
