package houndcli

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/internal/hound/anchor"
	"bridle/internal/hound/identity"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/seal"
)

type anchoredRecord struct {
	Path         string `json:"path"`
	Kind         string `json:"kind"`
	ID           string `json:"id"`
	RecordSHA256 string `json:"record_sha256"`
	Index        int64  `json:"index"`
	Added        bool   `json:"added"`
}

type anchorResult struct {
	SchemaVersion string           `json:"schema_version"`
	Records       []anchoredRecord `json:"records"`
	Origin        string           `json:"origin"`
	Size          int64            `json:"size"`
	RootBase64    string           `json:"root_base64"`
	Checkpoint    string           `json:"checkpoint"`
	PublicKey     string           `json:"public_key"`
}

// anchorFlags are the flags of anchor.
type anchorFlags struct{ identity, log, proof, checkpoint string }

func anchorCommand(c *cli.Call) *cobra.Command {
	var f anchorFlags
	cmd := &cobra.Command{
		Use: "anchor [<record>…] [--proof <file>] [--checkpoint <file>] [--log <folder>] [--identity <folder>]",
		Long: "Logs the digests of records that verify, and signs what the log holds now. Keep the checkpoint where the records are not, such as with somebody else: " +
			"whoever has it finds out when a record that was logged before it, or the log, is changed.\n" +
			"--proof writes what shows for one record alone that the log held it. Anchoring a record again proves the same entry; without a record the log is only signed.",
		Example: "hound anchor .hound/runs/ed2aa55077cd4b89… --proof run.tlog-proof --checkpoint today.checkpoint",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.proof != "" && len(args) != 1 {
				return usage(cmd, "--proof is for exactly one record")
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.proof, "proof", "", "the `file` that the proof is written to; it must not exist")
	flags.StringVar(&f.checkpoint, "checkpoint", "", "the `file` that the checkpoint is written to; it must not exist")
	logFlag(cmd, &f.log)
	identityFlag(cmd, &f.identity)
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		r, err := f.run(ctx, c, args)
		if err != nil {
			return cli.Result{}, err
		}
		out, err := answer(r)
		out.Text = r.print
		return out, err
	})
	return cmd
}

func logFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "log", "", "the `folder` with the log; .local/share/hound/log in the home folder unless given")
}

// located is a record and where it lies.
type located struct {
	anchor.Record
	path string
}

func (f anchorFlags) run(ctx context.Context, c *cli.Call, paths []string) (r anchorResult, err error) {
	// Everything that can be refused is, before anything is logged.
	records := make([]located, len(paths))
	var keys []string
	for i, path := range paths {
		if keys == nil && anchor.IsStatement(resolve(c, path)) {
			if keys, err = (verifyFlags{identity: f.identity}).trusted(ctx, c); err != nil {
				return r, err
			}
		}
		if records[i].Record, err = anchor.Read(resolve(c, path), keys...); err != nil {
			return r, err
		}
		records[i].path = path
	}
	dir, err := dataPath(c, f.log, "log")
	if err != nil {
		return r, err
	}
	err = withIdentity(ctx, c, f.identity, identity.Open, func(s *identity.Store) error {
		key, err := s.Key()
		if err != nil {
			return err
		}
		generation, err := s.Generation()
		if err != nil {
			return err
		}
		log, err := anchor.Make(dir, "hound/"+generation[:32])
		if err != nil {
			return err
		}
		done, err := enter(ctx, log, key, records)
		if err != nil {
			return err
		}
		r = resultOf(done, key, records)
		return f.write(ctx, c, log, key, done)
	})
	return r, err
}

// enter logs the records and signs once.
func enter(ctx context.Context, log *anchor.Log, key seal.Key, records []located) (anchor.Anchored, error) {
	digests := make([]seal.Digest, len(records))
	for i, record := range records {
		digests[i] = record.Digest
	}
	return log.Add(ctx, key, digests...)
}

func resultOf(done anchor.Anchored, key seal.Key, records []located) anchorResult {
	now := done.Checkpoint
	r := anchorResult{
		SchemaVersion: "hound.anchor.v1", Records: []anchoredRecord{}, Origin: now.Origin, Size: now.Size,
		RootBase64: base64.StdEncoding.EncodeToString(now.Root[:]), Checkpoint: string(done.Signed), PublicKey: key.Public(),
	}
	for i, entry := range done.Entries {
		r.Records = append(r.Records, anchoredRecord{
			Path: records[i].path, Kind: records[i].Kind, ID: records[i].ID,
			RecordSHA256: entry.Digest.String(), Index: entry.Index, Added: entry.Added,
		})
	}
	return r
}

// write makes the files that were asked for.
func (f anchorFlags) write(ctx context.Context, c *cli.Call, log *anchor.Log, key seal.Key, done anchor.Anchored) error {
	if f.checkpoint != "" {
		if err := writeBytes(resolve(c, f.checkpoint), done.Signed, "checkpoint"); err != nil {
			return err
		}
	}
	if f.proof == "" {
		return nil
	}
	proof, err := log.Prove(ctx, key, done.Entries[0])
	if err != nil {
		return err
	}
	return writeBytes(resolve(c, f.proof), proof.Text(), "proof")
}

// writeBytes makes a file of what a command hands out. It is never overwritten.
func writeBytes(path string, data []byte, flag string) error {
	if err := durable.MkdirOpen(filepath.Dir(path)); err != nil {
		return err
	}
	err := durable.CreateFile(path, data, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fault.Newf(hound.CodeExists, "the file %q is there already", path).
			WithHint("choose another --%s; nothing is overwritten, and anchoring again is free", flag).Because(err)
	}
	return err
}

func (r anchorResult) print(p *cli.Page) {
	for _, record := range r.Records {
		state := p.Green("anchored")
		if !record.Added {
			state = p.Dim("anchored before")
		}
		p.Line(state, "  ", record.Path, "  ", p.Dim("as entry "), record.Index)
	}
	p.Line(p.Bold("checkpoint"), "  keep it where the records are not:")
	p.Lines(r.Checkpoint)
	p.Line(p.Dim("public key  " + r.PublicKey))
}
