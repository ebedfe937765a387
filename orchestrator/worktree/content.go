package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// read turns the files in dir into a tree. It works on an index of its own, so that the agent's
// index, commits, branch and even its .git play no part, except that files which the agent added to
// its index against .gitignore are taken as well.
func (l *Line) read(ctx context.Context, phase, dir, base string) (content, error) {
	if !safefile.IsDir(dir) {
		return content{}, &GoneError{Dir: dir}
	}
	c, err := l.readWork(ctx, phase, dir, base)
	if pipe, ok := errors.AsType[*git.PipeError](err); ok &&
		safefile.IsBelow(safefile.Resolved(filepath.Dir(pipe.Path))+string(filepath.Separator),
			dir) {
		return content{}, &ShutError{Pipe: pipe.Path}
	}
	if _, shut := errors.AsType[*ShutError](err); shut {
		openUp(dir)
		c, err = l.readWork(ctx, phase, dir, base)
	}
	return c, err
}

// readWork is readOpen; what git cannot take of the work is a *ShutError.
func (l *Line) readWork(ctx context.Context, phase, dir, base string) (content, error) {
	c, err := l.readOpen(ctx, phase, dir, base)
	if failed, is := errors.AsType[*git.ExitError](err); is && failed.OfContent() {
		err = &ShutError{Why: failed.Said()}
	}
	return c, err
}

// tooLarge refuses files before git reads them: nothing that a phase leaves delays its end.
func (l *Line) tooLarge(dir string, paths []string) error {
	limit, total := cmp.Or(l.opt.MaxFile, 100<<20), int64(0)
	for _, p := range paths {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if total += info.Size(); info.Size() > limit {
			return &ShutError{Why: fmt.Sprintf("%s has %d MB, and max-file is %d", text.Quote(p),
				info.Size()>>20, limit>>20)}
		}
	}
	if total > 10*limit {
		return &ShutError{Why: fmt.Sprintf("the changed files have %d MB, and max-file is %d: ten times of it are too much",
			total>>20, limit>>20)}
	}
	return nil
}

// readTree is read for the worktree of a phase that works on its base.
func (l *Line) readTree(ctx context.Context, t Tree) (content, error) {
	if c, held := l.held[t.Phase]; held {
		return c, nil
	}
	return l.read(ctx, t.Phase, t.Dir, t.Base)
}

// readOnce is readTree, or the newest read of the same worktree where no child of the run was alive
// since: between the end of an agent and the landing, only a person can have changed anything.
func (l *Line) readOnce(ctx context.Context, t Tree) (content, error) {
	if _, held := l.held[t.Phase]; held {
		return l.readTree(ctx, t)
	}
	index := l.scratch.IndexFile(t.Phase + ".work")
	last, now := l.reads[t.Phase], reading{
		dir: t.Dir, base: t.Base, index: safefile.Stamp(index),
		agent: l.agentIndex(t.Dir),
	}
	if started, none := l.repo.Children(); last.same(now) && none && last.none &&
		started == last.started {
		return content{tree: last.tree, index: index, others: last.others}, nil
	}
	return l.readTree(ctx, t)
}

