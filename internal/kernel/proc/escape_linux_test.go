package proc_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// scene is a world with an inside and an outside.
type scene struct {
	work, home, temp string // granted
	outside, secret  string // a directory and a file in it, not granted
}

func newScene(t *testing.T) scene {
	t.Helper()
	base := t.TempDir()
	s := scene{
		work: filepath.Join(base, "work"), home: filepath.Join(base, "home"), temp: filepath.Join(base, "temp"),
		outside: filepath.Join(base, "outside"), secret: filepath.Join(base, "outside", "secret"),
	}
	for _, dir := range []string{s.work, s.home, s.temp, s.outside} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{s.secret, filepath.Join(s.work, "own")} {
		if err := os.WriteFile(file, []byte("#!/bin/sh\necho secret\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(s.secret, filepath.Join(s.work, "way-out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.outside, filepath.Join(s.work, "way-out-dir")); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s scene) profile(t *testing.T, executable string, change func(*sandbox.Tool)) *sandbox.Profile {
	t.Helper()
	tool := sandbox.Tool{
		Executable: executable, Home: s.home, Temp: s.temp, ReadWrite: []string{s.work},
		RealHome: s.outside, Protected: []string{s.secret},
	}
	if change != nil {
		change(&tool)
	}
	p, err := sandbox.ForTool(tool)
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

// try makes an attempt and returns its outcome.
func try(t *testing.T, p *sandbox.Profile, args ...string) string {
	t.Helper()
	s := acting(t, "attempt", args...)
	s.Profile = p
	r := mustRun(t, s)
	if r.ExitCode != 0 {
		return fmt.Sprintf("exit %d %s: %s", r.ExitCode, r.Signal, r.Stderr.Head)
	}
	return strings.TrimSpace(string(r.Stdout.Head))
}

type attemptCase struct {
	what    string // words, {work}, {outside}, {secret}, {parent}, {other} are filled in
	refused string // acceptable outcomes inside
	free    string // acceptable outcomes outside, to see that the attempt itself works; "" is not tried
}

func (s scene) fill(text string, other int) []string {
	return strings.Fields(strings.NewReplacer(
		"{work}", s.work, "{outside}", s.outside, "{secret}", s.secret,
		"{parent}", itoa(os.Getpid()), "{other}", itoa(other),
	).Replace(text))
}

func runCases(t *testing.T, s scene, p *sandbox.Profile, other int, cases []attemptCase) {
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			args := s.fill(c.what, other)
			if got := try(t, p, args...); !slices.Contains(strings.Fields(c.refused), got) {
				t.Errorf("confined: %s, not one of: %s", got, c.refused)
			}
			if c.free == "" {
				return
			}
			if got := try(t, nil, args...); !slices.Contains(strings.Fields(c.free), got) {
				t.Errorf("unconfined: %s, not one of: %s", got, c.free)
			}
		})
	}
}

