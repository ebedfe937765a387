package tamper

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// metaPath is where one of git's own files lies; ok is false for a name that is none of those that
// are watched.
func metaPath(r *git.Repository, name string) (path string, ok bool) {
	dir, ok := metaDirs(r)[name]
	if hook, isHook := strings.CutPrefix(name, "hooks/"); isHook && hook != "" &&
		hook == filepath.Base(hook) && filepath.IsLocal(hook) {
		dir, ok = r.CommonDir, true
	}
	return filepath.Join(dir, filepath.FromSlash(name)), ok
}

// metaOf digests the files by which git can be made to behave differently.
func metaOf(r *git.Repository) map[string]metaFile {
	meta, names := map[string]metaFile{}, metaDirs(r)
	hooks, err := os.ReadDir(filepath.Join(r.CommonDir, "hooks"))
	if err == nil {
		for _, h := range hooks {
			names["hooks/"+h.Name()] = r.CommonDir
		}
	}
	for name, dir := range names {
		if f := readMeta(filepath.Join(dir, filepath.FromSlash(name))); f.digest != "" {
			meta[name] = f
		}
	}
	return meta
}

// metaDirs are those files beside the hooks, by name, with the directory below which each lies.
func metaDirs(r *git.Repository) map[string]string {
	return map[string]string{
		"config": r.CommonDir, "info/attributes": r.CommonDir, "info/exclude": r.CommonDir,
		"info/grafts":             r.CommonDir,
		"objects/info/alternates": r.CommonDir, "config.worktree": r.GitDir,
		"info/sparse-checkout": r.GitDir,
	}
}

// metaFile is one of git's own files.
type metaFile struct {
	digest string
	path   string
	mode   os.FileMode
	data   []byte // nil where it is too large to be kept, or cannot be read
}

// maxMeta is the size in bytes up to which git's own files are kept in memory to be put back.
const maxMeta = 1 << 20

func readMeta(path string) metaFile {
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() {
		return metaFile{}
	}
	f := metaFile{digest: safefile.Stamp(path), path: path, mode: info.Mode()}
	if !info.Mode().IsRegular() || info.Size() > maxMeta {
		return f
	}
	data, err := safefile.ReadPlain(path, maxMeta)
	if err != nil {
		f.digest = "unreadable"
		return f
	}
	f.digest, f.data = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(data)), data
	return f
}
