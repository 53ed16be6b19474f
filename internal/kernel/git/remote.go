package git

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// RemoteOptions say what an exchange with another repository may use.
type RemoteOptions struct {
	// Credentials lets git ask the user's own credential helpers, and log in by
	// ssh. Without it only what needs no login is reached. Nobody is prompted.
	Credentials bool
	// Env are variables that those programs need, such as SSH_AUTH_SOCK. None may
	// be git's.
	Env []string
	// AllowFile admits repositories on this machine.
	AllowFile bool
}

// Refspec names a ref on the other side and the one that it becomes here.
type Refspec struct {
	From, To string
	// Force takes the other side's value even if it does not follow ours.
	Force bool
}

// PushUpdate changes one ref on the other side. An empty New removes it. Old is
// what it must name there now, empty when it must not exist.
type PushUpdate struct {
	Name     string
	New, Old OID
}

// RemoteURL is where the configuration says that a remote lies.
func (r *Repository) RemoteURL(name string) (string, bool) {
	return r.config.lookup("remote." + name + ".url")
}

// RemoteRefs asks another repository for its refs below a prefix.
func (r *Repository) RemoteRefs(ctx context.Context, remote, prefix string, o RemoteOptions) ([]Ref, error) {
	out, err := r.exchange(ctx, remote, o, []string{"ls-remote", "--quiet", "--refs"}, nil)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || r.format.Check(OID(id)) != nil || checkRefName(name) != nil {
			return nil, fault.New(CodeFailed, "the other repository listed a ref that cannot be read")
		}
		if strings.HasPrefix(name, prefix) {
			refs = append(refs, Ref{name, OID(id)})
		}
	}
	return refs, nil
}

// Fetch takes refs and what they need from another repository: all of the refs
// or none. The objects are checked and durable before the refs are.
func (r *Repository) Fetch(ctx context.Context, remote string, specs []Refspec, o RemoteOptions) error {
	if len(specs) == 0 {
		return ctx.Err()
	}
	args := []string{
		"fetch", "--quiet", "--atomic", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-prune",
		"--no-recurse-submodules", "--no-write-commit-graph", "--refmap=",
	}
	var words []string
	var updates []RefUpdate
	for _, s := range specs {
		if err := checkRefName(s.From); err != nil {
			return err
		}
		if err := checkRefName(s.To); err != nil {
			return err
		}
		word := s.From + ":" + s.To
		if s.Force {
			word = "+" + word
		}
		words = append(words, word)
		updates = append(updates, RefUpdate{Name: s.To, Any: true})
	}
	if _, err := r.exchange(ctx, remote, o, args, words); err != nil {
		return err
	}
	return r.syncRefs(updates)
}

