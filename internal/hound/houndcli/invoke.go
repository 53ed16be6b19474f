package houndcli

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
)

func invokeCommand(c *cli.Call) *cobra.Command {
	var f callFlags
	var compat bool
	cmd := &cobra.Command{
		Use: "invoke --driver <manifest> --operation <name> [--input <file> | --json <text>] [--as-of <date>]",
		Long: "Runs a read and prints its response with a receipt, which binds the manifest, the repository, the environment, the kernel, the request and the response. " +
			"Save the output and hound verify checks it.\nThe repository is looked at before and after: a driver that changes it is refused.",
		Example: "hound invoke --driver hound-driver.json --operation notes.read > read.json\nhound verify read.json",
	}
	f.register(c, cmd)
	open := guardFlags(c, cmd)
	cmd.Flags().BoolVar(&compat, "compat", false, "write the first version of the receipt, without the proof of cleanup")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		call, err := f.call(c, cmd)
		if err != nil {
			return cli.Result{}, err
		}
		invocation, err := open().Invoke(ctx, call, guard.Compat(compat))
		if err != nil {
			return cli.Result{}, err
		}
		return cli.Result{Value: invocation.Result, Exit: exitOf(invocation.Outcome), Text: func(p *cli.Page) { printInvocation(p, invocation) }}, nil
	})
	return cmd
}

// printInvocation shows what a driver answered, and what its receipt says.
func printInvocation(p *cli.Page, i *guard.Invocation) {
	var read struct {
		Data        json.RawMessage   `json:"data"`
		Artifacts   []json.RawMessage `json:"artifacts"`
		Proofs      []json.RawMessage `json:"proofs"`
		Diagnostics []json.RawMessage `json:"diagnostics"`
		Receipt     hound.Receipt     `json:"receipt"`
	}
	if _, err := canon.DecodeOpen(i.Result, &read, document.Limits()); err != nil {
		p.Lines(string(i.Result))
		return
	}
	outcome := p.Green(string(i.Outcome))
	if !i.Outcome.OK() {
		outcome = p.Red(string(i.Outcome))
	}
	kept := "nothing was changed"
	if read.Receipt.Confinement == hound.ConfinementPrevented {
		kept = "nothing could be changed"
	}
	p.Line(outcome, "  ", kept)
	for _, part := range []struct {
		name string
		list []json.RawMessage
	}{{"data", []json.RawMessage{read.Data}}, {"diagnostic", read.Diagnostics}, {"proof", read.Proofs}} {
		for _, value := range part.list {
			if len(value) > 0 {
				p.Line(p.Dim(part.name))
				p.Lines(indented(value))
			}
		}
	}
	if n := len(read.Artifacts); n > 0 {
		p.Line(p.Dim("artifacts "), n)
	}
	p.Line(p.Dim("receipt "), read.Receipt.ReceiptID)
	p.Line(p.Dim("at      "), read.Receipt.Repository.Head)
	if i.Cleanup.Proven {
		p.Line(p.Dim("cleanup "), "nothing of the driver is left, proven by ", i.Cleanup.Method)
	} else {
		p.Line(p.Dim("cleanup "), p.Yellow("unproven"), " (", i.Cleanup.Method, ")")
	}
	p.Line(p.Dim("what hound verify checks is the JSON: send it to a file"))
}

func indented(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, value, "", "  ") != nil {
		return string(value)
	}
	return b.String()
}

// exitOf is the exit code of a driver's answer.
func exitOf(outcome hound.Outcome) int {
	switch outcome {
	case hound.OutcomeFailed:
		return hound.ExitFailed
	case hound.OutcomeHeld:
		return hound.ExitHeld
	default:
		return hound.ExitOK
	}
}
