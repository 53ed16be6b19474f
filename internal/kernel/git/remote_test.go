package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
)

var local = RemoteOptions{AllowFile: true}

func TestRefsTravel(t *testing.T) {
	r, dir := made(t, "git init -q --bare far.git; "+history+"\ngit remote add origin ../far.git; git config remote.away.url "+"$PWD/../far.git")
	far := opened(t, filepath.Join(dir, "far.git"), Options{})
	head, err := r.Head(t.Context())
	ok(t, err)
	ok(t, r.Push(t.Context(), "away", []PushUpdate{{Name: "refs/hop/accepted", New: head.Commit}, {Name: "refs/hop/x", New: head.Commit}}, local))
	refs, err := r.RemoteRefs(t.Context(), "away", "refs/hop/", local)
	if err != nil || !slices.Equal(refs, []Ref{{"refs/hop/accepted", head.Commit}, {"refs/hop/x", head.Commit}}) {
		t.Errorf("%v, %v", refs, err)
	}
	// Two that land at once: one wins, and the other's further refs stay out too.
	script(t, r.Root(), "git commit -q --allow-empty -m two; git branch two; git reset -q --hard HEAD~; git commit -q --allow-empty -m three")
	two, three := OID(one(t, r.Root(), "git rev-parse two")), OID(one(t, r.Root(), "git rev-parse HEAD"))
	ok(t, r.Push(t.Context(), "away", []PushUpdate{{Name: "refs/hop/accepted", New: two, Old: head.Commit}}, local))
	err = r.Push(t.Context(), "away", []PushUpdate{{Name: "refs/hop/y", New: three}, {Name: "refs/hop/accepted", New: three, Old: head.Commit}}, local)
	wantCode(t, err, CodeRefMoved)
	wantCode(t, r.Push(t.Context(), "away", []PushUpdate{{Name: "refs/hop/x", New: three}}, local), CodeRefMoved)
	if _, found, _ := far.Ref(t.Context(), "refs/hop/y"); found {
		t.Error("half a push arrived")
	}
	ok(t, r.Push(t.Context(), "away", []PushUpdate{{Name: "refs/hop/accepted", New: three, Old: two}, {Name: "refs/hop/x", Old: head.Commit}}, local))
	if _, found, _ := far.Ref(t.Context(), "refs/hop/x"); found {
		t.Error("a removed ref is there")
	}
	script(t, dir, "git init -q other")
	other := opened(t, filepath.Join(dir, "other"), Options{})
	ok(t, other.Fetch(t.Context(), filepath.Join(dir, "far.git"), []Refspec{{From: "refs/hop/accepted", To: "refs/hop/remotes/far/accepted"}}, local))
	if id, found, err := other.Ref(t.Context(), "refs/hop/remotes/far/accepted"); id != three || !found || err != nil {
		t.Errorf("%s, %v, %v", id, found, err)
	}
	// What does not follow is taken by force only.
	ok(t, r.Push(t.Context(), "away", []PushUpdate{{Name: "refs/hop/accepted", New: two, Old: three}}, local))
	spec := Refspec{From: "refs/hop/accepted", To: "refs/hop/remotes/far/accepted"}
	wantCode(t, other.Fetch(t.Context(), filepath.Join(dir, "far.git"), []Refspec{spec}, local), CodeFailed)
	spec.Force = true
	ok(t, other.Fetch(t.Context(), filepath.Join(dir, "far.git"), []Refspec{spec}, local))
	sound(t, other.Root())
	if exists(filepath.Join(other.GitDir(), "FETCH_HEAD")) {
		t.Error("the user's FETCH_HEAD was written")
	}
}

func TestOnlyPlainAddressesAreReached(t *testing.T) {
	r, dir := made(t, history+"\ngit config remote.evil.url 'ext::sh -c touch%20../ran'; git config remote.helper.url 'foo::bar'; git config remote.up.url ../far; git config remote.up.uploadpack 'touch ../ran;'")
	all := RemoteOptions{AllowFile: true, Credentials: true}
	for _, address := range []string{
		"evil", "helper", "up", "", "-x", "--upload-pack=touch ran", "../far", "ext::sh -c x", "http://host/x", "git://host/x",
		"ssh://-oProxyCommand=x/y", "-oProxyCommand=x:y", "ssh://user:word@host/x", "host::x", "C:/x", "a b:c", "https://user:word@host/x", "ssh://host/x?y",
	} {
		_, err := r.RemoteRefs(t.Context(), address, "", all)
		if !fault.Is(err, CodeBadURL) {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "word") {
			t.Errorf("%q: the password is in %q", address, err)
		}
	}
	for _, address := range []string{"git@host.example:a/b.git", "host.example:a/b", "ssh://git@host.example:22/a", "ssh://host.example/a"} {
		if _, transport, err := r.checkAddress(address, all); transport != "ssh" || err != nil {
			t.Errorf("%q: %q, %v", address, transport, err)
		}
		_, _, err := r.checkAddress(address, RemoteOptions{AllowFile: true})
		wantCode(t, err, CodeBadURL)
	}
	if _, transport, err := r.checkAddress("https://host.example/a", RemoteOptions{}); transport != "https" || err != nil {
		t.Errorf("%q, %v", transport, err)
	}
	_, _, err := r.checkAddress(dir, RemoteOptions{})
	wantCode(t, err, CodeBadURL)
	if exists(filepath.Join(dir, "ran")) {
		t.Error("something ran")
	}
	script(t, r.Root(), "git config url.ext::sh.insteadOf https://")
	again := opened(t, r.Root(), Options{})
	_, err = again.RemoteRefs(t.Context(), "https://host.example/a", "", RemoteOptions{})
	wantCode(t, err, CodeUnsupported)
}