// readOpen is read for a worktree in which nothing is closed to its owner; where something is, it
// gives a *ShutError: git leaves out a directory that it may not read, and counts it among its
// successes.
func (l *Line) readOpen(ctx context.Context, phase, dir, base string) (content, error) {
	started, none := l.repo.Children()
	known, err := l.baseIndex(ctx, phase, dir, base)
	if err != nil {
		return content{}, err
	}
	c, same, err := l.readAgain(ctx, phase, dir, base, known)
	if same || err != nil {
		return c, err
	}
	paths, err := l.differing(ctx, dir, known)
	if err != nil {
		return content{}, err
	}
	was := l.agentIndex(dir)
	var forced []string
	if was != l.untouched[phase] {
		forced = l.forced(ctx, dir, base)
	}
	paths, c.others = l.ours(phase, append(paths, forced...))
	if nested := nestedIn(dir, paths, forced); len(nested) > 0 {
		return content{}, &NestedError{Paths: nested}
	}
	inside, err := l.modules.Changed(ctx, dir, known, l.hidden("moved/"+phase))
	if err != nil {
		return content{}, err
	}
	if len(inside) > 0 {
		return content{}, &NestedError{Paths: inside, Submodules: true}
	}
	if err = git.CopyIndex(known, c.index); err != nil {
		return content{}, err
	}
	o := git.Files{WorkTree: dir, Index: c.index}
	if len(paths) == 0 {
		c.tree, err = l.scratch.TreeOf(ctx, base)
		return c, err
	}
	if err = l.tooLarge(dir, paths); err != nil {
		return content{}, err
	}
	if err = l.scratch.Stage(ctx, o, paths); err != nil {
		return content{}, err
	}
	if c.tree, err = l.scratch.WriteTree(ctx, o); err != nil {
		return content{}, err
	}
	if l.reads == nil {
		l.reads = map[string]reading{}
	}
	l.reads[phase] = reading{
		dir: dir, base: base, tree: c.tree, index: safefile.Stamp(c.index), agent: was,
		others: c.others, none: none, started: started,
	}
	return c, nil
}

// differing lists the files that differ from an index and the new ones, by git's rules.
func (l *Line) differing(ctx context.Context, dir, index string) ([]string, error) {
	paths, warning, err := l.scratch.Differing(ctx, git.Files{WorkTree: dir, Index: index})
	if err != nil {
		return nil, err
	}
	if strings.Contains(warning, "could not open directory") {
		return nil, &ShutError{Why: git.Summary(warning)}
	}
	return paths, nil
}

// readAgain answers with one process where nothing changed since the newest read. Else it gives the
// name of the index for a whole read.
func (l *Line) readAgain(
	ctx context.Context, phase, dir, base, known string,
) (c content, ok bool, err error) {
	c.index = l.scratch.IndexFile(phase + ".work")
	last := l.reads[phase]
	if !last.same(reading{
		dir: dir, base: base, index: safefile.Stamp(c.index),
		agent: l.agentIndex(dir),
	}) {
		return c, false, nil
	}
	paths, err := l.differing(ctx, dir, c.index)
	if err != nil {
		return c, false, err
	}
	paths, others := l.ours(phase, paths)
	inside, err := l.modules.Changed(ctx, dir, known, l.hidden("moved/"+phase))
	if err != nil || len(paths)+len(inside) > 0 {
		return c, false, err
	}
	c.tree, c.others = last.tree, others
	return c, true, nil
}

// agentIndex is the stamp of the index that a worktree's own git uses.
func (l *Line) agentIndex(dir string) string {
	return safefile.Stamp(filepath.Join(dir, ".git", "index"))
}

// openUp restores the owner's access to the files of a worktree, as far as the owner may: git
// records none of these permissions. git itself reports files that stay closed.
func openUp(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, failed := filepath.Rel(dir, path)
		if err != nil || failed != nil {
			return nil //nolint:nilerr // as above
		}
		info, failed := e.Info()
		if failed != nil {
			return nil //nolint:nilerr // as above
		}
		need := map[fs.FileMode]fs.FileMode{0: 0o400, fs.ModeDir: 0o700}[info.Mode().Type()]
		if mode := info.Mode().Perm(); mode|need != mode {
			_ = root.Chmod(name, mode|need)
		}
		return nil
	})
}

// baseIndex names the index of the base commit with the times of the files as they were checked
// out, and makes it anew where it was lost.
func (l *Line) baseIndex(ctx context.Context, phase, dir, base string) (string, error) {
	index := l.scratch.IndexFile(phase + "@" + base)
	if safefile.Exists(index) {
		return index, nil
	}
	o := git.Files{WorkTree: dir, Index: index + ".new"}
	if err := l.scratch.ReadTree(ctx, o, base); err != nil {
		return "", err
	}
	if err := l.scratch.RefreshIndex(ctx, o); err != nil {
		return "", err
	}
	if err := os.Rename(o.Index, index); err != nil {
		return "", git.Unusable("git's directory cannot be written", err)
	}
	return index, nil
}

