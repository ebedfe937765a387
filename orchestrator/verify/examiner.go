package verify

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"autobuild/orchestrator/verify/referee"
	gatefiles "autobuild/orchestrator/verify/referee/gate"
	"autobuild/plan"
	"autobuild/state"
)

// Trees reads and composes git trees.
type Trees interface {
	Difference(ctx context.Context, from, to string) ([]referee.Edit, error)
	Source(ctx context.Context, tree string) (referee.Source, error)
	// Compose puts files into a tree. Those marked Base come from the tree or commit base.
	Compose(ctx context.Context, tree, base string, puts []referee.Overlay) (string, error)
}

// Try runs gates on a tree; the name is part of the logs' names.
type Try func(ctx context.Context, tree, name string, gates []state.GateSpec) (referee.Outcome,
	error)

// Case is one phase's work before the referee.
type Case struct {
	Phase   plan.Phase
	Tip     string           // commit of the line below the work
	Work    string           // tree of the work merged with Tip
	Gates   []state.GateSpec // that apply to the phase
	Ran     referee.Outcome  // of the gates on the work
	Claimed []state.ClaimedChange
}

// ProofMode says whether a phase has to prove that its tests see its change.
type ProofMode string

// The modes of proof.
const (
	// where the gates with the tests took less than two minutes
	ProofAuto     ProofMode = "auto"
	ProofOff      ProofMode = "off"      // never tried
	ProofRequired ProofMode = "required" // its absence fails the phase
)

// maxProofTime is how long the test gates may have taken for a proof to be tried by itself.
const maxProofTime = 2 * time.Minute

// Examiner says whether work changed what judges it. It may be used concurrently.
type Examiner struct {
	Trees Trees
	Mode  referee.Mode
	Proof func(phase plan.Phase) ProofMode

	mu   sync.Mutex
	kept []keptFile
	// names of all tests seen passing in the run; nil: none of its runners prints names
	passed map[string]bool
}

// Verdict is what Examine found.
type Verdict struct {
	Changes []state.RefereeChange
	Proof   state.Proof
	Missing string   // why a required proof is not there
	Unrun   []string // new files of tests that no gate runs
}

// examination is one case as it goes on.
type examination struct {
	*Examiner
	Case
	try   Try
	edits []referee.Edit
	base  referee.Source
	files *referee.Map
}

// Examine compares the work's tests and gates with those of the tip, and lets the base's referee
// judge the new code where they differ. Errors are the machinery's, and those of try.
func (x *Examiner) Examine(ctx context.Context, c Case, try Try) (Verdict, error) {
	e := &examination{Examiner: x, Case: c, try: try}
	if err := e.read(ctx); err != nil {
		return Verdict{}, err
	}
	v := Verdict{}
	now, before, run := c.Ran, e.before(), c.Ran
	var err error
	if e.Mode != referee.Off && len(e.edits) > 0 {
		if v.Changes, run, err = e.changes(ctx, before, now); err != nil {
			return v, err
		}
	}
	e.remember(now, run)
	if slices.ContainsFunc(v.Changes,
		func(c state.RefereeChange) bool { return c.Ruling == state.RulingRefused }) {
		return v, nil
	}
	v.Proof, v.Unrun, err = e.proof(ctx)
	if err == nil && v.Proof != state.ProofRedGreen && e.proofMode() == ProofRequired {
		v.Missing = "no test of the phase fails on the code as it was before it"
	}
	return v, err
}

func (e *examination) read(ctx context.Context) (err error) {
	if e.edits, err = e.Trees.Difference(ctx, e.Tip, e.Work); err != nil || len(e.edits) == 0 {
		return err
	}
	if e.base, err = e.Trees.Source(ctx, e.Tip); err != nil {
		return err
	}
	e.files = referee.NewMap(e.base, e.Gates)
	return nil
}

