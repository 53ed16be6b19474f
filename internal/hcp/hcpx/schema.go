package hcpx

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	hcpspec "bridle/spec/hcp"
)

type schemaResult struct {
	OK     bool            `json:"ok"`
	Name   string          `json:"name,omitempty"`
	Names  []string        `json:"names,omitempty"`
	Schema json.RawMessage `json:"schema,omitzero"`
}

func schemaCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:       "schema [name]",
		Long:      "Prints a published JSON Schema of the protocol, as an editor or another program can use it. Without a name, lists them.",
		Example:   "hcpx schema surface > surface.schema.json",
		ValidArgs: hcpspec.Names(),
		RunE: c.Run(func(_ context.Context, args []string) (cli.Result, error) {
			if len(args) == 0 {
				names := hcpspec.Names()
				return cli.Result{Value: schemaResult{OK: true, Names: names}, Raw: strings.Join(names, "\n")}, nil
			}
			text, found := hcpspec.Schema(args[0])
			if !found {
				return cli.Result{}, unknownSchema(args[0])
			}
			return cli.Result{Value: schemaResult{OK: true, Name: args[0], Schema: text}, Raw: string(text)}, nil
		}),
	}
}

func unknownSchema(name string) error {
	f := fault.Newf(cli.CodeUsage, "no schema is called %q", name)
	if near := fault.Closest(name, hcpspec.Names()); near != "" {
		return f.WithHint("did you mean %q?", near).WithNext("hcpx schema " + near)
	}
	return f.WithHint("the schemas are %s", strings.Join(hcpspec.Names(), ", ")).WithNext("hcpx schema")
}
