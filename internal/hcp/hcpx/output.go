package hcpx

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/cli"
)

// outputLimit is how many bytes one answer carries by default.
const outputLimit = 32 << 10

type outputResult struct {
	OK     bool   `json:"ok"`
	Ref    string `json:"ref"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Text   string `json:"text"`
	// NextOffset is where to read on, absent at the end.
	NextOffset int64    `json:"next_offset,omitzero"`
	Next       []string `json:"next,omitempty"`
}

func outputCommand(c *cli.Call) *cobra.Command {
	var offset, limit int64
	cmd := &cobra.Command{
		Use:     "output <ref>",
		Long:    "Reads on in an output that was too long for its result. The reference stands in the result's read_more; outputs are kept for an hour.",
		Example: "hcpx output out_01kb… --offset 1048576",
	}
	cmd.Flags().Int64Var(&offset, "offset", 0, "where to start, in `bytes`")
	cmd.Flags().Int64Var(&limit, "limit", outputLimit, "how many `bytes` to print at most")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		rt, err := Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		data, size, err := rt.Store.ReadOutput(args[0], offset, limit)
		if err != nil {
			return cli.Result{}, err
		}
		end := offset + int64(len(data))
		if end < size {
			data = wholeRunes(data)
			end = offset + int64(len(data))
		}
		result := outputResult{OK: true, Ref: args[0], Offset: offset, Size: size, Text: strings.ToValidUTF8(string(data), "\uFFFD")}
		if end < size {
			result.NextOffset = end
			result.Next = []string{"hcpx output " + args[0] + " --offset " + strconv.FormatInt(end, 10)}
		}
		return cli.Result{Value: result, Raw: string(data)}, nil
	})
	return cmd
}

// wholeRunes drops the beginning of a character that the limit cut off, unless
// nothing else is there.
func wholeRunes(data []byte) []byte {
	for cut := 1; cut < utf8.UTFMax && cut < len(data); cut++ {
		if start := data[len(data)-cut]; utf8.RuneStart(start) {
			if !utf8.FullRune(data[len(data)-cut:]) {
				return data[:len(data)-cut]
			}
			return data
		}
	}
	return data
}

// cutText returns at most limit bytes of text without splitting a character.
func cutText(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