// changes finds what the work changed of its referee, and rules on it. The outcome is that of the
// referee run, or of the gates where none is needed.
func (e *examination) changes(
	ctx context.Context, before, now referee.Outcome,
) ([]state.RefereeChange, referee.Outcome, error) {
	run := now
	made := e.files.Needed(e.edits, before, now) != ""
	if made {
		var err error
		if run, err = e.refereeRun(ctx, now); err != nil {
			return nil, run, err
		}
	}
	found := e.find(before, now, run)
	explaining := found
	if adapted := e.files.Adapted(found, e.edits, run); made && !run.Passed && len(adapted) > 0 {
		again, err := e.adaptedRun(ctx, now, adapted)
		if err != nil {
			return nil, run, err
		}
		if referee.Builds(again, adapted) {
			ofOthers := func(c state.RefereeChange) bool { return !adapted[c.File] }
			explaining = slices.DeleteFunc(e.find(before, now, again),
				func(c state.RefereeChange) bool { return adapted[c.File] })
			found = slices.Concat(slices.DeleteFunc(found, ofOthers), explaining)
			run = again
		}
	}
	if made {
		found = append(found, referee.Unexplained(explaining, run)...)
	}
	kept, err := e.keptRun(ctx)
	if err != nil {
		return nil, run, err
	}
	found = append(found, kept...)
	section := referee.Section{Text: e.Phase.Text, Files: e.Phase.Files.All()}
	found = referee.Rule(e.files, found, e.edits, section, e.Claimed, e.Mode)
	e.keepRemoved(found)
	return found, run, nil
}

// find lists what the work changes of the referee, as a run of the base's referee shows it.
func (e *examination) find(before, now, run referee.Outcome) []state.RefereeChange {
	found := slices.Concat(
		referee.TestChanges(e.files, e.edits, run),
		e.files.GateChanges(e.edits),
		referee.Unseen(e.files, e.base, e.edits, before, now, run),
	)
	found = referee.Harmless(e.files, found, e.edits, before, now, run)
	found = referee.Loads(e.files, found, e.edits, run)
	return e.files.Renamed(found, e.edits)
}

// adaptedRun is the referee run with the files that had to be adapted as they are in the work:
// files that could not be built on the base are judges too.
func (e *examination) adaptedRun(
	ctx context.Context, now referee.Outcome, adapted map[string]bool,
) (referee.Outcome, error) {
	puts := slices.DeleteFunc(e.files.Compose(e.edits),
		func(p referee.Overlay) bool { return adapted[p.Path] })
	return e.runComposed(ctx, now, puts, referee.RunAdapted)
}

// refereeRun runs the base's gates on the work's product code with the base's referee files.
func (e *examination) refereeRun(
	ctx context.Context, now referee.Outcome,
) (referee.Outcome, error) {
	return e.runComposed(ctx, now, e.files.Compose(e.edits), referee.RunWhole)
}

// runComposed runs the base's gates on the work with files of its base. Name is part of the logs'
// names.
func (e *examination) runComposed(
	ctx context.Context, now referee.Outcome, puts []referee.Overlay, name string,
) (referee.Outcome, error) {
	tree, err := e.Trees.Compose(ctx, e.Work, e.Tip, puts)
	if err != nil {
		return referee.Outcome{}, err
	}
	if tree == e.Work {
		return now, nil
	}
	specs := e.judges()
	ran, err := e.try(ctx, tree, name, specs)
	if err != nil {
		return ran, err
	}
	return e.notBefore(ctx, specs, ran)
}

// judges are the gates that run tests or programs of the repository, and the others where a file
// that steers them changed.
func (e *examination) judges() []state.GateSpec {
	steered := slices.ContainsFunc(e.edits, func(d referee.Edit) bool {
		c := e.files.Class(d.Path)
		return c == referee.Gate || c == referee.Lever || e.files.Reached(d.Path)
	})
	return slices.DeleteFunc(slices.Clone(e.Gates), func(s state.GateSpec) bool {
		static := s.Kind == state.KindLint || s.Kind == state.KindFormat ||
			s.Kind == state.KindTypecheck
		return !s.Available || s.Source == "git" || static && !steered
	})
}

