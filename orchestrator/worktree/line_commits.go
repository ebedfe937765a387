package worktree

import (
	"context"
	"maps"

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

// Landed tells the commit on the line of every phase that landed, by the commits' trailers: what a resume asks.
func (l *Line) Landed(ctx context.Context) (map[string]string, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return nil, err
	}
	defer give()
	return maps.Clone(l.landed), nil
}

// Commit is a phase's commit on the line.
type Commit struct {
	ID, Phase, Message string
	Key                string   // of the attempt that made it
	Verdict            string   // of the one who landed it
	Contested          []string // see Landing
	PlanMarked         bool     // the plan is part of the work, and was ticked with it
}

// Commits lists every phase's commits on the line, oldest first. A phase that was done again has several.
func (l *Line) Commits(ctx context.Context) ([]Commit, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return nil, err
	}
	defer give()
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
	// A plan that is part of the work now was so when the run's work landed: it is marked with the work, or never.
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
			commits = append(commits, Commit{ID: e.ID, Phase: e.phase, Key: e.key, Verdict: e.verdict, Contested: e.contested, Message: e.Message})
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
