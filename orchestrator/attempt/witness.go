package attempt

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/review"
	"autobuild/state"
)

// maxExperiments is how long the experiments of one review may take together.
const maxExperiments = 10 * time.Minute

// maxSeen bounds what is kept of an experiment's output, in bytes.
const maxSeen = 1 << 10

// confirmFindings rules on each finding: it counts if one of its experiments ends as it says.
func (t *try) confirmFindings(
	ctx context.Context, c Candidate, rev review.Case, findings []state.Finding,
) error {
	record, spent := t.record.Review, time.Duration(0)
	for i, f := range findings {
		f.Ruling, f.Ground = state.FindingNote, ""
		experiments, why := rev.Experiments(f)
		f.Why = why
		for _, x := range experiments {
			if spent > maxExperiments {
				f.Why = "the experiments of this review have taken too long"
				break
			}
			seen, why, took, err := t.experiment(ctx, c, x, strconv.Itoa(i+1))
			if spent += took; err != nil {
				return err
			}
			f.Why, f.Log = why, seen.Log
			if why == "" {
				f.Ruling, f.Ground, f.Why = state.FindingCounts, x.Ground, outputOf(seen)
				break
			}
		}
		if why := t.answer(f.File); f.Ruling == state.FindingCounts && why != "" {
			f.Ruling, f.Why = state.FindingAnswered, why
		}
		if f.Ruling == state.FindingNote && f.Witness != nil {
			w := *f.Witness
			w.Content = "" // the reviewer's log has it
			f.Witness = &w
		}
		record.Findings = append(record.Findings, f)
	}
	slices.SortStableFunc(record.Findings, func(a, b state.Finding) int {
		return strings.Compare(string(a.Ruling), string(b.Ruling)) // answered, counts, note
	})
	t.record.Referee = append(t.record.Referee, t.answers()...)
	breaches, err := t.Workspace.Breaches(context.WithoutCancel(ctx), t.id)
	if len(breaches.Found) > 0 {
		t.record.Warnings = append(t.record.Warnings, "a witness of the review changed things "+
			"outside its place, which were put back: "+text.JoinSome(breaches.Found, 3))
	}
	return errors.Join(err, context.Cause(ctx))
}

// outputOf is what an experiment printed, for the author.
func outputOf(g state.Gate) string { return text.Truncate(review.Output(g.Tail), maxSeen) }

// experiment makes the runs of one experiment in order, until one speaks against the finding. The
// gate that is returned is the last that failed.
func (t *try) experiment(
	ctx context.Context, c Candidate, x review.Experiment, number string,
) (seen state.Gate, why string, took time.Duration, err error) {
	for _, run := range x.Runs {
		on := c.Work
		if run.Base {
			on = c.Tip
		}
		tree, err := t.Review.Trees.Compose(ctx, on, on, run.Puts)
		if err != nil {
			return seen, "its experiment cannot be made: " + text.OneLine(err.Error()), took,
				context.Cause(ctx)
		}
		before, verdict := t.seen, t.record.Verdict
		ran, err := t.runElsewhere(ctx, tree, "review-"+number+"-"+run.Name, []state.GateSpec{{
			Name: run.Name, Kind: state.KindCustom, Command: run.Command, Source: state.ReviewSource,
			Available: true,
		}})
		if cause := context.Cause(ctx); cause != nil {
			return seen, "", took, cause
		}
		if err != nil || len(ran.Gates) != 1 {
			t.seen, t.record.Verdict = before, verdict // a setup that failed is no fault of the work
			if _, failed := errors.AsType[*failure.Failure](err); !failed && err != nil {
				return seen, "its experiment failed: " + text.OneLine(err.Error()), took, nil
			}
			return seen, "the tree of its experiment could not be set up", took, nil
		}
		g := ran.Gates[0]
		took += g.Duration
		if g.Status != state.GatePassed || seen.Log == "" {
			seen = g
		}
		if why := run.Check(g); why != "" {
			return seen, why, took, nil
		}
	}
	return seen, "", took, nil
}

// answer is what the author says against a finding in a file that an earlier attempt was refused
// for; empty: nothing.
func (t *try) answer(file string) string {
	if t.record.Report == nil || !slices.ContainsFunc(t.standing(),
		func(f state.Finding) bool { return f.File == file }) {
		return ""
	}
	for _, c := range t.record.Report.RefereeChanges {
		if c.Test == testOfAnswer && path.Clean(c.File) == file {
			return strings.TrimSpace(c.Why)
		}
	}
	return ""
}

// answers are the findings that the author answers, as contested changes: a person decides.
func (t *try) answers() []state.RefereeChange {
	if t.record.Review == nil {
		return nil
	}
	var all []state.RefereeChange
	for _, f := range t.record.Review.Findings {
		if f.Ruling == state.FindingAnswered {
			all = append(all, state.RefereeChange{
				Ruling: state.RulingContested, Cause: state.CauseReview, File: f.File, Line: f.Line,
				Test: testOfAnswer, What: f.Claim, Why: f.Why,
			})
		}
	}
	return all
}

// keepWitnesses puts tests that showed a regression of an earlier attempt into the work, where that
// is wanted. An existing file stays as it is.
func (t *try) keepWitnesses() {
	if t.Review == nil || !t.Review.Keep {
		return
	}
	for _, f := range t.standing() {
		if f.Ground != state.GroundRegression || f.Witness == nil || f.Witness.Content == "" ||
			t.answer(f.File) != "" {
			continue
		}
		if err := putNew(t.tree.Dir, f.Witness.File, f.Witness.Content); err != nil {
			t.record.Warnings = append(t.record.Warnings,
				"the reviewer's test is not kept: "+text.OneLine(err.Error()))
		}
	}
}

// putNew writes a file below dir, which no link leads out of, unless it exists.
func putNew(dir, name, content string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	name = filepath.FromSlash(name)
	if _, err := root.Lstat(name); err == nil {
		return nil
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return safefile.Write(filepath.Join(dir, name), []byte(content), 0o644)
}
