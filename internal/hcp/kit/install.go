package kit

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/source"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/netguard"
	"bridle/internal/kernel/redact"
)

func installCommand(c *cli.Call) *cobra.Command {
	var noFallback bool
	cmd := &cobra.Command{
		Use: "install <pack_dir|github:…|npm:…|archive>",
		Long: "Fetches a pack, checks it and copies it into the store. Nothing of it is run: npm runs no scripts, git no hooks. GITHUB_TOKEN, where it is set, goes to GitHub's API and nowhere else.\n" +
			"When a gold pack cannot be fetched under its own published name, the copy that comes with the program is installed and the answer says so in note; --no-fallback forbids that.",
		Example: "hcpx install github:owner/repo@v1.2.0//packs/transit\nhcpx install npm:@scope/pack-transit",
	}
	cmd.Flags().BoolVar(&noFallback, "no-fallback", false, "fail when the source cannot be fetched, whatever it is")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		rt, err := hcpx.Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		// Whoever may install nothing makes no request either.
		if err := rt.MayInstall(ctx); err != nil {
			return cli.Result{}, err
		}
		opts := source.Options{
			Dir: c.Dir, Temp: c.Env.Get("TMPDIR"), Path: c.Env.Get("PATH"), UserHome: c.Home, Lookup: c.Env.Lookup,
			GitHubToken: redact.NewSecret(c.Env.Get("GITHUB_TOKEN")), NoFallback: noFallback,
		}
		if proxy := proxyOf(c.Env); proxy != nil {
			opts.HTTP = netguard.New(netguard.Options{UserAgent: hcpx.Name, Proxy: proxy})
			defer opts.HTTP.Close()
		}
		fetched, err := source.Fetch(ctx, args[0], opts)
		if err != nil {
			return cli.Result{}, err
		}
		defer fetched.Close()
		return hcpx.Install(ctx, c, rt, fetched.Dir, fetched.Source, fetched.Note)
	})
	return cmd
}

// proxyOf returns the proxy that the environment names, as other programs read
// it, or nil.
func proxyOf(env cli.Env) *url.URL {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		proxy, err := url.Parse(env.Get(name))
		if err == nil && proxy.Host != "" && (proxy.Scheme == "http" || proxy.Scheme == "https") {
			return proxy
		}
	}
	return nil
}
