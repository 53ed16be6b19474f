package snapshot

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// directoryRecord is one record as getdents64 gives it.
func directoryRecord(number uint64, kind byte, name string) []byte {
	length := (19 + len(name) + 1 + 7) &^ 7
	r := binary.NativeEndian.AppendUint64(nil, number)
	r = binary.NativeEndian.AppendUint64(r, 1)
	r = binary.NativeEndian.AppendUint16(r, uint16(length))
	r = append(append(r, kind), name...)
	return append(r, make([]byte, length-len(r))...)
}

func TestEveryNameOfAFolderIsReadInOrder(t *testing.T) {
	dir := t.TempDir()
	var want []string
	for i := range 700 { // more than one call of the kernel gives
		name := strings.Repeat("n", 1+i*7%200) + string(rune('a'+i%26)) + filepath.Base(t.Name())[:i%5]
		if i%3 == 0 {
			name = "\xff" + name
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	if err := os.Mkdir(filepath.Join(dir, "..."), 0o700); err != nil {
		t.Fatal(err)
	}
	want = append(want, "...")
	slices.Sort(want)
	want = slices.Compact(want)
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	k := worker{list: make([]byte, 4096)}
	if err := k.readNames(fd); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, at := range k.names {
		got = append(got, at.name)
		if at.file && at.name == "..." {
			t.Error("a folder is taken for a file")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d names, want %d", len(got), len(want))
	}
}

func FuzzDirectoryRecords(f *testing.F) {
	f.Add(bytes.Join([][]byte{
		directoryRecord(1, unix.DT_DIR, "."), directoryRecord(2, unix.DT_DIR, ".."), directoryRecord(0, unix.DT_REG, "gone"),
		directoryRecord(3, unix.DT_REG, "file"), directoryRecord(4, unix.DT_UNKNOWN, "..."),
	}, nil))
	f.Add(directoryRecord(5, unix.DT_REG, "cut")[:21])
	f.Add([]byte{18: 1, 40: 0})
	f.Fuzz(func(t *testing.T, records []byte) {
		for _, at := range parseNames(nil, records) {
			if at.name == "." || at.name == ".." || strings.Contains(at.name, "\x00") || !bytes.Contains(records, []byte(at.name)) {
				t.Errorf("the name %q", at.name)
			}
		}
	})
}
