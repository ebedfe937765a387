package worktree

import (
	"context"

	"autobuild/orchestrator/git"
)

// BeginShared makes the user's checkout itself the place where all phases work: a repository, but
// no isolation. In mode auto every phase becomes a commit of the files that it changed; in mode
// single Finish makes one of all; in mode message-only nothing is committed.
func BeginShared(ctx context.Context, r *git.Repository, o Options) (*Shared, error) {
	if err := ready(ctx, r, o); err != nil {
		return nil, err
	}
	r.RemoveEmptyObjects()
	d, err := git.OpenScratchDir(ctx, r, o.RunID)
	if err != nil {
		return nil, err
	}
	if err = d.TrySigning(ctx, r.Head); err != nil {
		return nil, err
	}
	if err = d.TryFilters(ctx, r.Head); err != nil {
		return nil, err
	}
	if err = d.KeepPrograms(); err != nil {
		return nil, err
	}
	if err = exclude(r.CommonDir); err != nil {
		return nil, err
	}
	l := &Line{
		repo: r, scratch: d, opt: o, home: r.Branch, plan: planPath(r.Top, o.PlanPath), aside: planPath(r.Top, o.Aside), Notes: d.Notes,
		shared: true, hands: make(chan struct{}, 1),
	}
	refs, err := r.Refs(ctx, l.hidden("base"), l.hidden("delivering"))
	if err != nil {
		return nil, err
	}
	if l.base = refs[l.hidden("base")]; l.base == "" {
		if err = l.sweep(ctx); err != nil {
			return nil, err
		}
		l.base = r.Head
		r.MarkUnsynced()
		if err = r.UpdateRefs(ctx, "run begins", git.RefUpdate{Ref: l.hidden("base"), New: l.base}); err != nil {
			return nil, err
		}
	}
	if err = l.catchUpIndex(ctx, refs[l.hidden("delivering")]); err != nil {
		return nil, err
	}
	s := OpenShared(r.Top, o)
	s.line = l
	commits, err := l.log(ctx, l.base, r.Head)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		if c.phase != "" {
			s.ended = append(s.ended, landing{phase: c.phase, key: c.key, commit: c.ID})
		}
	}
	return s, nil
}

// Line gives those calls that look at what lies around the directory: Outside, Breaches, Hold and
// Release. Nil without git.
func (s *Shared) Line() *Line { return s.line }

// Notes says what the user should be told about how the run begins.
func (s *Shared) Notes() []string {
	if s.line == nil {
		return nil
	}
	return s.line.Notes
}

// Finish ends a complete run; in mode single it commits all files that phases changed, those of
// earlier starts of the run included.
func (s *Shared) Finish(ctx context.Context, message string) (Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := Delivery{Delivered: true}
	if s.line == nil || s.line.opt.Mode != Single {
		return d, nil
	}
	paths, err := s.line.recorded()
	if err != nil {
		return Delivery{}, err
	}
	if d.Commit, err = s.line.commitFiles(git.Uninterrupted(ctx), paths, compose(message, trail{}, s.line.opt.RunID), nil); err != nil {
		return Delivery{}, err
	}
	return d, nil
}
