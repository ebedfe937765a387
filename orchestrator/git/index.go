package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autobuild/internal/safefile"
)

// ReadTree makes the index hold a tree.
func (d *ScratchDir) ReadTree(ctx context.Context, o Files, tree string) error {
	_, _, err := d.do(ctx, o, nil, nil, "read-tree", tree)
	return err
}

// RebaseIndex makes the index hold a tree and keeps the file times of entries that stay the same.
func (d *ScratchDir) RebaseIndex(ctx context.Context, o Files, tree string) error {
	_, _, err := d.do(ctx, o, nil, nil, "read-tree", "-m", tree)
	return err
}

// ResetTree makes the index and the working tree hold a tree, regardless of their content. Files
// that stay the same keep their times; untracked files stay, unless the tree has a file in their
// place. Settings are of the form KEY=VALUE.
func (d *ScratchDir) ResetTree(
	ctx context.Context, o Files, tree string, settings ...string,
) error {
	args := []string{"-c", "core.sparseCheckout=false"}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	_, _, err := d.do(ctx, o, nil, nil, append(args, "read-tree", "--reset", "-u", tree)...)
	return err
}

// SwitchTree moves the index and the working tree from one tree to another, as git switch does: it
// changes only the files that differ between the two, and gives an *ExitError where it would
// overwrite a change. While another git holds the index, it tries again for about a second.
func (d *ScratchDir) SwitchTree(ctx context.Context, o Files, from, to string) error {
	for n := 1; ; n++ {
		_, _, err := d.do(ctx, o, nil, nil, "read-tree", "-m", "-u", from, to)
		failed, refused := errors.AsType[*ExitError](err)
		if !refused || failed.Ended != "" || failed.Lock() == "" || n == lockTries {
			return err
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// WriteTree writes the content of the index as a tree object and names it.
func (d *ScratchDir) WriteTree(ctx context.Context, o Files) (string, error) {
	return d.ask(ctx, o, nil, "write-tree")
}

// RefreshIndex compares the index with the working tree and renews the file times in it. Options
// are those of git update-index.
func (d *ScratchDir) RefreshIndex(ctx context.Context, o Files, options ...string) error {
	_, _, err := d.do(ctx, o, nil, []int{1}, append([]string{"update-index", "-q", "--refresh"},
		options...)...)
	return err
}

// UpdateIndex puts the new side of changes into the index. The working tree is not looked at.
func (d *ScratchDir) UpdateIndex(ctx context.Context, o Files, changes []Change) error {
	_, _, err := d.do(ctx, o, indexLines(changes), nil, "update-index", "-z", "--index-info")
	return err
}

// Stage takes paths into the index as they are in the working tree; a path that is missing there is
// removed. A path behind a symbolic link, and a pipe, a socket or a directory, count as missing,
// because git refuses to read them. A directory that holds a repository is a submodule and does
// not.
func (d *ScratchDir) Stage(ctx context.Context, o Files, paths []string) error {
	inside := map[string]bool{".": true}
	var there, gone []string
	for _, p := range paths {
		file := filepath.FromSlash(p)
		info, err := os.Lstat(filepath.Join(o.WorkTree, file))
		// a directory that holds a repository is a submodule
		other := err == nil && (safefile.IsSpecial(info) || info.IsDir() &&
			!safefile.Exists(filepath.Join(o.WorkTree, file, ".git")))
		if linkless(o.WorkTree, filepath.Dir(file), inside) && !other {
			there = append(there, p)
		} else {
			gone = append(gone, p)
		}
	}
	if len(gone) > 0 {
		if _, _, err := d.do(ctx, o, JoinNUL(gone), nil, "update-index", "-z", "--force-remove",
			"--stdin"); err != nil {
			return err
		}
	}
	_, _, err := d.do(ctx, o, JoinNUL(there), nil, "update-index", "-z", "--add", "--remove",
		"--replace", "--stdin")
	return err
}

// linkless reports whether a directory below root is reached without passing through a link; known
// holds the answers so far. One that is missing passes through none.
func linkless(root, dir string, known map[string]bool) bool {
	if answer, ok := known[dir]; ok {
		return answer
	}
	answer := linkless(root, filepath.Dir(dir), known)
	if answer {
		info, err := os.Lstat(filepath.Join(root, dir))
		answer = err != nil || info.Mode()&fs.ModeSymlink == 0
	}
	known[dir] = answer
	return answer
}

// CheckoutIndex writes files of the index into the working tree, and overwrites existing ones.
func (d *ScratchDir) CheckoutIndex(ctx context.Context, o Files, paths []string) error {
	_, _, err := d.do(ctx, o, JoinNUL(paths), nil, "checkout-index", "-f", "-z", "--stdin")
	return err
}

// LsFiles is git ls-files with its options: paths of the index or of the working tree.
func (d *ScratchDir) LsFiles(ctx context.Context, o Files, options ...string) ([]string, error) {
	out, _, err := d.do(ctx, o, nil, nil, append([]string{"ls-files", "-z"}, options...)...)
	return SplitNUL(out), err
}

// Differing lists the paths that differ between the index and the working tree, and the untracked
// ones that git does not ignore. Warning is git's message about files that it could not read.
func (d *ScratchDir) Differing(
	ctx context.Context, o Files,
) (paths []string, warning string, err error) {
	out, _, err := d.run(ctx, d.command(o, command{
		args: []string{"ls-files", "-z", "-o", "-m", "-d", "--exclude-standard"}, said: &warning,
	}))
	return SplitNUL(out), warning, err
}

// Index lists the entries of the index by path: their new side. A path that is unmerged is listed
// several times.
func (d *ScratchDir) Index(ctx context.Context, o Files) ([]Change, error) {
	out, _, err := d.do(ctx, o, nil, nil, "ls-files", "-s", "-z")
	if err != nil {
		return nil, err
	}
	var entries []Change
	for _, line := range SplitNUL(out) {
		info, path, _ := strings.Cut(line, "\t")
		if f := strings.Fields(info); len(f) == 3 {
			entries = append(entries, Change{Path: path, NewMode: f[0], NewID: f[1]})
		}
	}
	return entries, nil
}

// Unmerged lists the paths that the index holds unmerged, each once.
func (d *ScratchDir) Unmerged(ctx context.Context, o Files) ([]string, error) {
	out, _, err := d.do(ctx, o, nil, nil, "ls-files", "-u", "-z")
	if err != nil {
		return nil, err
	}
	var paths []string
	known := map[string]bool{}
	for _, stage := range SplitNUL(out) {
		if _, p, ok := strings.Cut(stage, "\t"); ok && !known[p] {
			known[p] = true
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// Ignored returns those of the paths that git ignores. Paths behind symbolic links are never
// ignored.
func (d *ScratchDir) Ignored(
	ctx context.Context, o Files, paths []string,
) (map[string]bool, error) {
	if len(paths) == 0 {
		return map[string]bool{}, nil
	}
	// The command takes patterns only, so a name is made unlike one.
	dotted, inside := make([]string, 0, len(paths)), map[string]bool{".": true}
	for _, p := range paths {
		// git refuses to look behind links
		if linkless(o.WorkTree, filepath.Dir(filepath.FromSlash(p)), inside) {
			dotted = append(dotted, "./"+p)
		}
	}
	out, _, err := d.do(ctx, o, JoinNUL(dotted), []int{1}, "--no-literal-pathspecs", "check-ignore",
		"-z", "--stdin")
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, p := range SplitNUL(out) {
		set[strings.TrimPrefix(p, "./")] = true
	}
	return set, nil
}

// DiffIndex lists what differs between a tree and the index, sorted by path.
func (d *ScratchDir) DiffIndex(ctx context.Context, o Files, tree string) ([]Change, error) {
	out, _, err := d.do(ctx, o, nil, nil,
		"diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-abbrev", tree, "--")
	if err != nil {
		return nil, err
	}
	return parseRaw(SplitNUL(out))
}

// IndexDiffers reports whether the index holds anything else than a tree, submodules aside.
func (d *ScratchDir) IndexDiffers(ctx context.Context, o Files, tree string) (bool, error) {
	_, code, err := d.do(ctx, o, nil, []int{1}, "diff-index", "--cached", "--quiet",
		"--ignore-submodules", tree)
	return code == 1, err
}

// DiffFiles lists the tracked paths of which the working tree differs from a tree.
func (d *ScratchDir) DiffFiles(ctx context.Context, o Files, tree string) ([]string, error) {
	out, _, err := d.do(ctx, o, nil, nil,
		"diff", "--name-only", "--no-renames", "--ignore-submodules=dirty", "-z", tree, "--")
	return SplitNUL(out), err
}

// indexLines renders entries for update-index: the new side of every change.
func indexLines(changes []Change) []byte {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s 0\t%s\x00", c.NewMode, c.NewID, c.Path)
	}
	return []byte(b.String())
}