func TestFilesOutsideAreOutOfReach(t *testing.T) {
	s := newScene(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runCases(t, s, s.profile(t, self, nil), 0, []attemptCase{
		{"read {secret}", "EACCES", "done"},
		{"read {work}/own", "done", "done"},
		{"read {work}/way-out", "EACCES", "done"},
		{"read {work}/../outside/secret", "EACCES", "done"},
		{"read /proc/self/root{secret}", "EACCES", "done"},
		{"read /proc/self/cwd/../../../../../../../../..{secret}", "EACCES", "done"},
		{"read /dev/fd/../root{secret}", "EACCES", "done"},
		{"read /etc/shadow", "EACCES", ""},
		{"read /etc/gshadow", "EACCES ENOENT", ""},
		{"read /etc/sudoers", "EACCES ENOENT", ""},
		{"read /proc/kcore", "EACCES EPERM ENOENT", ""},
		{"read /dev/mem", "EACCES ENOENT", ""},
		{"list /", "EACCES", "done"},
		{"list {outside}", "EACCES", "done"},
		{"list {work}/way-out-dir", "EACCES", "done"},
		{"list /root", "EACCES", ""},
		{"list /home", "EACCES", ""},
		{"list /dev/pts", "EACCES", ""},
		{"write /dev/ptmx", "EACCES", ""},
		{"write {work}/new", "done", "done"},
		{"write {outside}/new", "EACCES", "done"},
		{"write {work}/way-out", "EACCES", "done"},
		{"write {work}/way-out-dir/new", "EACCES", "done"},
		{"write /proc/self/root{outside}/new", "EACCES", "done"},
		{"write /proc/self/oom_score_adj", "EACCES", ""},
		{"write /usr/bin/new", "EACCES EROFS", ""},
		{"append {secret}", "EACCES", "done"},
		{"mkdir {outside}/new-directory", "EACCES", "done"},
		{"link {secret} {work}/linked", "EACCES EXDEV EPERM", "done"},
		{"link {work}/own {outside}/linked", "EACCES EXDEV EPERM", "done"},
		{"rename {work}/own {outside}/moved", "EACCES EXDEV", "done"},
		{"rename {outside}/moved {work}/own", "EACCES EXDEV", "done"},
		{"rename {work}/own {work}/other", "done", ""},
		{"rename {work}/other {work}/own", "done", ""},
		{"truncate {secret}", "EACCES", "done"},
		{"shorten {secret}", "EACCES", "done"},
		{"remove {secret}", "EACCES", "done"},
		{"device {work}/null", "EACCES EPERM", ""},
		{"setuid {work}/own", "EPERM", "done"},
		{"fsetuid {work}/own", "EPERM", "done"},
		{"exec {work}/own", "secret", ""},
		{"exec {outside}/new", "EACCES", ""},
	})
}

func TestWhatMayBeReadNeedNotBeRunnable(t *testing.T) {
	s := newScene(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	grant := func(change func(*sandbox.Tool, []string)) *sandbox.Profile {
		return s.profile(t, self, func(tool *sandbox.Tool) {
			tool.RealHome, tool.Protected = "", nil
			change(tool, []string{s.outside})
		})
	}
	readOnly := grant(func(tool *sandbox.Tool, dirs []string) { tool.ReadOnly = dirs })
	readExec := grant(func(tool *sandbox.Tool, dirs []string) { tool.ReadExec = dirs })
	for name, c := range map[string]struct {
		profile *sandbox.Profile
		args    []string
		want    string
	}{
		"read":           {readOnly, []string{"read", s.secret}, "done"},
		"list":           {readOnly, []string{"list", s.outside}, "done"},
		"run":            {readOnly, []string{"exec", s.secret}, "EACCES"},
		"write":          {readOnly, []string{"append", s.secret}, "EACCES"},
		"run with grant": {readExec, []string{"exec", s.secret}, "secret"},
		"still no write": {readExec, []string{"append", s.secret}, "EACCES"},
	} {
		if got := try(t, c.profile, c.args...); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestOtherProcessesAreOutOfReach(t *testing.T) {
	other := exec.Command(tool(t, "sleep"), "300")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	s := newScene(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runCases(t, s, s.profile(t, self, nil), other.Process.Pid, []attemptCase{
		// The thread that starts the child is confined with it and shares the whole
		// memory of this process: it must not be a way in.
		{"inspect {parent} mem", "EACCES EPERM", ""},
		{"inspect {parent} environ", "EACCES EPERM", ""},
		{"inspect {parent} maps smaps pagemap auxv", "EACCES EPERM", ""},
		{"inspect {parent} fd/0 fd/1 fd/2 fd/3 fd/4 fd/5 fd/6 fdinfo/0 map_files", "EACCES EPERM", ""},
		{"inspect {parent} cwd root exe", "EACCES EPERM", ""},
		{"signal {parent} 0", "EPERM", "done"},
		{"signal-each {parent}", "EPERM", "done"},
		{"trace {parent}", "EPERM", ""},
		{"trace-each {parent}", "EPERM", ""},
		{"read-memory {parent}", "EPERM", ""},
		{"limits {parent}", "EPERM", "done"},
		{"compare {parent}", "EPERM", ""},
		{"own-signal plain {parent}", "EPERM", "done"},
		{"own-signal extended {parent}", "EINVAL", "done"},
		{"pidfd-signal {parent}", "ENOSYS", "done"},
		{"pidfd-steal {parent}", "EPERM", ""},
		{"signal {other} 0", "EPERM", "done"},
		{"signal {other} 15", "EPERM", ""},
		{"signal -1 0", "EPERM ESRCH done", ""}, // reaches its own confinement only
		{"inspect {other} mem environ maps fd/0 cwd root", "EACCES EPERM", "done"},
		{"limits {other}", "EPERM", "done"},
		{"signal 1 0", "EPERM", ""},
	})
	if !alive(other.Process.Pid) {
		t.Fatal("a process outside was ended from inside")
	}
}

func TestKernelInterfacesAroundTheSandboxAreClosed(t *testing.T) {
	s := newScene(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cases := []attemptCase{
		{fmt.Sprintf("unshare %d", unix.CLONE_NEWUSER), "EPERM", ""},
		{fmt.Sprintf("unshare %d", unix.CLONE_FS), "EPERM", "done"},
		{fmt.Sprintf("clone %d", unix.CLONE_NEWUSER), "EPERM", ""},
		{fmt.Sprintf("clone %d", unix.CLONE_NEWNET), "EPERM", ""},
		{"clone 0", "done", "done"},
		{"clone3", "ENOSYS", "EINVAL"},
		{"io_uring", "ENOSYS", ""},
		{"mount {work}", "EPERM", ""},
		{"fsopen", "EPERM", ""},
		{"open_tree", "EPERM", ""},
		{"chroot {work}", "EPERM", ""},
		{"setns", "EPERM", ""},
		{"bpf", "EPERM", ""},
		{"perf", "EPERM", ""},
		{"userfaultfd", "EPERM", ""},
		{"keyctl", "EPERM", ""},
		{"shmget", "ENOSYS", "done"},
		{"mq_open", "ENOSYS", "ENOENT"},
		{"handle", "EPERM", ""},
		{fmt.Sprintf("ioctl %d", unix.TIOCSTI), "EPERM", "ENOTTY"},
		{fmt.Sprintf("ioctl %d", highBit|unix.TIOCSTI), "EPERM", "ENOTTY"},
		{fmt.Sprintf("ioctl %d", unix.TIOCLINUX), "EPERM", "ENOTTY"},
		{fmt.Sprintf("ioctl %d", unix.TCGETS), "ENOTTY", "ENOTTY"},
	}
	if runtime.GOARCH == "amd64" {
		cases = append(cases, attemptCase{fmt.Sprintf("number %d", 0x40000000+unix.SYS_GETPPID), "ENOSYS", ""})
	}
	runCases(t, s, s.profile(t, self, nil), 0, cases)
}

const highBit = int64(1) << 32 // the kernel does not look at it; a filter must not either

func TestSocketsOfFamiliesNotGrantedAreRefused(t *testing.T) {
	s := newScene(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	socket := func(domain, kind, protocol int64) string {
		return fmt.Sprintf("socket %d %d %d", domain, kind, protocol)
	}
	pair := func(domain, kind int64) string { return fmt.Sprintf("socketpair %d %d", domain, kind) }
	inherited := []attemptCase{
		{socket(unix.AF_INET, unix.SOCK_STREAM, 0), "done", "done"},
		{socket(unix.AF_INET6, unix.SOCK_DGRAM, 0), "done EAFNOSUPPORT", ""},
		{socket(unix.AF_UNIX, unix.SOCK_STREAM, 0), "EACCES", "done"},
		{socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0), "EACCES", "done"},
		{socket(highBit|unix.AF_UNIX, unix.SOCK_STREAM, 0), "EACCES", "done"},
		{socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE), "done", "done"},
		{socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT), "EPROTONOSUPPORT", "done"},
		{socket(unix.AF_PACKET, unix.SOCK_RAW, 0), "EAFNOSUPPORT", ""},
		{socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0), "EAFNOSUPPORT", ""},
		{socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0), "EAFNOSUPPORT", ""},
		{pair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC), "done", "done"},
		{pair(unix.AF_UNIX, unix.SOCK_SEQPACKET), "done", "done"},
		{pair(unix.AF_UNIX, unix.SOCK_DGRAM), "EACCES", "done"},
		{pair(unix.AF_UNIX, unix.SOCK_RAW), "EACCES", "done"},
		{pair(unix.AF_UNIX, highBit|unix.SOCK_DGRAM), "EACCES", "done"},
	}
	none := []attemptCase{
		{socket(unix.AF_INET, unix.SOCK_STREAM, 0), "EACCES", "done"},
		{socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP), "EACCES", ""},
		{socket(unix.AF_INET, unix.SOCK_DGRAM, 0), "EACCES", "done"},
		{socket(unix.AF_INET6, unix.SOCK_STREAM, 0), "EACCES", ""},
		{socket(highBit|unix.AF_INET, unix.SOCK_STREAM, 0), "EACCES", "done"},
		{socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE), "EACCES", "done"},
		{socket(unix.AF_UNIX, unix.SOCK_STREAM, 0), "EACCES", "done"},
		{pair(unix.AF_UNIX, unix.SOCK_STREAM), "done", "done"},
	}
	t.Run("network inherited", func(t *testing.T) { runCases(t, s, s.profile(t, self, nil), 0, inherited) })
	t.Run("no network", func(t *testing.T) {
		p := s.profile(t, self, func(tool *sandbox.Tool) { tool.Network = sandbox.NetworkNone })
		runCases(t, s, p, 0, none)
	})
}

