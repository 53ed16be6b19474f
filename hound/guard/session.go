package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"bridle/hound"
	"bridle/internal/hound/conversation"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/hound/snapshot"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Call names one operation of a driver.
type Call struct {
	// Manifest is the path of the driver's manifest.
	Manifest  string
	Operation string
	// Input is a JSON object; empty means {}.
	Input []byte
	// AsOf is handed to the driver as it is; nil leaves it out.
	AsOf *string
}

// session is one driver in its repository, frozen when it was opened.
type session struct {
	guard      *Guard
	manifest   *manifest.Manifest
	capability hound.Capability
	operation  string
	root       string
	gitDir     string
	driver     *conversation.Driver
	watcher    watcher
	envDigest  string
}

// open loads the manifest and finds the repository. A check has no operation, "".
func (g *Guard) open(path, operation string) (*session, error) {
	m, err := manifest.Load(path)
	if err != nil {
		return nil, err
	}
	s := &session{guard: g, manifest: m, operation: operation}
	if operation != "" {
		if s.capability, err = m.Operation(operation); err != nil {
			return nil, err
		}
	}
	if err := s.locate(); err != nil {
		return nil, err
	}
	if err := watchesRecords(m); err != nil {
		return nil, err
	}
	env, err := conversation.EnvironmentOf(m, operation, g.lookup)
	if err != nil {
		return nil, err
	}
	if s.envDigest, err = env.Digest(); err != nil {
		return nil, err
	}
	s.driver = &conversation.Driver{Manifest: m, Root: s.root, Env: env, Run: g.run}
	s.watcher = g.watch(s.root, m.Excludes())
	return s, nil
}

// locate finds the owner's repository, whose root the manifest must name exactly.
func (s *session) locate() error {
	root, err := s.manifest.Root()
	if err != nil {
		return err
	}
	at, err := git.Locate(root)
	if err != nil {
		f := fault.From(err)
		return fault.Newf(hound.CodeBadOwner, "owner.repo %q leads to no repository: %s", s.manifest.Owner.Repo, f.Message).
			WithHint("%s", f.Hint).Because(err).WithExit(hound.ExitRefused)
	}
	if at.Root != root {
		return fault.Newf(hound.CodeBadOwner, "owner.repo %q leads to %q, but the repository's root is %q", s.manifest.Owner.Repo, root, at.Root).
			WithHint("name the root itself").WithExit(hound.ExitRefused)
	}
	s.root, s.gitDir = at.Root, at.GitDir
	return nil
}

// watchesRecords refuses excludes that take run records out of sight: a driver
// could then forge or remove those of other runs unseen.
func watchesRecords(m *manifest.Manifest) error {
	root := m.RunRootPath()
	for _, prefix := range m.Excludes() {
		if below(prefix, root) || below(root, prefix) {
			return fault.Newf(hound.CodeBadManifest, "the exclude %q hides the run records in %q", prefix, root).
				WithHint("exclude what can be thrown away, and no records").WithExit(hound.ExitRefused)
		}
	}
	return nil
}

// runDir is where the record of a plan lies, and the same relative to the root.
func (s *session) runDir(planID string) (path, relative string) {
	relative = planID
	if root := s.manifest.RunRootPath(); root != "." {
		relative = root + "/" + planID
	}
	return filepath.Join(s.root, filepath.FromSlash(relative)), relative
}

// watched is an answer with the looks before and after it.
type watched struct {
	conversation.Answer
	before, after look
	// identity is that of the look before, which is worked out while the driver
	// runs.
	identity func() (hound.ReceiptRepository, error)
}

// ask sends a request that must leave the repository as it is. A change counts
// before whatever else went wrong.
func (s *session) ask(ctx context.Context, request hound.Request) (watched, error) {
	var w watched
	driver, err := s.reader()
	if err != nil {
		return w, err
	}
	answer, asked := driver.AskAfter(ctx, request, func() (err error) {
		if w.before, err = s.watcher.Look(ctx); err != nil {
			return err
		}
		w.identity = sync.OnceValues(w.before.Identity)
		go prepare(request.Mode, w.identity)
		return nil
	})
	w.Answer = answer
	if w.before == nil {
		return w, asked // nothing was started
	}
	s.guard.unproven(request.Mode, asked, answer.Cleanup)
	// The second look happens also when the caller has given up meanwhile: what
	// the driver did until then must not stay unseen.
	if w.after, err = s.watcher.Look(context.WithoutCancel(ctx)); err != nil {
		return w, err
	}
	if changes := w.before.Changes(w.after); len(changes) > 0 {
		return w, mutated(request.Mode, changes)
	}
	return w, withProof(asked, answer.Cleanup)
}

// prepare works out what will be asked for once the driver has ended, while it
// runs; both remember what came out.
func prepare(mode hound.Mode, identity func() (hound.ReceiptRepository, error)) {
	if mode == hound.ModeRead {
		_, _ = identity()
	}
	if mode != hound.ModeCheck {
		_, _ = Kernel()
	}
}

// reader is the driver as it is asked for what must change nothing.
func (s *session) reader() (*conversation.Driver, error) {
	if s.guard.reading == nil {
		return s.driver, nil
	}
	places, err := snapshot.Places(s.root)
	if err != nil {
		return nil, refusedRepository(err)
	}
	confined := *s.driver
	confined.Run = s.guard.reading(places)
	return &confined, nil
}

// confinement says what keeps a reading driver from changing the repository.
func (s *session) confinement() hound.Confinement {
	if s.guard.reading != nil {
		return hound.ConfinementPrevented
	}
	return hound.ConfinementDetected
}

// maxNamed is how many paths an error names.
const maxNamed = 12

func mutated(mode hound.Mode, changes []change) error {
	return fault.Newf(hound.CodeMutation, "the driver changed the repository during %s: %s", mode, named(paths(changes))).
		WithHint("only an approved plan may change anything; put the files back, then correct the driver")
}

func named(list []string) string {
	quoted := make([]string, 0, maxNamed)
	for _, path := range list[:min(len(list), maxNamed)] {
		quoted = append(quoted, fmt.Sprintf("%q", path))
	}
	if more := len(list) - len(quoted); more > 0 {
		quoted = append(quoted, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(quoted, ", ")
}

// inputOf checks an input, which must be an object.
func inputOf(call Call) (json.RawMessage, error) {
	if call.AsOf != nil && !utf8.ValidString(*call.AsOf) {
		return nil, fault.Newf(hound.CodeBadInput, "the as-of %q is not UTF-8", *call.AsOf).WithExit(hound.ExitRefused)
	}
	data := call.Input
	if len(data) == 0 {
		return json.RawMessage("{}"), nil
	}
	if err := canon.Check(data, document.Limits()); err != nil {
		return nil, fault.Newf(hound.CodeBadInput, "the input is no strict JSON: %s", err.Error()).Because(err).WithExit(hound.ExitRefused)
	}
	if !document.IsObject(data) {
		return nil, fault.New(hound.CodeBadInput, "the input is no JSON object").WithExit(hound.ExitRefused)
	}
	canonical, err := canon.Canonical(data, conversation.ResponseLimits())
	if err != nil {
		return nil, fault.Newf(hound.CodeBadInput, "the input is refused: %s", err.Error()).Because(err).WithExit(hound.ExitRefused)
	}
	return canonical, nil
}
