package git

import (
	"context"
	"os"
	"strings"
)

// job is one run of git on this repository.
type job struct {
	args   []string
	stdin  []byte
	env    []string
	extra  []string
	limit  int64
	accept int
	// gitDir and root are those of another working tree than the repository's.
	gitDir, root string
}

// git runs git on the repository. Where it lies is said by variables, so that
// git searches nothing and asks nobody whose it is; we have.
func (r *Repository) git(ctx context.Context, j job) (out []byte, code int, err error) {
	gitDir, root := r.gitDir, r.root
	if j.gitDir != "" {
		gitDir, root = j.gitDir, j.root
	}
	dir := root
	env := append([]string{"GIT_DIR=" + gitDir}, j.env...)
	if root != "" {
		env = append(env, "GIT_WORK_TREE="+root)
	} else {
		dir = gitDir
	}
	quiet, err := r.silenced()
	if err != nil {
		return nil, 0, err
	}
	return r.options.Program.exit(ctx, call{
		dir: dir, home: os.DevNull, args: j.args, timeout: r.options.Timeout, allow: []string{},
		extra: append(quiet, j.extra...), env: env, stdin: j.stdin, limit: j.limit, accept: j.accept,
		alone: !r.options.Filters,
	})
}

// silenced are the settings that keep the repository's own configuration from
// running anything. The names of filters, merge drivers and diff programs are
// anybody's choice, so each one that is configured is switched off by its name.
func (r *Repository) silenced() ([]string, error) {
	pairs := []string{
		"core.fsync=committed,reference",
		"core.fsyncMethod=fsync",
		"core.splitIndex=false",
		"core.untrackedCache=false",
		"index.sparse=false",
		"core.commitGraph=false",
		"core.logAllRefUpdates=false",
		"core.editor=false",
		"core.pager=cat",
		"core.sshCommand=false",
		"uploadpack.packObjectsHook=",
		"safe.directory=*",
	}
	for _, e := range r.config.entries {
		section, rest, _ := strings.Cut(e.key, ".")
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			continue
		}
		name := rest[dot+1:]
		switch section + "." + name {
		case "filter.clean", "filter.smudge", "filter.process":
			if !r.options.Filters {
				pairs = append(pairs, e.key+"=", "filter."+rest[:dot]+".required=false")
			}
		case "diff.command", "diff.textconv", "merge.driver":
			pairs = append(pairs, e.key+"=")
		}
	}
	personal, err := r.personalPairs()
	return append(pairs, personal...), err
}

// personalPairs are the few things of the user's configuration that decide what
// a snapshot contains, where the repository does not decide them itself.
func (r *Repository) personalPairs() ([]string, error) {
	user, err := r.personal()
	if err != nil {
		return nil, err
	}
	var pairs []string
	for _, key := range []string{"core.autocrlf", "core.eol", "core.safecrlf", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode"} {
		if _, own := r.config.lookup(key); own {
			continue
		}
		if value, ok := user.lookup(key); ok {
			pairs = append(pairs, key+"="+value)
		}
	}
	if r.options.Filters {
		for _, e := range user.entries {
			if strings.HasPrefix(e.key, "filter.") {
				pairs = append(pairs, e.key+"="+e.value)
			}
		}
	}
	return append(pairs, "core.excludesFile="+r.excludesFile(user), "core.attributesFile="+r.attributesFile(user)), nil
}

// excludesFile is the user's own ignore file, attributesFile the user's own
// attributes: the configured one, or the one in the customary place.
func (r *Repository) excludesFile(user *config) string {
	return r.personalFile(user, "core.excludesfile", "ignore")
}

func (r *Repository) attributesFile(user *config) string {
	return r.personalFile(user, "core.attributesfile", "attributes")
}
