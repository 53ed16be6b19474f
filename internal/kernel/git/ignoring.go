package git

// Ignoring tells what git would ignore in a folder, for callers that walk by
// themselves. It knows the rules inside the repository: those that it was given.
type Ignoring struct {
	chain *ignoreChain
	fold  bool
}

// NewIgnoring begins with the rules for the whole working tree, those of
// info/exclude. Fold compares without case, as core.ignoreCase says.
func NewIgnoring(exclude []byte, fold bool) *Ignoring {
	return &Ignoring{&ignoreChain{file: parseIgnore(exclude, "", fold)}, fold}
}

// Below adds the .gitignore file of a folder, a relative path or "" for the root.
// Its rules hold in the folder and below.
func (g *Ignoring) Below(folder string, rules []byte) *Ignoring {
	if folder != "" {
		folder += "/"
	}
	return &Ignoring{&ignoreChain{parseIgnore(rules, folder, g.fold), g.chain}, g.fold}
}

// Ignored says whether an untracked path is ignored, given that the folder that
// it lies in is not: in an ignored folder everything is.
func (g *Ignoring) Ignored(path string, folder bool) bool { return g.chain.ignored(path, folder) }
