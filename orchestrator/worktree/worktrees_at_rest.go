package worktree

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// Rest records the content of the run's worktrees as their required state, except for those of the
// phases that are at work and those already recorded. It leaves out a phase whose work a person is
// asked to merge, and one that no commit can hold.
func (l *Line) Rest(ctx context.Context, working map[string]bool) error {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return err
	}
	defer release()
	maps.DeleteFunc(l.idle, func(phase string, _ resting) bool { return working[phase] })
	entries, err := os.ReadDir(l.opt.worktrees())
	if err != nil || len(entries) == 0 {
		return safefile.IgnoreMissing(err)
	}
	refs, err := l.repo.Refs(ctx, l.hidden("from/"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		phase := e.Name()
		base := refs[l.hidden("from/"+phase)]
		if _, known := l.idle[phase]; known || working[phase] || base == "" {
			continue
		}
		c, err := l.read(ctx, phase, l.Worktree(phase), base)
		if isWork(err) {
			continue
		}
		if err != nil {
			return err
		}
		if l.idle == nil {
			l.idle = map[string]resting{}
		}
		l.idle[phase] = resting{base: base, tree: c.tree}
	}
	return nil
}

// Hold takes the content of a phase's worktree for what lands. Disturbed puts it back where it
// changed since. Free and Open end the hold.
func (l *Line) Hold(ctx context.Context, t Tree) error {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return err
	}
	defer release()
	c, err := l.readOnce(ctx, t)
	if err != nil {
		return err
	}
	if l.idle == nil {
		l.idle = map[string]resting{}
	}
	if l.held == nil {
		l.held = map[string]content{}
	}
	l.idle[t.Phase], l.held[t.Phase] = resting{base: t.Base, tree: c.tree}, c
	return nil
}

// Free lets the worktree of a phase change again.
func (l *Line) Free(ctx context.Context, phase string) error {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return err
	}
	defer release()
	if _, held := l.held[phase]; held {
		delete(l.held, phase)
		delete(l.idle, phase)
	}
	return nil
}

// Disturbed names the resting worktrees in which something changed, which only the child of another
// phase, or a person, can have done, and puts it back. It keeps the changed content below
// refs/autobuild/breach/RUN/.
func (l *Line) Disturbed(ctx context.Context) ([]string, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	ctx = git.Uninterrupted(ctx)
	if err := l.repo.VerifyPinned(); err != nil {
		return nil, err
	}
	found := l.repo.Breaches()
	for _, phase := range slices.Sorted(maps.Keys(l.idle)) {
		text, err := l.disturbed(ctx, phase, l.idle[phase])
		if err != nil {
			return found, err
		}
		if text != "" {
			found = append(found, "the worktree of phase "+phase+", which was not at work: "+text)
		}
	}
	return found, nil
}

func (l *Line) disturbed(ctx context.Context, phase string, was resting) (string, error) {
	dir := l.Worktree(phase)
	if l.landed[phase] != "" && !safefile.IsDir(dir) { // removed by Done
		delete(l.idle, phase)
		return "", nil
	}
	now, err := l.read(ctx, phase, dir, was.base)
	if isWork(err) {
		delete(l.idle, phase) // reported once
		if safefile.IsDir(dir) {
			return err.Error(), nil
		}
		return l.bringBack(ctx, phase, was)
	}
	if err != nil || now.tree == was.tree {
		return "", err
	}
	changes, err := l.scratch.DiffTree(ctx, was.tree, now.tree)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	commit, err := l.scratch.CommitUnsigned(ctx, now.tree, was.base)
	if err != nil {
		return "", err
	}
	kept := fmt.Sprintf("refs/autobuild/breach/%s/%.12s-worktree-%s", l.opt.RunID, commit, phase)
	if err = l.repo.UpdateRefs(ctx, "put back", git.RefUpdate{Ref: kept, New: commit}); err != nil {
		return "", err
	}
	text := text.QuoteSome(paths) + " changed"
	if err = l.switchTo(ctx, dir, now.index, was.tree); err != nil {
		return text + "; not put back: " + err.Error(),
			nil //nolint:nilerr // the text reports the failure
	}
	return text + "; put back, and kept in " + kept, nil
}

// bringBack keeps the work of a worktree that is gone on the phase's branch, from which the next
// attempt takes it up.
func (l *Line) bringBack(ctx context.Context, phase string, was resting) (string, error) {
	tree, err := l.scratch.TreeOf(ctx, was.base)
	if err != nil {
		return "", err
	}
	if tree == was.tree {
		return "removed", nil // there was no work in it
	}
	commit, err := l.scratch.CommitUnsigned(ctx, was.tree, was.base)
	if err != nil {
		return "", err
	}
	branch := l.phaseRef(phase)
	if err := l.repo.UpdateRefs(ctx, "put back",
		git.RefUpdate{Ref: branch, New: commit}); err != nil {
		return "", err
	}
	return "removed; what it held is on branch " + strings.TrimPrefix(branch, "refs/heads/"), nil
}
