package store

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fileid"
)

// sameState fails where the quick look and the decoder differ about a document
// that the quick look knows.
func sameState(t interface{ Fatalf(string, ...any) }, data []byte) (known bool) {
	got, known := quickState(data)
	if want, err := decodeState(data); known && (err != nil || !reflect.DeepEqual(got, want)) {
		t.Fatalf("%q: quickly %+v, decoded %+v, %v", data, got, want, err)
	}
	return known
}

func sameRecord(t interface{ Fatalf(string, ...any) }, data []byte) (known bool) {
	got, known := quickRecord(data)
	want := &record{}
	if err := canon.Decode(data, want, canon.Limits{MaxBytes: recordLimit}); known && (err != nil || !reflect.DeepEqual(got, want)) {
		t.Fatalf("%q: quickly %+v, decoded %+v, %v", data, got, want, err)
	}
	return known
}

// What this program writes is known to the quick look, and read the same.
func TestQuickLookReadsWhatThisProgramWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string { return rapid.String().Draw(t, label) }
		installed := func(label string) *Installed {
			if !rapid.Bool().Draw(t, label) {
				return nil
			}
			i := &Installed{At: text("at"), Source: text("source"), Digest: text("digest"), Bundle: text("bundle"), Taken: rapid.Int64().Draw(t, "taken")}
			for range rapid.IntRange(0, 2).Draw(t, "files") {
				i.Files = append(i.Files, pack.File{Path: rapid.StringMatching(`[ -~ä]{1,9}`).Draw(t, "path"), SHA256: strings.Repeat("a", 64)})
				i.Folders = append(i.Folders, pack.Folder{Path: rapid.StringMatching(`[ -~ä]{1,9}`).Draw(t, "folder")})
			}
			return i
		}
		rec := record{Format: 1, PackID: text("id"), Installed: installed("installed"), Incoming: installed("incoming"), Previous: installed("previous")}
		if rapid.Bool().Draw(t, "accepted") {
			rec.Accepted = &Accepted{At: text("at"), Digest: text("digest"), Surface: []byte(`{"kind":"wrap","commands":{"a":{}}}`)}
			if rapid.Bool().Draw(t, "bin") {
				rec.Accepted.Bin = &Binary{
					Name: text("name"), Path: text("path"), Argv0: text("argv0"), SHA256: text("sum"), Reason: text("reason"),
					Inside: rapid.Bool().Draw(t, "inside"), HashedAt: rapid.Int64().Draw(t, "hashed"),
					Identity: fileid.Identity{Device: rapid.Uint64().Draw(t, "dev"), Inode: 7, Size: rapid.Int64().Draw(t, "size"), Mode: rapid.Uint32().Draw(t, "mode"), Modified: -1, Changed: 9},
				}
				for range rapid.IntRange(0, 2).Draw(t, "interpreters") {
					rec.Accepted.Bin.Interpreters = append(rec.Accepted.Bin.Interpreters, Interpreter{Name: text("name"), Path: text("path")})
				}
			}
		}
		data, err := canon.Marshal(rec)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if !sameRecord(t, data) {
			t.Fatalf("%s is not known", data)
		}
		st := State{Activated: rapid.SliceOf(rapid.SampledFrom([]string{"a", "git", "hcp-cli"})).Draw(t, "activated"), Connected: []string{}}
		if data, err = canon.MarshalIndent(st); err != nil || !sameState(t, data) {
			t.Fatalf("%s is not known: %v", data, err)
		}
	})
}

// Everything else is the decoder's to judge.
func TestQuickLookLeavesTheRestToTheDecoder(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{`, `null`, `{"activated":null}`, `{"activated":{}}`, `{"activated":["../x"]}`, `{"activated":[1]}`, `{"activated":[],"activated":[]}`,
		`{"Activated":[]}`, `{"granted":[]}`, `{"grants":null}`, `{"grants":{}}`, `{"grants":[{"capability":"all"}]}`, `{"later":1}`, "{\"activated\":[\"a\xff\"]}", `{} {}`,
	} {
		if sameState(t, []byte(text)) {
			t.Errorf("%q is taken for a plain state", text)
		}
	}
	for _, text := range []string{
		``, `[]`, `{"format":null}`, `{"format":-1}`, `{"format":1.0}`, `{"format":1e0}`, `{"format":"1"}`, `{"format":99999999999}`, `{"pack_id":1}`, `{"Pack_id":"a"}`, `{"later":1}`,
		`{"installed":null}`, `{"installed":[]}`, `{"installed":{"files":null}}`, `{"installed":{"files":["x"]}}`, `{"installed":{"files":[null]}}`, `{"installed":{"taken":1.5}}`, `{"installed":{"x":1}}`,
		`{"accepted":{"surface":null}}`, `{"accepted":{"bin":null}}`, `{"accepted":{"bin":{"inside":null}}}`, `{"accepted":{"bin":{"inside":"true"}}}`, `{"accepted":{"bin":{"identity":{"mode":4294967296}}}}`,
		`{"accepted":{"bin":{"interpreters":null}}}`, `{"accepted":{"bin":{"interpreters":[1]}}}`, `{"format":1,"format":1}`,
	} {
		if sameRecord(t, []byte(text)) {
			t.Errorf("%q is taken for a plain record", text)
		}
	}
}

func FuzzQuickLook(f *testing.F) {
	for _, seed := range []string{
		`{"activated":["a","a"],"connected":[]}`, `{"activated":["a"],"connected":[],"grants":[{"capability":"verb.exec.read"}]}`, `{}`, `{"activated":["\u0061"]}`,
		`{"format":1,"pack_id":"a","installed":{"at":"x","source":"","digest":"","taken":1,"files":[],"folders":["1 2 3 4 5 6 ."]},"accepted":{"at":"","digest":"","bin":{"name":"x","inside":true,"hashed_at":-1,"identity":{"dev":1},"interpreters":[{"name":"a","path":"b"}]},"surface":{"a":[1,"]"]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sameState(t, data)
		sameRecord(t, data)
	})
}
