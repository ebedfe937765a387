package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// vouchName is the file that Vouch writes for a name.
func vouchName(r *git.Repository, name string) string {
	return r.ScratchPath("vouched-" + name)
}

// Vouch notes in git's directory the next content of a file of the state directory, so that Vouched
// can verify it in a later session.
func Vouch(r *git.Repository, name string, data []byte) error {
	if err := CheckName("name", name); err != nil {
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

// Vouched reports whether data is that of the last call of Vouch for name; without any such call,
// all data is.
func Vouched(r *git.Repository, name string, data []byte) bool {
	is, err := safefile.ReadPlain(vouchName(r, name), safefile.Small)
	return errors.Is(err, fs.ErrNotExist) || err == nil && string(is) == digestOf(data)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