func TestCredentialsAreTheUsersAndOnlyWhenAsked(t *testing.T) {
	_, dir := made(t, history+"\ngit config credential.helper '!touch ../evil'\nmkdir ../home; printf '[credential]\\n\\thelper = mine\\n[credential \"https://host\"]\\n\\thelper = special\\n' > ../home/.gitconfig")
	r := opened(t, filepath.Join(dir, "repo"), Options{Home: filepath.Join(dir, "home")})
	env, settings, err := r.credentials(RemoteOptions{Env: []string{"SSH_AUTH_SOCK=/x"}})
	ok(t, err)
	if !slices.Equal(env, []string{"HOME=" + filepath.Join(dir, "home"), "SSH_AUTH_SOCK=/x"}) {
		t.Errorf("env %q", env)
	}
	if !slices.Equal(settings, []string{"credential.helper=", "core.sshCommand=ssh -o BatchMode=yes", "credential.helper=mine", "credential.https://host.helper=special"}) {
		t.Errorf("settings %q", settings)
	}
	for _, pair := range []string{"GIT_DIR=/x", "LD_PRELOAD=/x", "bare", "=x"} {
		if _, _, err := r.credentials(RemoteOptions{Env: []string{pair}}); err == nil {
			t.Errorf("%q was handed on", pair)
		}
	}
	// Git itself agrees about which helpers are left.
	args := append(settings2(t, r), settings...)
	for i := range args {
		args[i] = "-c '" + args[i] + "'"
	}
	got := script(t, r.Root(), "git "+strings.Join(args, " ")+" config --get-all credential.helper")
	if last := slices.Index(got, ""); last < 0 || !slices.Equal(got[last+1:], []string{"mine"}) && !slices.Equal(got[len(got)-1:], []string{"mine"}) {
		t.Errorf("helpers %q", got)
	}
}

func settings2(t *testing.T, r *Repository) []string {
	t.Helper()
	quiet, err := r.silenced()
	ok(t, err)
	return quiet
}

func TestUpkeep(t *testing.T) {
	r, dir := made(t, history)
	repo := filepath.Join(dir, "repo")
	head, err := r.Head(t.Context())
	ok(t, err)
	ok(t, r.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/hop/a", New: head.Commit}, {Name: "refs/hop/b", New: head.Commit}}))
	write(t, filepath.Join(repo, ".git/refs/hop/a.lock"), "")
	write(t, filepath.Join(repo, ".git/refs/heads/main.lock"), "")
	freed, err := r.ClearRefLocks(t.Context(), "refs/hop/")
	if err != nil || !slices.Equal(freed, []string{"refs/hop/a"}) || !exists(filepath.Join(repo, ".git/refs/heads/main.lock")) {
		t.Errorf("%q, %v", freed, err)
	}
	if _, err := r.ClearRefLocks(t.Context(), "refs/none/"); err != nil {
		t.Error(err)
	}
	_, err = r.ClearRefLocks(t.Context(), "../")
	wantCode(t, err, CodeBadRef)
	ok(t, os.Remove(filepath.Join(repo, ".git/refs/heads/main.lock")))
	before, err := r.Refs(t.Context(), "")
	ok(t, err)
	ok(t, r.PackRefs(t.Context()))
	if after, err := r.Refs(t.Context(), ""); err != nil || !slices.Equal(before, after) {
		t.Errorf("%v became %v, %v", before, after, err)
	}
	if exists(filepath.Join(repo, ".git/refs/hop/a")) {
		t.Error("a ref is still a file")
	}
	b := r.NewBatch()
	var loose []OID
	for _, text := range []string{"1", "2", "3"} {
		loose = append(loose, b.Blob([]byte(text)))
	}
	ok(t, b.Flush(t.Context()))
	ok(t, r.Repack(t.Context()))
	again := opened(t, repo, Options{})
	for _, look := range []*Repository{r, again} {
		if missing, err := look.Exists(t.Context(), append(loose, head.Commit)...); err != nil || len(missing) > 0 {
			t.Errorf("missing %v, %v", missing, err)
		}
	}
	sound(t, repo)
}

func TestAPushThatIsRefusedTellsWhy(t *testing.T) {
	r, dir := made(t, "git init -q --bare far.git; "+history+"\ngit remote add origin ../far.git")
	head, err := r.Head(t.Context())
	ok(t, err)
	far := filepath.Join(dir, "far.git")
	refused := func(reason string) {
		t.Helper()
		err := r.Push(t.Context(), far, []PushUpdate{{Name: "refs/hop/a", New: head.Commit}, {Name: "refs/hop/x", New: head.Commit}}, local)
		wantCode(t, err, CodeFailed)
		if text := err.Error(); !strings.Contains(text, reason) {
			t.Errorf("got %s", text)
		}
	}
	script(t, far, "mkdir -p refs/hop; : > refs/hop/x.lock")
	refused("the remote says: cannot lock ref 'refs/hop/x'")
	script(t, far, "rm refs/hop/x.lock; printf '#!/bin/sh\\nexit 1\\n' > hooks/pre-receive; chmod 755 hooks/pre-receive")
	refused("refs/hop/a: [remote rejected] (pre-receive hook declined)")
}
