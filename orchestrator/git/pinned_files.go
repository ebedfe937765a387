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

// pinned are files that steer autobuild's own git: those of the scratch git directory, with their
// content. Each git call compares them first. What differs is written anew, what it had become is
// kept, and the change is noted as a breach.
type pinned struct {
	mu    sync.Mutex
	files map[string][]byte // path → content
	never []string          // paths at which nothing may lie
	empty []string          // directories in which nothing may lie
	state string            // the state directory
	roots []string          // directories in which a named pipe is moved away; empty: nowhere
	found []string          // breaches, in words
	check func()            // looks at what else steers git; nil: nothing does
}

// foreign are names in a git directory that lead git elsewhere, or change what it sees: none of
// them is made here.
var foreign = []string{"refs", "commondir", "config.worktree", "packed-refs", "shallow", "info/grafts"}

// write replaces a file and remembers its content.
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

// remove removes a file and forgets it.
func (p *pinned) remove(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.files, path)
	return safefile.IgnoreMissing(os.Remove(path))
}

// verify puts back what differs. Its error is a file that cannot be put back: no git may run then.
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
			return Unusable("a file that autobuild gives to git was changed and cannot be put back", err)
		}
		p.found = append(p.found, "autobuild's own git directory: "+text.Quote(filepath.Base(path))+" "+verb+kept)
	}
	never := p.never
	for _, dir := range p.empty {
		entries, _ := os.ReadDir(dir) // git does not read what we cannot
		for _, e := range entries {
			never = append(slices.Clip(never), filepath.Join(dir, e.Name()))
		}
	}
	for _, path := range never {
		if !safefile.Exists(path) {
			continue
		}
		data, _ := safefile.ReadPlain(path, maxPinned) // what cannot be read is not kept
		kept := p.keep(path, data)
		if err := safefile.RemoveAll(path); err != nil {
			return err
		}
		p.found = append(p.found, "autobuild's own git directory: "+text.Quote(filepath.Base(path))+" was made"+kept)
	}
	return nil
}

// keep writes what a file had become below breaches/ of the state directory, and says so.
func (p *pinned) keep(path string, data []byte) string {
	if data == nil || p.state == "" {
		return "; put back"
	}
	sum := sha256.Sum256(data)
	name := fmt.Sprintf("%x-%s", sum[:4], filepath.Base(path))
	dir := filepath.Join(p.state, "breaches")
	if errors.Join(os.MkdirAll(dir, 0o700), safefile.Replace(filepath.Join(dir, name), data, 0o600)) != nil {
		return "; put back"
	}
	return "; put back, and kept in " + filepath.Base(p.state) + "/breaches/" + name
}

// guard makes a git call with verified files, and again without a named pipe that it waited for.
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
	return nil, 0, &UnusableError{What: "git meets one named pipe after the other", Next: "find out what makes them, and end it"}
}

// maxPipes bounds how many named pipes are removed for one call.
const maxPipes = 16

// forbid makes dir, a scratch git directory, one in which only our own files may lie.
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

// watch has named pipes in git's directory and in the checkout moved away from now on.
func (p *pinned) watch(state string, roots ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state, p.roots = state, roots
}

// watchBy has check called before each git call; nil ends that.
func (p *pinned) watchBy(check func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.check = check
}

// clear moves the named pipe away for which a git call waited, and reports whether to call again.
// One in a phase's worktree is that phase's work, and stays.
func (p *pinned) clear(err error) bool {
	pipe, ok := errors.AsType[*PipeError](err)
	if !ok {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	path := safefile.Resolved(filepath.Dir(pipe.Path)) + string(filepath.Separator) + filepath.Base(pipe.Path)
	if safefile.IsBelow(path, filepath.Join(p.state, "worktrees")) {
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
		p.found = append(p.found, text.Quote(path)+" was replaced by a named pipe, which git would wait for; the pipe was removed")
		return true
	}
	return false
}

// maxPinned bounds a file that is pinned, in bytes.
const maxPinned = 1 << 20
