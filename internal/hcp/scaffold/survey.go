package scaffold

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"bridle/internal/hcp/scaffold/helptext"
)

// mostDrafted is how many of the listed subcommands become commands: agents
// choose badly among more. Usage lines of the program's own help are what its
// author put in front, and all become commands, up to mostLines.
const (
	mostDrafted = 12
	mostLines   = 60
)

// found is a subcommand that the help speaks of.
type found struct {
	words []string
	about string
	usage []helptext.Usage
	page  helptext.Page
	// asked says that the page is its own help; why, that it could not be read.
	asked bool
	why   string
}

func (f *found) name() string { return strings.Join(f.words, " ") }

// survey is what a program's help says about all of it.
type survey struct {
	root     helptext.Page
	said     bool
	commands []*found
	// left are the others: their names, and of some why they were left out.
	left     []string
	unfit    map[string][]string
	warnings []string
}

// look asks the program for its help, and what it lists for theirs.
func (p *program) look(ctx context.Context) (*survey, error) {
	ctx, cancel := context.WithTimeout(ctx, allTimeout)
	defer cancel()
	top, err := p.help(ctx, nil)
	if err != nil {
		return nil, err
	}
	s := &survey{root: top.page, said: top.why == ""}
	if top.why != "" {
		s.warnings = append(s.warnings, quote(p.name+" --help")+" could not be read: "+top.why)
		return s, nil
	}
	lines := byWords(top.page.Usages)
	dispatching := len(top.page.Commands) > 0 && (len(lines) == 0 || hasSubcommand(top.page.Usages))
	if !dispatching {
		s.commands = s.fit(lines)
		if len(s.commands) > mostLines {
			s.leave(s.commands[mostLines:])
			s.commands = s.commands[:mostLines]
		}
		if len(s.commands) == 0 && len(lines) == 0 {
			s.single()
		}
		if first, _, _ := strings.Cut(strings.TrimSpace(top.text), "\n"); len(s.commands) == 0 {
			s.warnings = append(s.warnings, quote(p.name+" --help")+" begins with: "+helptext.Sentence(first))
		}
		return s, nil
	}
	leaves, err := p.leaves(ctx, s, lines, top)
	if err != nil {
		return nil, err
	}
	return s, p.choose(ctx, s, leaves, top)
}

func hasSubcommand(usages []helptext.Usage) bool {
	return slices.ContainsFunc(usages, func(u helptext.Usage) bool {
		return slices.ContainsFunc(u.Parts, func(p helptext.Part) bool { return p.Kind == helptext.Subcommand })
	})
}

// byWords gathers the usage lines of each subcommand, in their order.
func byWords(usages []helptext.Usage) []*found {
	var list []*found
	for _, u := range usages {
		if len(u.Words) == 0 || len(u.Words) > 4 || hasSubcommand([]helptext.Usage{u}) {
			continue
		}
		name := strings.Join(u.Words, " ")
		at := slices.IndexFunc(list, func(f *found) bool { return f.name() == name })
		if at < 0 {
			list = append(list, &found{words: u.Words, asked: true})
			at = len(list) - 1
		}
		list[at].usage = append(list[at].usage, u)
		list[at].about = cmp.Or(list[at].about, u.About)
	}
	return list
}

// fit leaves out what is no command of a pack.
func (s *survey) fit(list []*found) []*found {
	var fit []*found
	for _, f := range list {
		if f.words[len(f.words)-1] == "help" || f.words[0] == "help" {
			continue
		}
		if why := unfit(f.words); why != "" {
			s.left = append(s.left, f.name())
			if s.unfit == nil {
				s.unfit = map[string][]string{}
			}
			s.unfit[why] = append(s.unfit[why], f.name())
			continue
		}
		f.page = s.root
		fit = append(fit, f)
	}
	return fit
}

func (s *survey) leave(list []*found) {
	for _, f := range list {
		s.left = append(s.left, f.name())
	}
}

// single makes one command of a program without subcommands.
func (s *survey) single() {
	var usage []helptext.Usage
	for _, u := range s.root.Usages {
		if !hasSubcommand([]helptext.Usage{u}) && !slices.ContainsFunc(u.Parts, func(p helptext.Part) bool { return p.Kind == helptext.Rest }) {
			usage = append(usage, u)
		}
	}
	if len(usage) == 0 {
		return
	}
	s.commands = []*found{{about: cmp.Or(s.root.About, usage[0].About), usage: usage[:1], page: s.root, asked: true}}
}

