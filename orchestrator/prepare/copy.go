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

// maxTurned is the size in bytes up to which the paths in a copied file are rewritten.
const maxTurned = 1 << 20

// Turn replaces the path of a directory in text.
type Turn struct {
	from []string // spellings of the same directory
	to   string
}

// NewTurn replaces the path of from, and its path without symbolic links, by that of to.
func NewTurn(from, to string) Turn {
	t := Turn{from: []string{from}, to: to}
	if actual, err := filepath.EvalSymlinks(from); err == nil && actual != from {
		t.from = append(t.from, actual)
	}
	return t
}

// Text replaces each path of the directory or below it. It does not replace a part of another name.
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

// continuesName reports whether rest begins with a byte of the same file name.
func continuesName(rest string) bool {
	return rest != "" && isNameByte(rest[0]) ||
		len(rest) > 1 && rest[0] == '.' && isNameByte(rest[1])
}

// continuesPath reports whether head ends in a path: then an absolute path behind it is a part of a
// longer one. In -I/path it is not.
func continuesPath(head string) bool {
	i := len(head)
	for i > 0 && (isNameByte(head[i-1]) || head[i-1] == '.') {
		i--
	}
	return i < len(head) && i > 0 && head[i-1] == '/'
}

// file rewrites the content of a text file.
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

// Tree lists a directory below dir and its content as slash paths relative to dir, parents first.
// It returns nil if there is no such directory.
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

// Copy copies files, links and directories from one directory to another, with modes and times.
// files are slash paths, parents first. made is the directory in which they were made: links and
// text that contain its path get that of to, and a relative link that leaves it becomes absolute.
// Existing files in to are not replaced. Copy does not follow symbolic links out of to.
func Copy(ctx context.Context, from, made, to string, files []string) (err error) {
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
	c := copier{from: source, to: target, made: made, turn: NewTurn(made, to)}
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
	made     string
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
		target = filepath.Join(c.made, filepath.Dir(name), target)
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
