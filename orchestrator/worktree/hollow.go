package worktree

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
)

// A power cut leaves files empty that were written and not yet on the disk: their names are durable before their content is. Most are made
// again by whoever finds them missing, and by nobody who finds them there.

// fillHollow makes room for what a power cut has left empty of git's objects, whoever wrote them. An empty one holds nothing, so nothing is
// lost; but while its name is there git takes the object for written, and the same content, done once more, would lead to nothing.
// What cannot be removed is met, and named, by the git that reads it.
func (r *Repo) fillHollow() {
	root, err := os.OpenRoot(filepath.Join(r.CommonDir, "objects"))
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	folders, err := safefile.ReadDirIn(root, ".", safefile.Entries)
	if err != nil {
		return
	}
	for _, folder := range folders {
		if len(folder.Name()) == 2 && folder.IsDir() {
			removeHollow(root, folder.Name())
		}
	}
}

// fillHollow does the same for the desk's indexes, which are made anew where they are missing.
func (d *desk) fillHollow() {
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // as above
	removeHollow(root, "index")
}

// removeHollow removes the empty files of a folder.
func removeHollow(root *os.Root, folder string) {
	files, err := safefile.ReadDirIn(root, folder, safefile.Entries)
	if err != nil {
		return
	}
	for _, f := range files {
		info, err := f.Info()
		if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = root.Remove(filepath.FromSlash(path.Join(folder, f.Name())))
		}
	}
}

// hollowAdmin reports whether git's directory of a worktree is one that a power cut has left without anything in it: no place, no index, and no
// branch but one of a run's. Git fails over it wherever it looks at all worktrees, and keeps it while it is locked.
func hollowAdmin(admin string) bool {
	for _, name := range []string{"gitdir", "index"} {
		if info, err := os.Stat(filepath.Join(admin, name)); err == nil && info.Size() > 0 {
			return false
		}
	}
	head, _ := readFile(filepath.Join(admin, "HEAD"))  // what cannot be read names nothing
	nothing := strings.Trim(string(head), "0\n") == "" // git begins with a HEAD of zeros
	reason, err := readFile(filepath.Join(admin, "locked"))
	return err == nil && (len(reason) == 0 || strings.HasPrefix(string(reason), lockedBy)) &&
		(nothing || strings.HasPrefix(string(head), "ref: refs/heads/autobuild/"))
}
