package store

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fileid"
)

func TestContentSurvivesItsLines(t *testing.T) {
	identity := rapid.Custom(func(t *rapid.T) fileid.Identity {
		return fileid.Identity{
			Device: rapid.Uint64().Draw(t, "dev"), Inode: rapid.Uint64().Draw(t, "ino"), Size: rapid.Int64().Draw(t, "isize"),
			Mode: rapid.Uint32().Draw(t, "mode"), Modified: rapid.Int64().Draw(t, "mtime"), Changed: rapid.Int64().Draw(t, "ctime"),
		}
	})
	name := rapid.StringMatching(`[ -~ä]{1,20}`)
	rapid.Check(t, func(t *rapid.T) {
		c := pack.Content{Digest: strings.Repeat("a", 64), Taken: rapid.Int64().Draw(t, "taken"), Files: []pack.File{}, Folders: []pack.Folder{}}
		for range rapid.IntRange(0, 4).Draw(t, "files") {
			f := pack.File{Path: name.Draw(t, "path"), Identity: identity.Draw(t, "identity"), Exec: rapid.Bool().Draw(t, "exec"), Size: rapid.Int64().Draw(t, "size")}
			if rapid.Bool().Draw(t, "link") {
				f.Link = name.Draw(t, "target")
			} else {
				f.SHA256 = rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "sum")
			}
			c.Files = append(c.Files, f)
		}
		for range rapid.IntRange(0, 3).Draw(t, "folders") {
			c.Folders = append(c.Folders, pack.Folder{Path: name.Draw(t, "folder"), Identity: identity.Draw(t, "identity")})
		}
		var kept, back Installed
		kept.setContent(c)
		data, err := canon.Marshal(kept)
		if err == nil {
			err = canon.Decode(data, &back, canon.Limits{})
		}
		got := back.content()
		if err != nil || got.Digest != c.Digest || got.Taken != c.Taken || !slices.Equal(got.Files, c.Files) || !slices.Equal(got.Folders, c.Folders) {
			t.Fatalf("%+v, %v, want %+v", got, err, c)
		}
	})
}

func FuzzLines(f *testing.F) {
	sum := strings.Repeat("0", 64)
	for _, seed := range []string{sum + " 1 2 3 4 5 6 7 8 a b", "- 0 0 1 2 3 4 5 6 a\x00b", "1 2 3 4 5 6 .", "", " ", sum + " 2 2 3 4 5 6 7 8 a", "- 0 0 1 2 3 4 5 6 a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if file, err := parseFile(line); err == nil {
			again, err := parseFile(fileLine(file))
			if err != nil || again != file || file.Path == "" || (file.Link == "") == (file.SHA256 == "") {
				t.Fatalf("%q: %+v, %+v, %v", line, file, again, err)
			}
		}
		if folder, err := parseFolder(line); err == nil {
			again, err := parseFolder(folderLine(folder))
			if err != nil || again != folder || folder.Path == "" {
				t.Fatalf("%q: %+v, %+v, %v", line, folder, again, err)
			}
		}
	})
}
