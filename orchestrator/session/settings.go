package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/environ"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/state"
)

// configure fills in what config.json will say of this session.
func (s *session) configure(stored *state.Run) error {
	old := state.Config{Started: s.Now()}
	if stored != nil {
		old = stored.Config
	}
	mode, said, err := s.commitMode(old.CommitMode)
	if err != nil {
		return err
	}
	isolation, err := s.isolation(old.Isolation)
	if err != nil {
		return err
	}
	if err = s.Choose(old); err != nil {
		return err
	}
	s.begin.Notices = append(s.begin.Notices, s.Notices...)
	s.o.RecallReferee(old)
	gates, stack, err := s.gates(isolation)
	if err != nil {
		return err
	}
	tasks := 0
	for _, p := range s.plan.Phases() {
		tasks += len(p.Tasks)
	}
	s.config = state.Config{
		Schema: state.Schema, RunID: old.RunID, Autobuild: call.Version(),
		Plan: s.name, PlanTitle: s.plan.Title, PlanHash: s.plan.Hash, Dialect: s.plan.Dialect,
		CommitMode: mode, Agent: s.Agent.Name, AgentCmd: s.Agent.Command, Fallbacks: s.Fallbacks(), Model: s.Agent.Model, Isolation: isolation,
		Referee: unless(config.RefereeContest, s.o.Referee.Value), Proof: unless(config.ProofAuto, s.o.Proof.Value),
		Schedule: s.o.Schedule.Value, RetryPolicy: s.PolicyName, Jobs: s.jobs(isolation), KeepGoing: s.o.KeepGoing,
		Tiers: s.TierNames(), Choices: s.Recorded(),
		Stack: stack, Gates: gates, Setup: s.project.Config.Setup,
		Branch: old.Branch, Base: old.Base, Started: old.Started, Sessions: old.Sessions + 1, Flags: s.given,
		Counts: state.Counts{Phases: s.plan.Len(), Batches: len(s.plan.Batches()), Tasks: tasks},
	}
	if stored == nil {
		s.config.RunID = call.RunID(old.Started, random())
		if s.project.Repo != nil {
			s.config.Branch, s.config.Base = s.project.Repo.Branch, s.project.Repo.Head
		}
	} else {
		s.config.Resumed = s.Now()
	}
	if said != "" {
		s.begin.Notices = append(s.begin.Notices, said)
	}
	return nil
}

// unless is a value where it is not the usual one.
func unless(usual, value string) string {
	if value == usual {
		return ""
	}
	return value
}

func (s *session) jobs(isolation state.Isolation) int {
	switch {
	case s.o.Jobs > 0:
		return s.o.Jobs
	case isolation == state.NoIsolation:
		return 1 // phases that share a directory run side by side only when asked for by hand
	}
	return orchestrator.DefaultJobs
}

// commitMode returns the mode and, where the user chose none, a line that says so.
func (s *session) commitMode(stored state.CommitMode) (state.CommitMode, string, error) {
	asked := state.CommitMode(s.o.Remembered("commit", s.o.Commit.Value, string(stored)))
	if s.project.Repo == nil {
		if asked != "" && asked != state.CommitMessage {
			return "", "", call.Usage(fmt.Sprintf("--commit=%s needs a git repository, and %s is in none", asked, s.project.Root), "run git init, or leave --commit out")
		}
		return state.CommitMessage, "there is no git repository here: phases share the directory, and nothing is committed", nil
	}
	switch {
	case stored != "" && asked != stored:
		return "", "", call.Usage(fmt.Sprintf("this run was started with --commit=%s and cannot go on with --commit=%s", stored, asked),
			"leave --commit out, or start again with --fresh")
	case asked != "":
		return asked, "", nil
	}
	return state.CommitMessage, "no commit mode was chosen: message-only, your history stays untouched (--commit=auto makes a commit a phase)", nil
}

func (s *session) isolation(stored state.Isolation) (state.Isolation, error) {
	asked := state.Isolation(s.o.Remembered("isolation", s.o.Isolation.Value, string(stored)))
	switch {
	case asked == state.Worktree && s.project.Repo == nil:
		return "", call.Usage("--isolation worktree needs a git repository, and "+s.Shown(s.project.Root)+" is in none", "run git init, or use --isolation none")
	case stored != "" && asked != stored:
		return "", call.Usage(fmt.Sprintf("this run was started with --isolation %s", stored), "leave --isolation out, or start again with --fresh")
	case asked != "":
		return asked, nil
	case s.project.Repo == nil:
		return state.NoIsolation, nil
	}
	return state.Worktree, nil
}

// gates are those of the configuration and of the stack as it is now; a phase's own come with the
// phase.
func (s *session) gates(isolation state.Isolation) ([]state.GateSpec, string, error) {
	stack := verify.Detect(s.project.Root)
	gates := s.probe(s.project.Root, verify.Merge(s.project.Config.Gates, nil, slices.Concat(stack.Gates, s.hookGates(isolation))))
	if missing := call.MissingGates(s.project.Root, s.project.Config.Gates, s.plan, s.Environ); len(missing) > 0 {
		world := call.World{Call: s.Call, Project: s.project}
		lines := make([]string, len(missing))
		for i, g := range missing {
			lines[i] = fmt.Sprintf("gate %s (from the %s) runs %q, and %s is not installed; %s, or change the gate", g.Name, g.Source, g.Command, g.Tool, world.Install(g.Tool))
		}
		return nil, "", errors.New(strings.Join(lines, "\n"))
	}
	return gates, stack.Name, nil
}

// gatesIn returns the gates of one phase as detected in dir. A gate that was found at the start, or
// that a phase has landed with, keeps its command even if a later phase changes the files that led
// to its detection.
func (s *session) gatesIn(dir string, p plan.Phase) []state.GateSpec {
	s.landing.Lock()
	known := slices.Concat(s.config.Gates, s.landedGates)
	s.landing.Unlock()
	known = slices.DeleteFunc(known, func(g state.GateSpec) bool { return g.Source == verify.SourceConfig })
	return s.probe(dir, verify.Merge(s.project.Config.Gates, call.PlanGates(p), slices.Concat(known, verify.Detect(dir).Gates)))
}

// keepGates remembers the gates that a phase has landed with.
func (s *session) keepGates(gates []state.GateSpec) {
	s.landing.Lock()
	defer s.landing.Unlock()
	for _, g := range gates {
		known := slices.ContainsFunc(s.landedGates, func(k state.GateSpec) bool { return k.Name == g.Name })
		if !known && g.Source != verify.SourceConfig && g.Source != verify.SourcePlan && !isHooks(g) {
			s.landedGates = append(s.landedGates, g)
		}
	}
}

// probe finds out which gates can run.
func (s *session) probe(dir string, gates []state.GateSpec) []state.GateSpec {
	return verify.Probe(dir, s.Environ, gates)
}

// childEnv is the environment of agents and gates.
func (s *session) childEnv() []string {
	return proc.Environ(s.ChildEnviron(s.project.Config.Env), s.childVars())
}

// ChildEnviron removes the variables that agents and gates must not see. A nil list allows all
// others.
func (a *Caller) ChildEnviron(allow []string) environ.Environ {
	kept := slices.DeleteFunc(slices.Clone(a.Environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(commandFiles, name)
	})
	if allow != nil {
		kept = kept.Allow(allow)
	}
	return kept
}

// childVars keep git from finding the user's repository from a worktree that has lost its own.
func (s *session) childVars() map[string]string {
	return map[string]string{"GIT_CEILING_DIRECTORIES": filepath.Join(s.project.StateDir, "worktrees")}
}
