package attempt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/orchestrator/attempt/result"
	"autobuild/orchestrator/review"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// Review gives a second opinion on work that has passed everything else. It may refuse, by what
// autobuild can confirm, and never approve.
type Review struct {
	Agent   Agent
	Name    string // of the agent
	Model   string
	Script  []string // what agent script runs
	Missing string   // why it cannot be asked; empty: it can
	On      func(plan.Phase) string
	Paths   []string // a phase that changes one of them is risky
	Rounds  int      // attempts at a phase for which the agent is asked
	Keep    bool     // tests that showed a regression become part of the work
	Trees   ReviewTrees
}

// ReviewTrees reads, composes and copies trees.
type ReviewTrees interface {
	Difference(ctx context.Context, from, to string) ([]referee.Edit, error)
	Source(ctx context.Context, tree string) (referee.Source, error)
	// Compose puts files into a tree or commit.
	Compose(ctx context.Context, tree, base string, puts []referee.Overlay) (string, error)
	// Hold takes the content of a phase's worktree for what lands. Breaches puts it back where it
	// changed before the attempt rests.
	Hold(ctx context.Context, phase string, tree Tree) error
	// Copy shows a tree in a directory of its own, which remove deletes with all that was written
	// there.
	Copy(ctx context.Context, tree string) (dir string, remove func() error, err error)
}

// testOfAnswer is how an author names a finding in referee_changes: its file, and this as test.
const testOfAnswer = "review"

// review asks for a second opinion, and takes the verdict back where autobuild confirms a finding.
// Only ctx's end is an error: a reviewer that fails, or trees that cannot be made, are recorded.
func (t *try) review(ctx context.Context, c Candidate) error {
	r := t.Review
	if r == nil {
		return nil
	}
	mode := r.On(t.task.Phase)
	if mode == review.OnOff {
		return nil
	}
	record := &state.Review{}
	standing := t.standing()
	var found []state.Finding
	rev := review.Case{
		Phase: t.task.Phase, Gates: t.record.Gates, Proof: t.record.Proof,
		Contested: t.record.Contested(),
	}
	missing := r.Missing
	if missing == "" {
		missing = t.readCase(ctx, c, &rev)
	}
	if mode == review.OnRisky {
		risks := rev.Risky(r.Paths)
		if len(risks) == 0 && len(standing) == 0 {
			return context.Cause(ctx)
		}
		record.Reason = text.JoinSome(risks, 4)
	}
	t.record.Review = record
	if missing == "" {
		if err := r.Trees.Hold(ctx, t.id, t.tree); err != nil {
			return err //nolint:wrapcheck // it says what it could not read
		}
	}
	if missing == "" && t.rounds() < r.Rounds && len(rev.Edits) > 0 {
		var err error
		if found, missing, err = t.opinion(ctx, c, rev, record); err != nil {
			return err
		}
	}
	if record.Missing = missing; missing != "" {
		t.notice("phase " + t.task.Phase.Label + " is not reviewed: " + missing)
	}
	if err := t.confirmFindings(ctx, c, rev, merged(standing, found)); err != nil {
		return err
	}
	t.rejectReviewed()
	return nil
}

// readCase fills in what a review needs of the trees, or says why that is not possible.
func (t *try) readCase(ctx context.Context, c Candidate, rev *review.Case) string {
	edits, err := t.Review.Trees.Difference(ctx, c.Tip, c.Work)
	if err == nil {
		var base referee.Source
		if base, err = t.Review.Trees.Source(ctx, c.Tip); err == nil {
			rev.Edits, rev.Base = edits, base.Paths()
			return ""
		}
	}
	return "its difference cannot be read: " + text.OneLine(err.Error())
}

// rounds counts the earlier attempts for which the reviewer was asked.
func (t *try) rounds() int {
	n := 0
	for _, a := range t.task.Earlier {
		if a.Review != nil && a.Review.Agent != "" {
			n++
		}
	}
	return n
}

// standing are the findings that counted in earlier attempts: they are looked at again, whether the
// reviewer repeats them or not.
func (t *try) standing() []state.Finding {
	var all []state.Finding
	for _, a := range t.task.Earlier {
		all = merged(all, a.Review.Counting())
	}
	return all
}

