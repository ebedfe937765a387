package worktree

import (
	"context"
	"fmt"
	"strings"

	"autobuild/orchestrator/git"
)

// phaseRefs are the refs that say what earlier attempts at a phase have left.
func (l *Line) phaseRefs(ctx context.Context, t Tree) (map[string]string, error) {
	return l.own.RefsNamed(ctx, t.Branch, l.hidden("from/"+t.Phase), l.hidden("work/"+t.Phase))
}

// keep puts a commit on a branch of the phase that is not used yet, and names it.
func (l *Line) keep(ctx context.Context, phase, commit string) (string, error) {
	refs, err := l.own.Refs(ctx, l.ref(""))
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		ref := fmt.Sprintf("%s.kept-%d", l.phaseRef(phase), n)
		if refs[ref] == commit {
			return strings.TrimPrefix(ref, "refs/heads/"), nil
		}
		if refs[ref] == "" {
			return strings.TrimPrefix(ref, "refs/heads/"), l.give(ctx, "keep earlier work", ref, commit)
		}
	}
}

// give makes a ref lead to a commit, in the run's repository and in the user's, who is told of it.
func (l *Line) give(ctx context.Context, why, ref, commit string) error {
	move := git.RefUpdate{Ref: ref, New: commit}
	if err := l.own.UpdateRefs(ctx, move); err != nil {
		return err
	}
	if err := l.scratch.Export(ctx, l.repo, commit, l.base, l.checkout.Head); err != nil {
		return err
	}
	return l.repo.UpdateRefs(ctx, why, move)
}

// show makes refs of the user's repository lead to the line, from where they merge it, and for
// commits.sh to what their checkout has of it.
func (l *Line) show(ctx context.Context, ref string) error {
	moves := []git.RefUpdate{{Ref: ref, New: l.tip}}
	if l.opt.Mode == MessageOnly {
		moves = append(moves, git.RefUpdate{Ref: l.hidden("delivered"), New: l.checkout.Delivered})
	}
	for _, m := range moves {
		if err := l.scratch.Export(ctx, l.repo, m.New, l.base, l.checkout.Head); err != nil {
			return err
		}
	}
	return l.repo.UpdateRefs(ctx, "work of run "+l.opt.RunID, moves...)
}

// forget drops the private ref that saved a phase's work.
func (l *Line) forget(ctx context.Context, phase string) error {
	return l.own.UpdateRefs(ctx, git.RefUpdate{Ref: l.hidden("work/" + phase)})
}

// phaseRefs are the private refs of a phase that has not landed: the commit from which its work
// started, and the work itself while that is on the way to another base.
var phaseRefs = []string{"from/", "work/"}
