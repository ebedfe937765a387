package git

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
)

// CloneDir is the git directory of the clone at dir; empty where dir has none of its own.
func CloneDir(dir string) string {
	if d := filepath.Join(dir, ".git"); safefile.IsDir(d) {
		return d
	}
	return ""
}

// WriteCloneDir writes files of a clone's git directory, and creates it if it is missing. A
// program in the clone may have put links, pipes or directories in their place: each is removed,
// none is followed.
func WriteCloneDir(dir string, files map[string]string, gone ...string) error {
	err := writeCloneDir(dir, files, gone)
	if err != nil { // the directory is not repairable: write it again
		if err = safefile.RemoveAll(dir); err == nil {
			err = writeCloneDir(dir, files, nil)
		}
	}
	if err != nil {
		return Unusable("a clone's git directory cannot be written", err)
	}
	return nil
}

func writeCloneDir(dir string, files map[string]string, gone []string) error {
	if !safefile.IsDir(dir) {
		if err := safefile.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // below a folder that is the user's alone
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // every file was closed
	for _, name := range gone {
		if err := root.RemoveAll(name); err != nil {
			return err
		}
	}
	for _, sub := range []string{"objects/info", "refs/heads", "info"} {
		if err := root.MkdirAll(filepath.FromSlash(sub), 0o755); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := writeNew(root, filepath.FromSlash(name), text); err != nil {
			return err
		}
	}
	return nil
}

// writeNew replaces any file, link or directory at a name below root by a regular file.
func writeNew(root *os.Root, name, text string) error {
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	f, err := safefile.OpenIn(root, name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}

// HeadCommit resolves HEAD in a clone's git directory to a commit, without git, which would obey
// the clone's configuration. It is empty if HEAD resolves to no commit.
func HeadCommit(dir string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close() //nolint:errcheck // only read
	name := "HEAD"
	for range 5 { // symbolic refs in a row, as git allows
		data, err := safefile.ReadIn(root, filepath.FromSlash(name), safefile.Small)
		if err != nil {
			return packedRef(root, name)
		}
		text := strings.TrimSpace(string(data))
		next, symbolic := strings.CutPrefix(text, "ref: ")
		if !symbolic {
			return commitID(text)
		}
		if name = next; !fs.ValidPath(name) {
			return ""
		}
	}
	return ""
}

// packedRef is the value of a ref in packed-refs.
func packedRef(root *os.Root, name string) string {
	data, err := safefile.ReadIn(root, "packed-refs", safefile.Large)
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(data) {
		if id, ref, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && ref == name {
			return commitID(id)
		}
	}
	return ""
}

// Export copies a commit and its ancestors into the user's repository, except the ancestors of
// have, which must be there. Git computes every object id again.
func (d *ScratchDir) Export(ctx context.Context, r *Repository, commit string, have ...string) error {
	there := *d
	there.Objects = filepath.Join(r.CommonDir, "objects")
	pack, err := d.pack(ctx, d.Objects, commit, true, have)
	if err != nil {
		return err
	}
	r.MarkUnsynced()
	_, _, err = there.do(ctx, Files{}, pack, nil, "unpack-objects", "-q")
	return err
}

// Import copies a commit and what leads to it from a clone's objects, up to the commits of have.
// Git computes every id anew, so that a forged object does not arrive. Without content files stay
// out: history alone is copied.
func (d *ScratchDir) Import(
	ctx context.Context, clone, commit string, content bool, have ...string,
) error {
	pack, err := d.pack(ctx, filepath.Join(clone, "objects"), commit, content, have)
	if err != nil {
		return err
	}
	_, _, err = d.do(ctx, Files{}, pack, nil, "unpack-objects", "-q")
	return err
}

// pack gives a commit and what leads to it as a pack, in part from another folder of objects.
func (d *ScratchDir) pack(
	ctx context.Context, objects, commit string, content bool, have []string,
) ([]byte, error) {
	args := []string{"pack-objects", "--revs", "--stdout", "-q", "--delta-base-offset"}
	if !content {
		args = append(args, "--filter=blob:none")
	}
	revs := commit + "\n"
	for _, id := range have {
		revs += "^" + id + "\n"
	}
	c := d.command(Files{}, command{args: args, stdin: []byte(revs)})
	c.env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = objects
	pack, _, err := d.run(ctx, c)
	return pack, err
}
