//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mediatedInside runs f on a confined thread whose calls are answered by another.
func mediatedInside(t *testing.T, p Profile, f func()) {
	t.Helper()
	c, err := p.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(stop)
	entered, served, done := make(chan *Mediator), make(chan error, 1), make(chan error)
	onThread(func(ok bool) {
		if !ok {
			close(entered)
			done <- errors.New("on the main thread")
			return
		}
		m, err := c.EnterMediated()
		if err != nil || m == nil {
			close(entered)
			done <- errors.Join(err, errors.New("no mediator"))
			return
		}
		entered <- m
		f()
		done <- nil
	})
	m := <-entered
	if m != nil {
		onThread(func(bool) { served <- m.Serve(stop) })
	}
	err = <-done
	if m != nil {
		if _, err := unix.Write(stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		m.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// onThread runs f on a thread that ends with it.
func onThread(f func(usable bool)) {
	go func() {
		runtime.LockOSThread()
		f(unix.Gettid() != unix.Getpid())
	}()
}

// attribute is a way to change what is kept about a file.
type attribute struct {
	name string
	do   func(path string) error
	// link says that the call is about a link itself.
	link bool
}

func withDescriptor(path string, f func(fd int) error) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return f(fd)
}

// within runs f with the directory of a path open and the name in it.
func inDirectory(path string, f func(dir int, name string) error) error {
	return withDescriptor(filepath.Dir(path), func(dir int) error { return f(dir, filepath.Base(path)) })
}

func raw(call uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(call, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func text(s string) uintptr {
	p, err := unix.BytePtrFromString(s)
	if err != nil {
		panic(err)
	}
	return uintptr(unsafe.Pointer(p))
}

// attributes are the ways that every architecture has.
func attributes() []attribute {
	user, group := os.Getuid(), os.Getgid()
	then := []unix.Timespec{{Sec: 1000}, {Sec: 2000}}
	value := []byte("v")
	return []attribute{
		{name: "fchmodat", do: func(p string) error { return raw(unix.SYS_FCHMODAT, ^uintptr(99), text(p), 0o640) }},
		{name: "fchmodat in a directory", do: func(p string) error {
			return inDirectory(p, func(dir int, name string) error { return raw(unix.SYS_FCHMODAT, uintptr(dir), text(name), 0o640) })
		}},
		{name: "fchmodat2", do: func(p string) error { return raw(unix.SYS_FCHMODAT2, ^uintptr(99), text(p), 0o640, 0) }},
		{name: "fchmodat2 of a descriptor", do: func(p string) error {
			return withDescriptor(p, func(fd int) error {
				return raw(unix.SYS_FCHMODAT2, uintptr(fd), text(""), 0o640, unix.AT_EMPTY_PATH)
			})
		}},
		{name: "fchmod", do: func(p string) error {
			return withDescriptor(p, func(fd int) error { return unix.Fchmod(fd, 0o640) })
		}},
		{name: "descriptor by name", do: func(p string) error {
			return withDescriptor(p, func(fd int) error {
				return raw(unix.SYS_FCHMODAT, ^uintptr(99), text("/proc/self/fd/"+strconv.Itoa(fd)), 0o640)
			})
		}},
		{name: "fchownat", do: func(p string) error { return unix.Fchownat(unix.AT_FDCWD, p, user, group, 0) }},
		{name: "fchownat of a link", link: true, do: func(p string) error { return unix.Fchownat(unix.AT_FDCWD, p, user, group, unix.AT_SYMLINK_NOFOLLOW) }},
		{name: "fchown", do: func(p string) error {
			return withDescriptor(p, func(fd int) error { return unix.Fchown(fd, user, group) })
		}},
		{name: "utimensat", do: func(p string) error { return unix.UtimesNanoAt(unix.AT_FDCWD, p, then, 0) }},
		{name: "utimensat of a link", link: true, do: func(p string) error { return unix.UtimesNanoAt(unix.AT_FDCWD, p, then, unix.AT_SYMLINK_NOFOLLOW) }},
		{name: "utimensat now", do: func(p string) error { return raw(unix.SYS_UTIMENSAT, ^uintptr(99), text(p), 0, 0) }},
		{name: "futimens", do: func(p string) error {
			return withDescriptor(p, func(fd int) error {
				return raw(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&then[0])), 0)
			})
		}},
		{name: "setxattr", do: func(p string) error { return unix.Setxattr(p, "user.bridle", value, 0) }},
		{name: "fsetxattr", do: func(p string) error {
			return withDescriptor(p, func(fd int) error { return unix.Fsetxattr(fd, "user.bridle", value, 0) })
		}},
		{name: "removexattr", do: func(p string) error { return unix.Removexattr(p, "user.bridle") }},
		{name: "lsetxattr", do: func(p string) error { return unix.Lsetxattr(p, "user.bridle", value, 0) }},
		{name: "fremovexattr", do: func(p string) error {
			return withDescriptor(p, func(fd int) error { return unix.Fremovexattr(fd, "user.bridle") })
		}},
		{name: "lsetxattr again", do: func(p string) error { return unix.Lsetxattr(p, "user.bridle", value, 0) }},
		{name: "lremovexattr", do: func(p string) error { return unix.Lremovexattr(p, "user.bridle") }},
	}
}

// kept is all that a file system tells about a file but for its content.
func kept(t *testing.T, path string) (mode, uid uint32, modified, changed int64) {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Mode, st.Uid, st.Mtim.Nano(), st.Ctim.Nano()
}

func TestAttributesChangeOnlyWhereContentMay(t *testing.T) {
	requireKernel(t)
	granted, readable, outside := t.TempDir(), t.TempDir(), t.TempDir()
	paths := map[string]string{}
	for name, dir := range map[string]string{"own": granted, "readable": readable, "outside": outside} {
		paths[name] = filepath.Join(dir, "file")
		if err := os.WriteFile(paths[name], []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Links in the granted place that lead out of it.
	link, linked := filepath.Join(granted, "link"), filepath.Join(granted, "linked")
	for from, to := range map[string]string{link: paths["readable"], linked: readable} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	ways := append(attributes(), olderAttributes()...)
	type key struct{ way, place string }
	outcomes := map[key]error{}
	places := map[string]string{
		"own": paths["own"], "readable": paths["readable"], "outside": paths["outside"],
		"by a link": link, "behind a link": filepath.Join(linked, "file"), "climbing": filepath.Join(granted, "..", filepath.Base(readable), "file"),
	}
	if filepath.Dir(granted) != filepath.Dir(readable) {
		t.Fatal("the folders of the test are not beside each other")
	}
	before := map[string][4]any{}
	for name, path := range paths {
		a, b, c, d := kept(t, path)
		before[name] = [4]any{a, b, c, d}
	}
	p := Profile{ReadWrite: []string{granted}, ReadOnly: []string{readable, "/proc"}}
	mediatedInside(t, p, func() {
		for _, way := range ways {
			for place, path := range places {
				outcomes[key{way.name, place}] = way.do(path)
			}
		}
	})
	for k, err := range outcomes {
		aboutLink := strings.Contains(k.way, "of a link") || strings.HasPrefix(k.way, "l")
		switch {
		case k.place == "own":
			if err != nil {
				t.Errorf("%s of an own file: %v", k.way, err)
			}
		case k.place == "by a link" && aboutLink:
			// The link is the program's own; attributes of users do not go on links.
			if err != nil && !strings.Contains(k.way, "xattr") {
				t.Errorf("%s of an own link: %v", k.way, err)
			}
		case err == nil:
			t.Errorf("%s %s: allowed", k.way, k.place)
		case !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EACCES):
			t.Errorf("%s %s: %v", k.way, k.place, err)
		}
	}
	for name, path := range paths {
		if name == "own" {
			continue
		}
		a, b, c, d := kept(t, path)
		if now := [4]any{a, b, c, d}; now != before[name] {
			t.Errorf("%s: %v became %v", name, before[name], now)
		}
	}
}

func TestMediatedCallsDoWhatTheyDoOutside(t *testing.T) {
	requireKernel(t)
	granted := t.TempDir()
	path := filepath.Join(granted, "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var value [8]byte
	var size int
	errs := map[string]error{}
	mediatedInside(t, Profile{ReadWrite: []string{granted}}, func() {
		note := func(name string, err error) { errs[name] = err }
		note("mode", os.Chmod(path, 0o751))
		note("times", os.Chtimes(path, time.Unix(5, 6), time.Unix(7, 8)))
		note("attribute", unix.Setxattr(path, "user.name", []byte("value"), unix.XATTR_CREATE))
		size, _ = unix.Getxattr(path, "user.name", value[:])
		note("!attribute twice", unix.Setxattr(path, "user.name", []byte("value"), unix.XATTR_CREATE))
		note("!long name", unix.Setxattr(path, "user."+strings.Repeat("x", 300), nil, 0))
		note("!large value", unix.Setxattr(path, "user.big", make([]byte, 65<<10), 0))
		note("!missing", os.Chmod(path+"-missing", 0o600))
		note("!empty path", unix.Fchmodat(unix.AT_FDCWD, "", 0o600, 0))
		note("!long path", raw(unix.SYS_FCHMODAT, ^uintptr(99), text("/"+strings.Repeat("x", 5000)), 0o600))
		note("!bad memory", raw(unix.SYS_FCHMODAT, ^uintptr(99), 8, 0o600))
		note("!bad descriptor", unix.Fchmod(999, 0o600))
		note("!bad flags", raw(unix.SYS_FCHMODAT2, ^uintptr(99), text(path), 0o600, 0x10000))
		note("!set-user-id", os.Chmod(path, 0o755|os.ModeSetuid))
		note("!no call", raw(unix.SYS_SETXATTRAT))
	})
	for name, err := range errs {
		if failed := err != nil; failed != strings.HasPrefix(name, "!") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]error{
		"!attribute twice": unix.EEXIST, "!long name": unix.ERANGE, "!large value": unix.E2BIG, "!missing": unix.ENOENT, "!empty path": unix.ENOENT,
		"!long path": unix.ENAMETOOLONG, "!bad memory": unix.EFAULT, "!bad descriptor": unix.EBADF, "!bad flags": unix.EINVAL, "!set-user-id": unix.EPERM, "!no call": unix.ENOSYS,
	} {
		if !errors.Is(errs[name], want) {
			t.Errorf("%s: %v, want %v", name, errs[name], want)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o751 || !info.ModTime().Equal(time.Unix(7, 8)) || string(value[:size]) != "value" {
		t.Errorf("%v, %v, %q, %v", info.Mode(), info.ModTime(), value[:size], err)
	}
}

// Without a mediator nobody waits: the calls are refused.
func TestAttributesAreRefusedWhereNobodyAnswers(t *testing.T) {
	newest := requireKernel(t)
	granted := t.TempDir()
	path := filepath.Join(granted, "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var mode, times error
	inside(t, Profile{ReadWrite: []string{granted}}, newest, func() {
		mode, times = os.Chmod(path, 0o640), os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0))
	})
	if !errors.Is(mode, unix.EPERM) || !errors.Is(times, unix.EPERM) {
		t.Fatalf("%v, %v", mode, times)
	}
}

// A thread exchanges a folder for a link again and again while another changes
// modes through it: no change ever reaches what the link leads to.
func TestExchangedFoldersLeadNoChangeOutside(t *testing.T) {
	requireKernel(t)
	granted, outside := t.TempDir(), t.TempDir()
	target := filepath.Join(outside, "file")
	for _, dir := range []string{outside, filepath.Join(granted, "real")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link, at := filepath.Join(granted, "link"), filepath.Join(granted, "at")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(granted, "real"), at); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, link, unix.AT_FDCWD, at, unix.RENAME_EXCHANGE)
			}
		}
	}()
	changed, refused := 0, 0
	mediatedInside(t, Profile{ReadWrite: []string{granted}}, func() {
		for range 2000 {
			if os.Chmod(filepath.Join(at, "file"), 0o666) == nil {
				changed++
			} else {
				refused++
			}
		}
	})
	close(stop)
	<-swapped
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
	if changed == 0 || refused == 0 {
		t.Logf("the race was not met: %d changed, %d refused", changed, refused)
	}
}
