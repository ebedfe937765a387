package worktree

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// Deliver tries once more to bring the line's work into the checkout, and says how it stands: what
// a run that halts shows.
func (l *Line) Deliver(ctx context.Context) (Delivery, error) {
	giveTurn, err := take(ctx, l.turn)
	if err != nil {
		return Delivery{}, err
	}
	defer giveTurn()
	give, err := take(ctx, l.hands)
	if err != nil {
		return Delivery{}, err
	}
	defer give()
	return l.settle(git.Uninterrupted(ctx))
}

// Arrived reports whether the user's branch, or for message-only their checkout, has all of the
// line's work, so that nothing is left to deliver: they may have merged it by hand.
func (l *Line) Arrived(ctx context.Context) (bool, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return false, err
	}
	defer give()
	branch, head, err := l.repo.ReadHead(ctx)
	if err != nil || branch != l.home || head != l.head {
		return false, err
	}
	if l.opt.Mode == Auto {
		return l.holds(ctx, head, l.tip)
	}
	return l.alike(ctx, l.delivered, l.tip)
}

func (l *Line) settle(ctx context.Context) (Delivery, error) {
	d := Delivery{Commit: l.tip}
	if l.head == l.tip && l.delivered == l.tip {
		d.Delivered = true
		return d, nil
	}
	ok, why, err := l.deliver(ctx)
	if err != nil {
		return d, err
	}
	if l.opt.Mode == Single {
		why = Obstacle{Code: Incomplete}
	}
	return l.told(d, ok, why), nil
}

// told adds to a delivery that did not happen the way to make it happen.
func (l *Line) told(d Delivery, ok bool, why Obstacle) Delivery {
	d.Delivered = ok
	if ok {
		return d
	}
	d.Why, d.Branch, d.Merge = why, l.Branch, "git merge "+l.Branch
	switch l.opt.Mode {
	case Single:
		d.Merge = "git merge --squash " + l.Branch
	case MessageOnly: // a part may be there, uncommitted, and a merge would trip over it
		d.Merge = "git diff-tree -p --binary " + l.hidden("delivered") + " " + l.Branch + " | git apply"
	}
	return d
}

// Finish ends a complete run: in mode single it makes the one commit, in the others it delivers
// what is still left. When everything has arrived, the run's branches of landed work are removed;
// its commits stay reachable on a private ref. It can be repeated.
func (l *Line) Finish(ctx context.Context, message string) (Delivery, error) {
	giveTurn, err := take(ctx, l.turn)
	if err != nil {
		return Delivery{}, err
	}
	defer giveTurn()
	give, err := take(ctx, l.hands)
	if err != nil {
		return Delivery{}, err
	}
	defer give()
	ctx = git.Uninterrupted(ctx)
	var d Delivery
	if l.opt.Mode == Single {
		d, err = l.squash(ctx, message)
	} else {
		d, err = l.settle(ctx)
	}
	if err != nil || !d.Delivered {
		return d, err
	}
	return d, l.tidy(ctx)
}

// Leave ends a start at which there was nothing to do: a branch that Begin made for it goes again.
func (l *Line) Leave(ctx context.Context) error {
	give, err := take(ctx, l.hands)
	if err != nil {
		return err
	}
	defer give()
	if !l.revived {
		return nil
	}
	return l.repo.UpdateRefs(git.Uninterrupted(ctx), "nothing to do", git.RefUpdate{Ref: l.hidden("line"), New: l.tip}, git.RefUpdate{Ref: l.ref("integration"), Old: l.tip})
}

// squash makes all that the run did one commit on the user's branch.
func (l *Line) squash(ctx context.Context, message string) (Delivery, error) {
	d := Delivery{Commit: l.tip}
	tree, err := l.scratch.TreeOf(ctx, l.tip)
	if err != nil {
		return d, err
	}
	has, err := l.scratch.TreeOf(ctx, l.head)
	if err != nil {
		return d, err
	}
	if tree == has {
		d.Commit, d.Delivered = l.head, true
		return d, nil
	}
	commit, err := l.scratch.CommitTree(ctx, tree, compose(message, trail{}, l.opt.RunID), l.head)
	if err != nil {
		return d, err
	}
	ok, why, err := l.deliverTo(ctx, commit, false)
	if ok {
		d.Commit = commit
	}
	return l.told(d, ok, why), err
}

// tidy removes branches and worktrees of landed phases, and the line's branch, whose commits a
// private ref keeps: a resume asks for them, and commits.sh is made of them. Work that was set
// aside keeps its branch.
func (l *Line) tidy(ctx context.Context) error {
	refs, err := l.repo.Refs(ctx, l.ref(""), l.hidden(""))
	if err != nil {
		return err
	}
	// The ref that takes over is on the disk before the one that it replaces goes.
	err = l.repo.UpdateRefs(ctx, "run is complete", git.RefUpdate{Ref: l.hidden("line"), New: l.tip})
	if err == nil {
		err = l.repo.SyncRefs(l.hidden("line"))
	}
	if err != nil {
		return err
	}
	var moves []git.RefUpdate
	for phase := range l.landed {
		dir := l.dir(phase)
		if err := l.clear(dir, git.AdminDir(l.repo.CommonDir, dir)); err != nil {
			// its work is delivered, and Done has told what is in the way; the next session tries
			// again
			continue
		}
		l.dropIndexes(phase)
		ours := []string{l.phaseRef(phase)}
		for _, name := range phaseRefs {
			ours = append(ours, l.hidden(name+phase))
		}
		for _, ref := range ours {
			if refs[ref] != "" {
				moves = append(moves, git.RefUpdate{Ref: ref, Old: refs[ref]})
			}
		}
	}
	if id := refs[l.ref("integration")]; id == l.tip {
		moves = append(moves, git.RefUpdate{Ref: l.ref("integration"), Old: id})
	}
	return l.repo.UpdateRefs(ctx, "run is complete", moves...)
}

