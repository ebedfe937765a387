package cmd

import (
	"os"
	"path/filepath"

	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify"
)

// worker makes the attempts.
func (s *session) worker() *attempt.Runner {
	verifier := &verify.Verifier{Run: s.runner, Env: s.childEnv(), Timeout: s.o.gateTimeout, Log: s.dir.Log}
	return &attempt.Runner{
		Agent: s.agent, Verifier: verifier, Workspace: s.space, Guard: s.guards(),
		Plan: s.plan, RunID: s.config.RunID, Name: s.agent.name, Model: s.agent.model, Clean: s.agent.clean,
		Timeout: s.o.timeout, Idle: s.o.idle, AllowEmpty: s.o.allowEmpty, Setup: s.config.Setup, Env: s.childEnv(), Vars: s.childVars(),
		Tiers: s.tiers, For: s.choiceOf, Strong: s.strong(s.agent), Discover: s.uses(s.config.RetryPolicy, "known-fix"),
		Memory: s.memory, Near: s.near, Gates: s.gatesIn, LogDir: filepath.Base(s.project.stateDir), Place: s.project.planName, Log: s.dir.Log, Scratch: scratch, Nonce: random,
	}
}

// scratch is a private directory outside every worktree.
func scratch() (string, func(), error) {
	dir, err := os.MkdirTemp("", "autobuild-")
	if err != nil {
		return "", nil, err
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}
