package worktree

import (
	"autobuild/orchestrator/git"
	"context"
	"slices"
)

// Deed is a change outside the worktrees that a delivery made.
type Deed struct {
	Paths   []string // of the checkout
	Ref, To string   // the ref that was moved, and its new commit; empty: none
}

// Lock waits until nothing else changes refs, worktrees or the checkout, no longer than ctx lives.
// Methods of the line must not be called before unlock, but for those whose comment says so.
func (l *Line) Lock(ctx context.Context) (unlock func(), err error) { return take(ctx, l.hands) }

// Repository is the repository of the run.
func (l *Line) Repository() *git.Repository { return l.repo }

// Scratch is the git directory in which the run works on content.
func (l *Line) Scratch() *git.ScratchDir { return l.scratch }

// RunID names the run.
func (l *Line) RunID() string { return l.opt.RunID }

// StateDir is the directory with the run's state and worktrees.
func (l *Line) StateDir() string { return l.opt.StateDir }

// Tip is the newest commit of the line. The caller holds Lock.
func (l *Line) Tip() string { return l.tip }

// Deeds lists all changes outside the worktrees that deliveries have made. The caller holds Lock.
func (l *Line) Deeds() []Deed { return slices.Clip(l.own) }

// Shares reports whether phases work in the checkout itself.
func (l *Line) Shares() bool { return l.shared }

// Owns reports whether a path of the checkout is written by autobuild itself while phases run: the
// file beside the run, its output, and the plan where git does not track it.
func (l *Line) Owns(path string, untracked bool) bool {
	return untracked && path == l.plan || path == l.aside || l.output(path)
}
