package git

// The codes of this package's faults.
const (
	CodeNoGit         = "no_git"        // there is no git program to run
	CodeOldGit        = "old_git"       // the git program is older than MinVersion
	CodeNoRepository  = "no_repository" // the folder lies in no repository
	CodeForeign       = "foreign_repository"
	CodeUnsupported   = "unsupported_repository" // a kind of repository that is refused by name
	CodeBadRef        = "bad_ref"
	CodeBadURL        = "bad_url"
	CodeBadID         = "bad_object_id"
	CodeBadObject     = "bad_object"     // an object whose bytes are not what its kind demands
	CodeMissingObject = "object_missing" // no store of the repository has the object
	CodeCorrupt       = "repository_corrupt"
	CodeRefMoved      = "ref_moved"  // a ref is not what the caller last saw
	CodeRefLocked     = "ref_locked" // somebody else is changing the ref, or died doing so
	CodeBadWorktree   = "bad_worktree"
	CodeStaged        = "index_changed" // the index holds changes that stand in the way
	CodeFailed        = "git_failed"
)
