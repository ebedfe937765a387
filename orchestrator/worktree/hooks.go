package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// Git's own calls here run no hook. The user's commit hooks are copied when the run begins and
// shown, from that copy, what a commit would show them: a hook that appears later, or an agent's
// edit of one, is never executed.

// What is copied at most: hooks are scripts, and the files beside them that they read.
const (
	maxHookFiles = 256
	maxHookBytes = 4 << 20
)

// CommitHooks names the user's hooks that git would run for a commit, in git's order.
func CommitHooks(ctx context.Context, r *git.Repository) ([]string, error) {
	dir, err := r.HooksDir(ctx)
	if err != nil {
		return nil, err
	}
	return hooksIn(dir), nil
}

// hooksIn lists the commit hooks in a directory that can run. Windows has no mode that says so, and
// git asks for none there.
func hooksIn(dir string) []string {
	var names []string
	for _, name := range []string{"pre-commit", "prepare-commit-msg", "commit-msg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || os.PathSeparator == '\\') {
			names = append(names, name)
		}
	}
	return names
}

// pinnedHooks is the directory of the copy that git is told: a level below its root, because hooks
// may read what lies beside their directory (husky's do).
const pinnedHooks = "d"

// pinHooks takes the hooks of the run's first start, and remembers them beyond this process.
func (l *Line) pinHooks(ctx context.Context) error {
	now, err := l.currentHooks(ctx)
	if err != nil {
		return err
	}
	root := l.scratch.Path("hooks")
	if !safefile.IsDir(root) {
		l.hooks = now
		return l.writeHooks(root)
	}
	if l.hooks, err = copied(root, "."); err != nil {
		return err
	}
	if !slices.EqualFunc(l.hooks, now, func(a, b hookFile) bool {
		return a.name == b.name && a.exec == b.exec && bytes.Equal(a.data, b.data)
	}) {
		l.Notes = append(l.Notes, "git's hooks changed since the run began; those of its start are used (--no-verify leaves them out, --fresh takes the new ones)")
	}
	return nil
}

// currentHooks reads the user's commit hooks as they are; nothing where there are none.
func (l *Line) currentHooks(ctx context.Context) ([]hookFile, error) {
	dir, err := l.repo.HooksDir(ctx)
	if err != nil || len(hooksIn(dir)) == 0 {
		return nil, err
	}
	files, err := copied(dir, pinnedHooks)
	if err != nil {
		return nil, err
	}
	above := filepath.Dir(dir)
	if inside, outside := filepath.Rel(l.repo.Top, above); outside != nil || inside == "." || !filepath.IsLocal(inside) || above == l.repo.GitDir || above == l.repo.CommonDir {
		return files, nil
	}
	beside, err := os.ReadDir(above)
	if err != nil {
		return nil, git.Unusable("git's hooks cannot be read", err)
	}
	for _, e := range beside {
		if e.IsDir() {
			continue
		}
		if f, ok := hookAt(filepath.Join(above, e.Name()), e.Name()); ok {
			files = append(files, f)
		}
	}
	return files, enough(files)
}

// copied reads a directory of hooks, all that lies in it, as files below a name. Links are
// followed: a hook is often one.
func copied(dir, below string) ([]hookFile, error) {
	var files []hookFile
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(e.Name(), ".sample") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return fmt.Errorf("naming a hook: %w", err)
		}
		if f, ok := hookAt(path, filepath.Join(below, rel)); ok {
			files = append(files, f)
		}
		return enough(files)
	})
	if refused, ok := errors.AsType[*git.UnusableError](err); ok {
		return nil, refused
	}
	if err != nil {
		return nil, git.Unusable("git's hooks cannot be read", err)
	}
	return files, nil
}

// hookAt reads one file; what is no file, or cannot be read, is no hook.
func hookAt(path, name string) (hookFile, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return hookFile{}, false
	}
	f := hookFile{name: name, exec: info.Mode()&0o111 != 0}
	if info.Size() > maxHookBytes {
		f.data = make([]byte, maxHookBytes+1) // enough says that it is too much
		return f, true
	}
	f.data, err = safefile.Read(path, maxHookBytes)
	return f, err == nil
}

