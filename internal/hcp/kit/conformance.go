package kit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/conformance"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/packs"
	hcpvectors "bridle/spec/hcp/vectors"
)

type conformanceResult struct {
	OK       bool                  `json:"ok"`
	Protocol string                `json:"protocol"`
	Driver   string                `json:"driver"`
	Passed   int                   `json:"passed"`
	Failed   int                   `json:"failed"`
	LeftOut  int                   `json:"left_out"`
	Vectors  []conformance.Outcome `json:"vectors"`
}

func conformanceCommand(c *cli.Call) *cobra.Command {
	var driver string
	var leaveOut []string
	var serve bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:  "conformance [name…] [--driver program [-- argument…]]",
		Args: cobra.ArbitraryArgs,
		Long: "Runs the protocol's vectors, all of them or those whose name begins with one of the names, and exits 1 when one fails.\n" +
			"Without --driver they run against this runtime. With it, the program is started anew for each vector, with the words after -- as its arguments; it reads one JSON request on each line of its standard input and writes one JSON answer for each. --serve is this runtime's own side of that. The protocol stands in spec/hcp/vectors/README.md.",
		Example: "hcpx conformance --json\nhcpx conformance exec.step6 --driver node -- driver.mjs --fast",
	}
	cmd.Flags().StringVar(&driver, "driver", "", "the `program` to test instead of this runtime")
	cmd.Flags().StringSliceVar(&leaveOut, "leave-out", nil, "an optional `part` whose vectors are not run")
	cmd.Flags().BoolVar(&serve, "serve", false, "answer the requests on standard input as a driver")
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "how long a driver may take for one vector")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		names, words := args, []string(nil)
		if at := cmd.ArgsLenAtDash(); at >= 0 {
			names, words = args[:at], args[at:]
		}
		switch {
		case serve && (driver != "" || len(args) > 0):
			return cli.Result{}, fault.New(cli.CodeUsage, "--serve stands alone").WithHint("usage: %s conformance --serve", c.App.Name)
		case len(words) > 0 && driver == "":
			return cli.Result{}, fault.New(cli.CodeUsage, "arguments after -- belong to a driver, and none is named").
				WithHint("name the program with --driver")
		case timeout <= 0:
			return cli.Result{}, fault.New(cli.CodeUsage, "--timeout must be positive")
		case serve:
			return cli.Result{}, conformance.Serve(ctx, c.Stdin, c.Stdout)
		}
		suite, err := conformance.Load(hcpvectors.FS(), packs.FS())
		if err != nil {
			return cli.Result{}, err
		}
		runner := conformance.Runner{Suite: suite, Start: conformance.Own, Temp: c.Env.Get("TMPDIR"), LeaveOut: leaveOut}
		if driver != "" {
			// It runs with the caller's rights, outside the sandbox: a tool of a host
			// that may only run packs must not come to more by it.
			if err := hcpx.RefuseAgent(c, "starts a driver, which nothing confines"); err != nil {
				return cli.Result{}, err
			}
			path, err := findProgram(c, driver)
			if err != nil {
				return cli.Result{}, err
			}
			runner.Start = conformance.Command{Path: path, Args: words, Env: c.Env.List(), Timeout: timeout}.Start
		}
		return runVectors(ctx, runner, names, driver)
	})
	return cmd
}

// findProgram returns the file that a driver's name means: a path, or a name on
// the PATH of the person who typed it.
func findProgram(c *cli.Call, name string) (string, error) {
	if strings.ContainsRune(name, os.PathSeparator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.Dir, name)
		}
		return name, nil
	}
	for _, dir := range filepath.SplitList(c.Env.Get("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fault.Newf("driver_missing", "the driver %q is not on the PATH", name).
		WithHint("give the path of its file")
}

func runVectors(ctx context.Context, runner conformance.Runner, names []string, driver string) (cli.Result, error) {
	result := conformanceResult{Protocol: hcp.ProtocolVersion, Driver: driver, Vectors: []conformance.Outcome{}}
	if driver == "" {
		result.Driver = "reference-local"
	}
	for _, v := range runner.Suite.Vectors {
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(v.Name, n) }) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return cli.Result{}, err
		}
		out := runner.Run(ctx, v)
		switch out.Status {
		case conformance.Passed:
			result.Passed++
		case conformance.LeftOut:
			result.LeftOut++
		default:
			result.Failed++
		}
		result.Vectors = append(result.Vectors, out)
	}
	if len(result.Vectors) == 0 {
		return cli.Result{}, fault.Newf("unknown_vector", "no vector has a name that begins with %q", strings.Join(names, `" or "`)).
			WithNext("hcpx conformance --json")
	}
	result.OK = result.Failed == 0
	out := cli.Result{Value: result, Text: result.print}
	if !result.OK {
		out.Exit = fault.ExitFailure
	}
	return out, nil
}

func (r conformanceResult) print(p *cli.Page) {
	for _, v := range r.Vectors {
		status := p.Green("pass")
		switch v.Status {
		case conformance.Failed:
			status = p.Red("fail")
		case conformance.Passed:
		case conformance.LeftOut:
			status = p.Dim("left")
		}
		p.Line(status, "  ", v.Name, "  ", p.Dim("§"+strings.Join(v.Sections, ", §")))
		for _, why := range v.Why {
			p.Line("      ", why)
		}
	}
	p.Line()
	p.Line(p.Bold(r.Driver), fmt.Sprintf(": %d passed, %d failed, %d left out", r.Passed, r.Failed, r.LeftOut))
}