// merged are the findings of both lists, each once.
func merged(known, more []state.Finding) []state.Finding {
	out := slices.Clone(known)
	for _, f := range more {
		if !slices.ContainsFunc(out, func(g state.Finding) bool { return sameFinding(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}

func sameFinding(f, g state.Finding) bool {
	var v, w state.Witness
	if f.Witness != nil {
		v = *f.Witness
	}
	if g.Witness != nil {
		w = *g.Witness
	}
	return f.File == g.File && f.Criterion == g.Criterion && f.Call == g.Call &&
		f.Quote == g.Quote && v == w
}

// opinion asks the reviewer, on a copy of the work that is removed with all that it wrote there.
// The attempt keeps the place where its gates ran: work behind it in the queue holds the other
// places until this one has landed, and none would be left for the experiments.
func (t *try) opinion(
	ctx context.Context, c Candidate, rev review.Case, record *state.Review,
) (found []state.Finding, missing string, err error) {
	r := t.Review
	record.Agent, record.Model = r.Name, r.Model
	block, missing := t.askReviewer(ctx, c, rev, record)
	if err = context.Cause(ctx); err != nil {
		return nil, "", err
	}
	breaches, err := t.Workspace.Breaches(context.WithoutCancel(ctx), t.id)
	t.record.Warnings = append(t.record.Warnings, breaches.Warnings...)
	switch {
	case err != nil:
		return nil, "", err //nolint:wrapcheck // it says what it could not look at
	case len(breaches.Found) > 0:
		missing = "the reviewer changed things outside its place, which were put back: " +
			text.JoinSome(breaches.Found, 3)
	case missing == "":
		if found, record.Omitted, err = review.Parse(block); err != nil {
			missing = err.Error()
		}
	}
	return found, missing, nil
}

// askReviewer runs the reviewer's session and returns its result block.
func (t *try) askReviewer(
	ctx context.Context, c Candidate, rev review.Case, record *state.Review,
) (block, missing string) {
	r := t.Review
	failed := func(what string, err error) (string, string) {
		return "", what + ": " + text.OneLine(err.Error())
	}
	log, name, err := t.Log(t.prefix() + ".review.log")
	if err != nil {
		return failed("its log cannot be opened", err)
	}
	defer log.Close() //nolint:errcheck // the reviewer's words: what could be written is there
	record.Log = name
	dir, remove, err := r.Trees.Copy(ctx, c.Work)
	if err != nil {
		return failed("the work cannot be shown to it", err)
	}
	defer remove() //nolint:errcheck // the next start removes what is left
	scratch, discard, err := t.Scratch()
	if err != nil {
		return failed("it has no private directory", err)
	}
	defer discard()
	file, nonce := filepath.Join(scratch, "result.json"), t.Nonce()
	said := func(final string) (string, error) { return reviewBlock(file, final, t.id, nonce) }
	t.activity("the work is reviewed by "+r.Name, 0)
	job := Job{
		Prompt: rev.Prompt(nonce), Script: r.Script, Dir: dir, Scratch: scratch, Log: log,
		Env:      t.environ(file, nonce),
		Activity: t.activity, Timeout: t.Timeout, Idle: t.Idle, Model: r.Model,
		Done: func(text string) bool {
			_, unsaid := said(text)
			return unsaid == nil
		},
	}
	out, stopped, err := t.meterReview(ctx, job, record)
	switch {
	case err != nil:
		return failed("the reviewer could not be run", err)
	case stopped != nil:
		return failed("the reviewer was stopped", stopped)
	case out.Err != "":
		return failed("the reviewer could not start", errors.New(out.Err))
	case out.TimedOut:
		return "", "the reviewer did not end in time"
	}
	block, err = said(out.Final)
	if err != nil && (out.Kind != "" || out.ExitCode != 0) {
		return failed("the reviewer failed", errors.New(cmp.Or(out.Message, out.Kind,
			fmt.Sprintf("exit code %d", out.ExitCode))))
	}
	if err != nil {
		return failed("the reviewer left no result", err)
	}
	return block, ""
}

// reviewBlock is the result that a reviewer wrote into its file, else the one in its final message.
func reviewBlock(file, final, phase, nonce string) (string, error) {
	raw, err := readSmall(file)
	if err != nil {
		return result.Block(final, phase, nonce)
	}
	if _, alone := result.Decode(raw, phase, nonce); alone == nil {
		return raw, nil
	}
	return result.Block(raw, phase, nonce)
}

// meterReview runs the reviewer within what is left of the budgets of phase and run. What it used
// up is the review's own.
func (t *try) meterReview(
	ctx context.Context, job Job, record *state.Review,
) (out Outcome, stopped, err error) {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	meter := t.Meter
	if meter == nil {
		meter = new(Meter)
	}
	tab, err := meter.start(t.Budget, t.task.Spent.Add(t.record.Usage), stop)
	if err != nil {
		return out, err, nil
	}
	job.Spent = func(cost float64, in, out int64) {
		tab.set(state.Usage{CostUSD: cost, InputTokens: in, OutputTokens: out})
	}
	job.MaxCost, _ = tab.left()
	out, err = t.Review.Agent.Run(inner, job)
	record.Usage = used(out)
	if out.Model != "" {
		record.Model = out.Model
	}
	tab.close(record.Usage)
	if cause := context.Cause(inner); cause != nil && ctx.Err() == nil {
		return out, cause, nil
	}
	return out, nil, err
}

// rejectReviewed takes the verdict back where findings count.
func (t *try) rejectReviewed() {
	for _, f := range t.record.Review.Counting() {
		t.record.Verdict = state.Refused
		t.seen.Review = append(t.seen.Review, failure.Reviewed{
			Place: failure.Place{
				File: f.File, Line: f.Line, Rule: string(f.Ground), Message: f.Claim,
			},
			Shown: shown(f),
		})
	}
}

// shown is what shows a finding that counts, for the author.
func shown(f state.Finding) string {
	var b strings.Builder
	if f.Criterion != "" && f.Ground != state.GroundRegression {
		fmt.Fprintf(&b, "the plan: %s\n", text.OneLine(f.Criterion))
	}
	switch f.Ground {
	case state.GroundExample:
		fmt.Fprintf(&b, "call: %s\n%s\n", f.Call, f.Why)
	case state.GroundBan:
		fmt.Fprintf(&b, "line: %s\n", f.Quote)
	case state.GroundRegression:
		if f.Witness != nil && f.Witness.Content != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", f.Witness.File, strings.TrimSpace(f.Witness.Content))
		}
		if f.Witness != nil && f.Witness.Command != "" {
			fmt.Fprintf(&b, "command: %s\n", f.Witness.Command)
		}
		fmt.Fprintf(&b, "%s\n", f.Why)
	}
	return b.String()
}
