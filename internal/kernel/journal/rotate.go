package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bridle/internal/kernel/durable"
)

// older is a file that was put aside.
type older struct {
	path   string
	number int
}

// olderFiles lists the files that were put aside, in their order.
func olderFiles(path string) ([]older, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, durable.Explain("read", filepath.Dir(path), err)
	}
	var all []older
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(digits); err == nil && n > 0 && numbered(path, n) == filepath.Join(filepath.Dir(path), e.Name()) {
			all = append(all, older{numbered(path, n), n})
		}
	}
	slices.SortFunc(all, func(a, b older) int { return cmp.Compare(a.number, b.number) })
	return all, nil
}

func numbered(path string, n int) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf("%s.%06d", filepath.Base(path), n))
}

// headOfOlder returns the head of the newest file that was put aside.
func headOfOlder(path string) (Head, error) {
	all, err := olderFiles(path)
	if err != nil || len(all) == 0 {
		return Head{}, err
	}
	newest := all[len(all)-1].path
	f, err := openFile(newest, os.O_RDONLY)
	if err != nil {
		return Head{}, err
	}
	defer f.Close()
	e, err := readEnd(f, newest)
	return e.head, err
}

// rotate puts the file aside and begins a new one. If we die between the two,
// the next Open begins it.
func (j *Journal) rotate(f *os.File) (*os.File, error) {
	if err := f.Sync(); err != nil {
		return nil, durable.Explain("flush", j.path, err)
	}
	all, err := olderFiles(j.path)
	if err != nil {
		return nil, err
	}
	next := 1
	if len(all) > 0 {
		next = all[len(all)-1].number + 1
	}
	if err := j.release(); err != nil { // some systems do not rename open files
		return nil, durable.Explain("close", j.path, err)
	}
	// To record matters more than the size: a file that cannot be moved, on
	// some systems since a reader has it open, goes on growing.
	_ = durable.MoveFile(j.path, numbered(j.path, next))
	return j.open()
}

// openAll opens the files of a journal from the oldest to the newest, as they
// are at one moment.
func openAll(path string) (files []*os.File, err error) {
	defer func() {
		if err != nil {
			closeAll(files)
			files = nil
		}
	}()
	// The newest first: what is put aside from now on is open already.
	newest, err := openFile(path, os.O_RDONLY)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all, err := olderFiles(path)
	if err != nil {
		return []*os.File{newest}, err
	}
	for _, o := range all {
		if newest != nil && isAt(newest, o.path) {
			break
		}
		f, err := openFile(o.path, os.O_RDONLY)
		if err != nil {
			return append(files, newest), err
		}
		files = append(files, f)
	}
	if newest != nil {
		files = append(files, newest)
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // read only
		}
	}
}