func enough(files []hookFile) error {
	size := 0
	for _, f := range files {
		size += len(f.data)
	}
	if len(files) > maxHookFiles || size > maxHookBytes {
		return &git.UnusableError{
			What: fmt.Sprintf("the directory of git's hooks holds more than %d files or %d MB, too much to keep a copy for the run", maxHookFiles, maxHookBytes>>20),
			Next: "give the hooks a directory of their own, or leave them out with --no-verify",
		}
	}
	return nil
}

// writeHooks writes a copy of the hooks as they were when the run began, in place of what lies
// there.
func (l *Line) writeHooks(root string) error {
	if err := safefile.RemoveAll(root); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, pinnedHooks), 0o700); err != nil {
		return git.Unusable("git's directory cannot be written", err)
	}
	for _, f := range l.hooks {
		path, mode := filepath.Join(root, f.name), fs.FileMode(0o600)
		if f.exec {
			mode = 0o700
		}
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = safefile.Write(path, f.data, mode)
		}
		if err != nil {
			return git.Unusable("git's directory cannot be written", err)
		}
	}
	return nil
}

// Rehearsal is a phase's work as git commit would show it to hooks.
type Rehearsal struct {
	Hooks   string   // the directory with the user's hooks as they were when the run began
	Names   []string // those of a commit, in git's order
	Message string   // the file with the commit message
	Tree    string   // identity of the content
}

// Rehearse stages a phase's work in its worktree: HEAD is the commit on which the work began, the
// index holds all that it changed, and the message lies in a file. Without hooks it does nothing
// and gives no names. Errors are those of Changes.
func (l *Line) Rehearse(ctx context.Context, t Tree, message string) (Rehearsal, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return Rehearsal{}, err
	}
	defer give()
	if len(l.hooks) == 0 {
		return Rehearsal{}, nil
	}
	c, err := l.read(ctx, t.Phase, t.Dir, t.Base)
	if err != nil {
		return Rehearsal{}, err
	}
	if err = l.arrange(ctx, t, t.Base, c.index); err != nil {
		return Rehearsal{}, err
	}
	return l.rehearsal(t.Phase, l.messageFile(t.Phase), message, c.tree)
}

// rehearsal writes the hooks anew, since an agent may have found the last copy, and the message.
func (l *Line) rehearsal(name, messageFile, message, tree string) (Rehearsal, error) {
	own := l.scratch.Path("hooked", name)
	if err := l.writeHooks(own); err != nil {
		return Rehearsal{}, err
	}
	r := Rehearsal{Hooks: filepath.Join(own, pinnedHooks), Message: messageFile, Tree: tree}
	r.Names = hooksIn(r.Hooks)
	if err := safefile.Replace(r.Message, []byte(clean(message)+"\n"), 0o600); err != nil {
		return Rehearsal{}, git.Unusable("git's directory cannot be written", err)
	}
	return r, nil
}

// Rehearse stages what the checkout shows as a commit on tip would. Without hooks it does nothing
// and gives no names.
func (c *Checkout) Rehearse(tip, message string) (Rehearsal, error) {
	if len(c.line.hooks) == 0 {
		return Rehearsal{}, nil
	}
	if err := c.pointHead(tip); err != nil {
		return Rehearsal{}, err
	}
	return c.line.rehearsal(c.name, filepath.Join(c.Dir, ".git", "COMMIT_EDITMSG"), message, c.shown)
}

// Changed reports whether tracked files differ from what is shown, or new ones that git does not
// ignore lie beside them.
func (c *Checkout) Changed(ctx context.Context) (bool, error) {
	paths, _, err := c.line.scratch.Differing(ctx, git.Files{WorkTree: c.Dir, Index: c.index()})
	return slices.ContainsFunc(paths, func(p string) bool {
		_, kept := c.kept[p]
		return !kept
	}), err
}

// messageFile is where git commit would have the message, so that a hook may write it, and beside
// it, wherever it may write the index.
func (l *Line) messageFile(phase string) string {
	if admin := git.AdminDir(l.repo.CommonDir, l.dir(phase)); admin != "" {
		return filepath.Join(admin, "COMMIT_EDITMSG")
	}
	return l.scratch.Path("message-" + phase)
}

// Worded is the commit message as the hooks left it; empty where that cannot be read, or is longer
// than a message may be.
func (l *Line) Worded(phase string) string {
	data, err := safefile.ReadPlain(l.messageFile(phase), maxMessage)
	if err != nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") { // as git commit drops them
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}
