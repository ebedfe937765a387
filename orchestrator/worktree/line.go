package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"autobuild/internal/safefile"
)

// Line is the integration line of one run: the branch autobuild/RUN/integration, to which every
// verified phase adds one commit. The name has a third part because git cannot have the branch
// autobuild/RUN beside the phases' branches autobuild/RUN/PHASE.
// Its methods may be called from any number of goroutines; landings wait for each other.
type Line struct {
	Branch string   // the line's branch, short: what a merge command takes
	Notes  []string // what the user should be told about how the run begins

	Uncommitted []string // paths of the user's checkout that are not as in its last commit, sorted; the run's own work left out

	repo    *Repo
	desk    *desk
	opt     Options
	home    string            // the user's branch when the run began, full; empty when HEAD was detached
	plan    string            // the plan's path below the repository's root, or empty
	aside   string            // likewise that of the file that is written beside the run
	landed  map[string]string // phase → its newest commit
	keys    map[string]string // phase → the key of the attempt that landed it
	own     []deed
	hooks   []hookFile         // the user's commit hooks as they were when the run began
	putBack map[string]string  // git's own files that Restore has put back: their digests
	cut     string             // where a delivery was going that was cut off; empty: none was
	revived bool               // Begin made the branch again, of a run that may be complete
	idle    map[string]resting // phase → its worktree's content while it is not at work
	reads   map[string]reading // phase → the newest read of its worktree
	merges  map[string]merged  // phase → its newest merge with the line
	shared  bool               // phases work in the checkout itself: what lies there is theirs

	base      string // commit from which the run started
	head      string // commit of the user's branch as the run left it or took it in
	delivered string // commit whose content the checkout has, the user's own edits aside
	tip       string // newest commit of the line

	turn  chan struct{} // one landing at a time, its verification included
	hands chan struct{} // one change of refs, worktrees or checkout at a time

	mending sync.Mutex // one comparison of git's own files at a time
}

var safeWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// safe refuses words that would not stay one path element and one part of a ref.
func safe(kind, w string) error {
	if !safeWord.MatchString(w) || strings.Contains(w, "..") || strings.HasSuffix(w, ".") || strings.HasSuffix(w, ".lock") {
		return &UnusableError{What: kind + " cannot be part of a path and a branch name", Where: w, Next: "use letters, digits, dots, dashes and underscores"}
	}
	return nil
}

