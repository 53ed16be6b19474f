package source

import (
	"path/filepath"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
)

func TestArgumentsMeanWhatTheySay(t *testing.T) {
	for text, want := range map[string]Argument{
		"./transit":                            {kind: local, path: "./transit"},
		"transit":                              {kind: local, path: "transit"},
		"/abs/pack.tgz":                        {kind: local, path: "/abs/pack.tgz"},
		"./github:x":                           {kind: local, path: "./github:x"},
		"-x":                                   {kind: local, path: "-x"},
		"github:o/r":                           {kind: gitHub, owner: "o", repo: "r"},
		"github:o/r@v1.2":                      {kind: gitHub, owner: "o", repo: "r", ref: "v1.2"},
		"github:o/r//a/b":                      {kind: gitHub, owner: "o", repo: "r", folder: "a/b"},
		"github:o/r@x/y//a/b/":                 {kind: gitHub, owner: "o", repo: "r", ref: "x/y", folder: "a/b"},
		"github:o/r.git":                       {kind: gitHub, owner: "o", repo: "r"},
		"github:o/.github":                     {kind: gitHub, owner: "o", repo: ".github"},
		"https://github.com/o/r":               {kind: gitHub, owner: "o", repo: "r"},
		"https://github.com/o/r.git":           {kind: gitHub, owner: "o", repo: "r"},
		"https://www.github.com/o/r/":          {kind: gitHub, owner: "o", repo: "r"},
		"https://github.com/o/r/tree/main":     {kind: gitHub, owner: "o", repo: "r", ref: "main"},
		"https://github.com/o/r/tree/main/a/b": {kind: gitHub, owner: "o", repo: "r", ref: "main", folder: "a/b"},
		"https://github.com/o/r/archive/refs/heads/main.tar.gz": {kind: webArchive, url: "https://github.com/o/r/archive/refs/heads/main.tar.gz"},
		"https://github.com/o/r/releases/download/v1/pack.tgz":  {kind: webArchive, url: "https://github.com/o/r/releases/download/v1/pack.tgz"},
		"https://host/pack.ZIP?token=x":                         {kind: webArchive, url: "https://host/pack.ZIP?token=x"},
		"npm:name":                                              {kind: npmPackage, name: "name"},
		"npm:@scope/name":                                       {kind: npmPackage, name: "@scope/name"},
		"npm:@scope/name@1.2.3":                                 {kind: npmPackage, name: "@scope/name", version: "1.2.3"},
		"npm:name@^1.2":                                         {kind: npmPackage, name: "name", version: "^1.2"},
		"npm:name@latest":                                       {kind: npmPackage, name: "name", version: "latest"},
		"npm:./path/to/pack":                                    {kind: npmLocal, path: "./path/to/pack"},
		"npm:../pack":                                           {kind: npmLocal, path: "../pack"},
		"npm:/abs":                                              {kind: npmLocal, path: "/abs"},
	} {
		want.Text = text
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v", text, got, err)
		}
	}
}

func TestArgumentsThatMeanNothingAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "a\nb", "a\x1b[2J", "github:", "github:o", "github:/r", "github:o/", "github:o/..", "github:o/.", "github:o/a/b", "github:-o/r", "github:o-/r",
		"github:o/r@", "github:o/r//", "github:o/r@-x", "github:o/r@a..b", "github:o/r@a:b", "github:o/r@+a", "github:o/r//..", "github:o/r//../x", "github:o/r//a/../b",
		"github:o/r///a", "github:o/r//a//b", "github:o/r//./a", `github:o/r//a\b`, "github:o o/r", "github:ö/r", "github:" + strings.Repeat("a", 40) + "/r",
		"https://github.com/o/r/tree/-x", "https://github.com/o/r/tree/main/..", "https://github.com/o/r/blob/main/x", "https://github.com/o", "https://github.com/o/r?x=y",
		"http://host/pack.zip", "https://user:word@host/pack.zip", "ftp://host/pack.zip", "file:///etc/pack.zip", "https://host/pack", "https:///pack.zip", "https://host/pack.tar.xz", "://x",
		"npm:", "npm:@scope", "npm:@/x", "npm:@scope/", "npm:scope/name", "npm:Name", "npm:_x", "npm:-x", "npm:--registry=x", "npm:a b", "npm:name@", "npm:name@-x", "npm:name@file:x",
		"npm:name@git+ssh://x", "npm:name@https://x", "npm:name@a b", "npm:@s/n/x", "npm:git@github.com:o/r", "npm:github:o/r", "npm:@scope/.hidden", "npm:" + strings.Repeat("a", 215),
	} {
		_, err := Parse(text)
		if !fault.Is(err, CodeBadSource) {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		f := fault.From(err)
		if f.Hint == "" || strings.Contains(f.Message, "word") {
			t.Errorf("Parse(%q): %q, hint %q", text, f.Message, f.Hint)
		}
	}
}

func TestGoldPacksAreKnownByTheirPublishedNamesOnly(t *testing.T) {
	for text, want := range map[string]string{
		"npm:@harnesscontextprotocol/pack-transit":                              "transit",
		"npm:@harnesscontextprotocol/pack-ledger":                               "ledger",
		"npm:@harnesscontextprotocol/pack-echo":                                 "echo",
		"github:harnesscontextprotocol/hcp-example-transit":                     "transit",
		"https://github.com/harnesscontextprotocol/hcp-example-ledger":          "ledger",
		"github:harnesscontextprotocol/hcp//examples/packs/transit":             "transit",
		"github:harnesscontextprotocol/hcp//examples/standalone/transit":        "transit",
		"github:harnesscontextprotocol/hcp//packs/hcp-cli":                      "hcp-cli",
		"npm:@harnesscontextprotocol/pack-transit@1.0.0":                        "",
		"github:harnesscontextprotocol/hcp-example-transit@v1":                  "",
		"https://github.com/harnesscontextprotocol/hcp/tree/main/packs/hcp-cli": "",
		"npm:@harnesscontextprotocol/pack-weather":                              "",
		"npm:@harnesscontextprotocol/transit":                                   "",
		"npm:@harnesscontextprotocols/pack-transit":                             "",
		"npm:@other/pack-transit":                                               "",
		"npm:pack-transit":                                                      "",
		"npm:transit":                                                           "",
		"github:other/hcp-example-transit":                                      "",
		"github:harnesscontextprotocol/hcp":                                     "",
		"github:harnesscontextprotocol/hcp//examples":                           "",
		"github:harnesscontextprotocol/hcp-example-transit//sub":                "",
		"./transit":     "",
		"npm:./transit": "",
	} {
		a, err := Parse(text)
		if err != nil || a.gold() != want {
			t.Errorf("%q stands for %q, %v", text, a.gold(), err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"github:o/r@v//a", "npm:@s/n@1", "https://github.com/o/r/tree/x/y", "https://h/a.zip", "./x", "npm:./x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			if !fault.Is(err, CodeBadSource) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		switch a.kind {
		case gitHub:
			if strings.ContainsAny(a.owner+a.repo, "/:@ \\") || strings.HasPrefix(a.ref, "-") || a.folder != "" && !filepath.IsLocal(a.folder) {
				t.Fatalf("%q: %+v", text, a)
			}
		case npmPackage:
			if strings.ContainsAny(a.name+a.version, ": \\") || strings.HasPrefix(a.name, "-") || strings.HasPrefix(a.name, ".") {
				t.Fatalf("%q: %+v", text, a)
			}
		case webArchive:
			if !strings.HasPrefix(a.url, "https://") {
				t.Fatalf("%q: %+v", text, a)
			}
		}
	})
}
