package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// deliver brings what is on the line into the user's checkout, if that can be done without touching anything of theirs. It says why
// not, when not; that is not an error. In mode single only the end delivers.
func (l *Line) deliver(ctx context.Context) (delivered bool, why Obstacle, err error) {
	if l.opt.Mode == Single {
		return false, Obstacle{}, nil
	}
	if l.cut != "" {
		if delivered, why, err = l.deliverTo(ctx, l.cut, true); err != nil || !delivered {
			return false, why, err
		}
	}
	return l.deliverTo(ctx, l.tip, false)
}

// deliverTo moves the checkout to a commit. For message-only that is a matter of files alone; else the branch follows. It is finishing
// where an earlier call with this target was cut off.
func (l *Line) deliverTo(ctx context.Context, target string, finishing bool) (delivered bool, why Obstacle, err error) {
	branch, head, err := l.repo.ReadHead(ctx)
	if err != nil {
		return false, Obstacle{}, err
	}
	switch {
	case branch != l.home:
		return false, Obstacle{Code: OtherBranch, Branch: git.ShortRef(branch), Home: git.ShortRef(l.home)}, nil
	case head != l.head:
		return false, Obstacle{Code: OtherCommit, Home: git.ShortRef(l.home), Commit: fmt.Sprintf("%.12s", head)}, nil
	case l.home == "" && l.opt.Mode != MessageOnly:
		return false, Obstacle{Code: Detached}, nil
	}
	if l.opt.Mode == MessageOnly {
		return l.deliverFiles(ctx, target, finishing)
	}
	if l.delivered != l.head { // a former start of the run delivered files without commits
		if delivered, why, err = l.deliverFiles(ctx, target, finishing); err != nil || !delivered {
			return false, why, err
		}
	}
	if delivered, err = l.holds(ctx, l.head, target); err != nil || delivered {
		return delivered, Obstacle{}, err
	}
	u := update{line: l, index: filepath.Join(l.repo.GitDir, "index"), from: l.head, to: target, noted: true, finishing: finishing}
	if why, err = u.run(ctx); err != nil || !why.none() {
		return false, why, err
	}
	err = l.repo.UpdateRefs(ctx, "deliver", git.RefUpdate{Ref: l.home, New: target, Old: l.head},
		git.RefUpdate{Ref: l.hidden("head"), New: target, Old: l.head}, git.RefUpdate{Ref: l.hidden("delivered"), New: target}, git.RefUpdate{Ref: l.hidden("delivering")})
	if err != nil {
		// Someone moved the branch in the last instant, or holds it: the files go back to where it expects them.
		why = Obstacle{Code: Moved, Home: git.ShortRef(l.home)}
		if failed, ok := errors.AsType[*git.ExitError](err); ok && failed.Lock() != "" {
			why = locked(failed.Lock())
		}
		back := update{line: l, index: u.index, from: target, to: l.head}
		undo, backErr := back.run(ctx)
		if !undo.none() {
			why = undo
		}
		return false, why, backErr
	}
	l.own = append(l.own, Deed{Paths: u.paths(), Ref: l.home, To: target})
	l.head, l.delivered, l.cut = target, target, ""
	return true, Obstacle{}, l.repo.SyncRefs(l.home, l.hidden("delivered"))
}

// deliverFiles updates files alone, through an index of ours, so that the work arrives uncommitted and the user's index stays.
func (l *Line) deliverFiles(ctx context.Context, target string, finishing bool) (delivered bool, why Obstacle, err error) {
	if l.delivered == target {
		return true, Obstacle{}, nil
	}
	u := update{line: l, index: l.scratch.IndexFile("checkout@" + l.delivered), from: l.delivered, to: target, noted: true, finishing: finishing}
	if !safefile.Exists(u.index) {
		if err = l.scratch.ReadTree(ctx, u.files(), l.delivered); err != nil {
			return false, Obstacle{}, err
		}
		if err = u.refresh(ctx); err != nil {
			return false, Obstacle{}, err
		}
	}
	if why, err = u.run(ctx); err != nil || !why.none() {
		return false, why, err
	}
	err = l.repo.UpdateRefs(ctx, "deliver", git.RefUpdate{Ref: l.hidden("delivered"), New: target, Old: l.delivered},
		git.RefUpdate{Ref: l.hidden("arrived"), New: target}, git.RefUpdate{Ref: l.hidden("delivering")}) // what is delivered may later be a commit of the user's
	if err != nil {
		return false, Obstacle{}, err
	}
	if err := os.Rename(u.index, l.scratch.IndexFile("checkout@"+target)); err != nil {
		return false, Obstacle{}, git.Unusable("git's directory cannot be written", err)
	}
	l.own = append(l.own, Deed{Paths: u.paths()})
	l.delivered, l.cut = target, ""
	return true, Obstacle{}, nil
}

// intend notes where the checkout is being moved to, so that what a crash cuts in half can be finished. Until then nothing of the user's
// stands in the way that would have to be told from what the crash leaves.
func (l *Line) intend(ctx context.Context, target string) error {
	l.cut = target
	return l.repo.UpdateRefs(ctx, "deliver", git.RefUpdate{Ref: l.hidden("delivering"), New: target})
}

// unintend takes that back, because nothing has been moved.
func (l *Line) unintend(ctx context.Context) error {
	l.cut = ""
	return l.repo.UpdateRefs(ctx, "deliver", git.RefUpdate{Ref: l.hidden("delivering")})
}

