package attempt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

const nonce = "n0nce-of-this-attempt"

// bench is everything around one attempt, each part as small as a test can say it.
type bench struct {
	t      *testing.T
	dir    string
	plan   *plan.Plan
	runner *Runner
	agent  *fakeAgent
	checks *fakeVerifier
	space  *fakeSpace
	events []state.Event
	task   state.Task
}

// newBench is a phase 2A with two tasks and one gate; its agent says what a good agent says.
func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t: t, dir: dir, plan: planOf(t, phase("2A", "Backend", "### Phase 2A\n\n- [ ] one\n- [ ] two\n", "one", "two"))}
	b.agent = &fakeAgent{out: Outcome{Claims: true, Final: resultOf(`"status": "complete", "tasks": {"total": 2, "completed": 2}`)}}
	b.checks = &fakeVerifier{}
	b.space = &fakeSpace{
		tree:    Tree{Dir: dir, Branch: "autobuild/r1/2a", Base: "base"},
		changes: state.Changes{Modified: []string{"main.go"}},
		landed:  Landed{Commit: "abc123", Delivered: true},
	}
	b.task = state.Task{Phase: b.plan.At(0), Position: 1, Of: 1, Attempt: 1, Key: "key"}
	b.runner = &Runner{
		Agent: b.agent, Verifier: b.checks, Workspace: b.space,
		Plan: b.plan, RunID: "r1", Name: "fake", Env: []string{"PATH=/bin"},
		Gates: func(string, plan.Phase) []state.GateSpec {
			return []state.GateSpec{{Name: "test", Kind: "test", Command: "go test ./...", Source: "go.mod"}}
		},
		Log: func(name string) (*os.File, string, error) {
			f, err := os.CreateTemp(t.TempDir(), "log")
			return f, "logs/" + name, err
		},
		Scratch: func() (string, func(), error) {
			scratch := t.TempDir()
			return scratch, func() { b.space.did = append(b.space.did, "scratch removed") }, nil
		},
		Nonce: func() string { return nonce },
		Now:   func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) },
	}
	return b
}

// says makes the agent end its work with this result.
func (b *bench) says(fields string) { b.agent.out.Final = resultOf(fields) }

func (b *bench) attempt() (state.Attempt, error) {
	b.t.Helper()
	return asError(b.runner.Attempt(b.t.Context(), b.task, func(e state.Event) { b.events = append(b.events, e) }))
}

// asError makes the result's failure or spent budget an error, which is shorter to look at.
func asError(r state.Result, err error) (state.Attempt, error) {
	switch d := r.Attempt.Failure; {
	case err != nil:
	case d != nil:
		r.Attempt.Failure, err = nil, &failure.Failure{Diagnosis: *d}
	case r.Spent != "":
		err = &failure.Spent{Reason: r.Spent}
	}
	return r.Attempt, err
}

// fails makes the attempt, which must be the phase's own failure and must not have landed.
func (b *bench) fails() (state.Attempt, failure.Diagnosis) {
	b.t.Helper()
	got, err := b.attempt()
	failed, ok := asFailure(err)
	if !ok {
		b.t.Fatalf("Attempt = %v, want a failure of the phase", err)
	}
	if got.Commit != nil {
		b.t.Errorf("a failed attempt has commit %+v", got.Commit)
	}
	if got.Verdict != state.Refused {
		b.t.Errorf("verdict of a failed attempt = %q", got.Verdict)
	}
	return got, failed.Diagnosis
}

// lands makes the attempt, which must succeed with this verdict.
func (b *bench) lands(want state.Verdict) state.Attempt {
	b.t.Helper()
	got, err := b.attempt()
	if err != nil {
		b.t.Fatalf("Attempt = %v", err)
	}
	if got.Verdict != want {
		b.t.Errorf("verdict = %q, want %q", got.Verdict, want)
	}
	if got.Commit == nil || got.Commit.SHA != "abc123" {
		b.t.Errorf("commit = %+v", got.Commit)
	}
	return got
}

func asFailure(err error) (*failure.Failure, bool) {
	f, ok := err.(*failure.Failure) //nolint:errorlint // the worker's contract: it is the failure, not wrapped
	return f, ok
}

// resultOf is a final message with a result block of this attempt.
func resultOf(fields string) string {
	return "All done.\n\n```json\n{\"nonce\": \"" + nonce + "\", \"phase_id\": \"2a\", " + fields + "}\n```\n"
}

// object is a result of phase 2a with these fields.
func object(fields string) string {
	return `{"nonce": "` + nonce + `", "phase_id": "2a", ` + fields + `}`
}

func fenced(objects ...string) string {
	var b strings.Builder
	for _, o := range objects {
		b.WriteString("text\n```json\n" + o + "\n```\n")
	}
	return b.String()
}

func phase(label, name, text string, tasks ...string) plan.DraftPhase {
	p := plan.DraftPhase{Phase: plan.Phase{Label: label, Name: name, Text: text, Pos: plan.Pos{Line: 1, Col: 1}}}
	for _, text := range tasks {
		p.Tasks = append(p.Tasks, plan.Task{Text: text})
	}
	p.Needs = []plan.Ref{{Text: "none"}}
	return p
}

