package wrap

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
)

// Of calls that overlap nobody can say which one made a change. The first one that
// ends finds it and undoes it, and the others would find nothing. So it is told to
// every call that is under way then, and each reports it: were it only the finder,
// the one that did it could pass for well-behaved. Endings come one after the other,
// so that no call ends between the undoing and the telling.

// told is what a call is told of a change that another one undid.
type told struct {
	Changed  []string `json:"changed,omitempty"`
	Stuck    []string `json:"stuck,omitempty"`
	Git      bool     `json:"git,omitempty"`
	Governs  bool     `json:"governs,omitempty"`
	KeptText string   `json:"kept,omitempty"`
}

const maxTold = 16 << 20

// one keeps other endings on the project from coming in between.
func (w *watch) one() (unlock func(), err error) {
	return durable.Lock(context.Background(), filepath.Join(w.guard.Dir, w.call.key()+endingSuffix), w.guard.Holder)
}

func (c *call) key() string { key, _, _ := callName(filepath.Base(c.path)); return key }

// toldPath is where the call of a record is told.
func toldPath(record string) string { return record + toldSuffix }

// tell tells the other calls under way on the project what was found, and says
// whether there are any.
func (w *watch) tell(f findings, kept string) (others bool, err error) {
	entries, err := os.ReadDir(w.guard.Dir)
	if err != nil {
		return false, guardFault(w.guard.Dir, err)
	}
	for _, entry := range entries {
		key, mark, ok := callName(entry.Name())
		if !ok || key != w.call.key() || mark == w.call.mark {
			continue
		}
		others = true
		at := toldPath(filepath.Join(w.guard.Dir, entry.Name()))
		t, _, readErr := readTold(at)
		t.Changed, t.Stuck = merge(t.Changed, f.changed), merge(t.Stuck, f.stuck)
		t.Git, t.Governs, t.KeptText = t.Git || f.git, t.Governs || f.governs, kept
		data, markErr := canon.Marshal(t)
		if markErr == nil {
			markErr = durable.WriteFile(at, data, 0o600)
		}
		err = errors.Join(err, readErr, markErr)
	}
	return others, err
}

// hear adds to the findings what the call was told.
func (w *watch) hear(f *findings) (kept string, err error) {
	t, there, err := readTold(toldPath(w.call.path))
	if err != nil || !there {
		return "", err
	}
	f.changed, f.stuck = merge(f.changed, t.Changed), merge(f.stuck, t.Stuck)
	f.git, f.governs, f.among = f.git || t.Git, f.governs || t.Governs, true
	return t.KeptText, nil
}

func readTold(path string) (t told, there bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	}
	if err == nil {
		err = canon.Decode(data, &t, canon.Limits{MaxBytes: maxTold})
	}
	if err != nil {
		return told{}, true, guardFault(path, err)
	}
	return t, true, nil
}

func merge(list, more []string) []string {
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
