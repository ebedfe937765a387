package reading

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// finalNames are the headings, in lower case, below which a plan states what has to hold when all
// is done.
var finalNames = lazyregexp.New(
	`^(?:\d+[.)]? )?(?:final |overall |end-to-end |whole[- ]plan |project )?` +
		`(?:verification|validation|verify|acceptance|checks?|gates)(?: (?:commands?|steps?|checks?|gates?|tests?|criteria))?$|^how to verify(?: it| everything)?$`)

// neverEnds matches commands that run until the user stops them, such as a server. No gate waits
// for one.
var neverEnds = lazyregexp.New(
	`(?:^|&& |; )(?:npm|pnpm|yarn|bun)(?: run)? (?:dev|start|serve|preview|watch)\b|--watch\b|\bdocker[- ]compose up(?:$| (?:-[^d]|[^-]))|` +
		`^(?:open|xdg-open|tail -f|watch|code|vi|vim|less) |\b(?:runserver|http\.server)\b|&\s*$`)

// readFinalGates reads the commands of closing sections outside all phases, and returns the
// sections. The commands run once, after the last phase. A section about each phase, or before the
// phases, is left to readGlobalGates.
func (r *Reading) readFinalGates() (sections []document.Heading) {
	last := 0
	for i := range r.Units {
		last = max(last, r.Units[i].From, r.Units[i].Pos.Line)
	}
	end := 0
	for _, h := range r.Doc.Headings {
		if h.Line <= last || h.Line < end || r.Covered[h.Line] || !r.isFinalSection(h) {
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

// gatesIn lists the commands of a section: list items, and fences that name a shell. Other fences
// hold expected output.
func gatesIn(d *document.Document, h document.Heading) (gates []plan.Gate) {
	for _, f := range d.CodeBlocksIn(h.Line, h.End) {
		if info, _, _ := strings.Cut(f.Info, " "); info != "" &&
			slices.Contains(section.ShellNames, info) {
			gates = append(gates, section.BlockGates(f)...)
		}
	}
	gates = append(gates, section.ListGates(d,
		document.Topic{From: h.Line, To: h.End, Class: words.ClassGates, Item: -1})...)
	slices.SortStableFunc(gates, func(a, b plan.Gate) int { return a.Pos.Line - b.Pos.Line })
	return gates
}

var eachPhase = lazyregexp.New(
	`(?i)\b(?:(?:each|every|all|per) (?:phases?|tasks?|steps?|stor(?:y|ies)|commits?|batch(?:es)?)|after each|before each)\b`)

// isFinalSection reports whether a heading announces final gates: by its name, and no word about
// each phase before its first command.
func (r *Reading) isFinalSection(h document.Heading) bool {
	name := inline.Words(h.Text)
	if !finalNames.MatchString(name) && !strings.Contains(name, "verification command") &&
		!strings.Contains(name, "validation command") {
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
