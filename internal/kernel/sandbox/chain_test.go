package sandbox

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// elf writes a file that has nothing but a loader's path.
func elf(loader string, offset uint64) []byte {
	file := make([]byte, 64+56)
	copy(file, "\x7fELF\x02\x01")
	order := binary.LittleEndian
	order.PutUint64(file[32:], 64) // program headers
	order.PutUint16(file[54:], 56)
	order.PutUint16(file[56:], 1)
	order.PutUint32(file[64:], 3) // PT_INTERP
	order.PutUint64(file[64+8:], offset)
	order.PutUint64(file[64+32:], uint64(len(loader)+1))
	return append(append(file, loader...), 0)
}

func TestInterpreterIsRead(t *testing.T) {
	dir := t.TempDir()
	found := filepath.Join(dir, "node")
	for name, mode := range map[string]os.FileMode{"node": 0o755, "data": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, file, want string
	}{
		{"shell", "#!/bin/sh\necho", "/bin/sh"},
		{"space and argument", "#! /bin/sh -e\n", "/bin/sh"},
		{"no newline", "#!/bin/sh", "/bin/sh"},
		{"carriage return", "#!/bin/sh\r\n", "/bin/sh"},
		{"env", "#!/usr/bin/env node\n", found},
		{"env with options and variables", "#!/usr/bin/env -S A=1 node --x\n", found},
		{"env with a path", "#!/usr/bin/env /opt/x\n", "/opt/x"},
		{"env finds no folder", "#!/usr/bin/env folder\n", ""},
		{"env finds nothing that cannot run", "#!/usr/bin/env data\n", ""},
		{"env finds nothing", "#!/usr/bin/env missing\n", ""},
		{"env alone", "#!/usr/bin/env\n", ""},
		{"relative", "#!sh\n", ""},
		{"empty line", "#!\n", ""},
		{"text", "echo hello\n", ""},
		{"empty", "", ""},
		{"binary", string(elf("/data/lib/ld.so", 120)), "/data/lib/ld.so"},
		{"binary with the system's loader", string(elf("/lib64/ld.so", 120)), ""},
		{"binary with a roundabout loader", string(elf("/lib64/../data/ld.so", 120)), "/lib64/../data/ld.so"},
		{"binary with a relative loader", string(elf("ld.so", 120)), ""},
		{"binary whose loader lies outside", string(elf("/data/lib/ld.so", 1<<40)), ""},
		{"binary with a negative place", string(elf("/data/lib/ld.so", 1<<63)), ""},
		{"binary with a long loader", string(elf("/"+strings.Repeat("x", 2000), 120)), ""},
		{"binary cut short", string(elf("/data/lib/ld.so", 120)[:70]), ""},
		{"binary of 32 bits", "\x7fELF\x01\x01" + strings.Repeat("\x00", 80), ""},
	} {
		got, searched := interpreterIn(strings.NewReader(c.file), "relative:"+dir)
		if got != c.want || searched != (strings.Contains(c.file, "env ") && c.want != "/opt/x") {
			t.Errorf("%s: %q (searched: %v), want %q", c.name, got, searched, c.want)
		}
	}
}

func FuzzInterpreterIsAbsoluteOrNone(f *testing.F) {
	f.Add([]byte("#!/usr/bin/env -S A=1 node\n"))
	f.Add([]byte("#!/bin/sh -e\n"))
	f.Add(elf("/data/lib/ld-linux-x86-64.so.2", 120))
	f.Add([]byte("\x7fELF\x02\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, _ := interpreterIn(bytes.NewReader(data), "/usr/bin"); got != "" && !filepath.IsAbs(got) {
			t.Fatalf("%q", got)
		}
	})
}
