package driverkit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hound"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
)

// change is a file with what it was.
type change struct {
	File
	effect hound.ExpectedEffect
}

func (o Operation) plan(r Request) hound.Response {
	changes, err := o.changes(r)
	if err != nil {
		return refuse(err)
	}
	outcome := hound.OutcomePlanned
	if len(changes) == 0 {
		outcome = hound.OutcomeNoChange
	}
	answer := respond(outcome, o.Schema, proposal(changes), nil)
	for _, c := range changes {
		if c.Remove {
			continue
		}
		artifact := hound.Artifact{Path: c.Path, SHA256: sum(c.Body), BodyBase64: base64.StdEncoding.EncodeToString(c.Body)}
		raw, err := canon.Encode(artifact)
		if err != nil {
			return refuse(err)
		}
		answer.Artifacts = append(answer.Artifacts, raw)
	}
	return answer
}

func proposal(changes []change) any {
	effects := make([]hound.ExpectedEffect, len(changes))
	for i, c := range changes {
		effects[i] = c.effect
	}
	return map[string]any{"expected_effects": effects}
}

// execute makes the changes anew and writes them if they are those of the plan.
func (o Operation) execute(folder string, r Request) hound.Response {
	changes, err := o.changes(r)
	if err != nil {
		return refuse(err)
	}
	now, err := canon.Encode(proposal(changes))
	if err != nil {
		return refuse(err)
	}
	accepted, err := canon.Canonical(r.DriverPlan, canon.Limits{})
	if err != nil || !bytes.Equal(accepted, now) {
		return refuse(errors.New("what would be written now is not what was planned"))
	}
	for _, c := range changes {
		if err := c.carryOut(folder); err != nil {
			return refuse(err)
		}
	}
	outcome := hound.OutcomeCompleted
	if len(changes) == 0 {
		outcome = hound.OutcomeNoChange
	}
	return respond(outcome, o.Schema, map[string]int{"files": len(changes)}, nil)
}

func (c change) carryOut(folder string) error {
	path := filepath.Join(folder, filepath.FromSlash(c.Path))
	if c.Remove {
		return os.Remove(path)
	}
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return durable.WriteFile(path, c.Body, c.Mode)
}

// changes asks the operation for its files and leaves out what is so already.
func (o Operation) changes(r Request) ([]change, error) {
	files, err := o.Write(r)
	if err != nil {
		return nil, err
	}
	var changes []change
	for _, file := range files {
		c, differs, err := compare(r.Repository, file)
		if err != nil {
			return nil, err
		}
		if differs {
			changes = append(changes, c)
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.Path, b.Path) })
	for i := 1; i < len(changes); i++ {
		if changes[i].Path == changes[i-1].Path {
			return nil, fmt.Errorf("the file %q is written twice", changes[i].Path)
		}
	}
	return changes, nil
}

// compare looks what a file is now.
func compare(repository fs.FS, file File) (c change, differs bool, err error) {
	if !fs.ValidPath(file.Path) || file.Path == "." {
		return c, false, fmt.Errorf("the path %q is no path of a file", file.Path)
	}
	if file.Mode &= fs.ModePerm; file.Mode == 0 {
		file.Mode = 0o644
	}
	c = change{File: file, effect: hound.ExpectedEffect{Path: file.Path}}
	before, err := fs.ReadFile(repository, file.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if file.Remove {
			return c, false, nil
		}
	case err != nil:
		return c, false, err
	default:
		c.effect.BeforeSHA256 = pointer(sum(before))
	}
	if file.Remove {
		return c, true, nil
	}
	c.effect.AfterSHA256, c.effect.Mode = pointer(sum(file.Body)), pointer(fmt.Sprintf("%04o", file.Mode))
	if c.effect.BeforeSHA256 == nil || *c.effect.BeforeSHA256 != *c.effect.AfterSHA256 {
		return c, true, nil
	}
	info, err := fs.Stat(repository, file.Path)
	return c, err == nil && info.Mode().Perm() != file.Mode, err
}

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

func pointer(text string) *string { return &text }
