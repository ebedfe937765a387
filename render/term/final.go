package term

import (
	"fmt"

	"autobuild/failure/sign"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// finalGatesSection shows the gates that the plan states for the whole, with the log of each that
// did not pass.
func finalGatesSection(d render.Overview, b *box, e render.Ending) {
	gates := d.End().Final
	if len(gates) == 0 {
		return
	}
	look := render.Strong
	if len(d.End().Unmet()) > 0 {
		look = render.Bad
	}
	b.section("FINAL GATES", look)
	for _, g := range gates {
		word, i := render.GateWord(g)
		b.leader(text.Clean(g.Name, 60), word, i)
		if g.Status == state.GatePassed {
			continue
		}
		b.field(2, "Command:", g.Command)
		if g.Exit > 0 {
			b.field(2, "Exit code:", fmt.Sprint(g.Exit))
		}
		if found := firstFindings(g); found != "" {
			b.field(2, "Found:", found)
		}
		if g.Log != "" {
			b.field(2, "Log:", render.InStateDir(e.Dir, g.Log))
		}
	}
	b.blank()
}

// firstFindings names what a gate found, else the line of its output that says most.
func firstFindings(g state.Gate) string {
	var all []string
	for _, t := range g.Tests {
		all = append(all, t.Name)
	}
	for _, p := range g.Places {
		all = append(all, p.File+": "+p.Message)
	}
	if len(all) == 0 {
		return sign.ErrorLines(g.Tail)
	}
	return text.JoinSome(all, foldTests)
}
