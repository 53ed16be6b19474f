package anchor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/seal"
)

// statement is one that an export makes.
func statement() Statement {
	one, two := strings.Repeat("1", 64), strings.Repeat("2", 64)
	mode := "0644"
	effects := []hound.ExpectedEffect{
		{Path: "a", Mode: &mode, AfterSHA256: &one}, {Path: "b", BeforeSHA256: &one}, {Path: "c", Mode: &mode, BeforeSHA256: &one, AfterSHA256: &two},
	}
	return Statement{
		Type: StatementType, PredicateType: PredicateType, Subject: subjects(effects),
		Predicate: Predicate{PlanID: one, RecordSHA256: two, Effects: effects, ChangedPaths: []string{"a", "b", "c"}, Kernel: hound.Kernel{Dependencies: map[string]string{}}},
	}
}

func exported(t *testing.T, k seal.Key, kind string, body []byte) string {
	t.Helper()
	data, err := k.Envelop(kind, body)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.dsse.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExportedStatementsVerifyUnderATrustedKey(t *testing.T) {
	body, err := document.Canonical(statement())
	if err != nil {
		t.Fatal(err)
	}
	mine, other := key(t, "mine"), key(t, "other")
	first := exported(t, mine, PayloadType, body)
	r, err := Read(first, other.Public(), mine.Public())
	if err != nil || r.Kind != KindStatement || r.ID != statement().Predicate.PlanID || r.Digest.String() != document.Sum(body) {
		t.Fatalf("%+v, %v", r, err)
	}
	again, err := Read(exported(t, other, PayloadType, body), other.Public())
	if err != nil || again.Digest != r.Digest {
		t.Errorf("signed by another it is another entry: %+v, %v", again, err)
	}
	for name, keys := range map[string][]string{"another key": {other.Public()}, "no key": nil} {
		if _, err := Read(first, keys...); err == nil {
			t.Errorf("it verifies under %s", name)
		}
	}
}

// A signature does not make a statement of what an export does not write.
func TestSignedStatementsOfAnotherFormAreRefused(t *testing.T) {
	k := key(t, "mine")
	for name, change := range map[string]func(*Statement){
		"another type":           func(s *Statement) { s.Type = "x" },
		"another predicate":      func(s *Statement) { s.PredicateType = "x" },
		"no plan":                func(s *Statement) { s.Predicate.PlanID = "" },
		"no record":              func(s *Statement) { s.Predicate.RecordSHA256 = "x" },
		"unsorted subjects":      func(s *Statement) { s.Subject[0], s.Subject[1] = s.Subject[1], s.Subject[0] },
		"a subject less":         func(s *Statement) { s.Subject = s.Subject[:1] },
		"a subject more":         func(s *Statement) { s.Subject = append(s.Subject, s.Subject[0]) },
		"another hash":           func(s *Statement) { s.Subject[0].Digest["sha256"] = strings.Repeat("3", 64) },
		"a second kind of hash":  func(s *Statement) { s.Subject[0].Digest["sha1"] = "3" },
		"no effect leaves files": func(s *Statement) { s.Subject, s.Predicate.Effects = []Subject{}, s.Predicate.Effects[1:2] },
	} {
		s := statement()
		change(&s)
		body, err := document.Canonical(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(exported(t, k, PayloadType, body), k.Public()); !fault.Is(err, hound.CodeInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	body, err := document.Canonical(statement())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ kind, body string }{
		"another payload type": {"text/plain", string(body)},
		"white space":          {PayloadType, string(body) + "\n"},
		"an unknown member":    {PayloadType, strings.Replace(string(body), `{"_type"`, `{"_a":1,"_type"`, 1)},
		"no JSON":              {PayloadType, "x"},
	} {
		if _, err := Read(exported(t, k, c.kind, []byte(c.body)), k.Public()); !fault.Is(err, hound.CodeInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