func planOf(t testing.TB, phases ...plan.DraftPhase) *plan.Plan {
	t.Helper()
	p, err := plan.New(plan.Draft{Title: "A feature", Phases: phases})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fakeAgent does what its test wants and remembers what it was given.
type fakeAgent struct {
	out  Outcome
	err  error
	job  Job
	does func(ctx context.Context, job Job)
}

func (a *fakeAgent) Run(ctx context.Context, job Job) (Outcome, error) {
	a.job = job
	if a.does != nil {
		a.does(ctx, job)
	}
	return a.out, a.err
}

func (*fakeAgent) Continues() bool { return false }

// env is a variable that the agent was given.
func (a *fakeAgent) env(name string) (string, bool) {
	for _, entry := range a.job.Env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// fakeVerifier passes every gate, except where told otherwise.
type fakeVerifier struct {
	gates    map[string]state.Gate // by name
	landing  map[string]state.Gate // … when it is asked for merged content
	setup    *state.Gate
	err      error
	prefixes []string
	commands []string
	during   func()
}

func (v *fakeVerifier) Judge(_ context.Context, _ referee.Shown, prefix string, specs []state.GateSpec, each func(state.Gate)) (referee.Outcome, error) {
	v.prefixes = append(v.prefixes, prefix)
	if v.during != nil {
		v.during()
	}
	table := v.gates
	if strings.HasSuffix(prefix, ".landing") {
		table = v.landing
	}
	var out []state.Gate
	for _, spec := range specs {
		g, ok := table[spec.Name]
		if !ok {
			g.Status = state.GatePassed
		}
		g.Name, g.Kind, g.Command = spec.Name, spec.Kind, spec.Command
		started := g
		started.Status = ""
		each(started)
		each(g)
		out = append(out, g)
	}
	return referee.Outcome{Ran: true, Gates: out}, v.err
}

func (v *fakeVerifier) Setup(_ context.Context, _, prefix string, commands []string) (*state.Gate, error) {
	v.prefixes, v.commands = append(v.prefixes, prefix+".setup"), commands
	return v.setup, v.err
}

// fakeSpace is a workspace that only writes down what happens to it.
type fakeSpace struct {
	PlainSpace
	tree         Tree
	changes      state.Changes
	notes        []string
	landed       Landed
	again        bool // landing runs the gates on merged content
	clean        bool
	landing      Landing
	openErr      error
	changesErr   error
	landErr      error
	doneErr      error
	between      []failure.Conflict
	candidate    Candidate
	candidateErr error
	bench        func(waiting func()) error // may be nil
	taken        int                        // benches that were not given back
	shown        []string                   // trees, in order
	whileLanding func()                     // may be nil
	did          []string
}

func (s *fakeSpace) Open(_ context.Context, phase string, clean bool) (Tree, error) {
	s.did, s.clean = append(s.did, "open "+phase), clean
	return s.tree, s.openErr
}

func (s *fakeSpace) Changes(_ context.Context, _ Tree, phase string) (state.Changes, []string, error) {
	s.did = append(s.did, "changes "+phase)
	return s.changes, s.notes, s.changesErr
}

func (s *fakeSpace) Land(ctx context.Context, _ Tree, landing Landing) (Landed, error) {
	s.did, s.landing = append(s.did, "land "+landing.Phase), landing
	if s.whileLanding != nil {
		s.whileLanding()
	}
	if s.again {
		if err := landing.Verify(ctx, Candidate{Tree: "merged", Moved: true}); err != nil {
			return Landed{}, fmt.Errorf("on the merged content: %w", err)
		}
	}
	return s.landed, s.landErr
}

func (s *fakeSpace) Candidate(context.Context, Tree, Landing) (Candidate, error) {
	return s.candidate, s.candidateErr
}

func (s *fakeSpace) Bench(_ context.Context, waiting func()) (Bench, error) {
	if s.bench != nil {
		if err := s.bench(waiting); err != nil {
			return nil, err
		}
	}
	s.taken++
	return &fakeBench{space: s}, nil
}

// fakeBench shows every tree in the phase's own directory, which setup never has to prepare again.
type fakeBench struct{ space *fakeSpace }

func (b *fakeBench) Show(_ context.Context, tree string, _ []string, _ func(context.Context, string, []string) error) (referee.Shown, error) {
	b.space.shown = append(b.space.shown, tree)
	return referee.Shown{Dir: b.space.tree.Dir}, nil
}

func (*fakeBench) Rehearse(context.Context, string, string) (string, error) { return "", nil }
func (*fakeBench) Changed(context.Context) (bool, error)                    { return false, nil }
func (*fakeBench) Cold()                                                    {}
func (*fakeBench) Accept(context.Context, string) error                     { return nil }
func (b *fakeBench) Leave()                                                 { b.space.taken-- }

func (s *fakeSpace) Between(context.Context, Candidate, []string) ([]failure.Conflict, error) {
	return s.between, nil
}

func (s *fakeSpace) Done(ctx context.Context, _ Tree, phase string) error {
	s.did = append(s.did, "done "+phase)
	return errors.Join(s.doneErr, ctx.Err())
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
