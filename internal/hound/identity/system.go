package identity

// handle is an open file or folder.
type handle int

// kind is what a name leads to.
type kind int

const (
	other kind = iota
	file
	folder
)

// status is what the system says of a file.
type status struct {
	dev, ino uint64
	uid, gid uint32
	kind     kind
	mode     uint32 // the twelve permission bits
	links    uint64
	size     int64
}

// system is every call that a store makes of the operating system. No name is
// ever followed through a link, and errors are the system's own numbers.
type system interface {
	process() int
	user() uint32

	// top opens the root of all paths.
	top() (handle, error)
	openDir(dir handle, name string) (handle, error)
	openFile(dir handle, name string) (handle, error)
	// openUnnamed makes a file without a name in dir that can get one later:
	// O_TMPFILE, never with O_EXCL.
	openUnnamed(dir handle) (handle, error)
	makeDir(dir handle, name string) error
	close(h handle) error

	stat(h handle) (status, error)
	statAt(dir handle, name string) (status, error)
	// fileSystem names the type of file system that a handle lies on.
	fileSystem(h handle) (string, error)
	// list names what is in a folder, at most limit names and one.
	list(dir handle, limit int) ([]string, error)
	// read returns the content, at most limit bytes and one.
	read(h handle, limit int) ([]byte, error)
	write(h handle, data []byte) error
	chmod(h handle, mode uint32) error
	sync(h handle) error
	// lock takes the file's exclusive lock or fails at once.
	lock(h handle) error

	// link names a held file: linkat with an empty path and AT_EMPTY_PATH.
	link(source, dir handle, name string) error
	// openProc opens the folder of this process's descriptors in procfs; statProc
	// is what a descriptor's entry there leads to, and linkProc names that.
	openProc() (handle, error)
	statProc(proc, source handle) (status, error)
	linkProc(proc, source, dir handle, name string) error

	// exchange swaps two names, move gives a file another name that is free.
	exchange(dir handle, a, b string) error
	move(dir handle, from, to string) error
	unlink(dir handle, name string) error
}
