package houndcli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// newGuard returns a guard in the surroundings of this call.
func newGuard(c *cli.Call, paranoid bool) *guard.Guard { return guard.New(options(c, paranoid)) }

func options(c *cli.Call, paranoid bool) guard.Options {
	return guard.Options{
		Lookup: c.Env.Lookup, Now: c.Clock.Now, Supervisor: c.Executable, Home: c.Home, CacheDir: cacheDir(c), Paranoid: paranoid,
		Unproven: func(mode hound.Mode, cleanup hound.Cleanup) {
			_, _ = fmt.Fprintf(c.Stderr, "hound: warning: nothing proves that no process of the driver is left after its %s (%s)\n", mode, cleanup.Method)
		},
	}
}

// guardFlags registers how closely the repository is looked at and whether reads
// may write to it, and returns the guard that does so.
func guardFlags(c *cli.Call, cmd *cobra.Command) func() *guard.Guard {
	paranoid := cmd.Flags().Bool("paranoid", false, "hash every file at every look, and check every object")
	var confine confinement
	cmd.Flags().Var(&confine, "confine", "`readonly` prevents changes by checks, reads and plans instead of finding them")
	return func() *guard.Guard {
		o := options(c, *paranoid)
		// Whatever the user's own setting says, it is no wish for less.
		o.ReadOnly = confine != "" || c.Env.Get(confineVariable) != ""
		return guard.New(o)
	}
}

// confineVariable is the user's own setting for what --confine says.
const confineVariable = "HOUND_CONFINE"

// confinement is the value of --confine.
type confinement string

func (v *confinement) String() string { return string(*v) }
func (v *confinement) Type() string   { return "how" }

func (v *confinement) Set(text string) error {
	if text != "readonly" {
		return errors.New("there is readonly alone")
	}
	*v = confinement(text)
	return nil
}

// cacheDir is where hashes of files are kept: the user's own cache.
func cacheDir(c *cli.Call) string {
	if base := c.Env.Get("XDG_CACHE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, Name)
	}
	if c.Home == "" {
		return ""
	}
	return filepath.Join(c.Home, ".cache", Name)
}

// resolve makes a path of the command line absolute.
func resolve(c *cli.Call, path string) string {
	if filepath.IsAbs(path) || c.Dir == "" {
		return path
	}
	return filepath.Join(c.Dir, path)
}

// nearby is a path as a person would type it: from the working directory where
// that is shorter.
func nearby(c *cli.Call, path string) string {
	if relative, err := filepath.Rel(c.Dir, path); err == nil && len(relative) < len(path) {
		return relative
	}
	return path
}

// required names the flags that a command cannot do without.
func required(cmd *cobra.Command, names ...string) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		for _, name := range names {
			if flag := cmd.Flags().Lookup(name); !flag.Changed || flag.Value.String() == "" {
				return usage(cmd, "missing --%s", name)
			}
		}
		if check != nil {
			return check(cmd, args)
		}
		return noArguments(cmd, args)
	}
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd, "unexpected argument %q", args[0])
	}
	return nil
}

// one takes one argument, which the name says in words.
func one(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || args[0] == "" {
			return usage(cmd, "missing <%s>", name)
		}
		return noArguments(cmd, args[1:])
	}
}

func usage(cmd *cobra.Command, format string, args ...any) error {
	return fault.Newf(cli.CodeUsage, format, args...).WithHint("usage: %s", cmd.UseLine()).WithExit(hound.ExitRefused)
}

// callFlags are the flags of a command that calls an operation.
type callFlags struct {
	driver, operation, input, text, asOf string
}

func (f *callFlags) register(c *cli.Call, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.driver, "driver", "", "the driver's manifest, a `file`")
	flags.StringVar(&f.operation, "operation", "", "which operation, by `name`")
	flags.StringVar(&f.input, "input", "", "a `file` with the input, a JSON object; - is standard input")
	flags.StringVar(&f.text, "json", "", "the input itself, JSON `text`")
	flags.StringVar(&f.asOf, "as-of", "", "the `date` to work from, handed over as it is")
	required(cmd, "driver", "operation")
	cmd.PreRun = func(*cobra.Command, []string) {
		// Here --json is an input and says nothing about the output.
		c.JSON = !c.Terminal.Stdout
	}
}

// call collects the flags' values.
func (f *callFlags) call(c *cli.Call, cmd *cobra.Command) (guard.Call, error) {
	call := guard.Call{Manifest: resolve(c, f.driver), Operation: f.operation}
	if cmd.Flags().Changed("as-of") {
		call.AsOf = &f.asOf
	}
	file, text := cmd.Flags().Changed("input"), cmd.Flags().Changed("json")
	switch {
	case file && text:
		return call, usage(cmd, "--input and --json exclude each other")
	case text && f.text == "":
		return call, usage(cmd, "--json is empty")
	case text:
		call.Input = []byte(f.text)
	case file:
		data, err := f.read(c)
		if err != nil {
			return call, err
		}
		call.Input = data
	}
	return call, nil
}

func (f *callFlags) read(c *cli.Call) ([]byte, error) {
	if f.input != "-" {
		data, err := document.Read(resolve(c, f.input), hound.CodeBadInput, hound.ExitRefused)
		if err == nil && len(data) == 0 {
			err = fault.Newf(hound.CodeBadInput, "the input %q is empty", f.input).WithExit(hound.ExitRefused)
		}
		return data, err
	}
	data, err := io.ReadAll(io.LimitReader(c.Stdin, document.MaxBytes+1))
	if err != nil || len(data) == 0 || len(data) > document.MaxBytes {
		return nil, fault.New(hound.CodeBadInput, "standard input holds no input of a usable size").Because(err).WithExit(hound.ExitRefused)
	}
	return data, nil
}

// answer is a document as a command answers it: canonical JSON.
func answer(v any) (cli.Result, error) {
	data, err := document.Canonical(v)
	return cli.Result{Value: json.RawMessage(data)}, err
}

// write makes a document of what a command answers. It is never overwritten.
func write(path string, canonical json.RawMessage) error {
	if err := durable.MkdirOpen(filepath.Dir(path)); err != nil {
		return err
	}
	err := durable.CreateFile(path, append(append([]byte{}, canonical...), '\n'), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fault.Newf(hound.CodeExists, "the file %q is there already", path).WithHint("choose another --output; nothing is overwritten").Because(err)
	}
	return err
}