// notBefore leaves out what fails on the base as well. A gate that fails there and names no test
// waits for the phase's work: it judged nothing in either run.
func (e *examination) notBefore(
	ctx context.Context, specs []state.GateSpec, ran referee.Outcome,
) (referee.Outcome, error) {
	failed := failedOf(specs, ran.Gates)
	if len(failed) == 0 {
		ran.Passed, ran.Blind = true, nil
		return ran, nil
	}
	tip, err := e.Trees.Compose(ctx, e.Tip, e.Tip, nil)
	if err != nil {
		return ran, err
	}
	base, err := e.try(ctx, tip, "base", failed)
	if err != nil {
		return base, err
	}
	ran = ran.Worse(base)
	ran.Blind = slices.DeleteFunc(slices.Clone(ran.Blind), func(name string) bool {
		return !slices.ContainsFunc(base.Gates, func(g state.Gate) bool {
			return g.Name == name && g.Status == state.GatePassed
		})
	})
	ran.Passed = len(ran.Blind)+len(ran.Failing)+len(ran.Broken) == 0
	return ran, nil
}

func failedOf(specs []state.GateSpec, ran []state.Gate) []state.GateSpec {
	return slices.DeleteFunc(slices.Clone(specs), func(s state.GateSpec) bool {
		return !slices.ContainsFunc(ran, func(g state.Gate) bool {
			return g.Name == s.Name &&
				(g.Status == state.GateFailed || g.Status == state.GateTimeout) && g.Before == ""
		})
	})
}

// proofMode is what the phase asks for.
func (e *examination) proofMode() ProofMode {
	if e.Proof == nil {
		return ProofAuto
	}
	return e.Proof(e.Phase)
}

// proof runs the work's tests on the base's code. If they pass there, it checks that a gate runs
// them at all.
func (e *examination) proof(ctx context.Context) (_ state.Proof, unrun []string, err error) {
	var tests []state.GateSpec
	var took time.Duration
	for _, s := range e.Gates {
		i := slices.IndexFunc(e.Ran.Gates, func(g state.Gate) bool {
			return g.Name == s.Name && g.Status == state.GatePassed
		})
		if s.Kind == state.KindTest && i >= 0 {
			tests, took = append(tests, s), took+e.Ran.Gates[i].Duration
		}
	}
	mode := e.proofMode()
	switch {
	case mode == ProofOff || mode == ProofAuto && took >= maxProofTime:
		return "", nil, nil
	case len(tests) == 0:
		return state.ProofNone, nil, nil
	case len(e.edits) == 0:
		return state.ProofRegression, nil, nil
	}
	puts := e.files.ComposeProof(e.edits)
	if len(puts) == 0 {
		return state.ProofRegression, nil, nil
	}
	if e.files.Undeclared(e.edits, e.Ran) != "" {
		return state.ProofRedGreen, nil, nil
	}
	tree, err := e.Trees.Compose(ctx, e.Tip, e.Work, puts)
	if err != nil {
		return "", nil, err
	}
	ran, err := e.try(ctx, tree, "proof", tests)
	if err != nil {
		return "", nil, err
	}
	if len(failedOf(tests, ran.Gates)) > 0 {
		return state.ProofRedGreen, nil, nil
	}
	unrun, err = e.unrun(ctx, tests)
	return state.ProofRegression, unrun, err
}

// unrun returns the new test files if gates pass although each of these is a syntax error.
func (e *examination) unrun(ctx context.Context, tests []state.GateSpec) ([]string, error) {
	var names []string
	var puts []referee.Overlay
	for _, edit := range e.edits {
		if edit.OldMode == "" && edit.NewMode != "" && e.files.Class(edit.Path) == referee.Test &&
			gatefiles.IsSource(edit.Path) {
			names, puts = append(names, edit.Path), append(puts, spoiled(edit.Path))
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	tree, err := e.Trees.Compose(ctx, e.Work, e.Work, puts)
	if err != nil {
		return nil, err
	}
	ran, err := e.try(ctx, tree, "unrun", tests)
	if err != nil || len(failedOf(tests, ran.Gates)) > 0 {
		return nil, err
	}
	return names, nil
}

// before is what is known of the tip's tests.
func (e *examination) before() referee.Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	return referee.Outcome{Passing: maps.Clone(e.passed)}
}

// remember keeps every name that was seen passing, also those that only the referee run saw: a test
// that was switched off is missed in every later phase.
func (e *examination) remember(seen ...referee.Outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range seen {
		if o.Passing != nil && e.passed == nil {
			e.passed = map[string]bool{}
		}
		maps.Copy(e.passed, o.Passing)
	}
}
