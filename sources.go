// Package bridle holds what the module knows of itself: the sources of the
// guard kernel, which plans and receipts are bound to.
package bridle

import "embed"

// KernelPackages are the packages whose sources make up Hound's guard kernel:
// everything of ours that decides what a driver may do and what a record says.
// The command line, research and web adapters are not among them, so that a
// change there leaves existing plans valid.
var KernelPackages = []string{
	"hound", "hound/guard",
	"internal/hound/approval", "internal/hound/conversation", "internal/hound/credential", "internal/hound/document",
	"internal/hound/manifest", "internal/hound/plan", "internal/hound/record", "internal/hound/snapshot",
	"internal/kernel/canon", "internal/kernel/clock", "internal/kernel/durable", "internal/kernel/fault", "internal/kernel/git",
	"internal/kernel/inflate", "internal/kernel/journal", "internal/kernel/proc", "internal/kernel/redact", "internal/kernel/sandbox",
}

// KernelSources holds the Go files of KernelPackages.
//
//go:embed hound/*.go hound/guard/*.go internal/hound/approval/*.go internal/hound/conversation/*.go
//go:embed internal/hound/credential/*.go internal/hound/document/*.go internal/hound/manifest/*.go
//go:embed internal/hound/plan/*.go internal/hound/record/*.go internal/hound/snapshot/*.go
//go:embed internal/kernel/canon/*.go internal/kernel/clock/*.go internal/kernel/durable/*.go
//go:embed internal/kernel/fault/*.go internal/kernel/git/*.go internal/kernel/inflate/*.go internal/kernel/journal/*.go
//go:embed internal/kernel/proc/*.go internal/kernel/redact/*.go internal/kernel/sandbox/*.go
var KernelSources embed.FS
