package delivery

import (
	"context"
	"path/filepath"

	"autobuild/orchestrator/git"
)

// Checkout is the user's checkout as the deliveries of one run left it. Between Deliver and CatchUp
// only its owner changes the exported fields. One goroutine may use it at a time.
type Checkout struct {
	Repo    *git.Repository // the user's
	Own     *git.OwnRefs    // the run's refs
	Scratch *git.ScratchDir
	Refs    string // prefix of the run's private refs, with a slash at its end
	Branch  string // full name of the branch that the run began on; empty: HEAD was detached
	Plan    string // path of the plan below the root; empty: none
	// FilesOnly leaves branch and index to the user: the work arrives uncommitted.
	FilesOnly bool
	// Marked gives the plan's text with the marks of all commits after since.
	Marked func(ctx context.Context, since string, plan []byte) ([]byte, error)

	Head      string // commit of Branch as the run left it or merged it into the line
	Delivered string // commit whose content the checkout has, the user's own edits aside

	interrupted string // target of a delivery that was cut off; empty: none was
	since       string // Head before the first delivery since Settle; empty: there was none
}

func (c *Checkout) ref(name string) string { return c.Refs + name }

// userIndex is the index file of the user.
func (c *Checkout) userIndex() string { return filepath.Join(c.Repo.GitDir, "index") }

// FilesIndex is the index file that describes a checkout to which files were delivered without a
// commit.
func (c *Checkout) FilesIndex(commit string) string {
	return c.Scratch.IndexFile("checkout@" + commit)
}

// announce records where the checkout is being moved to, so that a delivery that is cut off can be
// finished.
func (c *Checkout) announce(ctx context.Context, target string) error {
	c.interrupted = target
	return c.Own.UpdateRefs(ctx, git.RefUpdate{Ref: c.ref("delivering"), New: target})
}

// retract removes the record, because nothing has been moved.
func (c *Checkout) retract(ctx context.Context) error {
	c.interrupted = ""
	return c.Own.UpdateRefs(ctx, git.RefUpdate{Ref: c.ref("delivering")})
}
