package reading

import (
	"regexp"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// finalNames are the headings, in lower case, below which a plan states what has to hold when all
// is done.
var finalNames = regexp.MustCompile(`^(?:\d+[.)]? )?(?:final |overall |end-to-end |whole[- ]plan |project )?` +
	`(?:verification|validation|verify|acceptance|checks?|gates)(?: (?:commands?|steps?|checks?|gates?|tests?|criteria))?$|^how to verify(?: it| everything)?$`)

// neverEnds are commands that are there for a person to look at: no gate waits for a server.
var neverEnds = regexp.MustCompile(`(?:^|&& |; )(?:npm|pnpm|yarn|bun)(?: run)? (?:dev|start|serve|preview|watch)\b|--watch\b|\bdocker[- ]compose up(?:$| (?:-[^d]|[^-]))|` +
	`^(?:open|xdg-open|tail -f|watch|code|vi|vim|less) |\b(?:runserver|http\.server)\b|&\s*$`)

// finalGates takes the commands of closing sections that belong to no phase, and names the
// sections: they hold for the whole, so they run once, after the last phase. A section that says
// that it is for each phase is none, nor is one before the phases: those are globalGates'.
func (r *Reading) finalGates() (sections []document.Heading) {
	last := 0
	for i := range r.Units {
		last = max(last, r.Units[i].From, r.Units[i].Pos.Line)
	}
	end := 0
	for _, h := range r.Doc.Heads {
		if h.Line <= last || h.Line < end || r.Covered[h.Line] || !r.closing(h) {
			continue
		}
		for _, g := range gatesIn(r.Doc, h) {
			if !neverEnds.MatchString(g.Command) {
				r.Final = append(r.Final, g)
			}
		}
		sections, end = append(sections, h), h.End
	}
	r.Final = section.NameGates(r.Final)
	return sections
}

// statedIn lists the commands of a section: fences that name a shell, for others hold what is
// expected, and list items.
func gatesIn(d *document.Document, h document.Heading) (gates []plan.Gate) {
	for _, f := range d.FencesIn(h.Line, h.End) {
		if info, _, _ := strings.Cut(f.Info, " "); info != "" && slices.Contains(section.Shells, info) {
			gates = append(gates, section.BlockGates(f)...)
		}
	}
	gates = append(gates, section.ListGates(d, document.Stretch{From: h.Line, To: h.End, Class: words.ClassGates, Item: -1})...)
	slices.SortStableFunc(gates, func(a, b plan.Gate) int { return a.Pos.Line - b.Pos.Line })
	return gates
}

var eachPhase = regexp.MustCompile(`(?i)\b(?:(?:each|every|all|per) (?:phases?|tasks?|steps?|stor(?:y|ies)|commits?|batch(?:es)?)|after each|before each)\b`)

// closing reports whether a heading announces final gates: by its name, and no word about each
// Phase before its first command.
func (r *Reading) closing(h document.Heading) bool {
	name := inline.Words(h.Text)
	if !finalNames.MatchString(name) && !strings.Contains(name, "verification command") && !strings.Contains(name, "validation command") {
		return false
	}
	for n := h.Line; n < h.End && n <= r.Doc.Count(); n++ {
		text := r.Doc.Line(n)
		if strings.HasPrefix(strings.TrimSpace(text), "```") {
			break
		}
		if eachPhase.MatchString(text) {
			return false
		}
	}
	return true
}
