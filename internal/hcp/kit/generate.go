package kit

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/host"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type generateResult struct {
	OK        bool                     `json:"ok"`
	Activated []string                 `json:"activated"`
	System    string                   `json:"system"`
	Tools     []host.Tool              `json:"tools"`
	Skills    []host.Skill             `json:"skills"`
	Hosts     map[string]generatedHost `json:"hosts"`
	Notes     []string                 `json:"notes,omitempty"`
	Next      []string                 `json:"next,omitempty"`
}

// generatedHost names the files of a host; adopt shows what is in them.
type generatedHost struct {
	Files  []string      `json:"files"`
	Manual []host.Manual `json:"manual,omitempty"`
}

func generateCommand(c *cli.Call) *cobra.Command {
	var lead int
	cmd := &cobra.Command{
		Use: "generate [--skill-lead-chars n]",
		Long: "Prints what a host can use of the activated packs, and writes nothing: the stable part of a system prompt, one tool for each command that may run now, the Skills, and the files that adopt would write for each host.\n" +
			"The system text changes only with the activated packs, so that prompt caches stay warm. Commands that write are marked needsApproval; the runtime asks all the same.",
		Example: "hcpx generate --json",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().IntVar(&lead, "skill-lead-chars", host.DefaultLead, "how many `characters` of each Skill's lead to carry")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		if lead < 1 {
			return cli.Result{}, fault.New(cli.CodeUsage, "--skill-lead-chars must be positive")
		}
		rt, err := hcpx.Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		result, err := generate(ctx, c, rt, lead)
		return cli.Result{Value: result, Raw: result.System}, err
	})
	return cmd
}

func generate(ctx context.Context, c *cli.Call, rt *local.Runtime, lead int) (generateResult, error) {
	in, notes, err := hostInput(ctx, c, rt)
	if err != nil {
		return generateResult{}, err
	}
	surfaces := host.Generate(in, lead)
	result := generateResult{
		OK: true, Activated: []string{}, System: surfaces.System, Tools: surfaces.Tools, Skills: surfaces.Skills,
		Hosts: map[string]generatedHost{}, Notes: append(notes, surfaces.Notes...),
	}
	for i := range in.Packs {
		result.Activated = append(result.Activated, in.Packs[i].ID)
	}
	for _, t := range host.Targets() {
		result.Hosts[t.Name] = generatedHost{Files: t.Paths(in), Manual: t.Manual(in)}
	}
	for _, skill := range surfaces.Skills {
		if skill.Text == "" && skill.Size > 0 {
			result.Next = append(result.Next, "hcpx skill "+skill.PackID+" --json")
		}
	}
	result.Next = append(result.Next, "hcpx adopt agent --json")
	if len(in.Packs) == 0 {
		result.Next = []string{"hcpx list --json", "hcpx search --json"}
	}
	return result, nil
}
