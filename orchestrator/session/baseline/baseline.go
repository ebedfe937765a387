// Package baseline finds out how the gates of a run end on the base, before any phase runs. Results
// are stored by content, so the gates run only where they are unknown. It does not know how a
// failure is attributed; attempts compare with what it returns.
package baseline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/failure"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/gates"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/state"
)

// Name is where results of gates on known contents are kept, below the state directory.
const Name = "baseline.json"

// maxSize bounds that file, in bytes: it holds the names of tests.
const maxSize = 8 << 20

// Results are results of gates on known contents.
type Results struct {
	Call    *call.Call
	Project *call.Project
	Gates   []state.GateSpec // of the run
	Setup   []string
	Runner  *gates.Runner
	// nil: nothing is compared
	Examiner *verify.Examiner
	// saves a file below the state directory
	Put func(name string, data []byte, exec bool) error
	// the writes that the sandbox denied to a program in dir, as an output names them; nil: nothing
	// is confined
	Denied  func(dir, output string) []failure.DeniedWrite
	Sandbox []string // what confines the gates; results of others do not count
	Strict  bool     // phases answer for every failure

	// Accept starts the run although no gate can verify a phase
	Accept bool
	// Judged: every phase of the plan has its own gates
	Judged bool
	// Prepared is the install of the base
	Prepared prepare.Made

	blind []string // names of blind gates

	mu    sync.Mutex
	known verify.Known
}

// Load reads the stored results. They are a cache: unreadable results are determined again, with a
// note.
func (r *Results) Load() {
	path := filepath.Join(r.Project.StateDir, Name)
	raw, err := safefile.ReadNamed(path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		r.known, err = verify.ReadKnown(raw)
	}
	if err != nil {
		r.Call.Note("%s cannot be used and is made anew: %v", r.Call.Shown(path), err)
	}
}

// Make determines the results of the gates on the base: from the stored ones, else by running the
// gates once. Without a result, and with Strict, the baseline is nil: every failure is the phase's
// own. The error is a *DeniedError or an *UnusableGatesError.
func (r *Results) Make(ctx context.Context) (b *attempt.Baseline, notices []string, err error) {
	specs := slices.DeleteFunc(slices.Clone(r.Gates),
		func(g state.GateSpec) bool { return !g.Available || gates.IsHooks(g) })
	if r.Project.Repo == nil || len(specs) == 0 {
		return nil, nil, nil
	}
	found, known, err := r.determine(ctx, specs)
	for _, g := range found.Failed {
		err = cmp.Or(err, r.denied("gate "+g.Name, g))
	}
	if _, denied := errors.AsType[*DeniedError](err); denied {
		return nil, nil, err
	}
	if err != nil {
		if ctx.Err() == nil {
			notices = append(notices,
				"baseline: what fails already could not be found out, so every failure is held "+
					"against the phase that meets it: "+
					text.Clean(err.Error(), 300))
		}
		return nil, notices, nil
	}
	if r.Examiner != nil {
		r.Examiner.Knows(found.Passing)
	}
	unusable, err := r.unusable(ctx, specs, found)
	if err != nil {
		return nil, nil, err
	}
	notices = append(notices, unusable...)
	for _, g := range found.Failed {
		notices = append(notices, "baseline: "+text.Clean(r.standing(g), 300))
	}
	if known && len(found.Failed) == 0 && r.Call.Verbose {
		r.Call.Note("baseline: the gates are known to pass on this content")
	}
	if r.Strict {
		return nil, notices, nil
	}
	b = attempt.NewBaseline(found.Failed)
	b.Save = r.save
	return b, notices, nil
}

// DeniedError says that the sandbox keeps a command from its work before any phase has begun.
type DeniedError struct {
	Command, Path, Allow string
	Checkout             bool // Path lies in the user's checkout
}

// Error names the command, the path and the remedy.
func (e *DeniedError) Error() string {
	next := "run with --sandbox off"
	if e.Checkout {
		return fmt.Sprintf("%s fails before any phase, and the sandbox denies access to %s: a gate "+
			"that depends on your checkout does not verify the work; make it use paths of its own "+
			"folder, let `setup` copy what it needs, or %s", e.Command, e.Path, next)
	}
	if e.Allow != "" {
		next = "name " + e.Allow + " under sandbox.write in " + config.Name + ", or " + next
	}
	return fmt.Sprintf("%s fails before any phase, and the sandbox denies writing %s; %s",
		e.Command, e.Path, next)
}

// denied is a *DeniedError where the sandbox denied a write to a command that failed.
func (r *Results) denied(command string, ran state.Gate) error {
	if r.Denied == nil {
		return nil
	}
	said := []string{ran.Tail}
	for _, t := range ran.Tests {
		said = append(said, t.Message)
	}
	for _, p := range ran.Places {
		said = append(said, p.Message)
	}
	for _, d := range r.Denied("", strings.Join(said, "\n")) {
		return &DeniedError{
			command, text.Clean(d.Path, 300), text.Clean(d.Allow, 300),
			strings.HasPrefix(command, "gate ") && r.Runner.Root != "" &&
				strings.HasPrefix(d.Path, r.Runner.Root+"/"),
		}
	}
	return nil
}

