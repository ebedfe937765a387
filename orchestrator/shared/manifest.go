package shared

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// Only so much is read to know files by content; larger ones and what comes after are known by
// size, time and identity.
const (
	maxHashedFile  = 8 << 20
	maxHashedTotal = 512 << 20
)

// seen is one file of a manifest.
type seen struct {
	info fs.FileInfo
	sum  string // digest of the content; empty: not read
}

// same reports whether two looks saw the same content. A file whose times changed is the same if
// its content is known to be.
func (a seen) same(b seen) bool {
	if a.info.Mode() != b.info.Mode() {
		return false
	}
	if a.sum != "" && b.sum != "" {
		return a.sum == b.sum
	}
	return unmoved(a.info, b.info)
}

// unmoved reports whether a file is so much the same that it need not be read again.
func unmoved(a, b fs.FileInfo) bool {
	return a.Mode() == b.Mode() && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) &&
		os.SameFile(a, b)
}

// manifest is what a directory holds, by relative path with slashes.
type manifest map[string]seen

// survey takes a manifest of dir, without what is skipped, the files of output, and pipes, sockets
// and devices. Files that are as in an earlier one are not read again.
func survey(
	dir string, skip func(rel string) bool, output []fs.FileInfo, before manifest,
) (manifest, error) {
	m := manifest{}
	budget := int64(maxHashedTotal)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone while we looked
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return fmt.Errorf("naming a file: %w", err)
		}
		if rel = filepath.ToSlash(rel); e.Name() == ".git" || skip(rel) {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return safefile.IgnoreMissing(err)
		}
		if safefile.IsAmong(output, info) || safefile.IsSpecial(info) {
			return nil
		}
		s := seen{info: info}
		if old, ok := before[rel]; ok && old.sum != "" && unmoved(old.info, info) {
			s.sum = old.sum
		} else if info.Size() <= maxHashedFile && budget >= info.Size() {
			budget -= info.Size()
			s.sum = sumOf(path, info)
		}
		m[rel] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking at the files in %s: %w", text.Quote(dir), err)
	}
	return m, nil
}

func sumOf(path string, info fs.FileInfo) string {
	h := sha256.New()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return ""
		}
		_, _ = io.Copy(h, strings.NewReader(target)) // a digest takes everything
	case info.Mode().IsRegular():
		f, err := safefile.OpenPlain(path, os.O_RDONLY, 0)
		if err != nil {
			return ""
		}
		defer f.Close() //nolint:errcheck // only read
		if _, err := io.Copy(h, io.LimitReader(f, maxHashedFile)); err != nil {
			return ""
		}
	default:
		return ""
	}
	return string(h.Sum(nil))
}
