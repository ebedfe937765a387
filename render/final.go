package render

import (
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// finalGates shows the gates that the plan states for the whole, with the log of each that did not pass.
func (d account) finalGates(b *box, e Ending) {
	gates := d.end().Final
	if len(gates) == 0 {
		return
	}
	look := strong
	if len(d.end().Unmet()) > 0 {
		look = bad
	}
	b.section("FINAL GATES", look)
	for _, g := range gates {
		word, i := gateWord(g)
		b.leader(Clean(g.Name, 60), word, i)
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
			b.field(2, "Log:", under(e.Dir, g.Log))
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
		return failure.Complaint(g.Tail)
	}
	return some(all, foldTests)
}

// finalSteps say what a person does about final gates that did not pass.
func (d account) finalSteps(step func(string)) {
	unmet := d.end().Unmet()
	for _, g := range unmet[:min(len(unmet), 3)] {
		first, _, _ := strings.Cut(g.Command, "\n")
		step("Make final gate " + g.Name + " pass (" + Clean(first, 120) + ") and commit the fix to your branch")
	}
	if len(unmet) > 0 {
		step("Resume: no phase is done again, and the final gates run once more")
	}
}

// unproven reports whether no gate speaks for some phase's work.
func (d account) unproven() bool {
	end := d.end()
	end.Totals = d.totals
	return end.Unproven()
}

// finalLines are the final gates in words, a line each.
func finalLines(gates []state.Gate) []string {
	lines := make([]string, len(gates))
	for i, g := range gates {
		word, _ := gateWord(g)
		lines[i] = g.Name + " " + strings.ToLower(word)
	}
	return lines
}

// finals are the final gates as cases.
func (s Suites) finals() []junitCase {
	if s.Run == nil || s.Run.End == nil {
		return nil
	}
	var cases []junitCase
	for i := range s.Run.End.Final {
		g := &s.Run.End.Final[i]
		whole, attempt := state.Phase{Status: state.Failed}, state.Attempt{}
		c := s.gate(&whole, &attempt, g, s.class("run"))
		c.Name = "final gate " + c.Name
		cases = append(cases, c)
	}
	return cases
}

// aroundPhases are the commands that run before each phase and after the last, with the name of their row.
func aroundPhases(p *plan.Plan, c state.Config) (rows [][2]string) {
	for _, command := range c.Setup {
		rows = append(rows, [2]string{"setup", command})
	}
	for _, g := range p.Final {
		rows = append(rows, [2]string{"final", g.Name + ": " + strings.ReplaceAll(g.Command, "\n", "; ")})
	}
	return rows
}
