package term

import (
	"cmp"
	"fmt"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Judges describes the checks that judge the phases of a plan.
type Judges struct {
	Gates []JudgeGate
	Files []JudgeFile // in the order in which they are shown
	Mode  string      // how strictly: strict, contest or off
}

// JudgeGate is a gate's command, and the phase whose gate it is; empty: every phase's.
type JudgeGate struct{ Phase, Name, Command string }

// JudgeFile is a class with its files: patterns, and the reason why they are of that class. No
// pattern: the class has no files.
type JudgeFile struct{ Class, Pattern, Why string }

// gateRules say what becomes of a change of tests and gates, by the strictness.
var gateRules = map[string]string{
	"strict": "A phase that changes what is listed fails, unless its section of the plan asks " +
		"for the change.",
	"contest": "A phase that changes what is listed fails, unless its section of the plan asks " +
		"for the change, or the agent gives a reason in its result: then the phase is " +
		"contested, and a person decides (autobuild accept).",
	"off": "With --referee off, changes of what is listed are not compared.",
}

// Referee shows the judges of the phases: the gates' commands, the files by class, and the
// consequences.
func Referee(j Judges, s render.Style) string {
	d := sayer{style: s}
	const column = 10
	row := func(name, content string) {
		d.line(0, text.Pad(name, column), content,
			render.PlainInk)
	}
	if len(j.Gates) == 0 {
		row("command", "none: nothing would judge the phases")
	}
	for _, g := range j.Gates {
		text := g.Name + ": " + g.Command
		if g.Phase != "" {
			text += "  (phase " + g.Phase + ")"
		}
		row("command", text)
	}
	for _, f := range j.Files {
		if f.Pattern == "" {
			row(f.Class, "none")
			continue
		}
		d.row(text.Pad(f.Class, column), f.Pattern, "("+f.Why+")")
	}
	d.out.WriteString("\n")
	d.line(0, "", "Everything else is product code. "+cmp.Or(gateRules[j.Mode],
		gateRules["contest"]), render.PlainInk)
	return text.DisarmLines(d.out.String())
}

// row writes text and an aside behind a lead: on one row for tools, and where a person's window
// has no room for that, on rows of their own.
func (d *sayer) row(lead, content, aside string) {
	content, aside = d.style.Show(content, 2000), d.style.Show(aside, 2000)
	if !d.style.Wrap || text.Width(lead)+text.Width(content)+2+
		text.Width(aside) <= d.style.Columns() {
		fmt.Fprintf(&d.out, "%s%s  %s\n", lead, content, paint(d.style, render.Faint, aside))
		return
	}
	d.line(0, lead, content, render.PlainInk)
	d.line(text.Width(lead)+2, "", aside, render.Faint)
}

// JudgeGates are the gates of a phase, or with an empty name of every phase, as Judges shows them.
func JudgeGates(phase string, gates []state.GateSpec) []JudgeGate {
	out := make([]JudgeGate, len(gates))
	for i, g := range gates {
		out[i] = JudgeGate{phase, g.Name, g.Command}
	}
	return out
}
