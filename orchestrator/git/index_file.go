package git

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"autobuild/internal/safefile"
)

// CopyIndex copies an index file with its time: git takes a file as unchanged only if the index is
// younger, so a copy with a later time would hide changes.
func CopyIndex(from, to string) error {
	in, err := safefile.Open(from)
	if err != nil {
		return fmt.Errorf("copying an index: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("copying an index: %w", err)
	}
	out, err := os.CreateTemp(filepath.Dir(to), safefile.TempPrefix+"*")
	if err != nil {
		return fmt.Errorf("copying an index: %w", err)
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o644), out.Close())
	if err == nil {
		err = os.Chtimes(out.Name(), time.Time{}, info.ModTime())
	}
	if err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		return fmt.Errorf("copying an index: %w", errors.Join(err, os.Remove(out.Name())))
	}
	return nil
}

// ShareIndex copies the shared parts of the checkout's split index, so that commands on the scratch
// directory find them beside it.
func (d *ScratchDir) ShareIndex(r *Repository) error {
	parts, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(r.GitDir), "sharedindex.*"))
	if err != nil {
		return fmt.Errorf("reading a split index: %w", err)
	}
	for _, p := range parts {
		if to := filepath.Join(d.Dir, filepath.Base(p)); !safefile.Exists(to) {
			if err := CopyIndex(p, to); err != nil {
				return err
			}
		}
	}
	return nil
}
