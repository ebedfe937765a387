package worktree

import (
	"context"
	"strings"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree/delivery"
)

// Begin starts the run's line, or takes it up again: the call is the same. It gives an
// *UnusableError where the user must act first, and then has changed nothing.
func Begin(ctx context.Context, r *git.Repository, o Options) (*Line, error) {
	if err := ready(ctx, r, o); err != nil {
		return nil, err
	}
	r.RemoveEmptyObjects()
	d, err := git.OpenScratchDir(ctx, r, o.repository(), o.RunID)
	if err != nil {
		return nil, err
	}
	l := newLine(r, d, o)
	l.Branch = strings.TrimPrefix(l.ref("integration"), "refs/heads/")
	if err = d.TrySigning(ctx, r.Head); err != nil {
		return nil, err
	}
	if err = d.TryFilters(ctx, r.Head); err != nil {
		return nil, err
	}
	if err = d.KeepPrograms(); err != nil {
		return nil, err
	}
	if err = l.start(ctx); err != nil {
		return nil, err
	}
	if err = exclude(r.CommonDir); err != nil {
		return nil, err
	}
	if err = l.reattach(); err != nil {
		return nil, err
	}
	if err = l.sweepCheckouts(); err != nil {
		return nil, err
	}
	if err = l.checkout.CatchUp(ctx); err != nil {
		return nil, err
	}
	why, err := l.takeIn(ctx)
	if err != nil {
		return nil, err
	}
	if why != "" {
		l.Notes = append(l.Notes, why)
	}
	if err = l.noteUncommitted(ctx); err != nil {
		return nil, err
	}
	if !o.NoVerify {
		if err = l.pinHooks(ctx); err != nil {
			return nil, err
		}
	}
	l.settings = r.Settings()
	if err = l.recall(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// newLine makes a line that has no refs yet.
func newLine(r *git.Repository, d *git.ScratchDir, o Options) *Line {
	l := &Line{
		repo: r, own: d.Own, scratch: d, opt: o, Notes: d.Notes,
		plan: git.PathBelow(r.Top, o.PlanPath), aside: git.PathBelow(r.Top, o.Aside),
		turn: make(chan struct{}, 1), refsLock: make(chan struct{}, 1),
		landed: map[string]string{}, keys: map[string]string{},
	}
	l.modules = git.NewSubmodules(r, d)
	l.checkout = delivery.Checkout{
		Repo: r, Own: d.Own, Scratch: d, Refs: l.hidden(""), Branch: r.Branch, Plan: l.plan,
		FilesOnly: o.Mode == MessageOnly, Marked: l.marked,
	}
	return l
}