func TestUnixSocketsNeedAGrantAndStayWithNamesInTheTree(t *testing.T) {
	s := newScene(t)
	// The address of a socket has room for a short path only.
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "socket")
	abstract := "@bridle-test-" + itoa(os.Getpid())
	for _, name := range []string{path, abstract} {
		listener, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	granted := s.profile(t, self, func(tool *sandbox.Tool) {
		tool.Unix = true
		tool.Network = sandbox.NetworkNone
	})
	for _, c := range []struct {
		name    string
		profile *sandbox.Profile
		target  string
		want    string
	}{
		{"path without grant", s.profile(t, self, nil), path, "EACCES"},
		{"abstract without grant", s.profile(t, self, nil), abstract, "EACCES"},
		{"path with grant", granted, path, "done"},
		{"path unconfined", nil, path, "done"},
		{"abstract unconfined", nil, abstract, "done"},
	} {
		if got := try(t, c.profile, "connect", c.target); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	want := "EPERM"
	if sandbox.Detect().ABI < 6 {
		want = "done"
	}
	if got := try(t, granted, "connect", abstract); got != want {
		t.Errorf("abstract with grant: %s, want %s", got, want)
	}
	if got := try(t, granted, "socket", itoa(unix.AF_INET), "1", "0"); got != "EACCES" {
		t.Errorf("network beside unix sockets: %s", got)
	}
}

func TestTheCallerStaysFree(t *testing.T) {
	s := newScene(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := s.profile(t, self, func(tool *sandbox.Tool) { tool.Network = sandbox.NetworkNone })
	before := restrictions(t)
	for range 20 {
		if got := try(t, p, "read", s.secret); got != "EACCES" {
			t.Fatalf("confined read: %s", got)
		}
		// Whatever thread serves this goroutine now, it is a free one.
		if _, err := os.ReadFile(s.secret); err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
	}
	if sandbox.Inside() {
		t.Fatal("this process is confined")
	}
	if after := restrictions(t); after != before {
		t.Fatalf("the process changed from %s to %s", before, after)
	}
}

// restrictions are what the kernel says of the main thread.
func restrictions(t *testing.T) string {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(status)) {
		for _, name := range []string{"NoNewPrivs:", "Seccomp:", "Seccomp_filters:", "CapEff:", "CapPrm:"} {
			if strings.HasPrefix(line, name) {
				out = append(out, strings.Join(strings.Fields(line), " "))
			}
		}
	}
	return strings.Join(out, ", ")
}

func TestConcurrentRunsDoNotShareTheirRestrictions(t *testing.T) {
	first, second := newScene(t), newScene(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	inFirst, inSecond := first.profile(t, self, nil), second.profile(t, self, nil)
	offline := second.profile(t, self, func(tool *sandbox.Tool) { tool.Network = sandbox.NetworkNone })
	net := []string{"socket", itoa(unix.AF_INET), "1", "0"}
	cases := []struct {
		profile *sandbox.Profile
		args    []string
		want    string
	}{
		{inFirst, []string{"read", first.work + "/own"}, "done"},
		{inFirst, []string{"read", second.work + "/own"}, "EACCES"},
		{inSecond, []string{"read", second.work + "/own"}, "done"},
		{inSecond, []string{"read", first.work + "/own"}, "EACCES"},
		{nil, []string{"read", first.secret}, "done"},
		{nil, net, "done"},
		{offline, net, "EACCES"},
		{inFirst, net, "done"},
	}
	for _, c := range cases {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			for range 6 {
				s := acting(t, "attempt", c.args...)
				s.Profile = c.profile
				r, err := proc.Run(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.TrimSpace(string(r.Stdout.Head)); got != c.want {
					t.Fatalf("%s, want %s: %s", got, c.want, r.Stderr.Head)
				}
			}
		})
	}
}
