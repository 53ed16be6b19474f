package houndcli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/hound/anchor"
	"bridle/internal/hound/document"
	"bridle/internal/hound/identity"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	anchor, log, identity string
	keys                  []string
}

func verifyCommand(c *cli.Call) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use: "verify <record> [--anchor <checkpoint or proof> [--key <public key>]… [--log <folder>] [--identity <folder>]]",
		Long: "Checks the directory of a run, the saved output of hound invoke, or an exported statement: every file is there and no other, every hash and every relation between the documents recomputes. " +
			"That shows a record to be whole, not who made it.\n" +
			"--anchor compares it with what was anchored. A proof is enough by itself; a checkpoint that was kept elsewhere needs the log, which must still be the one that was signed. " +
			"Keys that may have signed are given with --key; without one they are those of the identity here.",
		Args:    one("record"),
		Example: "hound verify .hound/runs/ed2aa55077cd4b89…\nhound verify read.json\nhound verify read.json --anchor today.checkpoint --key k-1f2e…+0a1b2c3d+AZ…",
	}
	flags := cmd.Flags()
	flags.StringVar(&f.anchor, "anchor", "", "a checkpoint or proof, a `file`")
	flags.StringArrayVar(&f.keys, "key", nil, "a public `key` that is trusted, name+hash+key; may be repeated")
	logFlag(cmd, &f.log)
	identityFlag(cmd, &f.identity)
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		if cmd.Flags().Changed("anchor") {
			return f.anchored(ctx, c, resolve(c, args[0]))
		}
		path := resolve(c, args[0])
		v, err := f.verify(ctx, c, path)
		if err != nil {
			return cli.Result{}, err
		}
		warnOfList(c, v, path)
		out, err := answer(v)
		out.Text = func(p *cli.Page) { printVerified(p, v) }
		return out, err
	})
	return cmd
}

// warnOfList says so when the list of removed records beside a record that verifies
// is not as it was written: the record is whole, and what lies around it is not.
func warnOfList(c *cli.Call, v *hound.Verification, path string) {
	if v.SchemaVersion != hound.SchemaRunVerified {
		return
	}
	if _, err := record.PrunedPlans(filepath.Dir(path)); err != nil {
		_, _ = fmt.Fprintf(c.Stderr, "hound: warning: %s\n", redact.Visible(fault.From(err).Message))
	}
}

func printVerified(p *cli.Page, v *hound.Verification) {
	kind := "statement"
	switch v.SchemaVersion {
	case hound.SchemaRunVerified:
		kind = "run"
	case hound.SchemaInvVerified:
		kind = "read"
	}
	p.Line(p.Green("valid"), "  ", kind, " ", v.PlanID, v.ReceiptID)
	p.Line(p.Dim("the record is whole and agrees with itself; an anchor shows that it is the one that was made"))
}

// verify verifies a record by itself. A statement's signature needs keys.
func (f verifyFlags) verify(ctx context.Context, c *cli.Call, path string) (*hound.Verification, error) {
	if !anchor.IsStatement(path) {
		return guard.Verify(path)
	}
	keys, err := f.trusted(ctx, c)
	if err != nil {
		return nil, err
	}
	record, err := anchor.Read(path, keys...)
	return record.Verification, err
}

type anchorView struct {
	RecordSHA256 string `json:"record_sha256"`
	Origin       string `json:"origin"`
	Size         int64  `json:"size"`
	Index        int64  `json:"index"`
	By           string `json:"by"` // "proof" or "checkpoint"
}

// anchoredView is the plain answer and what the anchor adds to it.
type anchoredView struct {
	SchemaVersion string     `json:"schema_version"`
	Valid         bool       `json:"valid"`
	Failures      []string   `json:"failures"`
	PlanID        string     `json:"plan_id,omitzero"`
	ReceiptID     string     `json:"receipt_id,omitzero"`
	Anchor        anchorView `json:"anchor"`
}

// anchored verifies a record and compares it with a checkpoint or proof.
func (f verifyFlags) anchored(ctx context.Context, c *cli.Call, path string) (cli.Result, error) {
	keys, err := f.trusted(ctx, c)
	if err != nil {
		return cli.Result{}, err
	}
	record, err := anchor.Read(path, keys...)
	if err != nil {
		return cli.Result{}, err
	}
	text, err := document.Read(resolve(c, f.anchor), hound.CodeUnreadable, hound.ExitRefused)
	if err != nil {
		return cli.Result{}, err
	}
	checked, by, err := f.check(ctx, c, text, record, keys)
	if err != nil {
		return cli.Result{}, err
	}
	v := anchoredView{
		SchemaVersion: record.Verification.SchemaVersion, Valid: true, Failures: []string{},
		PlanID: record.Verification.PlanID, ReceiptID: record.Verification.ReceiptID,
		Anchor: anchorView{
			RecordSHA256: record.Digest.String(), Origin: checked.Checkpoint.Origin,
			Size: checked.Checkpoint.Size, Index: checked.Index, By: by,
		},
	}
	out, err := answer(v)
	out.Text = func(p *cli.Page) {
		p.Line(p.Green("valid"), "  ", record.ID)
		p.Line(p.Green("anchored"), "  as entry ", v.Anchor.Index, " of ", v.Anchor.Origin, ", shown by the ", by)
	}
	return out, err
}

func (f verifyFlags) check(ctx context.Context, c *cli.Call, text []byte, record anchor.Record, keys []string) (anchor.Checked, string, error) {
	if anchor.IsProof(text) {
		checked, err := anchor.CheckProof(text, record.Digest, keys...)
		return checked, "proof", err
	}
	dir, err := dataPath(c, f.log, "log")
	if err != nil {
		return anchor.Checked{}, "", err
	}
	log, err := anchor.Open(dir)
	if err != nil {
		return anchor.Checked{}, "", err
	}
	checked, err := log.CheckKept(ctx, text, record.Digest, keys...)
	return checked, "checkpoint", err
}

// trusted are the keys that may have signed.
func (f verifyFlags) trusted(ctx context.Context, c *cli.Call) (keys []string, err error) {
	if len(f.keys) > 0 {
		return f.keys, nil
	}
	err = withIdentity(ctx, c, f.identity, identity.Open, func(s *identity.Store) error {
		own, err := s.Keys()
		for _, key := range own {
			keys = append(keys, key.Text)
		}
		return err
	})
	return keys, err
}
