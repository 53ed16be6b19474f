package local

import (
	"os"
	"path/filepath"
	"testing"
)

// tree makes a fresh directory with the given repositories and folders, and
// returns it free of links.
func tree(t *testing.T, repositories, folders []string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, repo := range repositories {
		folders = append(folders, repo+"/.git/objects", repo+"/.git/refs/heads")
	}
	for _, name := range folders {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, repo := range repositories {
		if err := os.WriteFile(filepath.Join(root, repo, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestProjectIsTheInnermostRepositoryOfTheUser(t *testing.T) {
	root := tree(t, []string{"home", "home/code/app", "home/code/app/lib"}, []string{"home/code/app/sub/deep", "home/loose", "plain"})
	if err := os.Symlink(filepath.Join(root, "home/code/app/sub"), filepath.Join(root, "plain/link")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		"home/code/app":          "home/code/app",
		"home/code/app/sub/deep": "home/code/app",
		"home/code/app/lib":      "home/code/app/lib",
		"plain/link":             "home/code/app",
		"home/loose":             "", // the home folder's own repository is no project
		"home":                   "",
		"plain":                  "",
		"missing":                "",
	} {
		if want != "" {
			want = filepath.Join(root, want)
		}
		if got := enclosingRepository(filepath.Join(root, dir), func() []string { return []string{"", filepath.Join(root, "home")} }); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	if got := enclosingRepository("relative/app", func() []string { return []string{root} }); got != "" {
		t.Errorf("a relative folder has the project %q", got)
	}
}