// Begin starts the run's line, or takes it up again: the call is the same. It gives an *UnusableError where the user must act
// first, and then has changed nothing.
func (r *Repo) Begin(ctx context.Context, o Options) (*Line, error) {
	if err := r.ready(ctx, o); err != nil {
		return nil, err
	}
	r.fillHollow()
	d, err := openDesk(ctx, r, o.RunID)
	if err != nil {
		return nil, err
	}
	l := &Line{
		repo: r, desk: d, opt: o, home: r.Branch, plan: planPath(r.Top, o.PlanPath), aside: planPath(r.Top, o.Aside), Notes: d.notes,
		turn: make(chan struct{}, 1), hands: make(chan struct{}, 1), landed: map[string]string{}, keys: map[string]string{},
	}
	l.Branch = strings.TrimPrefix(l.ref("integration"), "refs/heads/")
	if err = d.trySigning(ctx, r.Head); err != nil {
		return nil, err
	}
	if err = d.tryFilters(ctx, r.Head); err != nil {
		return nil, err
	}
	if err = d.keep(); err != nil {
		return nil, err
	}
	if err = l.start(ctx); err != nil {
		return nil, err
	}
	if err = exclude(r.CommonDir); err != nil {
		return nil, err
	}
	if err = l.reattach(); err != nil {
		return nil, err
	}
	if err = l.prune(); err != nil {
		return nil, err
	}
	if err = l.sweepCheckouts(); err != nil {
		return nil, err
	}
	if err = l.catchUp(ctx); err != nil {
		return nil, err
	}
	why, err := l.takeIn(ctx)
	if err != nil {
		return nil, err
	}
	if why != "" {
		l.Notes = append(l.Notes, why)
	}
	if err = l.noteUncommitted(ctx); err != nil {
		return nil, err
	}
	if !o.NoVerify {
		if err = l.pinHooks(ctx); err != nil {
			return nil, err
		}
	}
	if err = l.recall(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// ready says what the user must do before a run can begin.
func (r *Repo) ready(ctx context.Context, o Options) error {
	if r.Head == "" {
		return r.headless(ctx)
	}
	if err := safe("run id", o.RunID); err != nil {
		return err
	}
	switch o.Mode {
	case Auto, Single, MessageOnly:
	default:
		return &UnusableError{What: "no such commit mode", Where: o.Mode, Next: "use auto, single or message-only"}
	}
	for _, dir := range []string{o.StateDir, filepath.Join(o.StateDir, "worktrees")} {
		if exists(dir) && !isDir(dir) {
			return &UnusableError{What: "the state directory is a link or a file, not a directory", Where: dir, Next: "move it away"}
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return unusable("the state directory cannot be made", err)
		}
	}
	return nil
}

// planPath gives the plan's place in the repository as git names it, links on the way resolved.
func planPath(top, plan string) string {
	if plan == "" {
		return ""
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(plan)); err == nil {
		plan = filepath.Join(dir, filepath.Base(plan))
	}
	if dir, err := filepath.EvalSymlinks(top); err == nil {
		top = dir
	}
	rel, err := filepath.Rel(top, plan)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// ref names one of the run's branches, hidden one of its private refs. A phase may be called integration.
func (l *Line) ref(name string) string    { return "refs/heads/autobuild/" + l.opt.RunID + "/" + name }
func (l *Line) hidden(name string) string { return "refs/autobuild/" + l.opt.RunID + "/" + name }

func (l *Line) phaseRef(phase string) string {
	if phase == "integration" {
		phase = "integration.phase"
	}
	return l.ref(phase)
}

// start finds the run's refs, or makes them in one step.
func (l *Line) start(ctx context.Context) error {
	unlock(l.repo.CommonDir, l.hidden(""))
	unlock(l.repo.CommonDir, l.ref(""))
	refs, err := l.repo.refs(ctx, l.hidden(""), l.ref(""))
	if err != nil {
		return err
	}
	homeFile := filepath.Join(l.desk.dir, "branch")
	l.base, l.head, l.delivered, l.tip = refs[l.hidden("base")], refs[l.hidden("head")], refs[l.hidden("delivered")], refs[l.ref("integration")]
	if l.tip == "" {
		l.tip = refs[l.hidden("line")]
	}
	if l.base != "" && refs[l.hidden("line")] == "" { // else it is finished, and has no branch
		if l.tip, err = l.witnessed(ctx, l.tip); err != nil {
			return err
		}
		refs[l.ref("integration")] = l.tip
	}
	if l.base == "" || l.head == "" || l.delivered == "" || l.tip == "" {
		return l.startAnew(ctx, refs[l.ref("integration")])
	}
	if home, err := safefile.ReadPlain(homeFile, safefile.Small); err == nil {
		l.home = string(home)
	}
	// A finished run's branch is gone. One that leads to where the run ended was made by a start that was killed before it had left.
	l.revived = refs[l.hidden("line")] == l.tip
	if refs[l.ref("integration")] == "" {
		l.revived = true
		return l.repo.moveRefs(ctx, "run goes on", move{ref: l.ref("integration"), to: l.tip, create: true})
	}
	return nil
}

// beside refuses a repository in which the name of all branches of runs is taken by a branch of the user's.
func (l *Line) beside(ctx context.Context) error {
	const taken = "refs/heads/autobuild"
	refs, err := l.repo.refs(ctx, taken)
	if err == nil && refs[taken] != "" {
		err = &UnusableError{
			What: "a branch is called autobuild, and beside it git makes none of a run's, autobuild/…", Where: l.repo.Top,
			Next: "give it another name: git branch -m autobuild autobuild-old",
		}
	}
	return err
}

// startAnew begins a run of which git has no record, or none but the line's branch or another ref: its work must be on the user's branch.
func (l *Line) startAnew(ctx context.Context, branch string) error {
	h, last := l.repo.Head, l.tip
	l.base, l.head, l.delivered, l.tip = h, h, h, h
	found, err := l.findAgain(ctx)
	if err != nil {
		return err
	}
	if last != "" && !slices.ContainsFunc(found, func(e entry) bool { return e.id == last }) {
		u := &UnusableError{
			What: "the run's refs are damaged: some below " + l.hidden("") + " are missing",
			Next: "its work is on " + l.Branch + "; merge it, and start afresh with --fresh",
		}
		if l.opt.Mode == Auto {
			u.Next = "its work is on " + l.Branch + "; resume when your branch has it (git merge --ff-only " + l.Branch + "), or merge it and start afresh with --fresh"
		}
		return u
	}
	if err := l.beside(ctx); err != nil {
		return err
	}
	if err := l.desk.write("branch", []byte(l.repo.Branch)); err != nil {
		return err
	}
	if last == "" {
		if err := l.sweep(ctx); err != nil {
			return err
		}
	}
	if err := l.announce(h); err != nil {
		return err
	}
	l.repo.unsynced.Store(true) // what the desk says of the run
	return l.repo.moveRefs(ctx, "run begins",
		move{ref: l.hidden("base"), to: l.base}, move{ref: l.hidden("head"), to: h}, move{ref: l.hidden("delivered"), to: h},
		move{ref: l.ref("integration"), to: h, from: branch, create: branch == ""})
}

// sweep removes the refs of runs that were killed before anything came of them: no phase was opened, nothing landed. A git that was
// killed too may have made only some of them.
func (l *Line) sweep(ctx context.Context) error {
	refs, err := l.repo.refs(ctx, "refs/autobuild/", "refs/heads/autobuild/")
	if err != nil {
		return err
	}
	runs := map[string][]move{}
	used := map[string]bool{}
	for ref, id := range refs {
		rest, hidden := strings.CutPrefix(ref, "refs/autobuild/")
		run, name, _ := strings.Cut(strings.TrimPrefix(rest, "refs/heads/autobuild/"), "/")
		known := hidden && (name == "base" || name == "head" || name == "delivered") || !hidden && name == "integration"
		base := refs["refs/autobuild/"+run+"/base"]
		if base == "" && known {
			follows, failed := l.desk.isAncestor(ctx, id, l.repo.Head)
			known = follows && failed == nil // a damaged ref of another run stays, and stops nobody
		}
		if !known || base != "" && id != base {
			used[run] = true
		}
		runs[run] = append(runs[run], move{ref: ref, from: id})
	}
	folders, _ := os.ReadDir(filepath.Join(l.repo.CommonDir, "refs", "autobuild")) // of a run that has not got as far as a ref only locks may be there
	for _, f := range folders {
		if !used[f.Name()] {
			unlock(l.repo.CommonDir, "refs/autobuild/"+f.Name()+"/")
			unlock(l.repo.CommonDir, "refs/heads/autobuild/"+f.Name()+"/")
		}
	}
	for run, moves := range runs {
		if !used[run] {
			if err := l.repo.moveRefs(ctx, "clear away an empty run", moves...); err != nil {
				return err
			}
		}
	}
	return nil
}

// trySigning finds out before any work is done whether commits can be signed unattended, where the user asks for signatures.
func (d *desk) trySigning(ctx context.Context, head string) error {
	if !d.signed {
		return nil
	}
	if _, err := d.commit(ctx, head+"^{tree}", "a test of the signature", head); err != nil {
		return &UnusableError{
			What: "commit.gpgSign is on, and signing failed: " + err.Error(),
			Next: "unlock the key (or let its agent keep it), or turn it off for this repository: git config commit.gpgSign false",
		}
	}
	return nil
}

// commit writes a commit object. Parents come in order.
func (d *desk) commit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	if d.signed {
		args = append(args, "-S")
	}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	d.unsynced.Store(true)
	return d.ask(ctx, on{}, []byte(message), append(args, "-F", "-")...)
}

// exclude keeps .autobuild out of git without touching the user's .gitignore.
func exclude(commonDir string) error {
	path := filepath.Join(commonDir, "info", "exclude")
	data, err := safefile.Read(path, safefile.Small)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unusable("git's exclude file cannot be read", err)
	}
	for line := range strings.Lines(string(data)) {
		if t := strings.TrimSpace(line); t == ".autobuild/" || t == "/.autobuild/" {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return unusable("git's exclude file cannot be written", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	if err := replaceFile(path, append(data, ".autobuild/\n"...), 0o644); err != nil {
		return unusable("git's exclude file cannot be written", err)
	}
	return nil
}

// take waits for a token, no longer than the context lives.
func take(ctx context.Context, token chan struct{}) (give func(), err error) {
	select {
	case token <- struct{}{}:
		return func() { <-token }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (l *Line) String() string { return fmt.Sprintf("line %s at %.12s", l.Branch, l.tip) }
