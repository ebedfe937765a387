package verify

import (
	"context"
	"slices"

	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// keptFile is a file of tests as it was before a phase removed or weakened some that still passed:
// it stays the referee of the rest of the run, until it cannot be built any more.
type keptFile struct {
	path, mode, text string
	tests            []string
}

// maxKept bounds the files that are kept, in number and bytes of each.
const (
	maxKept     = 200
	maxKeptSize = 256 << 10
)

// keepRemoved saves the base's version of files in which a phase removed, skipped, emptied or
// weakened tests that still pass. They judge all later phases.
func (e *examination) keepRemoved(changes []state.RefereeChange) {
	if slices.ContainsFunc(changes,
		func(c state.RefereeChange) bool { return c.Ruling == state.RulingRefused }) {
		return // the work does not land
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range changes {
		weaker := c.Cause == state.CauseRemoved || c.Cause == state.CauseSkipped ||
			c.Cause == state.CauseEmptied || c.Cause == state.CauseValue
		if c.Ruling != state.RulingRecorded || !weaker || c.Test == "" || len(e.kept) >= maxKept {
			continue
		}
		text, ok := e.base.Read(c.File)
		if !ok || len(text) > maxKeptSize {
			continue
		}
		i := slices.IndexFunc(e.kept, func(k keptFile) bool { return k.path == c.File })
		if i < 0 {
			e.kept = append(e.kept, keptFile{path: c.File, mode: e.base.Mode(c.File), text: text})
			i = len(e.kept) - 1
		}
		e.kept[i].tests = append(e.kept[i].tests, c.Test)
	}
}

// keptRun runs the tests that earlier phases removed while they still passed. One that fails now
// was taken away first and broken afterwards. One that cannot be built has had its time.
func (e *examination) keptRun(ctx context.Context) ([]state.RefereeChange, error) {
	e.mu.Lock()
	kept := slices.Clone(e.kept)
	e.mu.Unlock()
	if len(kept) == 0 {
		return nil, nil
	}
	puts := e.files.Compose(e.edits)
	for _, k := range kept {
		puts = slices.DeleteFunc(puts, func(p referee.Overlay) bool { return p.Path == k.path })
		puts = append(puts, referee.Overlay{Path: k.path, Mode: k.mode, Content: k.text})
	}
	tree, err := e.Trees.Compose(ctx, e.Work, e.Tip, puts)
	if err != nil {
		return nil, err
	}
	specs := slices.DeleteFunc(e.judges(),
		func(s state.GateSpec) bool {
			return s.Kind != state.KindTest && s.Kind != state.KindCustom
		})
	ran, err := e.try(ctx, tree, referee.RunKept, specs)
	if err != nil {
		return nil, err
	}
	if ran, err = e.notBefore(ctx, specs, ran); err != nil || ran.Passed {
		return nil, err
	}
	var found []state.RefereeChange
	for _, k := range kept {
		for _, name := range k.tests {
			if !referee.Fails(ran, testunit.Unit{File: k.path, Name: name}) {
				continue
			}
			found = append(found, state.RefereeChange{
				Cause: state.CauseRemoved, File: k.path, Test: name,
				What: "an earlier phase removed or weakened it while it passed; with this " +
					"phase's work it fails",
			})
		}
	}
	return found, nil
}
