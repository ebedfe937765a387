package prepare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"autobuild/internal/safefile"
)

// maxTurned is the size in bytes up to which a file is searched for the path of the tree that it is
// copied from. Larger files are programs and data.
const maxTurned = 1 << 20

// Turn replaces the path of one directory by that of another in text.
type Turn struct {
	from []string // spellings of the same directory
	to   string
}

// NewTurn turns the path of from, and the path that its links lead to, to the path of to.
func NewTurn(from, to string) Turn {
	t := Turn{from: []string{from}, to: to}
	if actual, err := filepath.EvalSymlinks(from); err == nil && actual != from {
		t.from = append(t.from, actual)
	}
	return t
}

// Text replaces each occurrence that names the directory or a path below it. Longer names that
// begin or end with the same letters stay.
func (t Turn) Text(text string) string {
	for _, from := range t.from {
		if len(from) < 2 || from == t.to { // the root of the file system is in every path
			continue
		}
		var b strings.Builder
		for {
			i := strings.Index(text, from)
			if i < 0 {
				break
			}
			end := i + len(from)
			b.WriteString(text[:i])
			if continuesName(text[end:]) || continuesPath(text[:i]) {
				b.WriteString(text[i:end])
			} else {
				b.WriteString(t.to)
			}
			text = text[end:]
		}
		b.WriteString(text)
		text = b.String()
	}
	return text
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' ||
		c == '-' || c >= 0x80
}

// continuesName reports whether the name that ends before rest goes on in it.
func continuesName(rest string) bool {
	return rest != "" && isNameByte(rest[0]) ||
		len(rest) > 1 && rest[0] == '.' && isNameByte(rest[1])
}

// continuesPath reports whether a path that begins after head is the end of a longer one, unlike
// the path of an option such as -I/path.
func continuesPath(head string) bool {
	i := len(head)
	for i > 0 && (isNameByte(head[i-1]) || head[i-1] == '.') {
		i--
	}
	return i < len(head) && i > 0 && head[i-1] == '/'
}

// file turns the content of a file that holds text.
func (t Turn) file(data []byte) []byte {
	if bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
		return data
	}
	for _, from := range t.from {
		if bytes.Contains(data, []byte(from)) {
			return []byte(t.Text(string(data)))
		}
	}
	return data
}

// Tree lists all files, links and directories at and below a slash path of a directory, directories
// before their content; nil where there is nothing.
func Tree(dir, rel string) (files []string, err error) {
	at := filepath.Join(dir, filepath.FromSlash(rel))
	if !safefile.IsDir(at) {
		return nil, nil
	}
	err = filepath.WalkDir(at, func(name string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, name)
		files = append(files, filepath.ToSlash(below))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading what was installed: %w", err)
	}
	return files, nil
}

// Copy copies files of one directory to the same slash paths in another, directories before their
// content, with modes and times. Paths of the first directory, in links and in text, become those
// of the second; relative links that lead out of it become absolute. What is there already and
// is no directory stays. Nothing is written outside the second directory, whatever links lie in it.
func Copy(ctx context.Context, from, to string, files []string) (err error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return fmt.Errorf("copying what was installed: %w", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := os.OpenRoot(to)
	if err != nil {
		return fmt.Errorf("copying what was installed: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	c := copier{from: source, to: target, turn: NewTurn(from, to)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	for _, file := range files {
		name := filepath.FromSlash(file)
		info, failed := source.Lstat(name)
		switch {
		case errors.Is(failed, fs.ErrNotExist):
			continue
		case failed != nil:
		case ctx.Err() != nil:
			failed = context.Cause(ctx)
		case info.IsDir():
			failed = target.MkdirAll(name, info.Mode().Perm()|0o700)
		case info.Mode()&fs.ModeSymlink != 0:
			failed = c.link(name)
		case info.Mode().IsRegular():
			group.Go(func() error { return c.file(name, info) })
		}
		if failed != nil {
			return errors.Join(fmt.Errorf("copying what was installed: %w", failed), group.Wait())
		}
	}
	if err = group.Wait(); err != nil {
		return fmt.Errorf("copying what was installed: %w", err)
	}
	return nil
}

type copier struct {
	from, to *os.Root
	turn     Turn
}

func (c copier) link(name string) error {
	target, err := c.from.Readlink(name)
	if err != nil {
		return err
	}
	switch inside := path.Join(path.Dir(filepath.ToSlash(name)), filepath.ToSlash(target)); {
	case filepath.IsAbs(target):
		target = c.turn.Text(target)
	case !filepath.IsLocal(filepath.FromSlash(inside)):
		target = filepath.Join(c.from.Name(), filepath.Dir(name), target)
	}
	if err = c.to.Symlink(target, name); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (c copier) file(name string, info fs.FileInfo) (err error) {
	in, err := safefile.OpenIn(c.from, name, os.O_RDONLY, 0)
	if err != nil {
		return safefile.IgnoreMissing(err)
	}
	defer in.Close() //nolint:errcheck // only read from
	out, err := safefile.OpenIn(c.to, name, os.O_WRONLY|os.O_CREATE|os.O_EXCL,
		info.Mode().Perm()|0o200)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, out.Close())
		if err == nil {
			err = c.to.Chtimes(name, info.ModTime(), info.ModTime())
		}
	}()
	if info.Size() > maxTurned {
		if cloneFile(in, out) {
			return nil
		}
		_, err = io.Copy(out, in)
		return err
	}
	data, err := io.ReadAll(io.LimitReader(in, maxTurned+1))
	if err != nil {
		return err
	}
	_, err = out.Write(c.turn.file(data))
	return err
}
