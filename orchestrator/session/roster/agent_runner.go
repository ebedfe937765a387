package roster

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// ChosenAgent is the agent of a run, fitted to what an attempt wants.
type ChosenAgent struct {
	agent.Agent
	Name    string
	Command string // of agent command, as the user wrote it
	Program string // that is started; empty: the blocks of the plan are run
	Model   string
	effort  string // empty: as configured
	Clean   bool
}

// Run hands the job over: both sides name its parts alike and know nothing of each other.
func (c ChosenAgent) Run(ctx context.Context, job attempt.Job) (attempt.Outcome, error) {
	out, err := c.Agent.Run(ctx, agent.Job(job))
	return attempt.Outcome(out), err
}

// chooseAgent picks the agent: asked for, else stored, else the first built-in one on PATH, else
// script where every phase has one.
func (r *Roster) chooseAgent(stored state.Config) (ChosenAgent, error) {
	name, command := strings.Join(r.o.Agents(), ","), r.o.AgentCmd
	switch {
	case r.o.Line["agent"]:
		command = ""
	case r.o.Line["agent-cmd"]:
		name = ""
	case stored.Agent != "": // before what is configured: a resume goes on as it began
		name, command = stored.Agent, stored.AgentCmd
	}
	model := r.modelFor(name, stored)
	var err error
	if name == "" && command == "" {
		if name, err = r.defaultAgent(); err != nil {
			return ChosenAgent{}, err
		}
	}
	c := ChosenAgent{Name: name, Command: command, Model: model}
	err = r.makeAgent(&c)
	return c, err
}

// makeAgent finds what stands behind the name.
func (r *Roster) makeAgent(c *ChosenAgent) error {
	defined, isDefined := r.project.Config.Agents[c.Name]
	var err error
	if !r.Away {
		if defined, err = defined.Resolve(c.Name, r.call.Environ.Get); err != nil {
			return call.Usage(err.Error(), "")
		}
	}
	if c.Model == "" {
		c.Model = defined.Model
	}
	effort, err := r.effortOf(*c)
	if err != nil {
		return err
	}
	switch {
	case c.Command != "":
		argv, err := agent.Split(c.Command)
		if err != nil {
			return call.Usage("--agent-cmd: "+err.Error(), "")
		}
		if strings.ContainsAny(argv[0], `/\`) {
			argv[0] = r.call.Path(argv[0]) // agents work elsewhere
		}
		if c.Name == "" {
			c.Name = "command"
		}
		c.Agent, c.Program = agent.Command(r.runner, c.Name, argv,
			agent.CommandOptions{Result: "block"}), argv[0]
		return r.mustExist(c.Name, argv[0])
	case isDefined && len(defined.Command) > 0:
		made, err := defined.Define(r.runner, c.Name)
		if err != nil {
			return call.Usage(err.Error(), "")
		}
		c.Agent, c.Program = agent.Priced(made, defined.Prices.Agent()), defined.Command[0]
		return r.mustExist(c.Name, defined.Command[0])
	case c.Name == "script":
		if bare := r.withoutScript(); bare != "" {
			return call.Usage("phase "+bare+
				" has no sh block, so the script agent has nothing to run",
				"add one to the plan, or name another agent with --agent")
		}
		c.Agent, c.Clean = agent.Script(r.runner), true
		return nil
	}
	built, ok := agent.Builtin(r.runner, c.Name, slices.Concat(defined.Args, effort), defined.Env)
	if !ok {
		known := append(agent.Names(), "script")
		for name := range r.project.Config.Agents {
			known = append(known, name)
		}
		return call.Usage(fmt.Sprintf("there is no agent %q", c.Name),
			text.Suggest(c.Name, known, config.SeeHelp))
	}
	c.Agent, c.Program = agent.Priced(built, defined.Prices.Agent()), agent.Program(c.Name)
	if bypasses := agent.Bypasses(defined.Args); len(bypasses) > 0 {
		r.Notices = append(r.Notices,
			fmt.Sprintf("agent %s is called with %s, as configured: its own checks are off", c.Name,
				strings.Join(bypasses, " ")))
	}
	return r.mustExist(c.Name, agent.Program(c.Name))
}

// mustExist refuses an agent whose program is not there, before anything starts.
func (r *Roster) mustExist(name, program string) error {
	if r.call.LookPath(program) {
		return nil
	}
	if path := r.call.Path(program); strings.ContainsRune(program, filepath.Separator) &&
		safefile.Exists(path) {
		return fmt.Errorf(
			"agent %s cannot be used: %s is no program that you may run; make it one (%s), or "+
				"name another with --agent or --agent-cmd",
			name, text.Clean(program, 0), render.Command([]string{"chmod", "+x", program}))
	}
	return fmt.Errorf(
		"agent %s cannot be used: there is no program %s; install it, or name another with "+
			"--agent or --agent-cmd",
		name, program)
}

func (r *Roster) defaultAgent() (string, error) {
	for _, name := range agent.Names() {
		if r.call.LookPath(agent.Program(name)) {
			return name, nil
		}
	}
	if bare := r.withoutScript(); bare != "" {
		return "", fmt.Errorf(
			"no coding agent is installed (looked for %s), and phase %s has no sh block for the "+
				"script agent; install one, or name a program with --agent-cmd",
			strings.Join(agent.Names(), ", "), bare)
	}
	return "script", nil
}

// withoutScript is the label of the first phase to be run that has neither a sh block nor an agent
// of its own; empty when all have one.
func (r *Roster) withoutScript() string {
	for _, p := range r.plan.Phases() {
		if len(p.Script) == 0 && r.runs(p) && r.saidOf(p)[plan.SettingAgent].Value == "" {
			return p.Label
		}
	}
	return ""
}

// runs reports whether a phase is asked for: in the part of the plan, and not declared done there.
func (r *Roster) runs(p plan.Phase) bool {
	part := orchestrator.Part{Only: r.o.Only, From: r.o.From, Skip: r.o.Skip}
	chosen, _, err := orchestrator.Select(r.plan, part, func(string) bool { return true })
	if i, _ := r.plan.Index(p.ID); err == nil && !chosen[i] {
		return false
	}
	return p.Status != plan.StatusDone || r.o.Fresh || len(r.o.Only) > 0
}

// effortOf returns the arguments that set an agent's effort; none where no effort is configured.
func (r *Roster) effortOf(c ChosenAgent) ([]string, error) {
	defined := r.project.Config.Agents[c.Name]
	effort := cmp.Or(c.effort, defined.Effort)
	if effort == "" {
		return nil, nil
	}
	args, ok := agent.Effort(c.Name, effort)
	if !ok || len(defined.Command) > 0 || c.Command != "" {
		return nil, call.Usage(fmt.Sprintf("agent %s takes no effort", c.Name),
			"leave effort out, or put what it understands into agents."+c.Name+".args")
	}
	return args, nil
}
