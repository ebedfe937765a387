package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/attempt"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// chosenAgent is the agent of a run, fitted to what an attempt wants.
type chosenAgent struct {
	agent.Agent
	name    string
	command string // of agent command, as the user wrote it
	model   string
	effort  string // empty: as configured
	clean   bool
}

// Run hands the job over: both sides name its parts alike and know nothing of each other.
func (c chosenAgent) Run(ctx context.Context, job attempt.Job) (attempt.Outcome, error) {
	out, err := c.Agent.Run(ctx, agent.Job(job))
	return attempt.Outcome(out), err
}

// chooseAgent picks the agent: asked for, else stored, else the first built-in one on PATH, else
// script where every phase has one.
func (s *session) chooseAgent(stored state.Config) (chosenAgent, error) {
	name, command := strings.Join(s.o.Agents(), ","), s.o.AgentCmd
	switch {
	case s.o.Line["agent"]:
		command = ""
	case s.o.Line["agent-cmd"]:
		name = ""
	case stored.Agent != "": // before what is configured: a resume goes on as it began
		name, command = stored.Agent, stored.AgentCmd
	}
	model := s.modelFor(name, stored)
	var err error
	if name == "" && command == "" {
		if name, err = s.defaultAgent(); err != nil {
			return chosenAgent{}, err
		}
	}
	c := chosenAgent{name: name, command: command, model: model}
	err = s.makeAgent(&c)
	return c, err
}

// makeAgent finds what stands behind the name.
func (s *session) makeAgent(c *chosenAgent) error {
	defined, isDefined := s.project.Config.Agents[c.name]
	if c.model == "" {
		c.model = defined.Model
	}
	effort, err := s.effortOf(*c)
	if err != nil {
		return err
	}
	switch {
	case c.command != "":
		argv, err := agent.Split(c.command)
		if err != nil {
			return call.Usage("--agent-cmd: "+err.Error(), "")
		}
		if strings.ContainsAny(argv[0], `/\`) {
			argv[0] = s.Path(argv[0]) // agents work elsewhere
		}
		if c.name == "" {
			c.name = "command"
		}
		c.Agent = agent.Command(s.runner, c.name, argv, agent.CommandOptions{Result: "block"})
		return s.mustExist(c.name, argv[0])
	case isDefined && len(defined.Command) > 0:
		made, err := defined.Define(s.runner, c.name)
		if err != nil {
			return call.Usage(err.Error(), "")
		}
		c.Agent = agent.Priced(made, defined.Prices.Agent())
		return s.mustExist(c.name, defined.Command[0])
	case c.name == "script":
		if bare := s.withoutScript(); bare != "" {
			return call.Usage("phase "+bare+" has no sh block, so the script agent has nothing to run", "add one to the plan, or name another agent with --agent")
		}
		c.Agent, c.clean = agent.Script(s.runner), true
		return nil
	}
	built, ok := agent.Builtin(s.runner, c.name, slices.Concat(defined.Args, effort), defined.Env)
	if !ok {
		known := append(agent.Names(), "script")
		for name := range s.project.Config.Agents {
			known = append(known, name)
		}
		return call.Usage(fmt.Sprintf("there is no agent %q", c.name), text.Suggest(c.name, known, config.SeeHelp))
	}
	c.Agent = agent.Priced(built, defined.Prices.Agent())
	if bypasses := agent.Bypasses(defined.Args); len(bypasses) > 0 {
		s.begin.Notices = append(s.begin.Notices, fmt.Sprintf("agent %s is called with %s, as configured: its own checks are off", c.name, strings.Join(bypasses, " ")))
	}
	return s.mustExist(c.name, agent.Program(c.name))
}

// mustExist refuses an agent whose program is not there, before anything starts.
func (s *session) mustExist(name, program string) error {
	if s.LookPath(program) {
		return nil
	}
	if path := s.Path(program); strings.ContainsRune(program, filepath.Separator) && fileExists(path) {
		return fmt.Errorf("agent %s cannot be used: %s is no program that you may run; make it one (%s), or name another with --agent or --agent-cmd",
			name, text.Clean(program, 0), render.Command([]string{"chmod", "+x", program}))
	}
	return fmt.Errorf("agent %s cannot be used: there is no program %s; install it, or name another with --agent or --agent-cmd", name, program)
}

func (s *session) defaultAgent() (string, error) {
	for _, name := range agent.Names() {
		if s.LookPath(agent.Program(name)) {
			return name, nil
		}
	}
	if bare := s.withoutScript(); bare != "" {
		return "", fmt.Errorf("no coding agent is installed (looked for %s), and phase %s has no sh block for the script agent; install one, or name a program with --agent-cmd",
			strings.Join(agent.Names(), ", "), bare)
	}
	return "script", nil
}

// withoutScript is the label of the first phase that has neither a sh block nor an agent of its
// own; empty when all have one.
func (s *session) withoutScript() string {
	for _, p := range s.plan.Phases() {
		if len(p.Script) == 0 && s.saidOf(p)[plan.SettingAgent].Value == "" {
			return p.Label
		}
	}
	return ""
}
