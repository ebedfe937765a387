package render

import (
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/state"
)

// installs shows what is to be installed for phases whose other steps are left out, each command
// once, and gives back the phases that need nothing of the kind.
func installs(failed []*state.Phase, step func(string)) (others []*state.Phase) {
	const most = 10 // commands
	var actions []string
	wanted := make(map[string][]string) // by action: labels
	for _, p := range failed {
		a, _ := p.Last()
		action := installOf(a.Failure)
		if action == "" || wanted[action] == nil && len(actions) == most {
			others = append(others, p)
			continue
		}
		if wanted[action] == nil {
			actions = append(actions, action)
		}
		wanted[action] = append(wanted[action], p.Label)
	}
	for _, action := range actions {
		step(some(wanted[action], 5) + ": " + action)
	}
	return others
}

// installOf is the action that installs something; empty where a failure has none.
func installOf(f *failure.Diagnosis) string {
	if f == nil || f.Package == "" && f.Type != failure.DependencyMissing && f.Cause != failure.DependencyMissing {
		return ""
	}
	i := slices.IndexFunc(f.Actions, func(a string) bool { return strings.HasPrefix(a, "Install ") })
	if i < 0 {
		return ""
	}
	return f.Actions[i]
}
