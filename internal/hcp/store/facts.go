package store

import "os"

// Facts are what doctor reports about a store.
type Facts struct {
	Home       string   `json:"home"`
	Mode       string   `json:"mode"`
	Format     int      `json:"format"`
	Installed  []string `json:"installed"`
	Activated  []string `json:"activated"`
	Connected  []string `json:"connected"`
	Grants     bool     `json:"grants"`   // state.json lists grants, so not everything is granted
	Unpinned   []string `json:"unpinned"` // activated by another program, refused until activated here
	Unresolved []string `json:"unresolved"`
	Unknown    []string `json:"unknown"` // members of state.json that mean nothing here
	Writable   bool     `json:"writable"`
}

// Facts looks at the store as it is. It reads one record for each activated
// pack and leaves nothing behind.
func (s *Store) Facts() (Facts, error) {
	facts := Facts{Home: s.home, Format: format, Unpinned: []string{}, Unresolved: []string{}}
	info, err := os.Lstat(s.home)
	if err != nil {
		return Facts{}, ioFault("open", s.home, err)
	}
	facts.Mode = info.Mode().Perm().String()
	if facts.Installed, err = s.InstalledIDs(); err != nil {
		return Facts{}, err
	}
	st, err := s.State()
	if err != nil {
		return Facts{}, err
	}
	facts.Activated, facts.Connected, facts.Grants = st.Activated, st.Connected, st.Grants != nil
	facts.Unknown = st.Unknown()
	for _, id := range st.Activated {
		rec, err := s.readRecord(id)
		switch {
		case err != nil || rec == nil || rec.Accepted == nil || rec.Installed == nil:
			facts.Unpinned = append(facts.Unpinned, id)
		case rec.Accepted.Bin != nil && !rec.Accepted.Bin.Runnable():
			facts.Unresolved = append(facts.Unresolved, id)
		}
	}
	facts.Writable = s.writable()
	return facts, nil
}

// writable tries it, since neither modes nor mounts tell all of it.
func (s *Store) writable() bool {
	area, err := s.claim(tmpDir, "probe")
	if err != nil {
		return false
	}
	area.close()
	return true
}
