package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// fresh makes the phase's worktree at its base, and replaces any files in its place.
func (l *Line) fresh(ctx context.Context, t Tree) error {
	if err := l.clear(t.Dir); err != nil {
		return err
	}
	l.dropIndexes(t.Phase)
	if err := l.own.UpdateRefs(ctx, git.RefUpdate{Ref: t.Branch},
		git.RefUpdate{Ref: l.hidden("from/" + t.Phase)}); err != nil {
		return err
	}
	if err := l.writeClone(ctx, t, t.Base); err != nil {
		return err
	}
	if err := l.fill(ctx, t); err != nil {
		return err
	}
	if l.untouched == nil {
		l.untouched = map[string]string{}
	}
	l.untouched[t.Phase] = l.agentIndex(t.Dir)
	l.own.MarkUnsynced() // as switchTo
	return l.own.UpdateRefs(ctx,
		git.RefUpdate{Ref: t.Branch, New: t.Base}, git.RefUpdate{
			Ref: l.hidden("from/" + t.Phase),
			New: t.Base,
		})
}

// fill gives a new clone its content: files, submodules, and the files that
// .worktreeinclude names.
func (l *Line) fill(ctx context.Context, t Tree) error {
	index := l.scratch.IndexFile(t.Phase + "@" + t.Base)
	if err := l.scratch.ResetTree(ctx, git.Files{WorkTree: t.Dir, Index: index},
		t.Base); err != nil {
		return err
	}
	if err := git.CopyIndex(index, filepath.Join(t.Dir, ".git", "index")); err != nil {
		return err
	}
	if err := l.modules.Populate(ctx, t.Dir, index); err != nil {
		return err
	}
	return l.copyIncluded(ctx, t)
}

// dropIndexes removes the phase's index files. One that stays does no harm: it is found by its
// base's name, or replaced.
func (l *Line) dropIndexes(phase string) {
	old, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(l.scratch.Dir), "indexes",
		phase+"@*"))
	if err != nil {
		return
	}
	for _, f := range old {
		_ = os.Remove(f)
	}
}

// place makes the worktree hold a tree on a new base, in the files that are there if there are any:
// ignored files stay.
func (l *Line) place(ctx context.Context, t Tree, old leftover, tree string) error {
	if !old.inPlace && (!safefile.IsDir(t.Dir) || git.CloneDir(t.Dir) == "") {
		if err := l.fresh(ctx, t); err != nil {
			return err
		}
		old.base = t.Base
	}
	now, err := l.read(ctx, t.Phase, t.Dir, old.base)
	if err != nil {
		return err
	}
	if err := l.switchTo(ctx, t.Dir, now.index, tree); err != nil {
		return err
	}
	if err := l.scratch.RebaseIndex(ctx, git.Files{WorkTree: t.Dir, Index: now.index},
		t.Base); err != nil {
		return err
	}
	l.dropIndexes(t.Phase)
	if err := os.Rename(now.index, l.scratch.IndexFile(t.Phase+"@"+t.Base)); err != nil {
		return git.Unusable("git's directory cannot be written", err)
	}
	return l.mend(ctx, t)
}

// switchTo turns the files that index describes into tree.
func (l *Line) switchTo(ctx context.Context, dir, index, tree string) error {
	l.own.MarkUnsynced() // files lost in a power cut would pass for the phase's work
	err := l.scratch.ResetTree(ctx, git.Files{WorkTree: dir, Index: index}, tree)
	return firstError(err, l.modules.Populate(ctx, dir, index))
}

// unfinished are the traces of commands that an agent began and left, and locks of ones that were
// killed.
var unfinished = []string{
	"hooks", "commondir", "gitdir", "index", "index.lock", "HEAD.lock", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE",
	"CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG",
	"BISECT_START", "rebase-merge", "rebase-apply", "sequencer", "config.worktree",
}

// mend resets git's side of a worktree: its branch and its index are those of the base. The files
// are not touched.
func (l *Line) mend(ctx context.Context, t Tree) error {
	index, err := l.baseIndex(ctx, t.Phase, t.Dir, t.Base)
	if err != nil {
		return err
	}
	return l.arrange(ctx, t, t.Base, index, git.RefUpdate{
		Ref: l.hidden("from/" + t.Phase),
		New: t.Base,
	})
}

// arrange gives a clone its branch at a commit, its HEAD, an index and a configuration, and ends
// commands of git's that are in progress. The refs come first: after a crash behind them, the next
// call repeats the rest.
func (l *Line) arrange(
	ctx context.Context, t Tree, commit, index string, also ...git.RefUpdate,
) error {
	if !safefile.IsDir(t.Dir) {
		return &GoneError{Dir: t.Dir}
	}
	if err := l.own.UpdateRefs(ctx,
		append(also, git.RefUpdate{Ref: t.Branch, New: commit})...); err != nil {
		return err
	}
	if err := l.writeClone(ctx, t, commit); err != nil {
		return err
	}
	return git.CopyIndex(index, filepath.Join(t.Dir, ".git", "index"))
}

// writeClone writes the git directory of a phase's clone: own objects and refs, and the objects of
// the run and the user by alternates. Nothing is shared for writing.
func (l *Line) writeClone(ctx context.Context, t Tree, commit string) error {
	files, err := l.cloneFiles(ctx)
	if err != nil {
		return err
	}
	files["HEAD"], files[t.Branch] = "ref: "+t.Branch+"\n", commit+"\n"
	return git.WriteCloneDir(filepath.Join(t.Dir, ".git"), files, unfinished...)
}

// Done removes the worktree and the branch of a phase that has landed, and of no other.
func (l *Line) Done(ctx context.Context, t Tree) error {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return err
	}
	defer release()
	if l.landed[t.Phase] == "" {
		return fmt.Errorf("phase %s has not landed; its worktree %s stays", t.Phase,
			text.Quote(t.Dir))
	}
	if err := CheckName("phase name", t.Phase); err != nil {
		return err
	}
	dir := l.Worktree(t.Phase)
	if err := l.clear(dir); err != nil {
		return err
	}
	l.dropIndexes(t.Phase)
	moves := []git.RefUpdate{{Ref: l.phaseRef(t.Phase)}}
	for _, name := range phaseRefs {
		moves = append(moves, git.RefUpdate{Ref: l.hidden(name + t.Phase)})
	}
	return l.own.UpdateRefs(ctx, moves...)
}

// leftover is the work that earlier attempts at a phase left.
type leftover struct {
	base, tree string // tree is empty when there is nothing
	inPlace    bool   // the worktree's files are that tree, by its base
}
