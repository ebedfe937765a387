package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/plantest"
	"autobuild/orchestrator/session/call"
	"autobuild/plan"
	"autobuild/state"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	sdk "go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
	"autobuild/temporal/workflow"
)

// play is one scene as it goes on; both engines ask it how an attempt ends.
type play struct {
	scene
	plan *plan.Plan
	opts orchestrator.Options

	mu   sync.Mutex
	made map[string]int // attempts, by phase
	// whole attempts, by key: what is in git in life
	records map[string]state.Attempt
	answers []string // to asks
}

func newPlay(t *testing.T, s scene) *play {
	t.Helper()
	name := s.policy
	if name == "" {
		name = "single"
	}
	decides, err := policy.New(name, policy.Options{Tiers: []string{"strong", "stronger"}})
	if err != nil {
		t.Fatal(err)
	}
	p := &play{
		scene: s, plan: plantest.New(t, s.lines...), made: make(map[string]int),
		records: make(map[string]state.Attempt), answers: make([]string, len(s.asks)),
	}
	p.opts = orchestrator.Options{Policy: decides, Jobs: 3}
	if s.options != nil {
		s.options(&p.opts)
	}
	return p
}

// next is how the next attempt at a phase ends.
func (p *play) next(phase string) step {
	p.mu.Lock()
	defer p.mu.Unlock()
	steps := p.steps[phase]
	n := p.made[phase]
	p.made[phase]++
	if len(steps) == 0 {
		return step{}
	}
	return steps[min(n, len(steps)-1)]
}

var errMachinery = errors.New("the disk is on fire")

// result is what a worker returns for a step.
func (s step) result(phase string, attempt int, now time.Time) (state.Result, error) {
	r := state.Result{Attempt: state.Attempt{
		Verdict: state.Verified, Commit: &state.Commit{SHA: "c-" + phase, Message: "did " + phase},
		Usage: state.Usage{CostUSD: s.cost},
	}}
	switch {
	case s.broken:
		return r, errMachinery
	case s.spent:
		r.Spent = "the cost budget is spent"
	case s.fails != "":
		d := &failure.Diagnosis{
			Type: s.fails, Message: "secret words", Retryable: s.fails.Retryable(),
			Fingerprint:  phase + strconv.Itoa(attempt),
			Unattributed: s.fails == failure.IsolationBreach,
		}
		d.Class.Class = s.class
		if s.same {
			d.Fingerprint = "same"
		}
		if s.reset > 0 {
			d.Until = now.Add(s.reset)
		}
		if s.fails == failure.FileConflict {
			d.Conflicts = []failure.Conflict{{File: "a/secret.go", Phase: phase, Other: s.with}}
		}
		r.Attempt.Verdict, r.Attempt.Failure, r.Attempt.Commit = state.Refused, d, nil
	}
	return r, nil
}

// Attempt makes a play the worker of a local engine.
func (p *play) Attempt(
	ctx context.Context, task state.Task, _ func(state.Event),
) (state.Result, error) {
	select {
	case <-ctx.Done():
		return state.Result{}, ctx.Err()
	case <-time.After(takes(task.Phase.ID)): // of a synctest bubble
	}
	return p.next(task.Phase.ID).result(task.Phase.ID, task.Attempt, time.Now())
}

// takes differs between phases, so that they end in the same order in both engines.
func takes(phase string) time.Duration {
	d := time.Minute
	for _, r := range phase {
		d += time.Duration(r) * time.Second
	}
	return d
}

func (p *play) gates() []state.Gate {
	return []state.Gate{{Name: "whole", Status: p.final}}
}

// ended is what must be the same: where each phase stands and how it came there, and the end.
type ended struct {
	Phases []string
	End    state.Outcome
	Code   int
	Reason string
	// Answers are those to the commands of the scene.
	Answers []string
}

var clock = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)

func compare(run *state.Run, err error) ended {
	e := ended{End: orchestrator.Outcome(err).Outcome, Code: call.ExitCode(err)}
	if !strings.Contains(orchestrator.Outcome(err).Reason, "disk") {
		e.Reason = clock.ReplaceAllString(orchestrator.Outcome(err).Reason, "TIME")
	}
	for i := range run.Phases {
		ph := &run.Phases[i]
		line := fmt.Sprintf("%s %s by=%s retry=%t waits=%d account=%s refused=%v cost=%.1f", ph.ID,
			ph.Status, ph.BlockedBy, ph.Retry, ph.Waits, ph.Account, ph.Refused, ph.Spent.CostUSD)
		for _, a := range ph.Attempts {
			line += fmt.Sprintf(" [%d %s", a.N, a.Verdict)
			if a.Failure != nil {
				line += " " + string(a.Failure.Type)
			}
			if d := a.Decision; d != nil {
				line += fmt.Sprintf(" %s/%s to=%s fresh=%t waits=%t", d.Action, d.Rule, d.To, d.Fresh,
					d.Delay > 0) // which jitter makes differ
			}
			line += "]"
		}
		line += fmt.Sprintf(" %s left=%t", ph.Reason, ph.LeftOut)
		for _, n := range ph.Notes {
			line += " note=" + n.Text
		}
		e.Phases = append(e.Phases, line)
	}
	return e
}

