package git

// fileType is what a listing says of a name.
type fileType uint8

const (
	typeOther fileType = iota
	typeFolder
	typeUnknown
)

// name is an entry of a folder. It is bytes.
type name struct {
	text string
	kind fileType
}

// fileInfo is the state of a file.
type fileInfo struct {
	mode   uint32 // as POSIX has it
	size   int64
	device uint64
	stat   stat
}

// The types of files, as POSIX has them.
const (
	modeType    = 0o170000
	modeFolder  = 0o040000
	modeRegular = 0o100000
	modeSymlink = 0o120000
)

func (i fileInfo) isFolder() bool  { return i.mode&modeType == modeFolder }
func (i fileInfo) isRegular() bool { return i.mode&modeType == modeRegular }
func (i fileInfo) isSymlink() bool { return i.mode&modeType == modeSymlink }

// before says whether both times of a file lie before the mark, so that a later
// change of the file must show in them.
func (s *stat) before(mark *stat) bool {
	m := *mark
	if s.mtimeN == 0 && s.ctimeN == 0 { // the file system counts whole seconds, or pairs of them
		m.mtimeS, m.mtimeN = m.mtimeS-2, 0
	}
	return earlier(s.mtimeS, s.mtimeN, m.mtimeS, m.mtimeN) && earlier(s.ctimeS, s.ctimeN, m.mtimeS, m.mtimeN)
}

func earlier(s, n, markS, markN uint32) bool { return s < markS || s == markS && n < markN }

// same says whether nothing about a file has changed. Devices are numbered anew
// at every start of the system.
func (s *stat) same(other *stat) bool {
	a, b := *s, *other
	a.dev, b.dev = 0, 0
	return a == b && *s != stat{}
}