// forced lists files of the agent's index that are new, ignored ones included. An index that cannot
// be read adds nothing.
func (l *Line) forced(ctx context.Context, dir, base string) []string {
	admin := git.CloneDir(dir)
	if admin == "" || !safefile.IsFile(filepath.Join(admin, "index")) {
		return nil
	}
	changes, err := l.scratch.DiffIndex(ctx, git.Files{Index: filepath.Join(admin, "index")}, base)
	if err != nil {
		return nil
	}
	var added []string
	for _, c := range changes {
		there := plainFile(dir, c.Path) ||
			safefile.IsDir(filepath.Join(dir, filepath.FromSlash(c.Path)))
		if c.Status == 'A' && there {
			added = append(added, c.Path)
		}
	}
	return added
}

// plainFile reports whether a path names a file or link that lies in dir without passing through a
// link.
func plainFile(dir, path string) bool {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return false
	}
	parts := strings.Split(path, "/")
	for i := 1; i < len(parts); i++ {
		if !safefile.IsDir(filepath.Join(dir, filepath.Join(parts[:i]...))) {
			return false
		}
	}
	info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
	return err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0)
}

// strayStore is the folder of pnpm's store in a project if its usual store is not writable.
const strayStore = ".pnpm-store"

// ours leaves out what is not the phase's work: the plan, the file that is written beside the run,
// autobuild's own directory, and files copied in for it.
func (l *Line) ours(phase string, paths []string) (kept []string, others touched) {
	copied := l.copied(phase)
	for _, p := range paths {
		switch {
		case l.plan != "" && (p == l.plan || strings.HasPrefix(p, l.plan+"/")):
			others.plan = true
		case l.aside != "" && p == l.aside:
			others.aside = true
		case strings.HasPrefix(p, strayStore+"/"):
			others.store = true
		case p == ".autobuild" || strings.HasPrefix(p, ".autobuild/"), copied[p]:
		default:
			kept = append(kept, p)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept), others
}

// nestedIn finds repositories inside the work: git lists an untracked one as a directory.
func nestedIn(dir string, paths, forced []string) []string {
	var nested []string
	for _, p := range paths {
		if name, ok := strings.CutSuffix(p, "/"); ok {
			nested = append(nested, name)
		} else if slices.Contains(forced, p) &&
			safefile.IsDir(filepath.Join(dir, filepath.FromSlash(p))) {
			nested = append(nested, p)
		}
	}
	return nested
}

// Changes computes what the phase changed, commits that the agent made itself included. It runs no
// program that was not in the user's configuration when the run began.
func (l *Line) Changes(ctx context.Context, t Tree) (Changes, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return Changes{}, err
	}
	defer release()
	c, err := l.read(ctx, t.Phase, t.Dir, t.Base)
	if err != nil {
		return Changes{}, err
	}
	ch := Changes{
		Tree: c.tree, PlanTouched: c.others.plan, AsideTouched: c.others.aside,
	}
	if c.others.store {
		ch.Stray = strayStore
	}
	names, err := l.scratch.DiffNames(ctx, t.Base, c.tree)
	if err != nil {
		return Changes{}, err
	}
	for _, n := range names {
		switch n.Status {
		case 'A':
			ch.Created = append(ch.Created, n.Path)
		case 'D':
			ch.Deleted = append(ch.Deleted, n.Path)
		case 'R':
			ch.Renamed = append(ch.Renamed, Rename{From: n.From, To: n.Path})
		default:
			ch.Modified = append(ch.Modified, n.Path)
		}
	}
	return ch, nil
}
