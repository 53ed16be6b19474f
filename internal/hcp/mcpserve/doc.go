// Package mcpserve is the export to hosts that can only add an MCP server: one
// tool that runs the command line (§12.2, §12.5, the page on MCP export).
//
// It speaks JSON-RPC 2.0 on a pair of streams, one message on a line, in the
// versions of the Model Context Protocol that begin with a handshake. It knows
// no pack: what a call means, and whether it may run, is decided by the command
// line that the caller hands in, which runs it inside this process.
//
// Invariants:
//
//   - Nothing but messages goes to the output, one line each, whole.
//   - A message is bounded and strictly decoded; one that is not understood is
//     answered, and ends nothing.
//   - There is no shell: a line of words is split by quotes alone, and what a
//     shell would act on is refused.
//   - Cancelling a call cancels what it runs; at the end of the input all calls
//     are cancelled and waited for, so nothing outlives the server.
//   - A tool that says it only reads runs nothing else.
package mcpserve