// locally plays a scene on package local, with the time of a bubble.
func (p *play) locally(t *testing.T) (e ended) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		keys := 0
		engine := &local.Engine{
			Plan: p.plan, Worker: p, Options: p.opts, Heartbeat: -1,
			Key: func() string { keys++; return "k" + strconv.Itoa(keys) },
		}
		if p.final != "" {
			engine.Final = func(context.Context, bool, func(state.Event)) ([]state.Gate, error) {
				return p.gates(), nil
			}
		}
		run := new(state.Run)
		session := orchestrator.Session{Config: state.Config{RunID: "r1"}}
		edits := p.edits(t)
		engine.Reload = func() local.Edit {
			e := edits[0]
			edits = edits[1:]
			return local.Edit{Plan: e, Settle: func(*state.Run) (local.Parts, error) {
				return local.Parts{Options: p.opts, Worker: p}, nil
			}}
		}
		requests, over := make(chan orchestrator.Request), make(chan struct{})
		engine.Requests = requests
		for i, a := range p.asks {
			// two of the same second keep their order
			time.AfterFunc(a.at+time.Duration(i), func() {
				select {
				case requests <- orchestrator.Request{Command: a.command, Answer: p.answer(i)}:
				case <-over:
				}
			})
		}
		e = compare(run, engine.Run(t.Context(), run, session))
		close(over)
		synctest.Wait()
	})
	e.Answers = p.answers
	return e
}

// answer notes the answer to a command of the scene.
func (p *play) answer(i int) func(string, error) {
	return func(text string, err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.answers[i] += text
		if err != nil {
			p.answers[i] += "refused: " + err.Error()
		}
	}
}

// ref stands for the commit that holds a command of the scene.
func ref(i int) string { return fmt.Sprintf("%040d", i) }

// asking sends the commands of the scene as updates.
func (p *play) asking(env *testsuite.TestWorkflowEnvironment, edits []*plan.Plan) {
	for i, a := range p.asks {
		reply, command := p.answer(i), wire.ThinCommand(a.command, ref(i))
		if a.edit != nil {
			command.Edit, edits = p.edit(edits[0]), edits[1:]
		}
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(wire.Steer, ref(i), &testsuite.TestUpdateCallback{
				OnAccept: func() {},
				OnReject: func(err error) { reply("", err) },
				OnComplete: func(result any, err error) {
					answered, _ := result.(wire.Answer)
					if answered.Why != "" {
						err = &orchestrator.CommandError{Why: answered.Why, Next: answered.Next}
					}
					reply(answered.Text, err)
				},
			}, command)
		}, a.at+time.Duration(i))
	}
}

// started is a run after its session has begun, and the input of its workflow.
func (p *play) started(t *testing.T, now time.Time) (*state.Run, wire.Input) {
	t.Helper()
	run := new(state.Run)
	session := orchestrator.Session{Config: state.Config{RunID: "r1", Sessions: 1}}
	for _, e := range session.Events(p.plan, p.opts) {
		if _, err := orchestrator.Record(p.plan, run, p.opts, e, now); err != nil {
			t.Fatal(err)
		}
	}
	in := wire.Input{
		Run: "r1", Session: 1, Queue: "q", Lease: 60, Seq: run.Seq, Final: p.final != "",
		Options: wire.ThinOptions(p.opts, p.opts.Policy.Attempts()),
		Phases: wire.Thin(p.plan, run, func(string) int { return p.opts.Policy.Attempts() },
			func(plan.Phase) string { return "" }),
		Whole: wire.Whole(p.plan), Rows: true,
	}
	return run, in
}

// decided is the whole run as a worker has it, of an errand.
func (p *play) decided(e wire.Errand, whole *state.Run, r state.Attempt) *failure.Decision {
	if r.Failure == nil {
		return nil
	}
	i, _ := p.plan.Index(e.Phase)
	mine := &state.Run{Phases: slices.Clone(whole.Phases)}
	standing := e.Phases[e.Phase]
	mine.Phases[i] = wire.Phase{ID: e.Phase, Standing: standing}.Restore()
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, a := range mine.Phases[i].Attempts {
		if full, ok := p.records[a.Key]; ok {
			mine.Phases[i].Attempts[k].Failure = full.Failure
		}
	}
	for id, s := range e.Phases {
		j, _ := p.plan.Index(id)
		if j == i {
			continue
		}
		mine.Phases[j] = wire.Phase{ID: id, Standing: s}.Restore()
	}
	r.Key = e.Key
	d := p.opts.Decide(mine, &mine.Phases[i], r)
	r.Decision = &d
	p.records[e.Key] = r
	return wire.ThinDecision(&d)
}

