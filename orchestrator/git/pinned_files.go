package git

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// pinned are the files of the scratch directory, which steer git, with their content. Each call
// compares them first. A file that differs is put back, and the change is noted as a breach.
type pinned struct {
	mu    sync.Mutex
	dir   string            // of all files, once they are there
	files map[string][]byte // path → content
	never []string          // paths at which nothing may lie
	found []string          // breaches, in words
}

// foreign are names in a git directory that lead git elsewhere or change what it reads. A scratch
// directory has none of them.
var foreign = []string{
	"commondir", "config.worktree", "shallow",
	"info/grafts",
}

// write replaces a file and pins its content.
func (p *pinned) write(path string, data []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := safefile.Replace(path, data, 0o600); err != nil {
		return err
	}
	if p.files == nil {
		p.files = map[string][]byte{}
	}
	p.files[path] = bytes.Clone(data)
	return nil
}

// remove removes a file and its pin.
func (p *pinned) remove(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.files, path)
	return safefile.IgnoreMissing(os.Remove(path))
}

// verify puts back what differs. Its error names a file that cannot be put back: git must not run.
func (p *pinned) verify() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != "" && !safefile.IsDir(p.dir) {
		return &UnusableError{What: "the run's repository is gone", Where: p.dir, Next: "begin again with --fresh"}
	}
	for path, want := range p.files {
		have, err := safefile.ReadPlain(path, maxPinned)
		if err == nil && bytes.Equal(have, want) {
			continue
		}
		verb := "was changed"
		if errors.Is(err, fs.ErrNotExist) {
			verb = "was removed"
		}
		if err = safefile.ReplaceAny(path, want); err != nil {
			return Unusable("a file that autobuild gives to git was changed and cannot be put back",
				err)
		}
		p.found = append(p.found, "autobuild's own git directory: "+text.Quote(filepath.Base(path))+
			" "+verb+"; put back")
	}
	for _, path := range p.never {
		if !safefile.Exists(path) {
			continue
		}
		if err := safefile.RemoveAll(path); err != nil {
			return err
		}
		p.found = append(p.found, "autobuild's own git directory: "+text.Quote(filepath.Base(path))+
			" was made; removed")
	}
	return nil
}

// guard runs a call after verify.
func (p *pinned) guard(do func() ([]byte, int, error)) ([]byte, int, error) {
	if err := p.verify(); err != nil {
		return nil, 0, err
	}
	return do()
}

// forbid pins that dir, a scratch directory, has none of the foreign files.
func (p *pinned) forbid(dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dir, p.never = dir, nil
	for _, name := range foreign {
		p.never = append(p.never, filepath.Join(dir, filepath.FromSlash(name)))
	}
	if sparse := filepath.Join(dir, "info", "sparse-checkout"); p.files[sparse] == nil {
		p.never = append(p.never, sparse)
	}
}

// drain returns the breaches noted since the last call.
func (p *pinned) drain() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.found
	p.found = nil
	return found
}

// maxPinned is the largest file that is pinned, in bytes.
const maxPinned = 1 << 20
