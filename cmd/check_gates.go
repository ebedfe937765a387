package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/config"
	"autobuild/internal/text"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/state"
)

// errGateTools says that a run would not start.
var errGateTools = errors.New("gates need programs that are not installed")

// missingGates are the gates of the configuration and of the plan whose program is not installed,
// each once: a run refuses to start with them. Gates of the stack that cannot run are shown by a
// run and refuse nothing.
func missingGates(root string, configured []state.GateSpec, p *plan.Plan, environ []string) []state.GateSpec {
	named := verify.Probe(root, environ, verify.Merge(configured, nil, verify.Detect(root).Gates))
	for _, phase := range p.Phases() {
		named = append(named, verify.Probe(root, environ, planGates(phase))...)
	}
	var missing []state.GateSpec
	for _, g := range verify.Unavailable(named) {
		if !slices.ContainsFunc(missing, func(m state.GateSpec) bool { return m.Name == g.Name && m.Command == g.Command }) {
			g.Source = strings.Replace(g.Source, verify.SourceConfig, config.Name, 1)
			missing = append(missing, g)
		}
	}
	return missing
}

// gateProblems are findings about gates of the configuration; plan.Check has those of the plan.
func (s surroundings) gateProblems(missing []state.GateSpec) plan.Problems {
	var found plan.Problems
	for _, g := range missing {
		if g.Source == config.Name {
			found = append(found, plan.Problem{
				Code: "W-MISSING-COMMAND", Severity: plan.Warning,
				Message: fmt.Sprintf("gate %s of %s calls %s, which is not installed", g.Name, config.Name, g.Tool),
				Hint:    s.Install(g.Tool) + ", or correct " + config.Name,
			})
		}
	}
	return found
}

// refusedStart says which programs keep a run from starting; empty: none does.
func refusedStart(missing []state.GateSpec) string {
	if len(missing) == 0 {
		return ""
	}
	var parts []string
	for _, g := range missing {
		parts = append(parts, fmt.Sprintf("gate %s needs %s", g.Name, g.Tool))
	}
	slices.Sort(parts)
	return "a run would not start: " + text.Clean(strings.Join(slices.Compact(parts), ", "), 400)
}

// Install says how a missing program may be had: the program that is meant, where one with almost
// its name is on PATH, else the command that installs it, else only that it is to be installed.
func (s surroundings) Install(name string) string {
	const most = 2 // letters
	if near := nearest(name, s.programs(), most); near != "" {
		return "did you mean " + near + "? Else install it"
	}
	d := failure.Diagnose(failure.Evidence{Gates: []failure.GateRun{{Name: name, Command: name, NotAvailable: true}}})
	if d.FixCommand != "" {
		return "install it: " + d.FixCommand
	}
	return "install it"
}

// programs are the names on PATH and among the programs that npm has installed for the project.
func (s surroundings) programs() []string {
	var names []string
	dirs := append(filepath.SplitList(s.app.Environ.Get("PATH")), filepath.Join(s.project.Root, "node_modules", ".bin"))
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // a directory that is not there has none
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nearest is the name with the fewest letters in another way, where these are few for its length;
// "" without one.
func nearest(name string, known []string, most int) string {
	best, least := "", most+1
	for _, k := range known {
		if d := text.Distance(name, k, most); d < least && d*3 <= len(name) {
			best, least = k, d
		}
	}
	return best
}
