package git

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// pinned are the files of the scratch directory, which steer git, with their content. Each call
// compares them first. A file that differs is put back, its changed content is kept, and the change
// is noted as a breach.
type pinned struct {
	mu    sync.Mutex
	files map[string][]byte // path → content
	never []string          // paths at which nothing may lie
	empty []string          // directories in which nothing may lie
	kept  string            // directory for changed content; empty: it is not kept
	roots []string          // directories in which a named pipe is removed; empty: nowhere
	spare string            // … but for those in this one
	found []string          // breaches, in words
	check func()            // called before each comparison; nil: nothing is
}

// foreign are names in a git directory that lead git elsewhere or change what it reads. A scratch
// directory has none of them.
var foreign = []string{
	"refs", "commondir", "config.worktree", "packed-refs", "shallow",
	"info/grafts",
}

// write replaces a file and pins its content.
func (p *pinned) write(
	path string, data []byte, replace func(string, []byte, fs.FileMode) error,
) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := replace(path, data, 0o600); err != nil {
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
	check := p.check
	p.mu.Unlock()
	if check != nil {
		check()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for path, want := range p.files {
		have, err := safefile.ReadPlain(path, maxPinned)
		if err == nil && bytes.Equal(have, want) {
			continue
		}
		verb := "was changed"
		if errors.Is(err, fs.ErrNotExist) {
			verb = "was removed"
		}
		kept := p.keep(path, have)
		if err = safefile.ReplaceAny(path, want); err != nil {
			return Unusable("a file that autobuild gives to git was changed and cannot be put back",
				err)
		}
		p.found = append(p.found, "autobuild's own git directory: "+text.Quote(filepath.Base(path))+
			" "+verb+kept)
	}
	never := p.never
	for _, dir := range p.empty {
		entries, _ := os.ReadDir(dir) // git cannot read it either
		for _, e := range entries {
			never = append(slices.Clip(never), filepath.Join(dir, e.Name()))
		}
	}
	for _, path := range never {
		if !safefile.Exists(path) {
			continue
		}
		data, _ := safefile.ReadPlain(path, maxPinned) // content that cannot be read is not kept
		kept := p.keep(path, data)
		if err := safefile.RemoveAll(path); err != nil {
			return err
		}
		p.found = append(p.found, "autobuild's own git directory: "+text.Quote(filepath.Base(path))+
			" was made"+kept)
	}
	return nil
}

// keep keeps the changed content of a file and says where.
func (p *pinned) keep(path string, data []byte) string {
	if data == nil || p.kept == "" {
		return "; put back"
	}
	sum := sha256.Sum256(data)
	name := fmt.Sprintf("%x-%s", sum[:4], filepath.Base(path))
	if errors.Join(os.MkdirAll(p.kept, 0o700), safefile.Replace(filepath.Join(p.kept, name), data,
		0o600)) != nil {
		return "; put back"
	}
	return "; put back, and kept in " + filepath.Base(filepath.Dir(p.kept)) + "/" +
		filepath.Base(p.kept) + "/" + name
}

// guard runs a call after verify, and once more where it waited for a named pipe that was removed.
func (p *pinned) guard(do func() ([]byte, int, error)) ([]byte, int, error) {
	for range maxPipes {
		if err := p.verify(); err != nil {
			return nil, 0, err
		}
		out, code, err := do()
		if err == nil || !p.clear(err) {
			return out, code, err
		}
	}
	return nil, 0, &UnusableError{
		What: "git meets one named pipe after the other",
		Next: "find out what makes them, and end it",
	}
}

// maxPipes bounds the named pipes that are removed for one call.
const maxPipes = 16

// forbid pins that dir, a scratch directory, has none of the foreign files.
func (p *pinned) forbid(dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.empty = []string{filepath.Join(dir, "refs")}
	p.never = nil
	for _, name := range foreign[1:] {
		p.never = append(p.never, filepath.Join(dir, filepath.FromSlash(name)))
	}
	if sparse := filepath.Join(dir, "info", "sparse-checkout"); p.files[sparse] == nil {
		p.never = append(p.never, sparse)
	}
}

// note adds a breach.
func (p *pinned) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = append(p.found, text)
}

// drain returns the breaches noted since the last call.
func (p *pinned) drain() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.found
	p.found = nil
	return found
}

// removePipes has named pipes below roots removed from now on, but for those below spare.
func (p *pinned) removePipes(kept, spare string, roots ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept, p.spare, p.roots = kept, spare, roots
}

// watchBy has check called before each comparison; nil ends that.
func (p *pinned) watchBy(check func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.check = check
}

// clear removes the named pipe for which a call waited, and reports whether to call again.
func (p *pinned) clear(err error) bool {
	pipe, ok := errors.AsType[*PipeError](err)
	if !ok {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	path := safefile.Resolved(filepath.Dir(pipe.Path)) + string(filepath.Separator) +
		filepath.Base(pipe.Path)
	if safefile.IsBelow(path, p.spare) {
		return false
	}
	for _, root := range p.roots {
		if !safefile.IsBelow(path, root) {
			continue
		}
		info, gone := os.Lstat(path)
		if gone != nil || info.Mode()&fs.ModeNamedPipe == 0 || os.Remove(path) != nil {
			return false
		}
		p.found = append(p.found,
			text.Quote(path)+
				" was replaced by a named pipe, which git would wait for; the pipe was removed")
		return true
	}
	return false
}

// maxPinned is the largest file that is pinned, in bytes.
const maxPinned = 1 << 20
