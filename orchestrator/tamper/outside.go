package tamper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree"
)

// Outside watches what lies outside the worktrees of one run.
type Outside struct {
	line     *worktree.Line // nil after a crash: only Recover works
	repo     *git.Repository
	runID    string
	stateDir string

	mending  sync.Mutex        // one comparison of git's own files at a time; guards the next two
	putBack  map[string]string // git's own files that were put back: their digests
	accepted map[string]string // see Snapshot

	staged staging // the newest answer about the user's index

	last    Snapshot // the newest; its zero value is none
	started uint64   // of Repository.Children, when the newest was begun
}

// NewOutside watches for a line; nil for none.
func NewOutside(line *worktree.Line) *Outside {
	if line == nil {
		return nil
	}
	return &Outside{
		line: line, repo: line.Repository(), runID: line.RunID(),
		stateDir: line.StateDir(),
	}
}

// Look takes a snapshot. Deliveries between two snapshots do not count as changes.
func (o *Outside) Look(ctx context.Context) (Snapshot, error) {
	unlock, err := o.line.Lock(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()
	return o.look(ctx)
}

// LookAgain is Look, or the newest snapshot of LookAgain and Breaches where no child of the run was
// alive since that was begun.
func (o *Outside) LookAgain(ctx context.Context) (Snapshot, error) {
	unlock, err := o.line.Lock(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()
	return o.lookAgain(ctx)
}

// lookAgain is LookAgain for a caller that holds the line's lock.
func (o *Outside) lookAgain(ctx context.Context) (Snapshot, error) {
	started, none := o.repo.Children()
	if none && o.last.refs != nil && started == o.started {
		s := o.last
		s.accepted = o.acceptedFiles()
		return s, nil
	}
	s, err := o.look(ctx)
	if err == nil && none {
		o.last, o.started = s, started
	}
	return s, err
}

// AcceptPlan notes that the plan with this safefile.Stamp is the user's.
func (o *Outside) AcceptPlan(stamp string) {
	if o.line == nil || o.line.Plan() == "" {
		return
	}
	o.mending.Lock()
	defer o.mending.Unlock()
	o.accepted = map[string]string{o.line.Plan(): stamp}
}

// acceptedFiles are the files that AcceptPlan has noted. The map is not changed any more.
func (o *Outside) acceptedFiles() map[string]string {
	o.mending.Lock()
	defer o.mending.Unlock()
	return o.accepted
}

// refs is where the run's own branches lie.
func (o *Outside) refs() string { return "refs/heads/autobuild/" + o.runID + "/" }

// integration is the ref of the line.
func (o *Outside) integration() string { return o.refs() + "integration" }

// look is Look; the caller holds the line's lock.
func (o *Outside) look(ctx context.Context) (Snapshot, error) {
	o.last = Snapshot{} // an older snapshot must not be compared with this one
	s := Snapshot{index: map[string]string{}, files: map[string]string{}, deeds: o.line.Deeds()}
	refs, branch, err := o.repo.RefsAndBranch(ctx, "refs/heads", "refs/tags", "refs/stash",
		"refs/autobuild")
	if err != nil {
		return Snapshot{}, err
	}
	head := refs[branch]
	if branch == "" {
		if branch, head, err = o.repo.ReadHead(ctx); err != nil {
			return Snapshot{}, err
		}
	}
	s.head, s.refs = cmp.Or(branch, head), refs
	s.stash = s.refs["refs/stash"]
	maps.DeleteFunc(s.refs, func(ref, _ string) bool {
		return ref == "refs/stash" || strings.HasPrefix(ref, o.refs()) && ref != o.integration()
	})
	if s.refs[o.integration()] == o.line.Tip() {
		delete(s.refs, o.integration())
	}
	if !o.line.Shares() {
		if err := o.lookAtCheckout(ctx, head, &s); err != nil {
			return Snapshot{}, err
		}
	}
	o.mending.Lock()
	s.mine = maps.Clone(o.putBack)
	o.mending.Unlock()
	s.accepted = o.acceptedFiles()
	s.meta, s.ours = metaOf(o.repo), o.repo.Updated()
	s.logs, s.last = headLogs(o.repo),
		lastLine(filepath.Join(o.repo.CommonDir, "logs", "refs", "stash"))
	return s, nil
}

// lookAtCheckout notes the staged files, and those that differ from the index.
func (o *Outside) lookAtCheckout(ctx context.Context, head string, s *Snapshot) error {
	if err := o.line.Scratch().ShareIndex(o.repo); err != nil {
		return err
	}
	err := o.compareCheckout(ctx, head, s)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// The branch may lead to a commit that is missing, which git's list of refs does not show.
	if _, commit, failed := o.repo.ReadHead(ctx); failed == nil && commit == "" {
		return o.compareCheckout(ctx, "", s)
	}
	return err
}

// compareCheckout compares the checkout with a commit, or with the index alone.
func (o *Outside) compareCheckout(ctx context.Context, head string, s *Snapshot) error {
	files := git.Files{WorkTree: o.repo.Top, Index: filepath.Join(o.repo.GitDir, "index")}
	if head != "" {
		staged, err := o.stagedSince(ctx, files, head)
		if err != nil {
			return err
		}
		for _, c := range staged {
			s.index[c.Path] = c.NewMode + " " + c.NewID
		}
	}
	tagged, err := o.line.Scratch().LsFiles(ctx, files, "-t", "-o", "-m", "-d",
		"--exclude-standard")
	if err != nil {
		return err
	}
	for _, f := range tagged {
		tag, p, _ := strings.Cut(f, " ")
		if !o.line.Owns(p, tag == "?") {
			s.files[p] = safefile.Stamp(filepath.Join(o.repo.Top, filepath.FromSlash(p)))
		}
	}
	return nil
}

// staging is the difference between an index file and a commit.
type staging struct {
	index   stamp
	head    string
	changes []git.Change
}

// stagedSince returns the staged changes since a commit. It does not read an index file with the
// stamp of the newest answer again, where the system gives a file a time of change that programs
// cannot set.
func (o *Outside) stagedSince(
	ctx context.Context, files git.Files, head string,
) ([]git.Change, error) {
	now := staging{index: stampOf(files.Index), head: head}
	if now.index.Ctime != 0 && o.staged.head == head && o.staged.index == now.index {
		return o.staged.changes, nil
	}
	o.staged = staging{}
	var err error
	if now.changes, err = o.line.Scratch().DiffIndex(ctx, files, head); err == nil {
		o.staged = now
	}
	return now.changes, err
}

// unblock puts back the files of git's that every git would wait for, where a pipe, say, lies in
// their place, and returns the state that it replaced. The next git call refuses the files that it
// leaves, by name.
func (o *Outside) unblock(before Snapshot) map[string]metaFile {
	lay := map[string]metaFile{}
	for name, path := range map[string]string{
		"config": filepath.Join(o.repo.CommonDir, "config"),
		"HEAD":   filepath.Join(o.repo.GitDir, "HEAD"),
	} {
		was, is := before.known(name), readMeta(path)
		if was.data == nil || is.digest == "" || safefile.IsFile(path) || name == "HEAD" &&
			o.moved(before) {
			continue
		}
		if safefile.Replace(path, was.data, was.mode.Perm()) == nil {
			lay[name] = is
		}
	}
	return lay
}

// moved reports whether a checkout of the user's may have gone elsewhere since.
func (o *Outside) moved(before Snapshot) bool {
	now := headLogs(o.repo)
	maps.DeleteFunc(now, func(line string, _ bool) bool {
		return before.logs[line] || strings.Contains(line, "\tautobuild: ")
	})
	return before.logs == nil || len(now) > 0
}

// Breaches compares the state outside the worktrees with before, takes back each change that it can
// without loss, and reports all of them. It keeps the unwanted value of a ref below
// refs/autobuild/breach/RUN/, and a changed file of git's in breaches/ of the state directory. It
// never touches files, the index and HEAD of the user's checkout, but for a HEAD that is no file
// any more. The snapshot shows the state before anything was taken back.
func (o *Outside) Breaches(ctx context.Context, before Snapshot) ([]Trespass, Snapshot, error) {
	release, err := o.line.Lock(ctx)
	if err != nil {
		return nil, Snapshot{}, err
	}
	defer release()
	lay := o.unblock(before)
	after, err := o.lookAgain(ctx)
	if err != nil {
		return nil, Snapshot{}, err
	}
	after.meta = maps.Clone(after.meta)
	maps.Copy(after.meta, lay)
	found := before.Trespasses(after)
	ctx = git.Uninterrupted(ctx)
	for i := range found {
		t := &found[i]
		if !t.mend {
			continue
		}
		o.last = Snapshot{}
		var kept string
		var err error
		if t.ref != "" {
			kept, err = o.moveBack(ctx, *t)
		} else {
			o.mending.Lock()
			kept, err = o.writeBack(*t)
			o.mending.Unlock()
		}
		t.putBack(kept, err)
	}
	return found, after, nil
}

// moveBack gives a ref its value again, unless it has moved once more.
func (o *Outside) moveBack(ctx context.Context, t Trespass) (kept string, err error) {
	if t.ref == o.integration() {
		t.was = o.line.Tip()
	}
	var moves []git.RefUpdate
	if t.is != "" && o.repo.HasCommit(ctx, t.is) { // else there is nothing that could be kept
		kept = fmt.Sprintf("refs/autobuild/breach/%s/%.12s-%s", o.runID, t.is,
			strings.ReplaceAll(strings.TrimPrefix(t.ref, "refs/"), "/", "-"))
		moves = append(moves, git.RefUpdate{Ref: kept, New: t.is})
	}
	switch {
	case t.was == "":
		moves = append(moves, git.RefUpdate{Ref: t.ref, Old: t.is})
	case t.is == "":
		moves = append(moves, git.RefUpdate{Ref: t.ref, New: t.was, Create: true})
	default:
		moves = append(moves, git.RefUpdate{Ref: t.ref, New: t.was, Old: t.is})
	}
	return kept, o.repo.UpdateRefs(ctx, "put back", moves...)
}

// writeBack gives one of git's own files its content again.
func (o *Outside) writeBack(t Trespass) (kept string, err error) {
	path := cmp.Or(t.before.path, t.after.path)
	if t.after.data != nil {
		dir := filepath.Join(o.stateDir, "breaches")
		if err = os.MkdirAll(dir, 0o700); err != nil {
			return "", git.Unusable("the state directory cannot be written", err)
		}
		copied := filepath.Join(dir, fmt.Sprintf("%s-%s", t.after.digest[len(t.after.digest)-8:],
			strings.ReplaceAll(t.name, "/", "-")))
		if err = safefile.Replace(copied, t.after.data, 0o600); err != nil {
			return "", git.Unusable("the state directory cannot be written", err)
		}
		kept = filepath.Base(o.stateDir) + "/breaches/" + filepath.Base(copied)
	}
	if t.before.digest == "" {
		err = safefile.IgnoreMissing(os.Remove(path))
	} else {
		err = os.MkdirAll(filepath.Dir(path), 0o755) //nolint:gosec // as git makes it
		err = errors.Join(err, safefile.Replace(path, t.before.data, t.before.mode.Perm()))
	}
	if err != nil {
		return "", git.Unusable("git's directory cannot be written", err)
	}
	if o.putBack == nil {
		o.putBack = map[string]string{}
	}
	o.putBack[t.name] = t.before.digest
	return kept, nil
}
