package call

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/diagnose"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/state"
)

// World is the surroundings of a plan: its project, and the environment of this call.
type World struct {
	Call    *Call
	Project *Project
	Shell   func() verify.Shell // of gates with pipelines
}

// File reports whether there is a file or a directory at a path from the root.
func (s World) File(path string) bool {
	_, err := os.Stat(filepath.Join(s.Project.Root, filepath.FromSlash(path)))
	return err == nil
}

// Command reports whether a program is on PATH.
func (s World) Command(name string) bool { return s.Call.LookPath(name) }

// Variable reports whether an environment variable is set.
func (s World) Variable(name string) bool { return s.Call.Environ.Get(name) != "" }

// Names lists a directory, so that a missing file can be compared with what is there.
func (s World) Names(dir string) []string {
	entries, err := os.ReadDir(filepath.Join(s.Project.Root, filepath.FromSlash(dir)))
	if err != nil {
		return nil // then there is nothing to suggest
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

// Pipefail reports whether gates run with pipefail here.
func (s World) Pipefail() bool { return s.Shell().Pipefail() }

// Verified reports whether the configuration or the stack brings gates of its own.
func (s World) Verified() bool {
	return len(s.Project.Config.Gates)+len(verify.Detect(s.Project.Root).Gates) > 0
}

// MissingGates are the gates of the configuration and of the plan whose program is not installed,
// each once: a run refuses to start with them. Gates of the stack that cannot run are shown by a
// run and refuse nothing.
func MissingGates(
	root string, configured []state.GateSpec, p *plan.Plan, environ []string,
) []state.GateSpec {
	named := verify.Probe(root, environ, verify.Merge(configured, nil, verify.Detect(root).Gates))
	for _, phase := range p.Phases() {
		named = append(named, verify.Probe(root, environ, PlanGates(phase))...)
	}
	var missing []state.GateSpec
	for _, g := range verify.Unavailable(named) {
		if !slices.ContainsFunc(missing, func(m state.GateSpec) bool {
			return m.Name == g.Name && m.Command == g.Command
		}) {
			g.Source = strings.Replace(g.Source, verify.SourceConfig, config.Name, 1)
			missing = append(missing, g)
		}
	}
	return missing
}

// GateProblems are findings about gates of the configuration; plan.Check has those of the plan.
func (s World) GateProblems(missing []state.GateSpec) plan.Problems {
	var found plan.Problems
	for _, g := range missing {
		if g.Source == config.Name {
			found = append(found, plan.Problem{
				Code: "W-MISSING-COMMAND", Severity: plan.Warning,
				Message: fmt.Sprintf("gate %s of %s calls %s, which is not installed", g.Name,
					config.Name, g.Tool),
				Hint: s.Install(g.Tool) + ", or correct " + config.Name,
			})
		}
	}
	return found
}

// RefusedStart says which programs keep a run from starting; empty: none does.
func RefusedStart(missing []state.GateSpec) string {
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
func (s World) Install(name string) string {
	const most = 2 // letters
	if near := text.Nearest(name, s.programs(), min(most, len(name)/3)+1); near != "" {
		return "did you mean " + near + "? Else install it"
	}
	d := diagnose.From(
		failure.Evidence{Gates: []failure.GateRun{{Name: name, Command: name, NotAvailable: true}}})
	if d.FixCommand != "" {
		return "install it: " + d.FixCommand
	}
	return "install it"
}

// programs are the names on PATH and among the programs that npm has installed for the project.
func (s World) programs() []string {
	var names []string
	dirs := append(filepath.SplitList(s.Call.Environ.Get("PATH")),
		filepath.Join(s.Project.Root, "node_modules", ".bin"))
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

// PlanGates are the gates that the plan names for a phase.
func PlanGates(p plan.Phase) []state.GateSpec {
	specs := make([]state.GateSpec, len(p.Gates))
	for i, g := range p.Gates {
		specs[i] = state.GateSpec{
			Name: g.Name, Kind: verify.Kind(g.Name), Command: g.Command,
			Source: verify.SourcePlan, Available: true,
		}
	}
	return specs
}

// OnWindows is asked where systems differ too little for files of their own.
const OnWindows = runtime.GOOS == "windows"
