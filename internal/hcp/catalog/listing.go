package catalog

import (
	"context"
	"net/url"
	"os"
	"strconv"
	"time"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// DefaultOrigin is the community catalog.
const DefaultOrigin = "https://harnesscontextprotocol.io/api/v1/packs"

// How long an answer serves, how long one is waited for, and how large it may be.
const (
	fresh        = time.Hour
	Timeout      = 4 * time.Second
	MaxBytes     = 4 << 20
	mostEntries  = 20_000
	keptFileMode = 0o600
)

// CodeBadOrigin is an address of a catalog that cannot be used.
const CodeBadOrigin = "bad_catalog"

// Source says where a listing comes from.
type Source string

// The sources.
const (
	Remote  Source = "remote"
	Cache   Source = "cache"
	Bundled Source = "bundled"
)

// Listing is a catalog.
type Listing struct {
	Source Source
	Packs  []Entry
	// Notes say why a better source was not used, and what was left out.
	Notes []string
}

// Options are what a listing needs of the world.
type Options struct {
	// Origin is the address of the catalog, DefaultOrigin when empty.
	Origin string
	// Kept is the file of the last answer.
	Kept string
	// Fetch gets the text at an address; nil asks no origin.
	Fetch func(ctx context.Context, address string) ([]byte, error)
	Clock clock.Clock
}

// Load returns the catalog.
func Load(ctx context.Context, o Options) (Listing, error) {
	if o.Origin == "" {
		o.Origin = DefaultOrigin
	}
	if err := checkOrigin(o.Origin); err != nil {
		return Listing{}, err
	}
	kept, unreadable := readKept(o.Kept, o.Origin)
	var notes []string
	if unreadable != nil {
		notes = append(notes, "the kept answer is not used: "+unreadable.Error())
	}
	now := o.Clock.Now()
	if age := now.Sub(kept.At); kept.Origin != "" && age >= 0 && age < fresh {
		return Listing{Source: Cache, Packs: kept.Packs}, nil
	}
	if o.Fetch != nil {
		listing, err := fetch(ctx, o, now)
		if err == nil || ctx.Err() != nil {
			return listing, err
		}
		notes = append(notes, "the catalog could not be read: "+fault.From(err).Message)
	}
	if kept.Origin != "" {
		notes = append(notes, "this is the answer of "+clock.Stamp(kept.At))
		return Listing{Source: Cache, Packs: kept.Packs, Notes: notes}, nil
	}
	packs, err := Snapshot()
	return Listing{Source: Bundled, Packs: packs, Notes: notes}, err
}

// checkOrigin refuses what is no address of the web before anything else is
// done; what may be connected to is the guard's to say.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil {
		return nil
	}
	return fault.New(CodeBadOrigin, "HCP_CATALOG_URL is no address of a catalog").
		WithHint("set it to an https address without credentials, or unset it for the community catalog")
}

// fetch asks the origin and keeps the answer.
func fetch(ctx context.Context, o Options, now time.Time) (Listing, error) {
	data, err := o.Fetch(ctx, o.Origin)
	if err != nil {
		return Listing{}, err
	}
	packs, left, err := decode(data)
	if err != nil {
		return Listing{}, err
	}
	listing := Listing{Source: Remote, Packs: packs}
	if left > 0 {
		listing.Notes = append(listing.Notes, strconv.Itoa(left)+" entries are not well-formed and were left out")
	}
	text, err := canon.Marshal(keptAnswer{Origin: o.Origin, At: now.UTC().Truncate(time.Second), Packs: packs})
	if err == nil {
		err = durable.WriteFile(o.Kept, append(text, '\n'), keptFileMode)
	}
	if err != nil {
		listing.Notes = append(listing.Notes, "the answer could not be kept: "+fault.From(err).Message)
	}
	return listing, nil
}

// keptAnswer is $HCP_HOME/catalog.json.
type keptAnswer struct {
	Origin string    `json:"origin"`
	At     time.Time `json:"at"`
	Packs  []Entry   `json:"packs"`
}

// readKept returns the last answer of an origin, or a zero one.
func readKept(path, origin string) (keptAnswer, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return keptAnswer{}, nil //nolint:nilerr // nothing is kept
	}
	if info.Size() > 2*MaxBytes {
		return keptAnswer{}, fault.New(CodeBadAnswer, "it is too large")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return keptAnswer{}, fault.New(CodeBadAnswer, "it cannot be read").Because(err)
	}
	var kept keptAnswer
	if err := canon.Decode(data, &kept, canon.Limits{MaxBytes: 2 * MaxBytes}); err != nil {
		return keptAnswer{}, err
	}
	if kept.Origin != origin {
		return keptAnswer{}, nil
	}
	for i := range kept.Packs {
		if !kept.Packs[i].usable() {
			return keptAnswer{}, fault.New(CodeBadAnswer, "it has an entry that is not well-formed")
		}
	}
	return kept, nil
}
