package accessfile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/kernel/fault"
)

const workerVariable = "ACCESSFILE_TEST_WORKER"

// As a worker, this program adds one rule.
func TestMain(m *testing.M) {
	if path := os.Getenv(workerVariable); path != "" {
		if err := add(context.Background(), path, fmt.Sprintf("p%d.k", os.Getpid())); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func add(ctx context.Context, path, match string) error {
	return Update(ctx, path, path+".lock", "test", User, func(c *hcp.AccessConfig) error {
		c.Rules = append(c.Rules, hcp.AccessRule{Match: match, Decision: "deny"})
		return nil
	})
}

func TestFiftyWritersLoseNothing(t *testing.T) {
	const writers = 50
	path := filepath.Join(t.TempDir(), Name)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), workerVariable+"="+path, "GOMAXPROCS=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			if _, err := Read(path, User); err != nil { // whole at any moment
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c, err := Read(path, User)
	if err != nil || len(c.Rules) != writers {
		t.Errorf("%d rules, %v", len(c.Rules), err)
	}
}

func TestAFileThatCannotBeUsedIsAnError(t *testing.T) {
	good := `{"mode":"manual"}`
	for name, c := range map[string]struct {
		make func(path string) error
		kind Kind
		say  string
	}{
		"broken": {func(p string) error { return os.WriteFile(p, []byte(`{"mode":`), 0o600) }, User, "access.json"},
		"misnamed": {func(p string) error {
			return os.WriteFile(p, []byte(`{"rules":[{"match":"a.b","verdict":"deny"}]}`), 0o600)
		}, User, "/rules/0/verdict"},
		"unknown mode":       {func(p string) error { return os.WriteFile(p, []byte(`{"mode":"yolo"}`), 0o600) }, Project, "/mode"},
		"empty":              {func(p string) error { return os.WriteFile(p, nil, 0o600) }, User, "access.json"},
		"huge":               {func(p string) error { return os.WriteFile(p, make([]byte, access.MaxConfigBytes+1), 0o600) }, Project, "too large"},
		"writable by others": {func(p string) error { return os.Chmod(p, 0o666) }, User, "other users"},
		"a folder":           {func(p string) error { return os.Mkdir(p, 0o700) }, User, "regular file"},
		"a link": {func(p string) error {
			return os.Symlink(filepath.Join(filepath.Dir(p), "other"), p)
		}, Project, "regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), Name)
			if name == "writable by others" {
				if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if name == "a link" {
				if err := os.WriteFile(filepath.Join(filepath.Dir(path), "other"), []byte(good), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			_, err := Read(path, c.kind)
			if fault.CodeOf(err) != "bad_settings" || !strings.Contains(err.Error(), c.say) {
				t.Errorf("%v", err)
			}
			if err := Update(t.Context(), path, path+".lock", "test", c.kind, func(*hcp.AccessConfig) error { return nil }); err == nil {
				t.Error("it was written over")
			}
		})
	}
}

func TestAProjectFolderThatIsALinkCannotBeUsed(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, Name), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(root, Folder)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(ProjectPath(root), Project); fault.CodeOf(err) != "bad_settings" {
		t.Errorf("%v", err)
	}
}

func TestMissingFilesSayNothingAndChangesAreChecked(t *testing.T) {
	root := t.TempDir()
	if c, err := Read(ProjectPath(root), Project); err != nil || c.Mode != "" {
		t.Errorf("%+v %v", c, err)
	}
	set := func(mode string) error {
		return Update(t.Context(), ProjectPath(root), filepath.Join(root, "lock"), "test", Project, func(c *hcp.AccessConfig) error {
			c.Mode = mode
			return nil
		})
	}
	if err := set("manual"); err != nil {
		t.Fatal(err)
	}
	if err := set("yolo"); fault.CodeOf(err) != "bad_settings" {
		t.Errorf("%v", err)
	}
	if c, err := Read(ProjectPath(root), Project); err != nil || c.Mode != "manual" {
		t.Errorf("%+v %v", c, err)
	}
}
