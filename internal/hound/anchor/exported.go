package anchor

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/seal"
)

// IsStatement tells an exported statement from the other files that can be
// verified, by its form alone.
func IsStatement(path string) bool {
	data, err := document.Read(path, hound.CodeUnreadable, hound.ExitRefused)
	if err != nil {
		return false
	}
	members, err := document.Members(data)
	_, there := members["payloadType"]
	return err == nil && there
}

// readStatement verifies an exported statement. Its digest is that of the
// statement and not of the envelope: whoever signs it again says the same.
func readStatement(path string, keys []string) (Record, error) {
	data, err := document.Read(path, hound.CodeUnreadable, hound.ExitRefused)
	if err != nil {
		return Record{}, err
	}
	kind, body, err := seal.Unwrap(data, keys...)
	if err != nil {
		return Record{}, err
	}
	var s Statement
	if err := canon.Decode(body, &s, document.Limits()); err != nil || kind != PayloadType {
		return Record{}, notExported(path, "it holds no statement about a run")
	}
	if why := s.wrong(body); why != "" {
		return Record{}, notExported(path, why)
	}
	return Record{Kind: KindStatement, ID: s.Predicate.PlanID, Digest: sha256.Sum256(body), Verification: &hound.Verification{
		SchemaVersion: hound.SchemaExpVerified, Valid: true, Failures: []string{}, PlanID: s.Predicate.PlanID,
	}}, nil
}

// wrong says in what a statement is not one that an export makes.
func (s Statement) wrong(body []byte) string {
	want := subjects(s.Predicate.Effects)
	again, err := document.Canonical(s)
	switch {
	case err != nil || !bytes.Equal(again, body):
		return "it is not in the form in which statements are written"
	case s.Type != StatementType || s.PredicateType != PredicateType:
		return "it is of another type"
	case !document.IsSHA256(s.Predicate.PlanID) || !document.IsSHA256(s.Predicate.RecordSHA256):
		return "it names no plan and no record"
	case len(want) == 0 || !slices.EqualFunc(s.Subject, want, sameSubject):
		return "its subjects are not the files that the effects leave"
	}
	return ""
}

func sameSubject(a, b Subject) bool {
	return a.Name == b.Name && len(a.Digest) == 1 && a.Digest["sha256"] == b.Digest["sha256"]
}

// subjects are the files that effects leave, sorted by name.
func subjects(effects []hound.ExpectedEffect) []Subject {
	list := []Subject{}
	for _, e := range effects {
		if e.AfterSHA256 != nil {
			list = append(list, Subject{Name: e.Path, Digest: map[string]string{"sha256": *e.AfterSHA256}})
		}
	}
	slices.SortFunc(list, func(a, b Subject) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func notExported(path, why string) error {
	return fault.Newf(hound.CodeInvalid, "the statement %q does not verify: %s", path, why).WithExit(hound.ExitFailed)
}
