package proc

// A File is what tells a file or folder from all others while it exists, also where
// other processes see it at another place.
type File struct{ Device, Inode uint64 }

// Users returns the processes, this one apart, that work in or have open one of the
// files. ok is false where the system does not tell; processes of other users are
// not seen by an ordinary one.
func Users(files map[File]bool) (pids []int, ok bool) { return users(files) }
