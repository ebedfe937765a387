// Package preflight looks at what a run needs of its machine: free space, open files, a place for
// temporary files. Each check is made before the run starts, because a run that lacks one of these
// would end in its middle. It does not know what a run writes; unknown limits count as sufficient.
package preflight

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/render"
)

// The least that a run must find; with less it does not start.
const (
	MinBytes = 4 << 20
	MinFiles = 100 // inodes

	ownFiles   = 44 // descriptors of autobuild itself, measured generously
	phaseFiles = 8  // descriptors of each phase at work
)

// Error is a limit that is too low for a run.
type Error struct{ Lack, Where, Next string }

// Error is what · where · what next.
func (e *Error) Error() string { return e.Lack + " · " + e.Where + " · " + e.Next }

// Machine is what Space looks at.
type Machine struct {
	Dirs  []string                 // that must have free space
	Owner string                   // of temporary files: see verify.Rooms
	Shown func(path string) string // a path as the user types it
	Next  string                   // the command that goes on
}

// Space refuses a machine without room for state, git's objects and a worktree, or without a
// writable directory for temporary files.
func (m Machine) Space() error {
	for _, dir := range m.Dirs {
		free, files, ok := FreeSpace(dir)
		where := text.Clean(m.Shown(dir), 0)
		switch {
		case !ok:
		case free < MinBytes:
			return &Error{
				fmt.Sprintf("only %d KB are free, and nothing starts below %d", free>>10,
					MinBytes>>10), where,
				"free some space (" + render.Command([]string{"df", "-h", m.Shown(dir)}) +
					"), then: " + m.Next,
			}
		case files < MinFiles:
			return &Error{
				fmt.Sprintf("only %d files can still be made, and nothing starts below %d", files,
					MinFiles), where,
				"remove some files (" + render.Command([]string{"df", "-i", m.Shown(dir)}) +
					"), then: " + m.Next,
			}
		}
	}
	if most, ok := LargestFile(); ok && most < MinBytes {
		return &Error{
			fmt.Sprintf("a file may have only %d KB, and nothing starts below %d", most>>10,
				MinBytes>>10), "ulimit -f",
			"ulimit -f unlimited (where the system allows it), then: " + m.Next,
		}
	}
	if err := CheckTemporary(m.Owner); err != nil {
		return &Error{
			"no temporary file can be made: " + safefile.Reason(err), text.Clean(Temporary(), 0),
			"set TMPDIR to a directory that you can write, then: " + m.Next,
		}
	}
	return nil
}

// Temporary is the absolute directory of files that belong to one attempt.
func Temporary() string {
	dir := os.TempDir()
	if whole, err := filepath.Abs(dir); err == nil {
		return whole
	}
	return dir
}

// CheckTemporary makes a directory in Temporary and removes it. Its name is that of a room of
// owner, so that the next run removes what a killed process leaves.
func CheckTemporary(owner string) error {
	probe, err := os.MkdirTemp(Temporary(), "build-"+owner+"-")
	if err != nil {
		return err
	}
	_ = os.Remove(probe)
	return nil
}

// Files refuses phases that would have more files open at once than this process may. The limit is
// the hard one: the soft one is raised to it when the program starts, and children get theirs back.
func Files(phases int, next string) error {
	most, ok := Descriptors()
	need := uint64(ownFiles + phaseFiles*phases)
	if !ok || most >= need {
		return nil
	}
	then := fmt.Sprintf("ulimit -n %d (where the system allows it), then: %s", need, next)
	if fewer := (int(most) - ownFiles) / phaseFiles; fewer > 0 {
		then = fmt.Sprintf("add --jobs %d, or ", fewer) + then
	}
	return &Error{
		fmt.Sprintf("%s side by side need %d open files", text.Count(phases, "phase"), need),
		fmt.Sprintf("ulimit -n says %d", most), then,
	}
}

// Size is what the files below a directory hold together, in bytes, as far as it can be read.
func Size(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, gone := e.Info(); gone == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}
