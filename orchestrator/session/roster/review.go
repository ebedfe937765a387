package roster

import (
	"cmp"
	"fmt"

	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/review"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
)

// Reviewer is who gives a second opinion in a run, and on which phases.
type Reviewer struct {
	Agent   ChosenAgent
	Missing string // why it cannot be asked; empty: it can
	config.Review
}

// chooseReviewer finds the reviewer of the run: the one of the configuration, else an installed
// agent other than the author, else the author's in a session of its own. A program that is not
// there is told and keeps no phase from running.
func (r *Roster) chooseReviewer() error {
	c := config.Review{On: review.OnOff, Rounds: config.DefaultRounds}
	if r.project.Config.Review != nil {
		c = *r.project.Config.Review
	}
	asked := c.On != review.OnOff
	for _, own := range r.Choices {
		asked = asked || own.review != "" && own.review != review.OnOff
	}
	if !asked {
		return nil
	}
	v := &Reviewer{Review: c}
	v.Agent.Name, v.Agent.Model = cmp.Or(c.Agent, r.otherAgent()), c.Model
	if v.Agent.Name == "" {
		v.Agent.Name, v.Agent.Command = r.Agent.Name, r.Agent.Command
		v.Agent.Model = cmp.Or(c.Model, r.Agent.Model)
	}
	var err error
	switch {
	case v.Agent.Name != "script":
		v.Agent, err = r.fitted(v.Agent, "")
	case c.Run == "":
		err = call.Usage("review: there is no agent that could review",
			"name one: review: {agent: NAME} in autobuild.yaml")
	default:
		v.Agent.Agent = agent.Script(r.runner)
	}
	if err != nil && call.ExitCode(err) == call.ExitUsage {
		return err
	}
	if err != nil {
		v.Missing = text.OneLine(err.Error())
		r.Notices = append(r.Notices, "no phase is reviewed: "+v.Missing)
	}
	if v.Missing == "" && v.Agent.Name == r.Agent.Name && v.Agent.Model == r.Agent.Model {
		r.Notices = append(r.Notices, fmt.Sprintf("%s reviews its own work, in a session of its "+
			"own; review: {agent: NAME} or {model: NAME} asks another", v.Agent.Name))
	}
	r.Review = v
	return nil
}

// otherAgent is the first installed agent that does not do the run's work; empty: there is none.
func (r *Roster) otherAgent() string {
	for _, name := range agent.Names() {
		if name != r.Agent.Name && r.call.LookPath(agent.Program(name)) {
			return name
		}
	}
	return ""
}

// ReviewOn is which work of a phase is reviewed: all, risky or off.
func (r *Roster) ReviewOn(p plan.Phase) string {
	if r.Review == nil {
		return review.OnOff
	}
	return cmp.Or(r.Choices[p.ID].review, r.Review.On)
}
