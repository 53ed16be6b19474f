package snapshot_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bridle/internal/hound/snapshot"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// repo is a real repository of a test.
type repo struct {
	t   testing.TB
	dir string
	o   snapshot.Options
}

// model is a repository with a bit of everything: tracked, untracked and ignored
// files, an executable, a link, an empty directory, a nested repository. Tests
// work on copies of it.
var model struct {
	once sync.Once
	dir  string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if model.dir != "" {
		_ = os.RemoveAll(model.dir)
	}
	os.Exit(code)
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	model.once.Do(func() {
		if model.dir, err = os.MkdirTemp("", "snapshot-"); err != nil {
			t.Fatal(err)
		}
		r := &repo{t, model.dir, snapshot.Options{}}
		r.sh(`git init -q -b main .
mkdir -p src/deep empty cache/tracked
echo one > src/one; echo two > src/deep/two; echo run > run.sh; chmod 755 . run.sh; ln -s src/one link
echo kept > cache/tracked/kept; printf 'cache/\n*.log\n' > .gitignore
git add . && git add -f cache/tracked/kept && git commit -q -m first
echo untracked > notes; echo ignored > trace.log; echo junk > cache/junk
git init -q nested && cd nested && echo inner > inner && git add . && git commit -q -m inner`)
	})
	r := &repo{t, filepath.Join(dir, "repo"), snapshot.Options{Git: program}}
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", model.dir, r.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return r
}

