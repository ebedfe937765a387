package session

import (
	"path/filepath"

	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify"
)

// verifier runs gates whose commands see these variables beside everybody's.
func (s *session) verifier(vars map[string]string) *verify.Verifier {
	return &verify.Verifier{Run: s.runner, Env: proc.Environ(s.childEnv(), vars), Timeout: s.o.GateTimeout, Shell: s.shell, Log: s.dir.Log}
}

// worker makes the attempts.
func (s *session) worker(baseline *attempt.Baseline) *attempt.Runner {
	return &attempt.Runner{
		Agent: s.Agent, Verifier: s.space.Guarded(s.verifier(nil), false), Workspace: s.space, Guard: s.guards(),
		Referee: s.referees(), KeepGates: s.keepGates, Baseline: baseline, Private: s.private,
		Plan: s.plan, RunID: s.config.RunID, Name: s.Agent.Name, Model: s.Agent.Model, Clean: s.Agent.Clean,
		Timeout: s.o.Timeout, Idle: s.o.Idle, AllowEmpty: s.o.AllowEmpty, Finished: s.finished, Setup: s.config.Setup, Env: s.childEnv(), Vars: s.childVars(),
		Meter: s.meter(), Continue: s.o.RetrySession.Value == config.SessionContinue,
		Tiers: s.Tiers, For: s.ChoiceOf, Strong: s.Strong(s.Agent), Discover: s.Uses(s.config.RetryPolicy, "known-fix"),
		Doubt:  s.Uses(s.config.RetryPolicy, "adaptive"),
		Memory: s.memory, Near: s.space.Near, Denied: s.denied(), Gates: s.gatesIn,
		LogDir: filepath.Base(s.project.StateDir), Place: s.project.PlanName, Log: s.dir.Log, Scratch: s.rooms.Scratch, Nonce: random,
	}
}

var _ orchestrator.Worker = (*attempt.Runner)(nil)
