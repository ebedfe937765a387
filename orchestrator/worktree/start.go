package worktree

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// start finds the run's refs, or makes them in one step.
func (l *Line) start(ctx context.Context) error {
	l.repo.RemoveLocks(l.hidden(""))
	l.repo.RemoveLocks(l.ref(""))
	refs, err := l.own.Refs(ctx, l.hidden(""), l.ref(""))
	if err != nil {
		return err
	}
	homeFile := l.scratch.Path("branch")
	l.base, l.checkout.Head, l.checkout.Delivered, l.tip = refs[l.hidden("base")],
		refs[l.hidden("head")], refs[l.hidden("delivered")], refs[l.ref("integration")]
	if l.tip == "" {
		l.tip = refs[l.hidden("line")]
	}
	if announced := refs[l.hidden("delivering")]; announced != "" { // see delivery.Checkout.Settle
		l.checkout.Head = cmp.Or(l.checkout.Head, announced)
		l.checkout.Delivered = cmp.Or(l.checkout.Delivered, announced)
	}
	if l.base == "" || l.checkout.Head == "" || l.checkout.Delivered == "" || l.tip == "" {
		return l.startAnew(ctx, refs[l.ref("integration")])
	}
	if home, err := safefile.ReadPlain(homeFile, safefile.Small); err == nil {
		l.checkout.Branch = string(home)
	}
	// A finished run's branch is gone. One that leads to where the run ended was made by a start
	// that was killed before it had left.
	l.revived = refs[l.hidden("line")] == l.tip
	if refs[l.ref("integration")] == "" {
		l.revived = true
		return l.own.UpdateRefs(ctx, git.RefUpdate{
			Ref: l.ref("integration"),
			New: l.tip, Create: true,
		})
	}
	return nil
}

// beside refuses a repository in which the name of all branches of runs is taken by a branch of the
// user's.
func (l *Line) beside(ctx context.Context) error {
	const taken = "refs/heads/autobuild"
	refs, err := l.repo.Refs(ctx, taken)
	if err == nil && refs[taken] != "" {
		err = &git.UnusableError{
			What: "a branch is called autobuild, and beside it git makes none of a run's, " +
				"autobuild/…",
			Where: l.repo.Top,
			Next:  "give it another name: git branch -m autobuild autobuild-old",
		}
	}
	return err
}

// startAnew begins a run of which git has no record, or none but the line's branch or another ref:
// its work must be on the user's branch.
func (l *Line) startAnew(ctx context.Context, branch string) error {
	h, last := l.repo.Head, l.tip
	l.base, l.checkout.Head, l.checkout.Delivered, l.tip = h, h, h, h
	found, err := l.findAgain(ctx)
	if err != nil {
		return err
	}
	if last != "" && !slices.ContainsFunc(found, func(e entry) bool { return e.ID == last }) {
		u := &git.UnusableError{
			What: "the run's refs are damaged: some below " + l.hidden("") + " are missing",
			Next: "its work is on " + l.Branch + "; merge it, and start afresh with --fresh",
		}
		if err := l.give(ctx, "run is damaged", l.ref("integration"), last); err != nil {
			return err
		}
		if l.opt.Mode == Auto {
			u.Next = "its work is on " + l.Branch +
				"; resume when your branch has it (git merge --ff-only " + l.Branch +
				"), or merge it and start afresh with --fresh"
		}
		return u
	}
	if err := l.beside(ctx); err != nil {
		return err
	}
	if err := l.scratch.Write("branch", []byte(l.repo.Branch)); err != nil {
		return err
	}
	if err := l.sweep(ctx); err != nil {
		return err
	}
	// the objects that the run borrows stay alive
	if err := l.repo.UpdateRefs(ctx, "run begins",
		git.RefUpdate{Ref: l.hidden("base"), New: l.base}); err != nil {
		return err
	}
	l.own.MarkUnsynced() // the run's files in the scratch directory
	return l.own.UpdateRefs(ctx,
		git.RefUpdate{Ref: l.hidden("base"), New: l.base},
		git.RefUpdate{Ref: l.hidden("head"), New: h}, git.RefUpdate{
			Ref: l.hidden("delivered"),
			New: h,
		},
		git.RefUpdate{Ref: l.ref("integration"), New: h, Old: branch, Create: branch == ""})
}

// sweep deletes the refs of runs that were killed before a phase was opened or landed.
func (l *Line) sweep(ctx context.Context) error {
	refs, err := l.own.Refs(ctx, "refs/autobuild/", "refs/heads/autobuild/")
	if err != nil {
		return err
	}
	runs, used := map[string][]git.RefUpdate{}, map[string]bool{l.opt.RunID: true}
	for ref, id := range refs {
		_, rest, _ := strings.Cut(ref, "autobuild/")
		run, name, _ := strings.Cut(rest, "/")
		runs[run] = append(runs[run], git.RefUpdate{Ref: ref})
		used[run] = used[run] || id != refs["refs/autobuild/"+run+"/base"] || strings.Contains(name, "/")
	}
	for run, moves := range runs {
		if used[run] {
			continue
		}
		base := git.RefUpdate{Ref: "refs/autobuild/" + run + "/base"}
		if err = l.repo.UpdateRefs(ctx, "clear away an empty run", base); err == nil {
			err = l.own.UpdateRefs(ctx, moves...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
