package worktree

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"autobuild/orchestrator/git"
)

// recall reads from the line which phases have landed on it.
func (l *Line) recall(ctx context.Context) error {
	commits, err := l.commits(ctx)
	for _, c := range commits {
		l.landed[c.Phase], l.keys[c.Phase] = c.ID, c.Key
	}
	return err
}

// Landed returns, for a resume, the commit on the line of every phase that landed, by the commits'
// trailers.
func (l *Line) Landed(ctx context.Context) (map[string]string, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	return maps.Clone(l.landed), nil
}

// Commit is a phase's commit on the line.
type Commit struct {
	ID, Phase, Message string
	Key                string   // of the attempt that made it
	Verdict            string   // see Landing
	Contested          []string // see Landing
	PlanMarked         bool     // the plan is part of the work, and was ticked with it
}

// Commits lists every phase's commits on the line, oldest first. A phase that was done again has
// several.
func (l *Line) Commits(ctx context.Context) ([]Commit, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	return l.commits(ctx)
}

func (l *Line) commits(ctx context.Context) ([]Commit, error) {
	if l.tip == l.base {
		return nil, nil
	}
	entries, err := l.log(ctx, l.base, l.tip)
	if err != nil {
		return nil, err
	}
	commits := phaseCommits(entries)
	if l.plan == "" || len(commits) == 0 {
		return commits, nil
	}
	// A plan that is part of the work now was so when the run's work landed: it is marked with the
	// work, or never.
	_, tracked, err := l.scratch.Entry(ctx, l.tip, l.plan)
	for i := range commits {
		commits[i].PlanMarked = tracked
	}
	return commits, err
}

// phaseCommits keeps the commits that phases made.
func phaseCommits(entries []entry) []Commit {
	var commits []Commit
	for _, e := range entries {
		if e.phase != "" {
			commits = append(commits, Commit{
				ID: e.ID, Phase: e.phase, Key: e.key,
				Verdict: e.verdict, Contested: e.contested, Message: e.Message,
			})
		}
	}
	return commits
}

// entry is one commit of the line; phase is empty for the user's own.
type entry struct {
	git.Commit
	trail
}

// log lists the line's commits between two, oldest first.
func (l *Line) log(ctx context.Context, from, to string, paths ...string) ([]entry, error) {
	commits, err := l.scratch.Log(ctx, from, to, paths...)
	return entries(commits, l.opt.RunID), err
}

// marked gives the plan's text with the marks of all phases that landed after a commit.
func (l *Line) marked(ctx context.Context, since string, data []byte) ([]byte, error) {
	if l.opt.Mark == nil {
		return data, nil
	}
	entries, err := l.log(ctx, since, l.tip)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.phase == "" {
			continue
		}
		if edited, err := l.opt.Mark(e.phase)(data); err == nil {
			data = edited
		}
	}
	return data, nil
}

// Committed reports whether the line holds commits after since that are no landings of this run:
// commits of a person. It is false where since is no commit of the line.
func (l *Line) Committed(ctx context.Context, since string) (bool, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return false, err
	}
	defer release()
	known, err := l.scratch.IsAncestor(ctx, since, l.tip)
	if err != nil || !known {
		return false, nil //nolint:nilerr // an unknown commit is none of the line's
	}
	entries, err := l.log(ctx, since, l.tip)
	return slices.ContainsFunc(entries, func(e entry) bool { return e.phase == "" }), err
}

// searched is how many commits of the user's branch are looked through for those of a run whose
// refs are gone.
const searched = 2000

// findAgain resumes a run whose refs are gone, as in a fresh clone beside a kept state directory:
// the delivered commits are on the user's branch, and the run began before the first of them. It
// returns the commits that it looked at, newest first.
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
		l.Notes = append(l.Notes,
			fmt.Sprintf(
				"git's refs of run %s are gone; its work was found on your branch: commits of "+
					"phases: %d",
				l.opt.RunID, phases))
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
