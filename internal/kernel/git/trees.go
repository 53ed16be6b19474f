package git

import (
	"os"
	"path/filepath"
)

// Trees returns where the working tree is that dir lies in, and where all working
// trees of its repository are: the repository's own first, where it has one,
// then the linked ones in the order of their names. A folder that does not lead
// back to the repository is none of them. Like Locate, it runs no git.
func Trees(dir string) (here Location, all []Location, err error) {
	if here, err = Locate(dir); err != nil {
		return here, nil, err
	}
	common, err := commonDir(here.GitDir)
	if err != nil {
		return here, nil, err
	}
	if here.GitDir == common {
		all = append(all, here)
	} else if root, ok := mainTree(common); ok && leadsTo(root, common) {
		all = append(all, Location{Root: root, GitDir: common})
	}
	err = eachLinked(common, func(admin, link string) {
		if root := filepath.Dir(link); leadsTo(root, admin) {
			all = append(all, Location{Root: root, GitDir: admin})
		}
	})
	if err != nil {
		return here, nil, err
	}
	return here, all, nil
}

// mainTree is where the repository's own working tree would be: around its data,
// or where its configuration says, as a submodule's does.
func mainTree(common string) (string, bool) {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common), true
	}
	data, err := ReadPlain(filepath.Join(common, "config"), maxConfigFile)
	if err != nil {
		return "", false
	}
	entries, err := parseConfig(data)
	if err != nil {
		return "", false
	}
	root := (&config{entries: entries}).get("core.worktree")
	if root != "" && !filepath.IsAbs(root) {
		root = filepath.Join(common, root)
	}
	return root, root != ""
}

// Linked says whether the working tree is a linked one.
func (l Location) Linked() bool {
	_, err := os.Lstat(filepath.Join(l.GitDir, "commondir"))
	return err == nil
}

// leadsTo reports whether a working tree stands at root whose data is in gitDir.
func leadsTo(root, gitDir string) bool {
	found, data, err := dataOf(root)
	return err == nil && found && data == gitDir
}
