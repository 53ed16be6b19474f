package houndcli

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"bridle/internal/hound/identity"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// fileSystems are the ones that an identity may lie on.
var fileSystems = identity.Certified

// dataPath is where the user's identity and log lie, below the home folder that
// the system knows.
func dataPath(c *cli.Call, flag, name string) (string, error) {
	if flag != "" {
		return resolve(c, flag), nil
	}
	if c.AccountHome != nil {
		if home, err := c.AccountHome(); err == nil && filepath.IsAbs(home) {
			return filepath.Join(home, ".local", "share", Name, name), nil
		}
	}
	return "", fault.Newf("no_home", "the user has no home folder to keep the %s in", name).WithHint("name a folder with --%s", name)
}

func identityFlag(cmd *cobra.Command, dir *string) {
	cmd.PersistentFlags().StringVar(dir, "identity", "", "the `folder` with the identity; .local/share/hound/identity in the home folder unless given")
}

// lockWait bounds the wait for another process that has the identity open, which
// takes milliseconds.
const (
	lockWait = 10 * time.Second
	lockPoll = 5 * time.Millisecond
)

type opener func(string, identity.Options) (*identity.Store, error)

// openIdentity opens the identity and waits while another process uses it.
func openIdentity(ctx context.Context, c *cli.Call, flag string, open opener) (*identity.Store, error) {
	dir, err := dataPath(c, flag, "identity")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		s, err := open(filepath.Clean(dir), identity.Options{FileSystems: fileSystems()})
		if !fault.Is(err, identity.CodeLocked) {
			return s, err
		}
		timer := time.NewTimer(lockPoll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, err
		case <-timer.C:
		}
	}
}

// withIdentity opens the identity for one use.
func withIdentity(ctx context.Context, c *cli.Call, flag string, open opener, use func(*identity.Store) error) error {
	s, err := openIdentity(ctx, c, flag, open)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	return use(s)
}

func identityCommand(c *cli.Call) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "identity <init|show|rotate|recover|verify>",
		Long: "Looks after the key that signs checkpoints and statements. It lies in a folder of its own, on a local Linux file system, and never leaves it: " +
			"only public halves are shown.\nA change of it is whole or not there, whatever happens meanwhile; what was cut off is finished or discarded by the next command.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "missing <init|show|rotate|recover|verify>")
			}
			return usage(cmd, "unknown command %q", "identity "+args[0])
		},
	}
	cmd.RunE = c.Run(func(context.Context, []string) (cli.Result, error) { return cli.Result{}, nil })
	identityFlag(cmd, &dir)
	cmd.AddCommand(identityInit(c, &dir), identityShow(c, &dir), identityRotate(c, &dir), identityRecover(c, &dir), identityVerify(c, &dir))
	return cmd
}

type keyView struct {
	KID       string `json:"kid"`
	PublicKey string `json:"public_key"`
	Active    bool   `json:"active"`
}

type identityView struct {
	SchemaVersion string    `json:"schema_version"`
	Path          string    `json:"path"`
	Generation    string    `json:"generation"`
	ActiveKID     string    `json:"active_kid"`
	Keys          []keyView `json:"keys"`
	Recovery      string    `json:"recovery,omitzero"`
}

// shown is what may be shown of an identity.
func shown(s *identity.Store) (identityView, error) {
	v := identityView{SchemaVersion: "hound.identity.v1", Path: s.Path(), Recovery: string(s.Recovered())}
	keys, err := s.Keys()
	if err != nil {
		return v, err
	}
	for _, key := range keys {
		v.Keys = append(v.Keys, keyView{KID: key.KID, PublicKey: key.Text, Active: key.Active})
		if key.Active {
			v.ActiveKID = key.KID
		}
	}
	v.Generation, err = s.Generation()
	return v, err
}

func (v identityView) print(p *cli.Page) {
	p.Line(p.Bold("identity"), "  ", v.Path)
	p.Line(p.Dim("generation  " + v.Generation))
	if v.Recovery == string(identity.Finished) || v.Recovery == string(identity.Discarded) || v.Recovery == string(identity.Restored) {
		p.Line(p.Yellow("recovered"), "  a change that was cut off was ", v.Recovery)
	}
	rows := make([][]any, len(v.Keys))
	for i, key := range v.Keys {
		state := p.Dim("kept")
		if key.Active {
			state = p.Green("active")
		}
		rows[i] = []any{state, key.PublicKey}
	}
	p.Table(rows)
}

