package hopcli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bridle/internal/hop/hopcli"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
)

const vectors = "../../../spec/hop/vectors"

// unpack puts the reference's project below a folder and returns its root, which
// is then another one than the project was made in.
func unpack(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(filepath.Join(vectors, "reference-project.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(plain)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, filepath.FromSlash(h.Name))
		if !filepath.IsLocal(h.Name) {
			t.Fatalf("the archive leads out: %q", h.Name)
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(target, 0o755)
		case tar.TypeReg:
			var data []byte
			if data, err = io.ReadAll(archive); err == nil {
				err = os.WriteFile(target, data, os.FileMode(h.Mode).Perm())
			}
		default:
			t.Fatalf("unexpected entry %q", h.Name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.EvalSymlinks(filepath.Join(dir, "srv", "hop-demo"))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// hopIn runs the program in a folder and returns what it printed.
func hopIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var out, complaints bytes.Buffer
	exit := hopcli.App().Run(context.Background(), cli.Invocation{
		Program: "hop", Args: args, Dir: dir, Env: cli.NewEnv([]string{"PATH=" + os.Getenv("PATH")}),
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints, Clock: clock.System(),
	})
	if exit != 0 {
		t.Fatalf("hop %s: exit code %d\n%s%s", strings.Join(args, " "), exit, out.String(), complaints.String())
	}
	return out.String()
}

// same compares JSON texts; null and [] are one, as the contract has it.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, got)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(noNulls(b), noNulls(a)); diff != "" {
		t.Errorf("%s differs from the reference (-reference +ours):\n%s", what, diff)
	}
}

func noNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = noNulls(member)
		}
	case []any:
		for i := range v {
			v[i] = noNulls(v[i])
		}
	case nil:
		return []any{}
	}
	return v
}

// vector reads a file of the vectors, with the root that it is about replaced.
func vector(t *testing.T, name, root string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "/srv/hop-demo", root)
}

func TestProjectOfTheReferenceIsCarriedOver(t *testing.T) {
	root := unpack(t)
	if first := hopIn(t, root, "status", "--json"); !strings.Contains(first, "has been carried over") {
		t.Errorf("nobody is told: %s", first)
	}
	same(t, "status", hopIn(t, root, "status", "--json"), vector(t, "status.json", root))
	if _, err := os.Stat(filepath.Join(root, ".hop", "hop.db.v2")); err != nil {
		t.Error("the old index is not kept:", err)
	}
	compare := func() {
		t.Helper()
		same(t, "graph", hopIn(t, root, "graph", "--json"), vector(t, "graph.json", root))
		same(t, "history", hopIn(t, root, "history", "--json"), vector(t, "history.json", root))
		same(t, "diff", hopIn(t, root, "diff", "--json", "R_06H2QKJ1WPBH1H5YMHCMNVR"), vector(t, "diff.json", root))
		if got, want := hopIn(t, root, "env", "P_06H2QKJ0YV8MS9Q93RZ2RT8"), vector(t, "env.txt", root); got != want {
			t.Errorf("env = %q, want %q", got, want)
		}
	}
	compare()
	states := json.NewDecoder(strings.NewReader(vector(t, "states.json", root)))
	for {
		var document any
		if err := states.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(document)
		id, _ := at(document, "data.id")
		same(t, id.(string), hopIn(t, root, "state", "--json", id.(string)), string(text))
	}
	check := hopIn(t, root, "show", "--json", "EVIDENCE_06H2QKJ28JN4QSBYQBP1GD8")
	if !strings.Contains(check, `"exit_code": 1`) || !strings.Contains(check, `"state_id": "F_06H2QKJ2B5HXFN6WNPMCYA0"`) {
		t.Errorf("evidence was lost: %s", check)
	}
	hopIn(t, root, "doctor")
	// All of it is in git now.
	if err := os.Remove(filepath.Join(root, ".hop", "hop.db")); err != nil {
		t.Fatal(err)
	}
	hopIn(t, root, "doctor", "--repair")
	compare()
	// The open attempts go on, in workspaces whose paths were absolute.
	hopIn(t, root, "begin", "--agent", "codex", "--session", "thread-2", "and more")
	hopIn(t, root, "checkpoint", "P_06H2QKJ3187EF3M4FJKQPWG")
	hopIn(t, root, "undo")
	hopIn(t, root, "doctor")
}
