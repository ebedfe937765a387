package delivery

import (
	"context"
	"errors"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// run gives the reason why nothing was done, or the zero Obstacle when it was done, once or again.
func (u *update) run(ctx context.Context) (why Obstacle, err error) {
	if u.changes, err = u.Scratch.DiffTree(ctx, u.from, u.to); err != nil {
		return Obstacle{}, err
	}
	if err = u.Scratch.ShareIndex(u.Repo); err != nil {
		return Obstacle{}, err
	}
	if u.finishing {
		if err = u.complete(ctx); err != nil {
			return Obstacle{}, err
		}
	}
	path, err := u.deleted(ctx)
	if err != nil {
		return Obstacle{}, err
	}
	if path != "" {
		return Obstacle{Code: Deleted, Path: text.Quote(path)}, nil
	}
	if u.noted {
		if err = u.announce(ctx, u.to); err != nil {
			return Obstacle{}, err
		}
	}
	why, err = u.readTree(ctx, u.to)
	switch {
	case err != nil:
		return Obstacle{}, err
	case why.None():
		u.unsynced()
		return Obstacle{}, nil
	}
	why, err = u.again(ctx)
	if err == nil && u.noted && !u.finishing && (why.Code == Untracked || why.Code == Changed) {
		err = u.retract(ctx) // git looks at everything before it moves anything
	}
	return why, err
}

// deleted names a file that is to change and that the user deleted without telling git, which would
// bring it back. A file that a sparse checkout leaves out is not deleted.
func (u *update) deleted(ctx context.Context) (string, error) {
	var absent []string
	for _, c := range u.changes {
		if c.Status != 'A' && c.Status != 'D' && c.NewMode != git.Gitlink &&
			!safefile.Exists(u.path(c)) {
			absent = append(absent, c.Path)
		}
	}
	if len(absent) == 0 {
		return "", nil
	}
	gone, err := u.gone(ctx)
	for _, p := range absent {
		if gone[p] {
			return p, err
		}
	}
	return "", err
}

// again rules out false reasons for a refusal: file times that say nothing, files that already are
// as the delivery would make them, and a plan that the user has open. The remaining obstacles are
// the user's.
func (u *update) again(ctx context.Context) (why Obstacle, err error) {
	if lock := u.index + ".lock"; safefile.Exists(lock) {
		return locked(lock), nil
	}
	if err = u.refresh(ctx); err != nil {
		return Obstacle{}, err
	}
	if err = u.adopt(ctx); err != nil {
		return Obstacle{}, err
	}
	target, err := u.spare(ctx)
	if err != nil {
		return Obstacle{}, err
	}
	refusal, err := u.readTree(ctx, target)
	if err != nil || !refusal.None() {
		return refusal, err
	}
	if u.plan != nil {
		if err := u.markPlan(ctx); err != nil {
			return Obstacle{}, err
		}
	}
	u.unsynced()
	return Obstacle{}, nil
}

func (u *update) readTree(ctx context.Context, target string) (refusal Obstacle, err error) {
	stands, err := u.obstacle(ctx)
	switch {
	case err != nil:
		return Obstacle{}, err
	case stands != "":
		return Obstacle{Code: Untracked, Path: text.Quote(stands)}, nil
	}
	err = u.Scratch.SwitchTree(ctx, u.files(), u.from, target)
	if failed, refused := errors.AsType[*git.ExitError](err); refused && failed.Ended == "" {
		return refusalIn(failed), nil
	}
	return Obstacle{}, err
}

// adopt takes into the index what is already in place: another way to say that it was delivered,
// whether by an update that a crash cut in half or by the user.
func (u *update) adopt(ctx context.Context) error {
	d := u.Scratch
	want := git.Files{WorkTree: u.Repo.Top, Index: d.IndexFile("adopt")}
	if err := d.ReadTree(ctx, want, u.to); err != nil {
		return err
	}
	if err := d.RefreshIndex(ctx, want); err != nil {
		return err
	}
	paths, err := d.LsFiles(ctx, want, "-m", "-d")
	if err != nil {
		return err
	}
	differs := map[string]bool{}
	for _, p := range paths {
		differs[p] = true
	}
	entries, err := u.entries(ctx)
	if err != nil {
		return err
	}
	var take []git.Change
	for _, c := range u.changes {
		untouched := entries[c.Path] == c.OldMode+" "+c.OldID || c.Status == 'A' &&
			entries[c.Path] == ""
		inPlace := !differs[c.Path]
		if c.Status == 'D' {
			inPlace = !safefile.Exists(u.path(c))
		}
		if untouched && inPlace {
			take = append(take, c)
		}
	}
	if len(take) == 0 {
		return nil
	}
	if err = d.UpdateIndex(ctx, u.files(), take); err != nil {
		return err
	}
	return u.refresh(ctx)
}
