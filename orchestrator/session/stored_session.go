package session

import (
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/orchestrator/session/roster"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

// past is the session of a run that others have run, as far as its last screen has to know it.
// holder says how it was called, where that was still to be seen; else its agent is named, since
// starting again without a name could find another one.
func (a *Caller) past(p *call.Project, run *state.Run, holder store.Holder) *session {
	line := make(map[string]bool)
	for _, name := range holder.Chosen {
		line[name] = true
	}
	given := holder.Flags
	if holder.PID == 0 {
		given, line["agent"], line["model"] = run.Config.Flags, true, run.Config.Model != ""
	}
	o := &config.Options{Line: line}
	for _, word := range given { // limits that were met have to be raised
		if v, ok := strings.CutPrefix(word, "--max-cost="); ok {
			o.MaxCost, _ = strconv.ParseFloat(v, 64)
		}
		if v, ok := strings.CutPrefix(word, "--max-tokens="); ok {
			o.MaxTokens, _ = strconv.ParseInt(v, 10, 64)
		}
	}
	return &session{
		Caller: a, o: o, project: p, run: run, config: run.Config, given: given,
		path: p.PlanPath(run.Config.Plan), name: run.Config.Plan,
		Roster: roster.New(a.Call, o, p, nil, "", nil),
	}
}

// ResumeCall is the call that goes on with a stored run as its last session was called.
func (a *Caller) ResumeCall(p *call.Project, run *state.Run) []string {
	s := a.past(p, run, store.Holder{})
	return slices.Concat(s.Program(), []string{s.planArg()}, s.left(s.done()), []string{"--resume"})
}

// StoredEnding is what a summary has to know of the call that ran a stored run; holder is who ran
// it, as far as that is known.
func (a *Caller) StoredEnding(p *call.Project, run *state.Run, holder store.Holder) render.Ending {
	return a.past(p, run, holder).ending()
}
