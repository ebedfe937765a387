package term

import (
	"autobuild/internal/text"
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
		action := ""
		if a.Failure != nil {
			action = a.Failure.Installation()
		}
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
		step(text.JoinSome(wanted[action], 5) + ": " + action)
	}
	return others
}