// Push changes refs of another repository, all or none, each only from the value
// that the caller last saw there. When one is not at that value any more, the
// fault is ref_moved. A repository on this machine runs its own hooks.
func (r *Repository) Push(ctx context.Context, remote string, updates []PushUpdate, o RemoteOptions) error {
	if len(updates) == 0 {
		return ctx.Err()
	}
	args := []string{"push", "--quiet", "--porcelain", "--atomic", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"}
	var words []string
	for _, u := range updates {
		if err := r.checkUpdate(RefUpdate{Name: u.Name, New: u.New, Old: u.Old}); err != nil {
			return err
		}
		lease := ""
		if !u.Old.IsZero() {
			lease = string(u.Old)
		}
		args = append(args, "--force-with-lease="+u.Name+":"+lease)
		if u.New.IsZero() {
			words = append(words, ":"+u.Name)
		} else {
			words = append(words, string(u.New)+":"+u.Name)
		}
	}
	_, err := r.exchange(ctx, remote, o, args, words)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return r.explainPush(ctx, remote, updates, o, err)
}

// explainPush looks at the other side to tell a ref that has moved from other
// failures.
func (r *Repository) explainPush(ctx context.Context, remote string, updates []PushUpdate, o RemoteOptions, cause error) error {
	refs, err := r.RemoteRefs(ctx, remote, "", o)
	if err != nil {
		return cause
	}
	for _, u := range updates {
		now := OID("")
		if i := slices.IndexFunc(refs, func(ref Ref) bool { return ref.Name == u.Name }); i >= 0 {
			now = refs[i].ID
		}
		if now.IsZero() != u.Old.IsZero() || !now.IsZero() && now != u.Old {
			return moved(RefUpdate{Name: u.Name, Old: u.Old}, now)
		}
	}
	return cause
}

// exchange runs git against another repository. Only its address is taken from
// the configuration: what else stands there about a remote names programs.
func (r *Repository) exchange(ctx context.Context, remote string, o RemoteOptions, args, words []string) ([]byte, error) {
	address := remote
	if known, ok := r.RemoteURL(remote); ok {
		address = known
	}
	address, transport, err := r.checkAddress(address, o)
	if err != nil {
		return nil, err
	}
	env := []string{"GIT_DIR=" + r.gitDir}
	quiet, err := r.silenced()
	if err != nil {
		return nil, err
	}
	quiet = append(quiet, "fetch.unpackLimit=1", "push.gpgSign=false", "push.recurseSubmodules=no", "push.followTags=false", "push.useForceIfIncludes=false")
	for _, e := range r.config.entries {
		if strings.HasPrefix(e.key, "url.") {
			return nil, fault.New(CodeUnsupported, "the repository's own configuration rewrites addresses of remotes").
				WithHint("remove the setting %q", e.key)
		}
	}
	if o.Credentials {
		more, settings, err := r.credentials(o)
		if err != nil {
			return nil, err
		}
		env, quiet = append(env, more...), append(quiet, settings...)
	}
	return r.options.Program.run(ctx, call{
		dir: r.gitDir, home: os.DevNull, args: append(append(args, "--", address), words...), timeout: r.options.Timeout,
		allow: []string{transport}, extra: quiet, env: env, limit: 64 << 20, reason: refusal,
	})
}

// refusal picks out of what an exchange printed why the other side refused: what it
// says itself, else what git says of a ref. Where one ref is refused the others are
// for that alone.
func refusal(stdout, stderr []byte) []byte {
	for line := range bytes.Lines(stderr) {
		if said, ok := bytes.CutPrefix(line, []byte("remote: error: ")); ok {
			return append([]byte("the remote says: "), bytes.TrimSpace(said)...)
		}
	}
	for line := range bytes.Lines(stdout) {
		fields := bytes.SplitN(bytes.TrimSpace(line), []byte("\t"), 3)
		if len(fields) == 3 && string(fields[0]) == "!" && !bytes.Contains(fields[2], []byte("atomic")) {
			_, to, _ := bytes.Cut(fields[1], []byte(":"))
			return fmt.Appendf(nil, "%s: %s", to, fields[2])
		}
	}
	return stderr
}

// credentials opens the way to the user's own helpers: those of the user's
// configuration, never those of the repository's.
func (r *Repository) credentials(o RemoteOptions) (env, settings []string, err error) {
	for _, pair := range o.Env {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || name == "" || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") {
			return nil, nil, fault.Newf(fault.CodeInternal, "the variable %q cannot be handed to git", name)
		}
	}
	user, err := r.personal()
	if err != nil {
		return nil, nil, err
	}
	// The empty value ends the list that the repository's configuration began.
	settings = []string{"credential.helper=", "core.sshCommand=ssh -o BatchMode=yes"}
	for _, e := range user.entries {
		if strings.HasPrefix(e.key, "credential.") {
			settings = append(settings, e.key+"="+e.value)
		}
	}
	if r.options.Home != "" {
		env = append(env, "HOME="+r.options.Home)
	}
	return append(env, o.Env...), settings, nil
}

// checkAddress admits what is plainly one of the transports that the options
// allow, and names it.
func (r *Repository) checkAddress(address string, o RemoteOptions) (plain, transport string, err error) {
	if strings.HasPrefix(address, "-") || strings.ContainsAny(address, "\x00\n\r") {
		return "", "", badAddress(address)
	}
	if !strings.ContainsAny(address, `/:\`) {
		return "", "", fault.Newf(CodeBadURL, "there is no remote %q", address).
			WithHint("git remote lists those that there are; the address of a repository may stand in place of a name")
	}
	if filepath.IsAbs(address) && o.AllowFile {
		return "file://" + filepath.ToSlash(address), "file", nil
	}
	if host, path, ok := strings.Cut(address, ":"); ok && o.Credentials && !strings.HasPrefix(path, ":") && isLogin(host) && !strings.HasPrefix(path, "//") && path != "" {
		return address, "ssh", nil
	}
	u, err := url.Parse(address)
	if err == nil && u.Scheme == "ssh" && o.Credentials && u.RawQuery == "" && u.Fragment == "" && sshLogin(u) {
		return address, "ssh", nil
	}
	if err := checkURL(address, o.AllowFile); err != nil {
		return "", "", err
	}
	return address, u.Scheme, nil
}

func sshLogin(u *url.URL) bool {
	if _, secret := u.User.Password(); secret {
		return false
	}
	host := u.Hostname()
	if name := u.User.Username(); name != "" {
		host = name + "@" + host
	}
	return isLogin(host)
}

// isLogin knows "host" and "user@host" in plain letters.
func isLogin(text string) bool {
	user, host, ok := strings.Cut(text, "@")
	if !ok {
		user, host = "x", text
	}
	for _, part := range []string{user, host} {
		if part == "" || part[0] == '-' || part[0] == '.' || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") != "" {
			return false
		}
	}
	return len(host) > 1 // one letter is a drive
}

func badAddress(address string) error {
	shown := address
	if u, err := url.Parse(address); err == nil {
		shown = u.Redacted()
	}
	return fault.Newf(CodeBadURL, "%q is no address of a repository that can be reached", shown)
}

// Remotes are the names of the remotes that the configuration knows, sorted.
func (r *Repository) Remotes() []string {
	var names []string
	for _, e := range r.config.entries {
		name, ok := strings.CutPrefix(e.key, "remote.")
		if name, isURL := strings.CutSuffix(name, ".url"); ok && isURL && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
