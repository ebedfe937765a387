package verify

import (
	"strings"

	"autobuild/orchestrator/verify/output"
	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// ReadOutput fills in what the output of a gate that has ended says: counts, failing tests,
// findings, its end. It is what a run does with its own gates, for an output that comes from
// somewhere else: dir, which may be empty and need not exist here, is where that was.
func ReadOutput(text, dir string, g *state.Gate) {
	where := output.Paths{Dir: dir}
	output.Read(where, strings.NewReader(text), text, g, output.NewNames(where))
	finish(g)
}

// NamesIn is what the output of a gate that has ended shows of tests by name, as Judge gives it for
// its own gates.
func NamesIn(text, dir string, g state.Gate) referee.Outcome {
	where := output.NewPlace(dir)
	seen := output.NewNames(where)
	output.Read(where, strings.NewReader(text), text, &g, seen)
	o := referee.Outcome{Ran: true, Passed: g.Status == state.GatePassed, Gates: []state.Gate{g}}
	seen.Into(&o, g)
	return o
}

// finish names the tool that a shell did not find, where its output does not.
func finish(g *state.Gate) {
	if g.Status != state.GatePassed && g.Exit == 127 && g.Missing == "" {
		g.Missing = program(g.Command)
	}
}
