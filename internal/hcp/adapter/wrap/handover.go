package wrap

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"bridle/internal/hcp/binding"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// placeSecrets writes the files of a credential into a directory of this call
// and names them in the environment.
func (s *stay) placeSecrets(dir string, files []binding.File) error {
	for _, f := range files {
		if !filepath.IsLocal(f.Name) || !isName(f.Var) {
			return fault.Newf(binding.CodeBadBinding, "the credential file %q in variable %q cannot be handed over", f.Name, f.Var).
				WithHint("correct its name in the hub's settings")
		}
		path := filepath.Join(dir, f.Name)
		if err := durable.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := durable.CreateFile(path, []byte(f.Content.Reveal()), 0o600); err != nil {
			return err
		}
		s.place.Env = append(s.place.Env, f.Var+"="+path)
	}
	return nil
}

// reach opens places of the machine's own store to the program, and puts links
// to them where it looks for them in its private home. A place that does not
// exist is passed over: then the program keeps its login in the private home.
func (s *stay) reach(places []binding.Reach) error {
	if len(places) == 0 {
		return nil
	}
	home, err := os.OpenRoot(s.place.Home)
	if err != nil {
		return fault.New(CodeBadFile, "the private home cannot be opened").Because(err)
	}
	defer func() { _ = home.Close() }()
	for _, r := range places {
		resolved, err := filepath.EvalSymlinks(r.Path)
		if err != nil {
			continue
		}
		if s.limits.refuses(resolved) || !filepath.IsLocal(r.Home) {
			return fault.Newf(binding.CodeBadBinding, "the hub's settings open %q to the pack, which is never opened", r.Path).
				WithHint("name the tool's own folder, not the whole home or the store")
		}
		if linked, err := linkInto(home, r.Home, resolved); err != nil || !linked {
			if err != nil {
				return err
			}
			continue
		}
		if r.Write {
			s.place.ReadWrite = append(s.place.ReadWrite, resolved)
		} else {
			s.place.ReadOnly = append(s.place.ReadOnly, resolved)
		}
	}
	return nil
}

// linkInto makes a link in the private home, and reports whether it is there. A
// file or directory of the program's own stays.
func linkInto(home *os.Root, name, target string) (bool, error) {
	if is, err := home.Readlink(name); err == nil {
		if is == target {
			return true, nil
		}
		if err := home.Remove(name); err != nil {
			return false, fault.Newf(CodeBadFile, "the link %q in the private home cannot be replaced", name).Because(err)
		}
	} else if _, err := home.Lstat(name); err == nil {
		return false, nil
	}
	if parent := filepath.Dir(name); parent != "." {
		if err := home.MkdirAll(parent, 0o700); err != nil {
			return false, fault.Newf(CodeBadFile, "the directory %q in the private home cannot be made", parent).Because(err)
		}
	}
	if err := home.Symlink(target, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, fault.Newf(CodeBadFile, "the link %q in the private home cannot be made", name).Because(err)
	}
	return true, nil
}