// Script gives commits.sh, which makes the commits of a message-only run with the user's own git,
// hooks and identity, and the messages that it uses. Paths are relative to the state directory,
// which must be .autobuild in the repository's root. The script compares the checkout with what its
// commits would leave there and stops where they differ: the checkout would show the difference as
// deleted or undone.
func (l *Line) Script(ctx context.Context) ([]File, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return nil, err
	}
	defer give()
	commits, err := l.log(ctx, l.base, l.tip)
	if err != nil {
		return nil, err
	}
	var files []File
	var steps strings.Builder
	arrived, err := l.arrived(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		if c.phase == "" {
			continue
		}
		if arrived != nil && !arrived[c.ID] { // and so has nothing that comes after
			fmt.Fprintf(&steps, "arrived %s %s\n", l.delivered, l.tip)
			arrived = nil
		}
		name := fmt.Sprintf("commits/%03d-%s.txt", len(files)+1, c.phase)
		files = append(files, File{Name: name, Data: []byte(c.Message)})
		fmt.Fprintf(&steps, "phase '%s' '%s' '%s' '%s'\n", c.phase, c.ID, name, c.key)
	}
	up := "."
	if rel, err := filepath.Rel(l.opt.StateDir, safefile.Resolved(l.repo.Top)); err == nil {
		up = filepath.ToSlash(rel)
	}
	script := strings.NewReplacer("{BASE}", l.base, "{RUN}", l.opt.RunID, "{UP}", up, "{STEPS}", steps.String()).Replace(commitsScript)
	return append([]File{{Name: "commits.sh", Exec: true, Data: []byte(script)}}, files...), nil
}

// arrived are the line's commits whose work has been brought into the checkout; nil when all have.
func (l *Line) arrived(ctx context.Context) (map[string]bool, error) {
	whole, err := l.alike(ctx, l.delivered, l.tip)
	if err != nil || whole {
		return nil, err
	}
	refs, err := l.repo.Refs(ctx, l.hidden("arrived"))
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	if last := refs[l.hidden("arrived")]; last != "" {
		commits, err := l.log(ctx, l.base, last)
		if err != nil {
			return nil, err
		}
		for _, c := range commits {
			there[c.ID] = true
		}
	}
	return there, nil
}

// commitsScript commits by three-way merges of whole files in an index of its own. Words in it are
// commit ids, safe words and numbers; messages are in files. The user's index follows each commit,
// where it had nothing else for these files.
const commitsScript = `#!/bin/sh
# Makes one commit a phase out of the work that is in the checkout. Safe to run twice: what is committed is passed over.
set -eu
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
state=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P && echo .)
state=${state%??}
cd -- "$state/{UP}"
index=$state/commits/index
trap 'rm -f -- "$index" "$index.lock"' EXIT

if ! git merge-base --is-ancestor {BASE} HEAD; then
	echo 'commits.sh: this branch does not contain {BASE}, from which the run began; switch to the branch of the run' >&2
	exit 1
fi

# What did not get into the checkout would be committed there as deleted, or as undone.
arrived() {
	rm -f -- "$index"
	GIT_INDEX_FILE=$index git read-tree "$2"
	GIT_INDEX_FILE=$index git update-index -q --refresh >/dev/null || :
	if ! git diff-tree -r -z --no-renames --name-only "$1" "$2" | GIT_INDEX_FILE=$index GIT_LITERAL_PATHSPECS=1 xargs -0 git diff-files --quiet --; then
		echo 'commits.sh: the rest of the work is not in the checkout yet, so it is not committed; bring it in, then run this again:' >&2
		echo "  git diff-tree -p --binary $1 $2 | git apply" >&2
		exit 1
	fi
}

phase() {
	trailer="Autobuild-Phase: $1"
	if [ -n "$4" ]; then
		trailer="Autobuild-Attempt: $4"
	fi
	trailer=$(printf '%s' "$trailer" | sed 's/\./\\./g')
	if [ -n "$(git rev-list --max-count=1 --basic-regexp --all-match --grep="^$trailer\$" --grep='^Autobuild-Run: {RUN}$' {BASE}..HEAD)" ]; then
		echo "phase $1: committed before"
		return
	fi
	before=$(git rev-parse --verify HEAD)
	rm -f -- "$index"
	GIT_INDEX_FILE=$index git read-tree -i -m --aggressive "$2^1" HEAD "$2"
	if [ -n "$(GIT_INDEX_FILE=$index git ls-files -u)" ]; then
		echo "commits.sh: phase $1 and a commit of yours changed the same file; commit the rest by hand" >&2
		exit 1
	fi
	if GIT_INDEX_FILE=$index git diff-index --cached --quiet HEAD --; then
		echo "phase $1: nothing left to commit"
		return
	fi
	GIT_INDEX_FILE=$index git commit -q -F "$state/$3"
	git read-tree -i -m "$before" HEAD || echo "commits.sh: phase $1 is committed; for its files the index keeps what you had staged" >&2
	echo "phase $1: committed"
}

{STEPS}`