// leaves are the subcommands of the program and of its groups.
func (p *program) leaves(ctx context.Context, s *survey, lines []*found, top answer) ([]*found, error) {
	known := map[string]bool{}
	var list []*found
	for _, f := range lines {
		known[f.name()] = true
		list = append(list, &found{words: f.words, about: f.about, usage: f.usage})
	}
	for _, e := range top.page.Commands {
		if !known[e.Name] {
			known[e.Name] = true
			list = append(list, &found{words: []string{e.Name}, about: e.About, usage: entryUsage([]string{e.Name}, e)})
		}
	}
	list = s.fit(list)
	// Where not all can be asked, it is those that are likeliest to become commands.
	const mostGroups = mostAsked / 2
	for _, f := range byRank(list)[:min(len(list), mostGroups)] {
		if err := p.read(ctx, f, top); err != nil {
			return nil, err
		}
	}
	var leaves []*found
	for _, f := range list {
		below := belowOf(f)
		if len(below) == 0 {
			leaves = append(leaves, f)
			continue
		}
		leaves = append(leaves, s.fit(below)...)
	}
	return leaves, nil
}

func entryUsage(words []string, e helptext.Entry) []helptext.Usage {
	if len(e.Parts) == 0 {
		return nil
	}
	return []helptext.Usage{{Words: words, Parts: e.Parts, About: e.About}}
}

// belowOf are the subcommands of a group: what its own help lists, or its usage
// lines with more words.
func belowOf(f *found) []*found {
	if !f.asked {
		return nil
	}
	var list []*found
	known := map[string]bool{}
	for _, e := range f.page.Commands {
		if words := append(slices.Clone(f.words), e.Name); e.Name != f.words[len(f.words)-1] && e.Name != "help" {
			known[strings.Join(words, " ")] = true
			list = append(list, &found{words: words, about: e.About, usage: entryUsage(words, e)})
		}
	}
	for _, g := range byWords(f.page.Usages) {
		if len(g.words) > len(f.words) && slices.Equal(g.words[:len(f.words)], f.words) && !known[g.name()] {
			list = append(list, g)
		}
	}
	if len(list) == 0 || !hasSubcommand(f.page.Usages) && len(list) < 2 {
		return nil
	}
	return list
}

// read asks for the help of a subcommand. An answer that is the program's own
// help says nothing about it.
func (p *program) read(ctx context.Context, f *found, top answer) error {
	a, err := p.help(ctx, f.words)
	if err != nil {
		return err
	}
	switch {
	case a.why != "":
		f.why = a.why
	case a.text == top.text:
		f.why = "it answers with the help of the program"
	default:
		f.asked, f.page = true, a.page
		f.about = cmp.Or(f.about, a.page.About)
	}
	return nil
}

// choose takes the commands that there is room for, and reads their help.
func (p *program) choose(ctx context.Context, s *survey, leaves []*found, top answer) error {
	ranked := byRank(leaves)
	chosen := map[*found]bool{}
	for _, f := range share(ranked) {
		chosen[f] = true
	}
	for _, f := range leaves {
		if !chosen[f] {
			s.left = append(s.left, f.name())
			continue
		}
		if !f.asked && f.why == "" || len(f.page.Usages) == 0 && len(f.words) > 1 && f.why == "" {
			if err := p.read(ctx, f, top); err != nil {
				return err
			}
		}
		if !f.asked {
			f.page = helptext.Page{}
			s.warnings = append(s.warnings, "the help of "+quote(f.name())+" could not be read, so its arguments are still missing: "+f.why)
		}
		s.commands = append(s.commands, f)
	}
	return nil
}

// byRank puts what is likeliest to become a command first.
func byRank(list []*found) []*found {
	ranked := slices.Clone(list)
	slices.SortStableFunc(ranked, func(a, b *found) int {
		return cmp.Or(cmp.Compare(rank(a.words, a.about), rank(b.words, b.about)), cmp.Compare(len(a.words), len(b.words)))
	})
	return ranked
}

// share gives reads two thirds of the room, so that writes have a place too.
func share(ranked []*found) []*found {
	reads := 0
	for _, f := range ranked {
		if rank(f.words, f.about) < 2 {
			reads++
		}
	}
	const room = mostDrafted * 2 / 3
	if others := len(ranked) - reads; reads > room && others > 0 {
		keep := max(room, mostDrafted-others)
		ranked = slices.Concat(ranked[:min(keep, reads)], ranked[reads:])
	}
	return ranked[:min(len(ranked), mostDrafted)]
}