// determine returns the stored result for the base's content, else runs the gates.
func (r *Results) determine(
	ctx context.Context, specs []state.GateSpec,
) (found verify.Result, known bool, err error) {
	content, err := r.Runner.Space.Content(ctx, "")
	if err != nil {
		return found, false, err
	}
	if found, known = r.known.Result(r.key(content)); !known {
		if found, err = r.run(ctx, specs, content); err != nil {
			return found, false, err
		}
		r.blind = found.Blind
		r.keep(content, found)
		return found, false, nil
	}
	r.blind = found.Blind
	// a fresh start has archived it with the old run
	if _, err := safefile.ReadNamed(filepath.Join(r.Project.StateDir, Name),
		maxSize); errors.Is(err, fs.ErrNotExist) {
		r.keep(content, found)
	}
	return found, true, nil
}

// run runs setup and gates on the base, then its tests on the base with a spoiled product.
func (r *Results) run(
	ctx context.Context, specs []state.GateSpec, content string,
) (found verify.Result, err error) {
	names := make([]string, len(specs))
	for i, g := range specs {
		names[i] = g.Name
	}
	r.Call.Note("baseline: running %s once, before the first phase", strings.Join(names, ", "))
	var here []state.GateSpec
	choose := func(dir string) []state.GateSpec {
		here = slices.DeleteFunc(r.Runner.Gates.In(dir, plan.Phase{}), gates.IsHooks)
		return here
	}
	ran, broken, err := r.Runner.Judge(ctx, "baseline", choose, func(state.Gate) {})
	if err == nil && broken != nil {
		err = r.denied("setup `"+broken.Command+"`", *broken)
	}
	if err == nil && broken != nil {
		err = fmt.Errorf("setup `%s` failed with exit code %d, see %s",
			broken.Command, broken.Exit,
			r.Call.Shown(filepath.Join(r.Project.StateDir, broken.Log)))
	}
	if err != nil {
		return found, err
	}
	if r.Runner.GateJobs != nil {
		var wall time.Duration
		for _, g := range ran.Gates {
			wall += g.Duration
		}
		r.Runner.GateJobs(ran.CPU, wall)
	}
	found.Failed = slices.DeleteFunc(slices.Clone(ran.Gates), func(g state.Gate) bool {
		return g.Status != state.GateFailed && g.Status != state.GateTimeout
	})
	found.Passing = slices.Sorted(maps.Keys(ran.Passing))
	found.Blind, err = r.findBlind(ctx, content, here, ran.Gates)
	return found, err
}

// findBlind runs the test gates that passed on the base once more, with the product's code replaced
// by a syntax error. A gate that passes again is blind.
func (r *Results) findBlind(
	ctx context.Context, content string, specs []state.GateSpec, ran []state.Gate,
) (blind []string, err error) {
	trees := r.Runner.Space.Trees()
	tests := slices.DeleteFunc(slices.Clone(specs), func(s state.GateSpec) bool {
		return s.Kind != state.KindTest || !slices.ContainsFunc(ran, func(g state.Gate) bool {
			return g.Name == s.Name && g.Status == state.GatePassed
		})
	})
	if trees == nil || len(tests) == 0 {
		return nil, nil
	}
	spoiled, err := verify.Spoiled(ctx, trees, content, specs)
	if err != nil || spoiled == "" {
		return nil, err
	}
	for _, s := range tests {
		passes, err := r.Runner.Passes(ctx, "baseline-spoiled", spoiled, s)
		if err != nil {
			return nil, err
		}
		if passes {
			blind = append(blind, s.Name)
		}
	}
	return blind, nil
}

// save keeps a result for the next session, which otherwise runs the gates again.
func (r *Results) save(ctx context.Context, commit string, failed []state.Gate) {
	content, err := r.Runner.Space.Content(ctx, commit)
	if err != nil {
		return
	}
	found := verify.Result{Failed: failed, Blind: r.blind}
	if r.Examiner != nil {
		found.Passing = r.Examiner.Known()
	}
	r.keep(content, found)
}

// key names the run's gates on a content.
func (r *Results) key(content string) string {
	return verify.Key(content, r.Gates, slices.Concat(r.Setup, r.Sandbox))
}

// keep stores a result, best effort: two landings may come at the same time.
func (r *Results) keep(content string, found verify.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known.Put(r.key(content), found)
	raw, err := r.known.Bytes(maxSize)
	if err == nil {
		err = r.Put(Name, raw, false)
	}
	if err != nil {
		r.Call.Note("the baseline could not be kept: %s", text.Clean(err.Error(), 300))
	}
}

// standing is how one gate ends on the base, and what follows.
func (r *Results) standing(g state.Gate) string {
	text := g.Name + " fails already"
	if g.Status == state.GateTimeout {
		text = g.Name + " does not end in time already"
	}
	if g.Failed > 0 {
		text += fmt.Sprintf(" (%d found)", g.Failed)
	}
	switch {
	case r.Strict:
		return text + "; with --baseline strict phases answer for all of it"
	case attempt.Mute(g):
		return text + ", without a word: it is taken for a condition that phases are to meet"
	case g.Failed > 0:
		return text + "; phases answer for what is new"
	}
	return text + ", and does not name what; it counts neither for nor against a phase before " +
		"it passes once"
}
