// Package spec holds RunSpec: all that a session of a run is made of, as plain data. Flags, files,
// the environment and the stored run end in it, so that an engine on another machine could make the
// same session. It does not know where a setting comes from, nor what runs it.
package spec

import (
	"time"

	"autobuild/orchestrator"
	"autobuild/orchestrator/session/config"
	"autobuild/state"
)

// RunSpec is a session of a run before it starts. Config is what config.json stores of it; the
// other fields are settings of this session alone.
type RunSpec struct {
	Plan      Plan                    `json:"plan"`
	Config    state.Config            `json:"config"`
	Agents    map[string]config.Agent `json:"agents,omitzero"` // definitions, by name
	Env       []string                `json:"env,omitzero"`    // variables that agents and gates may see; nil: all
	Sandbox   Sandbox                 `json:"sandbox,omitzero"`
	Limits    Limits                  `json:"limits"`
	Checks    Checks                  `json:"checks"`
	Part      Part                    `json:"part,omitzero"`
	Resume    Resume                  `json:"resume,omitzero"`
	OnLimit   string                  `json:"on_limit"`  // wait or stop
	Knowledge string                  `json:"knowledge"` // on, read, off or trust
}

// Plan is the plan as it was read when the session began.
type Plan struct {
	Path string `json:"path"` // absolute
	Name string `json:"name"` // in state: from the root, with slashes
	Text string `json:"text"`

	Reading string `json:"reading,omitzero"` // one of four, where the run names it
}

// Sandbox is what confines agents and gates.
type Sandbox struct {
	Mode  string   `json:"mode,omitzero"`
	Write []string `json:"write,omitzero"` // places beside the worktree
}

// Limits bound a session. Zero is no limit, and for the fields of Jobs the default.
type Limits struct {
	Timeout   time.Duration `json:"timeout_ns,omitzero"` // of one attempt
	Idle      time.Duration `json:"idle_ns,omitzero"`    // of one attempt without a sign of life
	Gate      time.Duration `json:"gate_ns,omitzero"`
	Wall      time.Duration `json:"wall_ns,omitzero"` // of the session
	CostUSD   float64       `json:"cost_usd,omitzero"`
	Tokens    int64         `json:"tokens,omitzero"` // in and out
	File      int64         `json:"file,omitzero"`   // MB
	AgentJobs int           `json:"agent_jobs"`      // phases at once; 0: the default
}

// Checks say how work is judged.
type Checks struct {
	Baseline   string           `json:"baseline"` // on, off or strict
	Guard      string           `json:"guard"`
	Referee    string           `json:"referee"`
	Proof      string           `json:"proof"`
	AllowEmpty bool             `json:"allow_empty,omitzero"`
	Gates      []state.GateSpec `json:"gates,omitzero"` // of the configuration
}

// Part is the part of the plan that runs, by labels. The zero Part is all of it.
type Part struct {
	Only []string `json:"only,omitzero"`
	From string   `json:"from,omitzero"`
	Skip []string `json:"skip,omitzero"`
}

// Resume says what becomes of a stored run.
type Resume struct {
	Asked   bool `json:"asked,omitzero"`   // by --resume
	Fresh   bool `json:"fresh,omitzero"`   // it is archived
	Changed bool `json:"changed,omitzero"` // complete phases whose text has changed run again
	Edited  bool `json:"edited,omitzero"`  // a doubtful edit of the plan is the user's
}

// Whole reports whether no part was asked for.
func (p Part) Whole() bool { return len(p.Only) == 0 && p.From == "" && len(p.Skip) == 0 }

// Of is the part for orchestrator.Select.
func (p Part) Of() orchestrator.Part { return orchestrator.Part(p) }

// New is the spec of a call whose settings have been read, before its plan and the stored run are
// known.
func New(o *config.Options, s config.Settings) RunSpec {
	return RunSpec{
		Agents: s.Agents, Env: s.Env, Sandbox: Sandbox{Mode: o.Sandbox.Value, Write: s.Write},
		Limits: Limits{
			Timeout: o.Timeout, Idle: o.Idle, Gate: o.GateTimeout, Wall: o.MaxWall,
			CostUSD: o.MaxCost, Tokens: o.MaxTokens, File: o.MaxFile, AgentJobs: o.Jobs,
		},
		Checks: Checks{
			Baseline: o.Baseline.Value, Guard: o.Guard.Value, Referee: o.Referee.Value,
			Proof:      o.Proof.Value,
			AllowEmpty: o.AllowEmpty, Gates: s.Gates,
		},
		Part: Part{Only: o.Only, From: o.From, Skip: o.Skip},
		Resume: Resume{
			Asked: o.Resume, Fresh: o.Fresh, Changed: o.Rerun,
			Edited: o.Edited,
		},
		OnLimit: o.OnLimit.Value, Knowledge: o.Knowledge.Value,
		Config: state.Config{
			Setup: s.Setup, Schedule: o.Schedule.Value, KeepGoing: o.KeepGoing,
			CommitMode: state.CommitMode(o.Commit.Value),
			Deliver:    state.Deliver(o.Deliver.Value),
			Isolation:  state.Isolation(o.Isolation.Value),
		},
	}
}
