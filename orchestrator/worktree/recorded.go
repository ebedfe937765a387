package worktree

import (
	"context"
	"errors"
	"fmt"

	"autobuild/orchestrator/git"
)

// Recorded lists the commits that the attempts of a run have made, oldest first, without changing anything. known is false where git has
// no record of the run, or a damaged one: then no commit proves anything, and none that is missing either. shared says that the run had no
// line of its own, so that its commits are on the checkout's branch.
func Recorded(ctx context.Context, r *git.Repository, run string, shared bool) (commits []Commit, known bool, err error) {
	if safe("run id", run) != nil {
		return nil, false, nil
	}
	l := &Line{repo: r, opt: Options{RunID: run}}
	refs, err := r.Refs(ctx, l.hidden(""), l.ref(""))
	if err != nil {
		return nil, false, err
	}
	base, tip := refs[l.hidden("base")], refs[l.ref("integration")]
	if tip == "" {
		tip = refs[l.hidden("line")]
	}
	if shared {
		tip = r.Head
	}
	if base == "" || tip == "" {
		return nil, false, nil
	}
	log, err := r.Log(ctx, base, tip)
	if _, refused := errors.AsType[*git.ExitError](err); refused {
		return nil, false, nil // a ref leads to nothing
	}
	if err != nil {
		return nil, false, err
	}
	return phaseCommits(entries(log, run)), true, nil
}

// searched is how many commits of the user's branch are looked through for those of a run whose refs are gone.
const searched = 2000

// findAgain takes up a run whose refs are gone, as in a fresh clone beside a kept state directory: what was delivered is on the
// user's branch, and the run began before the first of it. It gives the commits that it looked at, newest first.
func (l *Line) findAgain(ctx context.Context) ([]entry, error) {
	newest, err := l.scratch.Newest(ctx, l.tip, searched)
	if err != nil {
		return nil, err
	}
	found, phases := entries(newest, l.opt.RunID), 0
	for i, e := range found {
		if e.phase != "" && i+1 < len(found) { // the root of a history has no commit before it
			phases++
			l.base = found[i+1].ID
		}
	}
	if phases > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("git's refs of run %s are gone; its work was found on your branch: commits of phases: %d", l.opt.RunID, phases))
	}
	l.revived = phases > 0 // and if nothing is left to do, its branch goes again
	return found, nil
}

// entries reads the trailers of commits; those of other runs, and the user's, have no trail.
func entries(log []git.Commit, run string) []entry {
	var found []entry
	for _, c := range log {
		e := entry{Commit: c}
		if of, by := readTrailers(e.Message); of == run {
			e.trail = by
		}
		found = append(found, e)
	}
	return found
}