func (r *repo) sh(script string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "/bin/sh", "-ec", script)
	cmd.Dir = r.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir + "/../", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) take(base *snapshot.Snapshot) *snapshot.Snapshot {
	r.t.Helper()
	o := r.o
	o.Base = base
	s, err := snapshot.Take(r.t.Context(), r.dir, o)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// changed runs a script and returns what it changed, each as "kind path". Seen
// with and without what was known before must be the same.
func (r *repo) changed(script string) []string {
	r.t.Helper()
	before := r.take(nil)
	r.sh(script)
	var seen [2][]string
	for i, base := range []*snapshot.Snapshot{before, nil} {
		after := r.take(base)
		for _, c := range snapshot.Compare(before, after) {
			seen[i] = append(seen[i], string(c.Kind)+" "+c.Path)
		}
		if (len(seen[i]) == 0) != (before.Digest() == after.Digest()) {
			r.t.Errorf("%s: the digests say otherwise than %q", script, seen[i])
		}
	}
	if !slices.Equal(seen[0], seen[1]) {
		r.t.Errorf("%s: %q with, %q without what was known", script, seen[0], seen[1])
	}
	return seen[0]
}

func TestEveryMutationIsSeen(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"nothing":                        {`git status >/dev/null; cat src/one >/dev/null`, ""},
		"content":                        {`echo more >> src/one`, "modified src/one"},
		"same size and restored mtime":   {`touch -r src/one ../ref; printf 'ONE\n' > src/one; touch -r ../ref src/one`, "modified src/one"},
		"content under assume-unchanged": {`git update-index --assume-unchanged src/one; echo x > src/one`, "modified .git/index,modified src/one"},
		"content under skip-worktree":    {`git update-index --skip-worktree src/one; echo x > src/one`, "modified .git/index,modified src/one"},
		"permission bits":                {`chmod 0666 src/one`, "modified src/one"},
		"set-id bits":                    {`chmod 4755 run.sh`, "modified run.sh"},
		"directory mode":                 {`chmod 0700 src`, "modified src"},
		"root mode":                      {`chmod 0700 .`, "modified ."},
		"new file":                       {`echo x > src/new`, "created src/new"},
		"new file in a new directory":    {`mkdir -p a/b; echo x > a/b/c`, "created a/b/c"},
		"new empty directory":            {`mkdir -p a/b`, "created a,created a/b"},
		"empty directory gone":           {`rmdir empty`, "deleted empty"},
		"file gone with its directory":   {`rm -r src/deep`, "deleted src/deep/two"},
		"ignored file":                   {`echo x >> trace.log; echo x > cache/new`, "created cache/new,modified trace.log"},
		"untracked file":                 {`echo x >> notes`, "modified notes"},
		"link":                           {`ln -sfn src/deep/two link`, "modified link"},
		"link for a file":                {`rm src/one; ln -s deep/two src/one`, "modified src/one"},
		"directory for a file":           {`rm src/one; mkdir src/one; echo x > src/one/x`, "modified src/one,created src/one/x"},
		"hard link elsewhere":            {`ln src/one ../outside`, ""},
		"pipe":                           {`mkfifo pipe`, "created pipe"},
		"nested repository's file":       {`echo x >> nested/inner`, "modified nested/inner"},
		"nested repository's hook":       {`echo x > nested/.git/hooks/pre-commit`, "created nested/.git/hooks/pre-commit"},
		"case twin":                      {`echo x > SRC`, "created SRC"},
		"name that is no text":           {`printf x > "$(printf 'a\377b')"`, "created a\xffb"},
		"name with a line feed":          {"printf x > 'a\nb'", "created a\nb"},
		"staged":                         {`echo x >> src/one; git add src/one`, "modified .git/index,modified src/one"},
		"index mode alone":               {`git update-index --chmod=+x src/one`, "modified .git/index"},
		"index rewritten, equal":         {`touch src/one run.sh; git update-index --refresh; git update-index --index-version 4 --force-write-index`, ""},
		"branch":                         {`git branch other`, "created .git/logs/refs/heads/other,created .git/refs/heads/other"},
		"refs packed, equal":             {`git pack-refs --all`, ""},
		"checkout":                       {`git checkout -q --detach`, "modified .git/HEAD,modified .git/logs/HEAD"},
		"configuration":                  {`git config user.name x`, "modified .git/config"},
		"hook":                           {`printf '#!/bin/sh\n' > .git/hooks/pre-commit`, "created .git/hooks/pre-commit"},
		"hook's mode":                    {`chmod 0640 .git/hooks/update.sample`, "modified .git/hooks/update.sample"},
		"exclude file":                   {`echo x >> .git/info/exclude`, "modified .git/info/exclude"},
		"description":                    {`echo x > .git/description`, "modified .git/description"},
		"mode of git's folder":           {`chmod 0711 .git`, "modified .git/."},
		"mode of the refs' folder":       {`chmod 0711 .git/refs`, "modified .git/refs"},
		"mode of the objects' folder":    {`chmod 0711 .git/objects`, "modified .git/objects"},
		"left lock":                      {`: > .git/index.lock`, "created .git/index.lock"},
		"merge in progress":              {`git rev-parse HEAD > .git/MERGE_HEAD`, "created .git/MERGE_HEAD"},
		"alternates":                     {`git init -q ../other; echo "$PWD/../other/.git/objects" > .git/objects/info/alternates`, "created .git/objects/info/alternates"},
		"object more":                    {`echo unreachable | git hash-object -w --stdin`, ""},
		"objects packed, equal":          {`git repack -q -ad && rm -f .git/objects/info/packs .git/info/refs`, ""},
		"reference cycle of links":       {`ln -s loop loop; ln -s . here`, "created here,created loop"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, ",")
			}
			if got := r.changed(c.script); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestDamagedObjectIsSeenThoughEverythingIsConnected(t *testing.T) {
	for name, c := range map[string]struct{ script, says string }{
		"overwritten": {`f=$(find .git/objects -type f -path '*/??/*' | head -1); chmod u+w $f; printf 'garbage' > $f`, "error: "},
		"emptied":     {`f=.git/objects/$(git rev-parse HEAD:src/one | sed 's|^..|&/|'); chmod u+w $f; : > $f`, "is empty"},
		"removed":     {`rm -f .git/objects/$(git rev-parse HEAD:src/one | sed 's|^..|&/|')`, "missing blob "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			before := r.take(nil)
			r.sh(c.script)
			after := r.take(before)
			changes := snapshot.Compare(before, after)
			if len(changes) != 1 || changes[0].Path != ".git/objects" || changes[0].Before.Link != "intact" {
				t.Errorf("%+v", changes)
			}
			if before.Integrity() != nil || !fault.Is(after.Integrity(), git.CodeFailed) {
				t.Errorf("%v, then %v", before.Integrity(), after.Integrity())
			}
			if said := after.Integrity(); said != nil && !strings.Contains(said.Error(), c.says) {
				t.Errorf("what git says is not passed on: %v", said)
			}
		})
	}
}

