package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"autobuild/failure"
	"autobuild/failure/knowledge"
	"autobuild/internal/atomicfile"
	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/attempt"
	"autobuild/plan"
)

// KnowledgeFile is where a project keeps what earlier failures taught.
type KnowledgeFile struct {
	path  string
	Shown string // as it is typed from here
}

// KnowledgeFile lies beside the configuration file that is in use.
func (a *Caller) KnowledgeFile(p *call.Project) KnowledgeFile {
	dir := p.Root
	if a.ConfigFile != "" {
		dir = filepath.Dir(a.Path(a.ConfigFile))
	}
	path := filepath.Join(dir, knowledge.FileName)
	return KnowledgeFile{path: path, Shown: a.Shown(path)}
}

// Load reads the book; a missing file is an empty one. A mistake in it is told with its line, and
// never passed over: an entry that a person has written must not be lost.
func (f KnowledgeFile) Load() (*knowledge.Book, error) {
	_, book, err := f.read()
	return book, err
}

func (f KnowledgeFile) read() ([]byte, *knowledge.Book, error) {
	raw, err := safefile.ReadNamed(f.path, knowledge.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &knowledge.Book{}, nil
	}
	if err != nil {
		return nil, nil, &config.Error{Where: f.Shown, What: "it cannot be read: " + safefile.Reason(err), Next: "correct it, or use --knowledge off"}
	}
	book, err := knowledge.Parse(raw)
	if p, ok := errors.AsType[*knowledge.Problem](err); ok {
		return nil, nil, &config.Error{Where: fmt.Sprintf("%s:%d", f.Shown, p.Line), What: p.What}
	}
	return raw, book, err
}

// Update changes what is on disk by now: another run, or a person, may have written since it was
// last read. A change that gives the book back as it was writes nothing.
func (f KnowledgeFile) Update(change func(*knowledge.Book) (*knowledge.Book, error)) (*knowledge.Book, error) {
	const tries = 5
	for range tries {
		before, book, err := f.read()
		if err != nil {
			return nil, err
		}
		next, err := change(book)
		if err != nil || next == book {
			return book, err
		}
		now, _, err := f.read()
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(now, before) {
			continue
		}
		return next, f.write(next.JSON())
	}
	return nil, fmt.Errorf("%s changes all the time; try again", f.Shown)
}

// write replaces the file as a whole. A link stays a link.
func (f KnowledgeFile) write(data []byte) error {
	path, perm := f.path, fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	return atomicfile.WritePath(path, data, perm)
}

// memory is the book as the attempts of a run ask it, while the run adds to it. The zero memory
// knows nothing.
type memory struct {
	book atomic.Pointer[knowledge.Book]
	// as it was accepted when the run began: what is written meanwhile, by whomever, does not run
	prevent []string

	looking sync.Mutex
	met     []string // commands that were told of, or run
}

// now is the book as it is at present.
func (m *memory) now() *knowledge.Book { return cmp.Or(m.book.Load(), &knowledge.Book{}) }

// Match is attempt.Memory's.
func (m *memory) Match(d failure.Diagnosis) *failure.Match { return m.now().Match(d) }

// Relevant is attempt.Memory's.
func (m *memory) Relevant(p plan.Phase, last *failure.Diagnosis) []failure.Lesson {
	text := []string{p.Name, p.Text}
	for _, t := range p.Tasks {
		text = append(text, t.Text)
	}
	return m.now().Relevant(strings.Join(text, "\n"), p.Files.All(), last)
}

// Prevent is attempt.Memory's.
func (m *memory) Prevent(plan.Phase) []string { return m.prevent }

// recall loads what is known, unless that is turned off, and says what of it will run.
func (s *session) recall() error {
	s.memory = &memory{}
	if s.o.Knowledge.Value == config.KnowledgeOff {
		return nil
	}
	book, err := s.KnowledgeFile(s.project).Load()
	if err != nil {
		return err
	}
	s.memory.book.Store(book)
	s.memory.met = book.Prevent()
	run, others, err := s.vouched(s.KnowledgeFile(s.project), book)
	if err != nil {
		return err
	}
	s.memory.prevent = run
	for _, e := range others {
		s.begin.Notices = append(s.begin.Notices, unaccepted(e))
	}
	for _, command := range s.memory.prevent {
		s.begin.Notices = append(s.begin.Notices, "before every attempt runs, as "+knowledge.FileName+" has it: "+text.Clean(command, 200))
	}
	return nil
}

var _ attempt.Memory = (*memory)(nil)
