// Command example is a whole Hound driver in Go: it keeps notes, one file for each,
// in the folder notes of a repository. Copy it with its manifest into a folder of
// your own repository, build it there, and have it checked:
//
//	go build -o drivers/notes/driver ./drivers/notes
//	hound driver check --driver drivers/notes/hound-driver.json --deep
//	hound plan --driver drivers/notes/hound-driver.json --operation notes.write \
//		--json '{"name":"milk","text":"buy some"}' --as-of 2026-01-31 --output /tmp/plan.json
//
// A driver has no flags and keeps no state: one request comes in, one response
// goes out.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"bridle/hound/driverkit"
)

func main() {
	driver := driverkit.Driver{Operations: map[string]driverkit.Operation{
		"notes.list":   {Schema: "notes.list.v1", Read: list},
		"notes.write":  {Schema: "notes.plan.v1", Write: write},
		"notes.remove": {Schema: "notes.plan.v1", Write: remove},
	}}
	if err := driver.Serve(".", os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// folder is where the notes are, one of the manifest's write scopes.
const folder = "notes"

// list returns the names of the notes, in order.
func list(r driverkit.Request) (any, error) {
	paths, err := fs.Glob(r.Repository, folder+"/*.txt")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(path, folder+"/"), ".txt")
	}
	return map[string]any{"names": names}, nil
}

// note is the input of a write. A member that it does not have is refused.
type note struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// path refuses names that would be more than a name.
func (n note) path() (string, error) {
	if n.Name == "" || strings.Trim(n.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return "", fmt.Errorf("the name %q is not made of small letters, digits and hyphens", n.Name)
	}
	return folder + "/" + n.Name + ".txt", nil
}

// write says what is there afterwards: for the plan, and again for the execution.
// The date comes from the request, since a clock would say something else by then.
func write(r driverkit.Request) ([]driverkit.File, error) {
	n := note{Name: "first", Text: "hello"}
	if err := r.Decode(&n); err != nil {
		return nil, err
	}
	path, err := n.path()
	if err != nil {
		return nil, err
	}
	return []driverkit.File{{Path: path, Body: fmt.Appendf(nil, "%s\n\nas of %s\n", n.Text, r.AsOfText())}}, nil
}

// remove takes a note away.
func remove(r driverkit.Request) ([]driverkit.File, error) {
	n := note{Name: "first"}
	if err := r.Decode(&n); err != nil {
		return nil, err
	}
	path, err := n.path()
	if err != nil {
		return nil, err
	}
	if _, err := fs.Stat(r.Repository, path); err != nil {
		return nil, driverkit.Held("there is no note %q to remove", n.Name)
	}
	return []driverkit.File{{Path: path, Remove: true}}, nil
}
