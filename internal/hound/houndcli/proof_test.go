package houndcli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"bridle/internal/hound/document"
	"bridle/internal/kernel/canon"
)

// nosecrets makes sure that no key of an identity is in what was printed.
func nosecrets(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: nosecrets FILE")
	}
	var identity struct {
		Keys map[string]string `json:"keys"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &identity))
	if len(identity.Keys) == 0 {
		ts.Fatalf("%s holds no keys", args[0])
	}
	for _, key := range identity.Keys {
		raw, err := base64.RawURLEncoding.DecodeString(key)
		ts.Check(err)
		for _, form := range []string{key, base64.StdEncoding.EncodeToString(raw)} {
			if strings.Contains(ts.ReadFile("stdout")+ts.ReadFile("stderr"), form) {
				ts.Fatalf("a key was printed")
			}
		}
	}
}

// payload prints what a DSSE envelope holds.
func payload(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: payload FILE")
	}
	var envelope struct {
		Payload string `json:"payload"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &envelope))
	body, err := base64.StdEncoding.DecodeString(envelope.Payload)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("payload.json"), body, 0o600))
	ts.Check(ts.Exec("cat", ts.MkAbs("payload.json")))
}

// forge makes the record of a run say that somebody else approved it, with every
// hash made anew: it verifies.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: forge RUN")
	}
	dir := ts.MkAbs(args[0])
	approval := members(ts, filepath.Join(dir, "approval.json"))
	approval["reviewer"] = json.RawMessage(`"Somebody Else"`)
	delete(approval, "approval_id")
	id, err := document.Digest(approval)
	ts.Check(err)
	approval["approval_id"] = json.RawMessage(`"` + id + `"`)
	sum := rewrite(ts, filepath.Join(dir, "approval.json"), approval)
	index := members(ts, filepath.Join(dir, "index.json"))
	files := map[string]string{}
	ts.Check(json.Unmarshal(index["files"], &files))
	files["approval.json"] = sum
	index["files"], err = canon.Encode(files)
	ts.Check(err)
	rewrite(ts, filepath.Join(dir, "index.json"), index)
}

func members(ts *testscript.TestScript, path string) map[string]json.RawMessage {
	data, err := os.ReadFile(path)
	ts.Check(err)
	all, err := document.Members(bytes.TrimSpace(data))
	ts.Check(err)
	return all
}

func rewrite(ts *testscript.TestScript, path string, all map[string]json.RawMessage) (sum string) {
	line, err := document.Line(all)
	ts.Check(err)
	ts.Check(os.WriteFile(path, line, 0o600))
	return document.Sum(line)
}
