package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// tipName is the file on the desk that says between which two commits the line's branch was moved last.
const tipName = "tip"

// announce notes the line's next tip before its branch is moved there, so that a session after a crash knows that nobody else moved it.
func (l *Line) announce(tip string) error { return l.scratch.Write(tipName, []byte(l.tip+" "+tip)) }

// witnessed is the tip that the line's branch must have by what was announced. Where a child of a killed run has moved the branch or
// deleted it, it is put back, what it had become is kept, and the user is told; tip is where it was found.
func (l *Line) witnessed(ctx context.Context, tip string) (string, error) {
	data, err := safefile.ReadPlain(l.scratch.Path(tipName), safefile.Small)
	old, announced, ok := strings.Cut(string(data), " ")
	if err != nil || !ok || tip == old || tip == announced {
		return tip, nil //nolint:nilerr // nothing was announced: a run that has not landed anything
	}
	if _, gone := l.scratch.TreeOf(ctx, announced); gone != nil {
		return tip, nil //nolint:nilerr // the branch is all there is
	}
	moves := []git.RefUpdate{{Ref: l.ref("integration"), New: announced, Old: tip}}
	note := fmt.Sprintf("%s had been deleted by something else and was put back", l.Branch)
	if tip != "" {
		kept := fmt.Sprintf("refs/autobuild/breach/%s/%.12s-line", l.opt.RunID, tip)
		moves = append(moves, git.RefUpdate{Ref: kept, New: tip})
		note = fmt.Sprintf("%s had been moved to %.12s by something else and was put back; that is kept in %s", l.Branch, tip, kept)
	} else {
		moves[0].Create = true
	}
	l.Notes = append(l.Notes, note)
	return announced, l.repo.UpdateRefs(ctx, "put back", moves...)
}

// vouchName is where Vouch writes, by the name of what it vouches for.
func vouchName(r *git.Repository, name string) string {
	return r.ScratchPath("vouched-" + name)
}

// Vouch notes in git's directory what a file of the state directory is about to hold, so that Vouched knows it again in a later session.
func Vouch(r *git.Repository, name string, data []byte) error {
	if err := safe("name", name); err != nil {
		return err
	}
	path := vouchName(r, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return git.Unusable("git's directory cannot be written", err)
	}
	if err := safefile.Replace(path, []byte(digestOf(data)), 0o600); err != nil {
		return git.Unusable("git's directory cannot be written", err)
	}
	return nil
}

// Vouched reports whether data is what Vouch was last told; where it never was, everything is.
func Vouched(r *git.Repository, name string, data []byte) bool {
	is, err := safefile.ReadPlain(vouchName(r, name), safefile.Small)
	return errors.Is(err, fs.ErrNotExist) || err == nil && string(is) == digestOf(data)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
