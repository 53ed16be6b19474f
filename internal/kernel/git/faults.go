package git

// The codes of this package's faults.
const (
	CodeNoGit        = "no_git"        // there is no git program to run
	CodeNoRepository = "no_repository" // the folder lies in no repository
	CodeForeign      = "foreign_repository"
	CodeBadRef       = "bad_ref"
	CodeBadURL       = "bad_url"
	CodeFailed       = "git_failed"
)