// identityVerb is a command that opens the identity, does something and shows it.
func identityVerb(c *cli.Call, dir *string, cmd *cobra.Command, open opener, do func(*identity.Store) error) *cobra.Command {
	cmd.Args, cmd.DisableFlagsInUseLine = noArguments, true
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (out cli.Result, err error) {
		err = withIdentity(ctx, c, *dir, open, func(s *identity.Store) error {
			if do != nil {
				if err := do(s); err != nil {
					return err
				}
			}
			v, err := shown(s)
			if err != nil {
				return err
			}
			out, err = answer(v)
			out.Text = v.print
			return err
		})
		return out, err
	})
	return cmd
}

func identityInit(c *cli.Call, dir *string) *cobra.Command {
	return identityVerb(c, dir, &cobra.Command{
		Use: "init [--identity <folder>]", Short: "make an identity with a new key",
		Long:    "Makes an identity where there is none, with a key from the system's random source.",
		Example: "hound identity init",
	}, identity.Create, nil)
}

func identityShow(c *cli.Call, dir *string) *cobra.Command {
	return identityVerb(c, dir, &cobra.Command{
		Use: "show [--identity <folder>]", Short: "show the public keys",
		Long:    "Shows the public halves of the keys. Give the active one to whom should check what it signs; keep the others for what they signed.",
		Example: "hound identity show",
	}, identity.Open, nil)
}

func identityRecover(c *cli.Call, dir *string) *cobra.Command {
	return identityVerb(c, dir, &cobra.Command{
		Use: "recover [--identity <folder>]", Short: "finish or discard a change that was cut off",
		Long: "Finishes or discards a change that was cut off, as every other command does first, and says which. " +
			"Files that hound did not write are moved aside and never removed; look at them yourself.",
		Example: "hound identity recover",
	}, identity.Open, nil)
}

func identityRotate(c *cli.Call, dir *string) *cobra.Command {
	var retire string
	var generation bool
	cmd := &cobra.Command{
		Use: "rotate [--retire <kid> | --generation] [--identity <folder>]", Short: "sign with a new key from now on",
		Long: "Adds a key and signs with it from now on. The others stay, so that what they signed can still be checked here.\n" +
			"--retire removes a key that is not the active one. --generation gives the identity another generation and leaves its keys.",
		Example: "hound identity rotate\nhound identity rotate --retire k-1f2e…",
	}
	cmd.Flags().StringVar(&retire, "retire", "", "remove this key, by its `kid`")
	cmd.Flags().BoolVar(&generation, "generation", false, "give the identity another generation instead of a key")
	return identityVerb(c, dir, cmd, identity.Open, func(s *identity.Store) error {
		switch {
		case cmd.Flags().Changed("retire") && generation:
			return usage(cmd, "--retire and --generation exclude each other")
		case cmd.Flags().Changed("retire"):
			return s.Retire(retire)
		case generation:
			return s.Roll()
		default:
			return s.Rotate()
		}
	})
}

func identityVerify(c *cli.Call, dir *string) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use: "verify [--key <public key>] [--identity <folder>]", Short: "check that the identity is whole",
		Long: "Checks owner, modes, links and content of everything in the store, and changes nothing: a change that was cut off is reported and left to recover. " +
			"With --key it must hold the secret half of that key as well.",
		Example: "hound identity verify",
	}
	cmd.Flags().StringVar(&key, "key", "", "a public key, name+hash+`key`")
	return identityVerb(c, dir, cmd, identity.Look, func(s *identity.Store) error {
		if !cmd.Flags().Changed("key") {
			return nil
		}
		keys, err := s.Keys()
		if err != nil {
			return err
		}
		for _, k := range keys {
			if k.Text == key {
				return nil
			}
		}
		return fault.Newf(identity.CodeKey, "the identity does not hold the key %q", key).
			WithHint("hound identity show lists its keys").WithNext("hound identity show")
	})
}
