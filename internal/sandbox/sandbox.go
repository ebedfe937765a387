// Package sandbox takes from a program the right to write anywhere but in a few places, and to read
// what is hidden. A sandbox is a command line put in front of the program's own: this program once
// more, which limits itself by Landlock and then becomes the other one, or bubblewrap, which gives
// it a file system of its own; both hold for all that it starts. It does not know what it confines,
// nor why the places are what they are.
package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Means is a way to confine a program.
type Means string

// The means, the better one first: Landlock costs nothing, can be stacked, and leaves a program all
// of its signals.
const (
	Landlock Means = "landlock"
	Bwrap    Means = "bwrap"
)

// All are the means in the order in which they are preferred.
func All() []Means { return []Means{Landlock, Bwrap} }

// ImpossibleError says that a means cannot be used here.
type ImpossibleError struct {
	Means Means
	Why   string
	Next  string // the remedy
}

// Error is the means, why, and what to do.
func (e *ImpossibleError) Error() string {
	return fmt.Sprintf("%s: %s; %s", e.Means, e.Why, e.Next)
}

// Finding is what is known of one means on this machine.
type Finding struct {
	Means Means
	Words string // its form here, and the accesses that it does not stop
	// true: programs may move files between directories, as without a sandbox
	Rename bool
	Err    *ImpossibleError // nil: it can be used
}

// Possible looks at every means. try runs a short command to its end and gives an error where that
// did not succeed: whether bubblewrap works depends on more than its being there. nil: nothing is
// run, and bubblewrap counts as impossible.
func Possible(try func(argv []string) error) []Finding {
	return []Finding{lookLandlock(), lookBwrap(try)}
}

// Rights are what a confined program may do with files. All paths are absolute, and one that does
// not exist is left out. Nothing is hidden where a directory above Hide cannot be listed.
type Rights struct {
	Write []string // it may write there, and nowhere else
	Hide  string   // a directory whose files it may not read; empty: none
	Show  []string // places in Hide that it may read
}

// Command is the command line that runs program, a file, as argv with these rights. dir is the
// working directory.
func (m Means) Command(program string, argv []string, dir string, r Rights) ([]string, error) {
	for _, p := range slices.Concat(r.Write, r.Show, []string{r.Hide}) {
		if p != "" && !filepath.IsAbs(p) {
			return nil, fmt.Errorf("sandbox: %q is no absolute path", p)
		}
	}
	r.Write, r.Show = outermost(existing(r.Write)), outermost(existing(r.Show))
	if m == Bwrap {
		return bwrapCommand(program, argv, dir, r), nil
	}
	return landlockCommand(program, argv, r)
}

// around are the places that together hold every file but those in dir: what lies beside dir and
// beside each directory above it, links aside. A file that is added there later is in none of them.
func around(dir string) ([]string, error) {
	var places []string
	for dir != filepath.Dir(dir) {
		above := filepath.Dir(dir)
		entries, err := os.ReadDir(above)
		if err != nil {
			return nil, fmt.Errorf("sandbox: hiding a directory: %w", err)
		}
		for _, e := range entries {
			path := filepath.Join(above, e.Name())
			if path != dir && e.Type()&fs.ModeSymlink == 0 {
				places = append(places, path)
			}
		}
		dir = above
	}
	return places, nil
}

// Device reports whether a sandbox lets every program write the path, or below it: a device that
// keeps nothing, a program's own terminal, shared memory.
func Device(path string) bool {
	return slices.ContainsFunc(devicesOfAll, func(d string) bool { return Within(d, path) })
}

// devicesOfAll may be written by everybody: they keep nothing, or are a program's own terminal and
// shared memory.
var devicesOfAll = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
	"/dev/pts", "/dev/shm",
}

// Confined reports whether a process's arguments ask it to confine itself. Its main function then
// calls Enter before all else.
func Confined(args []string) bool { return len(args) > 1 && args[1] == stageWord }

// the first argument of a process that is to become a confined program
const stageWord = "confine-a-child"

// errBroken says that the arguments of a stage were not made by this package.
var errBroken = errors.New(
	"this is how autobuild starts what it confines; it is not for use by hand")

// existing leaves out what is not there: a rule needs a file, and what cannot be written needs no
// rule.
func existing(places []string) []string {
	return slices.DeleteFunc(slices.Clone(places), func(p string) bool {
		_, err := os.Stat(p)
		return err != nil
	})
}

// outermost are the places that lie in none of the others, cleaned and sorted: fewer rules, and no
// mount upon a mount.
func outermost(places []string) []string {
	clean := make([]string, len(places))
	for i, p := range places {
		clean[i] = filepath.Clean(p)
	}
	slices.Sort(clean)
	clean = slices.Compact(clean)
	var out []string
	for _, p := range clean {
		if !slices.ContainsFunc(out, func(o string) bool { return Within(o, p) }) {
			out = append(out, p)
		}
	}
	return out
}

// Within reports whether path is dir or a path below it. Both are absolute and clean. Within
// follows no links.
func Within(dir, path string) bool {
	return path == dir ||
		strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+
			string(filepath.Separator))
}
