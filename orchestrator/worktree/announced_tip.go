package worktree

import (
	"context"
	"fmt"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// tipName is the file on the desk that says between which two commits the line's branch was moved
// last.
const tipName = "tip"

// announce notes the line's next tip before its branch is moved there, so that a session after a
// crash can attribute the move to the run.
func (l *Line) announce(tip string) error {
	return l.scratch.WriteUnsynced(tipName, []byte(l.tip+" "+tip))
}

// witnessed is the tip that the line's branch must have by the announcement. Where a child of a
// killed run has moved the branch or deleted it, witnessed puts it back, keeps its value, and notes
// that for the user; tip is its present value.
func (l *Line) witnessed(ctx context.Context, tip string) (string, error) {
	data, err := safefile.ReadPlain(l.scratch.Path(tipName), safefile.Small)
	old, announced, ok := strings.Cut(string(data), " ")
	if err != nil || !ok || tip == old || tip == announced {
		return tip, nil //nolint:nilerr // nothing was announced: a run that has not landed anything
	}
	if _, gone := l.scratch.TreeOf(ctx, announced); gone != nil {
		return tip, nil //nolint:nilerr // the branch is all there is
	}
	moves := []git.RefUpdate{{Ref: l.ref("integration"), New: announced, Old: tip}}
	note := fmt.Sprintf("%s had been deleted by something else and was put back", l.Branch)
	if tip != "" {
		kept := fmt.Sprintf("refs/autobuild/breach/%s/%.12s-line", l.opt.RunID, tip)
		moves = append(moves, git.RefUpdate{Ref: kept, New: tip})
		note = fmt.Sprintf(
			"%s had been moved to %.12s by something else and was put back; that is kept in %s",
			l.Branch, tip, kept)
	} else {
		moves[0].Create = true
	}
	l.Notes = append(l.Notes, note)
	return announced, l.repo.UpdateRefs(ctx, "put back", moves...)
}
