package op

// Settings are the project's configuration as it is in force.
type Settings struct {
	File         string   `json:"file"`
	Workspaces   string   `json:"workspaces"`
	Overlap      string   `json:"overlap"`
	MaxFile      int64    `json:"max_file"`
	Filters      bool     `json:"filters"`
	SeedCopy     []string `json:"seed_copy"`
	SeedLink     []string `json:"seed_link"`
	Setup        []string `json:"setup_command"`
	SetupTimeout string   `json:"setup_timeout"`
	CheckTimeout string   `json:"check_timeout"`
	Caches       []string `json:"check_caches"`
	IdleAfter    string   `json:"gc_idle_after"`
}

// Settings returns the configuration with its defaults filled in.
func (p *Project) Settings() Settings {
	c := p.Config
	s := Settings{
		File: p.Layout.ConfigFile(), Workspaces: c.Workspaces, Overlap: c.Overlap, MaxFile: c.FileLimit(), Filters: c.Filters,
		SeedCopy: c.Seed.Copy, SeedLink: c.Seed.Link, Setup: c.Setup.Command, SetupTimeout: c.Setup.Limit().String(),
		CheckTimeout: c.Check.Limit().String(), Caches: c.Check.Caches, IdleAfter: c.GC.Idle().String(),
	}
	if s.Workspaces == "" {
		s.Workspaces = "inside"
	}
	if s.Overlap == "" {
		s.Overlap = "paths"
	}
	return s
}
