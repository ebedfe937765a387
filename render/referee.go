package render

import (
	"cmp"
	"fmt"

	"autobuild/state"
)

// Judges is what judges the phases of a plan.
type Judges struct {
	Gates []JudgeGate
	Files []JudgeFile // in the order in which they are shown
	Mode  string      // how strictly: strict, contest or off
}

// JudgeGate is a gate's command, and the phase whose gate it is; empty: every phase's.
type JudgeGate struct{ Phase, Name, Command string }

// JudgeFile is a class and what of it there is: patterns, and why they are of that class. No
// pattern: there is none of that class.
type JudgeFile struct{ Class, Pattern, Why string }

// gateRules say what becomes of a change of tests and gates, by the strictness.
var gateRules = map[string]string{
	"strict":  "A phase that changes what is listed fails, unless its section of the plan asks for the change.",
	"contest": "A phase that changes what is listed fails, unless its section of the plan asks for the change, or the agent gives a reason in its result: then the phase is contested, and a person decides (autobuild accept).",
	"off":     "With --referee off, changes of what is listed are not compared.",
}

// Referee shows what judges the phases: the gates' commands, the files by class, and what follows.
func Referee(j Judges, s Style) string {
	d := sayer{style: s}
	const column = 10
	row := func(name, text string) { d.line(0, pad(name, column), text, plainInk) }
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
		d.row(pad(f.Class, column), f.Pattern, "("+f.Why+")")
	}
	d.out.WriteString("\n")
	d.line(0, "", "Everything else is product code. "+cmp.Or(gateRules[j.Mode], gateRules["contest"]), plainInk)
	return screen(d.out.String())
}

// row writes text and an aside behind a lead: on one row for tools, and where a person's window
// has no room for that, on rows of their own.
func (d *sayer) row(lead, text, aside string) {
	text, aside = d.style.show(text, 2000), d.style.show(aside, 2000)
	if !d.style.Wrap || Width(lead)+Width(text)+2+Width(aside) <= d.style.width() {
		fmt.Fprintf(&d.out, "%s%s  %s\n", lead, text, d.style.paint(faint, aside))
		return
	}
	d.line(0, lead, text, plainInk)
	d.line(Width(lead)+2, "", aside, faint)
}

// JudgeGates are the gates of a phase, or with an empty name of every phase, as Judges shows them.
func JudgeGates(phase string, gates []state.GateSpec) []JudgeGate {
	out := make([]JudgeGate, len(gates))
	for i, g := range gates {
		out[i] = JudgeGate{phase, g.Name, g.Command}
	}
	return out
}