// durably plays a scene on the workflow, in the SDK's test environment.
func (p *play) durably(t *testing.T) (e ended) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quietLog{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterWorkflowWithOptions(workflow.Run, sdk.RegisterOptions{Name: wire.Workflow})
	run, in := p.started(t, env.Now())
	attempt := func(_ context.Context, e wire.Errand) (wire.Outcome, error) {
		if len(e.Avoid) > 0 {
			p.mu.Lock()
			p.made[e.Phase]-- // the same attempt on another machine
			p.mu.Unlock()
		}
		r, err := p.next(e.Phase).result(e.Phase, e.Attempt, env.Now())
		out := wire.Outcome{
			Result: state.Result{Attempt: wire.ThinAttempt(r.Attempt), Spent: r.Spent},
			Broken: err != nil, Worker: "w", Decision: p.decided(e, run, r.Attempt),
			Ref: wire.Ref{Key: e.Key, Attempt: e.Attempt, Record: "rec-" + e.Key},
		}
		if out.Landed() {
			out.Ref.Commit = r.Attempt.Commit.SHA
		}
		return out, nil
	}
	env.RegisterActivityWithOptions(attempt, activity.RegisterOptions{Name: wire.Attempt})
	integrate := func(_ context.Context, e wire.Errand) (wire.Outcome, error) {
		r, _ := step{}.result(e.Phase, e.Attempt, env.Now())
		p.mu.Lock()
		defer p.mu.Unlock()
		n := min(p.made[e.Phase], max(1, len(p.steps[e.Phase]))) - 1
		if len(p.steps[e.Phase]) > 0 {
			r.Attempt.Usage.CostUSD = p.steps[e.Phase][n].cost
		}
		return wire.Outcome{
			Result: state.Result{Attempt: wire.ThinAttempt(r.Attempt)}, Ref: e.Ref, Worker: "w",
		}, nil
	}
	env.RegisterActivityWithOptions(rowOf(integrate), activity.RegisterOptions{Name: wire.Row})
	env.RegisterActivityWithOptions(func(context.Context, wire.Errand) (wire.Outcome, error) {
		return wire.Outcome{Gates: wire.ThinGates(p.gates())}, nil
	}, activity.RegisterOptions{Name: wire.Final})
	edits, phases := p.edits(t), slices.Clone(p.plan.Phases())
	for _, e := range edits {
		for _, phase := range e.Phases() {
			if !slices.ContainsFunc(phases, func(p plan.Phase) bool { return p.ID == phase.ID }) {
				phases = append(phases, phase)
			}
		}
	}
	for _, phase := range phases {
		env.OnActivity(wire.Attempt, mock.Anything, mock.MatchedBy(func(e wire.Errand) bool {
			return e.Phase == phase.ID
		})).After(takes(phase.ID)).Return(attempt)
	}
	p.asking(env, edits)
	env.ExecuteWorkflow(wire.Workflow, in)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var out wire.Output
	if err := env.GetWorkflowResult(&out); err != nil {
		t.Fatal(err)
	}
	for _, seen := range out.Tail {
		if text := seen.Text + seen.Name; strings.Contains(text, "secret") {
			t.Errorf("an event holds words of an agent: %s", text)
		}
		seen.Seq = 0
		if seen.Type == state.PlanEdited {
			p.mirrorEdit(t, &seen, run, edits)
		}
		for i, a := range p.asks {
			if seen.Command == ref(i) && a.edit == nil {
				seen.Text = wire.Worded(seen.Text, ref(i), a.command)
			}
		}
		if r := seen.Result; r != nil && r.Decision != nil {
			r.Decision.Rationale = p.records[r.Key].Decision.Rationale + r.Decision.Rationale
		}
		if i, ok := p.plan.Index(seen.Phase); ok && seen.Type == state.PhaseStarted {
			seen.Print = p.plan.At(i).Fingerprint
		}
		if _, err := orchestrator.Record(p.plan, run, p.opts, seen.Event, seen.Time); err != nil {
			t.Fatal(err)
		}
	}
	e = compare(run, out.Ending(errMachinery).Error(run, out.Final, nil))
	e.Answers = p.answers
	return e
}

// Both engines end every scene alike.
func TestConformance(t *testing.T) {
	all := scenes()
	if len(all) < 30 {
		t.Fatalf("only %d scenes", len(all))
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			want := newPlay(t, s).locally(t)
			got := newPlay(t, s).durably(t)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("local (-) and temporal (+) differ:\n%s", diff)
			}
			if slices.Contains(want.Answers, "") {
				t.Errorf("a command has no answer: %q", want.Answers)
			}
		})
	}
}
