package worktree

import (
	"context"
	"fmt"
	"strings"

	"autobuild/orchestrator/git"
)

// phaseRefs are the refs that say what earlier attempts at a phase have left.
func (l *Line) phaseRefs(ctx context.Context, t Tree) (map[string]string, error) {
	return l.repo.RefsNamed(ctx, t.Branch, l.hidden("from/"+t.Phase), l.hidden("work/"+t.Phase))
}

// keep puts a commit on a branch of the phase that is not used yet, and names it.
func (l *Line) keep(ctx context.Context, phase, commit string) (string, error) {
	refs, err := l.repo.Refs(ctx, l.ref(""))
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		ref := fmt.Sprintf("%s.kept-%d", l.phaseRef(phase), n)
		if refs[ref] == commit {
			return strings.TrimPrefix(ref, "refs/heads/"), nil
		}
		if refs[ref] == "" {
			return strings.TrimPrefix(ref, "refs/heads/"),
				l.repo.UpdateRefs(ctx, "keep earlier work",
					git.RefUpdate{Ref: ref, New: commit, Create: true})
		}
	}
}

// forget drops the private ref that saved a phase's work.
func (l *Line) forget(ctx context.Context, phase string) error {
	return l.repo.UpdateRefs(ctx, "open "+phase, git.RefUpdate{Ref: l.hidden("work/" + phase)})
}

// phaseRefs are the private refs of a phase that has not landed: the commit from which its work
// started, and the work itself while that is on the way to another base.
var phaseRefs = []string{"from/", "work/"}
