package session

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"sync/atomic"

	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/baseline"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/confine"
	"autobuild/orchestrator/session/detach"
	"autobuild/orchestrator/session/gates"
	"autobuild/orchestrator/session/knowledgefile"
	"autobuild/orchestrator/session/livescreen"
	"autobuild/orchestrator/session/notify"
	"autobuild/orchestrator/session/place"
	"autobuild/orchestrator/session/resume"
	"autobuild/orchestrator/session/roster"
	"autobuild/orchestrator/session/sink"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

// session is one call that runs a plan.
type session struct {
	*call.Call
	*roster.Roster
	o       *config.Options // of the call's own output; what decides is in spec
	spec    spec.RunSpec
	project *call.Project
	plan    *plan.Plan
	marks   workspace.Marks // of the plan's text
	runner  *proc.Runner
	shell   verify.Shell   // of gates with pipelines
	line    *detach.Caller // to the caller of a detached run

	// from the lock on
	dir   *store.Dir
	saver *tamper.StateFiles // the one sink that saves
	rooms *verify.Rooms

	// settled
	run       *state.Run // nil before
	begin     orchestrator.Session
	selected  resume.Selection
	finished  map[string][]string // files of phases that the archived run completed
	gates     gates.Set
	results   baseline.Results
	verdicts  verify.Verdicts
	knowledge knowledgefile.Knowledge
	marker    *sink.PlanMarker
	edits     *planEdits // nil: nothing runs yet
	// the roster of attempts that start from now on; the embedded one is that of the session's
	// start
	team  atomic.Pointer[roster.Roster]
	space workspace.Space
	where *place.Place
	box   *confine.Box // nil: nothing is confined
	// the worktree setup of another tool, if it is used
	declared prepare.Declared
	nothing  bool // everything is complete already

	engine Engine // nil: this machine
	remote Engine // that the program has, also where the run is local; nil: none
	joins  bool   // the run goes on elsewhere

	screen   *livescreen.Screen // nil: lines, or nothing
	notifier *notify.Notifier
	decided  atomic.Bool   // how the run ends, which is final from then on
	enough   chan struct{} // closed at the first signal after that
	ended    bool          // the run's end is this call's
	summed   bool          // the last screen has been drawn
	notes    int64         // printed before the last screen
}

// lock makes this process the only one that works here.
func (s *session) lock() error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	holder := store.Holder{
		PID: os.Getpid(), Host: host, Started: s.Now(), Process: proc.Identity(os.Getpid()),
		Dir:  s.project.StateDir,
		Plan: s.spec.Plan.Name, Args: render.Command([]string{"autobuild", s.planArg()}),
		Flags:  s.spec.Config.Flags,
		Chosen: slices.Sorted(maps.Keys(s.o.Line)),
	}
	s.dir, err = store.Open(s.project.StateDir, s.project.LockDir, holder, nil)
	if err != nil {
		return err
	}
	s.saver = place.KeepState(s.dir, s.project.StateDir)
	s.runner.Hold = s.dir.Agents()
	if s.Step != nil {
		s.dir.Watch(s.Step)
	}
	return nil
}

// planArg is the plan as it is typed from here.
func (s *session) planArg() string { return s.Shown(s.spec.Plan.Path) }

// calls are the calls that may follow this one.
func (s *session) calls() calls.After {
	return calls.After{
		Program: s.Program(), Plan: s.planArg(), Given: s.spec.Config.Flags, Chosen: s.o.Line,
		Run: cmp.Or(s.run, &state.Run{}), Config: s.spec.Config,
		CostUSD: s.spec.Limits.CostUSD, Tokens: s.spec.Limits.Tokens,
	}
}

// notice adds facts for the user that are recorded when the session begins.
func (s *session) notice(texts ...string) { s.begin.Notices = append(s.begin.Notices, texts...) }