// catchUp finishes the delivery in which an earlier process died: the checkout may have all, some or none of its files, and
// what it has must not pass for the user's edits. What stands in the way is said by the next delivery, which meets it again.
// A target without the commits that the user has made since would take them back, so it is no target any more.
func (l *Line) catchUp(ctx context.Context) error {
	refs, err := l.repo.Refs(ctx, l.hidden("delivering"))
	target := refs[l.hidden("delivering")]
	if err != nil || target == "" {
		return err
	}
	follows, err := l.scratch.IsAncestor(ctx, l.head, target)
	if err != nil || !follows {
		return firstError(err, l.repo.UpdateRefs(ctx, "deliver", git.RefUpdate{Ref: l.hidden("delivering")}))
	}
	l.cut = target
	l.repo.RemoveIndexLock(l.hidden("delivering"))
	_, _, err = l.deliverTo(ctx, target, true)
	return err
}

// update moves the user's files from one commit's content to another's, as git checkout would: a file that the two do not
// differ in is not looked at, and one that the user changed stops it before anything is written.
type update struct {
	line     *Line
	index    string
	from, to string
	changes  []git.Change
	plan     *git.Change // the plan's own change, when it is not git that makes it

	noted     bool // what is intended is written down before anything is moved
	finishing bool // … as it was before an earlier update to the same commit was cut off
}

func (u *update) files() git.Files { return git.Files{WorkTree: u.line.repo.Top, Index: u.index} }

func (u *update) paths() []string {
	paths := make([]string, 0, len(u.changes))
	for _, c := range u.changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// run gives the reason why nothing was done, or the zero Obstacle when it was done, once or again.
func (u *update) run(ctx context.Context) (why Obstacle, err error) {
	l := u.line
	if u.changes, err = l.scratch.DiffTree(ctx, u.from, u.to); err != nil {
		return Obstacle{}, err
	}
	if err = l.scratch.ShareIndex(l.repo); err != nil {
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
		if err = l.intend(ctx, u.to); err != nil {
			return Obstacle{}, err
		}
	}
	why, err = u.readTree(ctx, u.to)
	switch {
	case err != nil:
		return Obstacle{}, err
	case why.none():
		return Obstacle{}, git.Flush(l.repo.Top)
	}
	why, err = u.again(ctx)
	if err == nil && u.noted && !u.finishing && (why.Code == Untracked || why.Code == Changed) {
		err = l.unintend(ctx) // git looks at everything before it moves anything
	}
	return why, err
}

// deleted names a file that is to change and that the user deleted without telling git, which would bring it back. A file that
// a sparse checkout leaves out is not deleted.
func (u *update) deleted(ctx context.Context) (string, error) {
	var absent []string
	for _, c := range u.changes {
		if c.Status != 'A' && c.Status != 'D' && c.NewMode != git.Gitlink && !safefile.Exists(u.path(c)) {
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

func (u *update) path(c git.Change) string { return u.onDisk(c.Path) }

func (u *update) onDisk(name string) string {
	return filepath.Join(u.line.repo.Top, filepath.FromSlash(name))
}

// again looks closer at a refusal: file times that say nothing, files that already are what they are to become, and a plan that
// the user has open. What remains is the user's.
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
	if err != nil || !refusal.none() {
		return refusal, err
	}
	if u.plan != nil {
		if err := u.markPlan(ctx); err != nil {
			return Obstacle{}, err
		}
	}
	return Obstacle{}, git.Flush(u.line.repo.Top)
}

func (u *update) refresh(ctx context.Context) error {
	return u.line.scratch.RefreshIndex(ctx, u.files())
}

func (u *update) readTree(ctx context.Context, target string) (refusal Obstacle, err error) {
	stands, err := u.obstacle(ctx)
	switch {
	case err != nil:
		return Obstacle{}, err
	case stands != "":
		return Obstacle{Code: Untracked, Path: text.Quote(stands)}, nil
	}
	err = u.line.scratch.SwitchTree(ctx, u.files(), u.from, target)
	if failed, refused := errors.AsType[*git.ExitError](err); refused && failed.Ended == "" {
		return refusalIn(failed), nil
	}
	return Obstacle{}, err
}

// locked is the obstacle of a lock that did not go away.
func locked(path string) Obstacle { return Obstacle{Code: Locked, Path: text.Quote(path)} }

// refusalIn finds the obstacle in what git printed.
func refusalIn(failed *git.ExitError) Obstacle {
	if lock := failed.Lock(); lock != "" {
		return locked(lock)
	}
	for line := range strings.Lines(failed.Tail) {
		line = strings.TrimSpace(line)
		name := ""
		if _, after, ok := strings.Cut(line, "'"); ok {
			if i := strings.LastIndexByte(after, '\''); i > 0 {
				name = text.Quote(after[:i])
			}
		}
		switch {
		case name == "":
		case strings.Contains(line, "ntracked"):
			return Obstacle{Code: Untracked, Path: name}
		case strings.Contains(line, "not uptodate"), strings.Contains(line, "would be overwritten by merge"):
			return Obstacle{Code: Changed, Path: name}
		}
	}
	return Obstacle{Code: Refused, Detail: failed.Said()}
}

// adopt takes into the index what is already in place: another way to say that it was delivered, whether by an update that a
// crash cut in half or by the user.
func (u *update) adopt(ctx context.Context) error {
	d := u.line.scratch
	want := git.Files{WorkTree: u.line.repo.Top, Index: d.IndexFile("adopt")}
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
		untouched := entries[c.Path] == c.OldMode+" "+c.OldID || c.Status == 'A' && entries[c.Path] == ""
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

// entries reads the index: "mode id" by path.
func (u *update) entries(ctx context.Context) (map[string]string, error) {
	listed, err := u.line.scratch.Index(ctx, u.files())
	if err != nil {
		return nil, err
	}
	entries := map[string]string{}
	for _, e := range listed {
		entries[e.Path] = e.NewMode + " " + e.NewID
	}
	return entries, nil
}
