package worktree

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// pinHooks takes the user's commit hooks as they were at the run's first start.
func (l *Line) pinHooks(ctx context.Context) error {
	hooks, changed, err := l.scratch.PinHooks(ctx, l.repo)
	if err != nil {
		return err
	}
	l.hooks = hooks
	if changed {
		l.Notes = append(l.Notes,
			"git's hooks changed since the run began; those of its start are used (gates: "+
				"{hooks: false} leaves them out, --fresh takes the new ones)")
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
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return Rehearsal{}, err
	}
	defer release()
	if l.hooks.Empty() {
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
	dir, names, err := l.hooks.WriteTo(own)
	if err != nil {
		return Rehearsal{}, err
	}
	r := Rehearsal{Hooks: dir, Names: names, Message: messageFile, Tree: tree}
	if err := safefile.Replace(r.Message, []byte(clean(message)+"\n"), 0o600); err != nil {
		return Rehearsal{}, git.Unusable("git's directory cannot be written", err)
	}
	return r, nil
}

// Rehearse stages what the checkout shows as a commit on tip would. Without hooks it does nothing
// and gives no names.
func (c *Checkout) Rehearse(tip, message string) (Rehearsal, error) {
	if c.line.hooks.Empty() {
		return Rehearsal{}, nil
	}
	if err := c.pointHead(tip); err != nil {
		return Rehearsal{}, err
	}
	return c.line.rehearsal(c.name, filepath.Join(c.Dir, ".git", "COMMIT_EDITMSG"), message,
		c.shown)
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
	if admin := git.CloneDir(l.Worktree(phase)); admin != "" {
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