// An object that is written and spoiled within one tick of the clock has the same
// size and change time; it is checked all the same.
func TestFreshObjectsAreCheckedAgain(t *testing.T) {
	r := newRepo(t)
	name := r.sh(`git hash-object -w src/one | sed 's|^..|&/|'`)
	path := filepath.Join(r.dir, ".git/objects", name)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := slices.Clone(good)
	bad[len(bad)-1] ^= 1
	for round := range 10 {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
		before := r.take(nil)
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if after := r.take(before); before.Integrity() != nil || after.Integrity() == nil {
			t.Fatalf("round %d: %v, then %v", round, before.Integrity(), after.Integrity())
		}
	}
}

func TestBorrowedObjectsAreWatched(t *testing.T) {
	r := newRepo(t)
	r.sh(`git clone -q --shared . ../clone`)
	clone := &repo{t, filepath.Join(filepath.Dir(r.dir), "clone"), r.o}
	before := clone.take(nil)
	r.sh(`rm -f .git/objects/$(git rev-parse HEAD:src/one | sed 's|^..|&/|')`)
	if after := clone.take(before); after.Integrity() == nil || before.Integrity() != nil {
		t.Errorf("%v, then %v", before.Integrity(), after.Integrity())
	}
}

func TestIncludedConfigurationAndForeignHooksAreWatched(t *testing.T) {
	r := newRepo(t)
	r.sh(`mkdir ../hooks ../home
git config include.path ../../one.cfg
printf '[include]\n\tpath = ~/two.cfg\n[includeIf "gitdir:/nowhere/"]\n\tpath = "three.cfg" ; a comment\n' > ../one.cfg
git config core.hooksPath ../hooks`)
	base := filepath.Dir(r.dir)
	r.o.Home = filepath.Join(base, "home")
	for path, script := range map[string]string{
		"/one.cfg":          `printf '# x\n' >> ../one.cfg`,
		"/home/two.cfg":     `printf '[user]\nname=x\n' > ../home/two.cfg`,
		"/three.cfg":        `printf '[user]\nname=x\n' > ../three.cfg`,
		"/home/.gitconfig":  `printf '[user]\nname=x\n' > ../home/.gitconfig`,
		"/hooks/pre-commit": `printf '#!/bin/sh\n' > ../hooks/pre-commit`,
	} {
		got := r.changed(script)
		if len(got) != 1 || !strings.HasSuffix(got[0], base+path) {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// Configuration is bound by what it says and not by where the repository lies, as
// far as it does not itself say where that is.
func TestARepositoryThatIsMovedStaysTheSame(t *testing.T) {
	r := newRepo(t)
	r.sh(`mkdir hooks; printf '#!/bin/sh\n' > hooks/pre-commit; chmod 755 hooks/pre-commit; git config core.hooksPath hooks
		printf '[user]\nname=x\n' > inc.cfg; cp inc.cfg .git/more.cfg; cp inc.cfg .git/config.worktree
		git config include.path ../inc.cfg; git config includeIf.onbranch:main.path more.cfg
		ln -s ../../hooks/pre-commit .git/hooks/pre-push`)
	before := r.take(nil)
	moved := &repo{t, filepath.Join(filepath.Dir(r.dir), "elsewhere"), r.o}
	if err := os.Rename(r.dir, moved.dir); err != nil {
		t.Fatal(err)
	}
	if after := moved.take(nil); after.State() != before.State() || after.Digest() != before.Digest() {
		t.Errorf("%+v is not %+v", after.State(), before.State())
	}
	for _, script := range []string{
		`echo '# x' >> inc.cfg`, `echo '# x' >> .git/more.cfg`, `echo exit >> hooks/pre-commit`, `git config core.hooksPath src`,
	} {
		was := moved.take(nil).State().Sensitive
		moved.sh(script)
		if moved.take(nil).State().Sensitive == was {
			t.Errorf("%s: it is no change of the configuration", script)
		}
	}
}

func TestHooksBehindALinkedFolderAreWatched(t *testing.T) {
	r := newRepo(t)
	r.sh(`mv .git/hooks ../linked; ln -s ../../linked .git/hooks; printf '#!/bin/sh\n' > ../linked/pre-push`)
	for _, c := range []struct{ what, script string }{ // one after the other
		{"created", `printf '#!/bin/sh\n' > ../linked/pre-commit`},
		{"modified", `echo exit >> ../linked/pre-push`},
		{"deleted", `rm ../linked/pre-push`},
	} {
		if got := r.changed(c.script); len(got) != 1 || !strings.HasPrefix(got[0], c.what+" .git/@hooks") {
			t.Errorf("%s: %q", c.what, got)
		}
	}
}

func TestExcludesLeaveOutIgnoredFilesAlone(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"ignored":           {`echo x >> cache/junk; mkdir -p cache/new/deep; echo x > cache/new/deep/file`, ""},
		"ignored elsewhere": {`echo x >> trace.log`, "modified trace.log"},
		"tracked":           {`echo x >> cache/tracked/kept`, "modified cache/tracked/kept"},
		"tracked gone":      {`rm -r cache`, "deleted cache/tracked/kept"},
		"not ignored":       {`printf '*.log\n' > .gitignore; git commit -qam x; rm -r .git/logs; git update-ref -d ORIG_HEAD`, "created cache/junk"},
		"look-alike":        {`mkdir cache2; echo x > cache2/x`, "created cache2/x"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.o.Excludes = []string{`cache\`, "cache/"}
			got := slices.DeleteFunc(r.changed(c.script), func(line string) bool {
				return strings.Contains(line, ".git")
			})
			if strings.Join(got, ",") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestNothingOfTheRepositoryIsRun(t *testing.T) {
	r := newRepo(t)
	mark := filepath.Join(filepath.Dir(r.dir), "ran")
	r.sh(`cat > ../evil <<'X'
#!/bin/sh
touch ` + mark + `
cat
X
chmod +x ../evil
for h in post-index-change reference-transaction pre-commit fsmonitor-watchman; do cp ../evil .git/hooks/$h; done
printf '[core]\n\tfsmonitor = ` + filepath.Dir(r.dir) + `/evil\n\thooksPath = .git/hooks\n\tsshCommand = touch ` + mark + `\n[filter "evil"]\n\tclean = touch ` + mark + `\n\tsmudge = touch ` + mark + `\n\tprocess = touch ` + mark + `\n\trequired\n[diff "evil"]\n\ttextconv = touch ` + mark + `\n\tcommand = touch ` + mark + `\n[alias]\n\tfsck = !touch ` + mark + `\n\tls-files = !touch ` + mark + `\n[include]\n\tpath = ../more.cfg\n' >> .git/config
printf '[core]\n\tfsmonitor = touch ` + mark + `\n' > more.cfg
printf '* filter=evil diff=evil\n' > .gitattributes
rm -f ` + mark)
	t.Setenv("GIT_DIR", "/nonexistent")
	t.Setenv("GIT_INDEX_FILE", "/nonexistent/index")
	t.Setenv("GIT_WORK_TREE", "/nonexistent")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
	t.Setenv("GIT_CONFIG_VALUE_0", "touch "+mark)
	r.o.Excludes = []string{"cache"}
	before := r.take(nil)
	if err := os.WriteFile(filepath.Join(r.dir, "src/one"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := snapshot.Compare(before, r.take(before)); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("something was run")
	}
}

func TestUnfitRepositoriesAreRefusedByName(t *testing.T) {
	for name, c := range map[string]struct{ script, dir, code, part string }{
		"below the root":  {"", "src", snapshot.CodeUnsupported, "root"},
		"split index":     {`git update-index --split-index`, "", snapshot.CodeUnsupported, "split index"},
		"foreign storage": {`git config core.repositoryFormatVersion 1; git config extensions.refStorage reftable`, "", snapshot.CodeUnsupported, "reftable"},
		"unknown format":  {`git config extensions.objectFormat sha3`, "", snapshot.CodeUnsupported, "sha3"},
		"other worktree":  {`git config core.worktree /tmp`, "", snapshot.CodeUnsupported, "core.worktree"},
		"damaged index":   {`printf 'x' >> .git/index`, "", snapshot.CodeDamaged, "index"},
		"damaged head":    {`echo nonsense > .git/HEAD`, "", snapshot.CodeDamaged, "HEAD"},
		"damaged config":  {`git commit -q --allow-empty -m y; echo '[core' >> .git/config`, "", snapshot.CodeDamaged, "configuration is damaged: git config failed: bad config line"},
		"damaged include": {`git config include.path ../inc; printf '[a\nx' > inc`, "", snapshot.CodeDamaged, "configuration is damaged: git config failed: bad config line"},
		"gone alternates": {`echo /no/such/store > .git/objects/info/alternates`, "", snapshot.CodeUnreadable, "/no/such/store"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			if c.script != "" {
				r.sh(c.script)
			}
			_, err := snapshot.Take(t.Context(), filepath.Join(r.dir, c.dir), r.o)
			if !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.part) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestKindsOfRepositories(t *testing.T) {
	t.Run("linked worktree", func(t *testing.T) {
		r := newRepo(t)
		r.sh(`git worktree add -q ../linked -b other`)
		linked := &repo{t, filepath.Join(filepath.Dir(r.dir), "linked"), r.o}
		if got := linked.take(nil).Branch(); got != "refs/heads/other" {
			t.Errorf("branch %q", got)
		}
		if got := linked.changed(`echo x >> src/one; git add .; git tag t; git config user.name x`); strings.Join(got, ",") !=
			"modified .git/@common/config,modified .git/index,created .git/refs/tags/t,modified src/one" {
			t.Errorf("%q", got)
		}
		if got := r.changed(`cd ../linked; touch src/one; git status >/dev/null`); got != nil {
			t.Errorf("an index that is only refreshed: %q", got)
		}
	})
	t.Run("unborn", func(t *testing.T) {
		r := newRepo(t)
		r.sh(`git init -q -b main fresh`)
		fresh := &repo{t, filepath.Join(r.dir, "fresh"), r.o}
		if s := fresh.take(nil); s.Head() != "" || s.Branch() != "refs/heads/main" || s.Integrity() != nil {
			t.Errorf("%q %q %v", s.Head(), s.Branch(), s.Integrity())
		}
		if got := fresh.changed(`echo x > x; git add x`); strings.Join(got, ",") != "created .git/index,created x" &&
			strings.Join(got, ",") != "modified .git/index,created x" {
			t.Errorf("%q", got)
		}
	})
	t.Run("SHA-256", func(t *testing.T) {
		r := newRepo(t)
		r.sh(`git init -q -b main --object-format=sha256 ../wide; cd ../wide; echo x > x; git add x; git commit -q -m x`)
		wide := &repo{t, filepath.Join(filepath.Dir(r.dir), "wide"), r.o}
		if s := wide.take(nil); len(s.Head()) != 64 {
			t.Errorf("%q", s.Head())
		}
		if got := wide.changed(`echo y >> x; git add x`); strings.Join(got, ",") != "modified .git/index,modified x" {
			t.Errorf("%q", got)
		}
	})
	t.Run("submodule", func(t *testing.T) {
		r := newRepo(t)
		r.sh(`git -c protocol.file.allow=always submodule add -q ./nested sub && git commit -q -m sub`)
		sub := &repo{t, filepath.Join(r.dir, "sub"), r.o}
		if got := sub.changed(`echo x >> inner`); strings.Join(got, ",") != "modified inner" {
			t.Errorf("%q", got)
		}
		if got := r.changed(`echo x >> sub/inner`); strings.Join(got, ",") != "modified sub/inner" {
			t.Errorf("%q", got)
		}
	})
}

func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}
