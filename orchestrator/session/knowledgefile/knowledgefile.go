// Package knowledgefile keeps what earlier failures taught in a file of the project: it loads and
// updates the file, knows which of its commands the user accepted on this machine, and learns from
// attempts as a sink. A file may change under a run at any time, so every change is made to what is
// on disk by then. It does not know what an entry means to a failure; package knowledge does.
package knowledgefile

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
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
)

// File is the knowledge file of a project, and where the user's acceptances of its commands are.
type File struct {
	Path  string
	Shown string // as it is typed from here
	// path of the acceptances of this machine; empty where the system knows no place for them
	Accepted string
}

// Of is the file beside the configuration that a call uses.
func Of(c *call.Call, p *call.Project) File {
	dir := p.Root
	if c.ConfigFile != "" {
		dir = filepath.Dir(c.Path(c.ConfigFile))
	}
	f := File{Path: filepath.Join(dir, knowledge.FileName)}
	f.Shown = c.Shown(f.Path)
	if user := config.UserFile(c.Environ.Get); user != "" {
		f.Accepted = filepath.Join(filepath.Dir(user), acceptedName)
	}
	return f
}

// Load reads the book; a missing file is an empty one. A mistake in it is an error with its line,
// and is never skipped: an entry that a person has written must not be lost.
func (f File) Load() (*knowledge.Book, error) {
	_, book, err := f.read()
	return book, err
}

func (f File) read() ([]byte, *knowledge.Book, error) {
	raw, err := safefile.ReadNamed(f.Path, knowledge.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &knowledge.Book{}, nil
	}
	if err != nil {
		return nil, nil,
			&config.Error{
				Where: f.Shown, What: "it cannot be read: " + safefile.Reason(err),
				Next: "correct it, or set knowledge: off",
			}
	}
	book, err := knowledge.Parse(raw)
	if p, ok := errors.AsType[*knowledge.Problem](err); ok {
		return nil, nil, &config.Error{Where: fmt.Sprintf("%s:%d", f.Shown, p.Line), What: p.What}
	}
	return raw, book, err
}

// Update changes what is on disk by now: another run, or a person, may have written since it was
// last read. A change that gives the book back as it was writes nothing.
func (f File) Update(
	change func(*knowledge.Book) (*knowledge.Book, error),
) (*knowledge.Book, error) {
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
func (f File) write(data []byte) error {
	path, perm := f.Path, fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	return atomicfile.WritePath(path, data, perm)
}

// Memory is the book as the attempts of a run ask it, while the run adds to it. The zero Memory
// knows nothing.
type Memory struct {
	book atomic.Pointer[knowledge.Book]
	// as it was accepted when the run began: later changes to the file, by any writer, do not run
	prevent []string

	looking  sync.Mutex
	reported []string // commands that were reported, or run
}

// now is the book as it is at present.
func (m *Memory) now() *knowledge.Book { return cmp.Or(m.book.Load(), &knowledge.Book{}) }

// Match is attempt.Memory's.
func (m *Memory) Match(d failure.Diagnosis) *failure.Match { return m.now().Match(d) }

// Relevant is attempt.Memory's.
func (m *Memory) Relevant(p plan.Phase, last *failure.Diagnosis) []failure.Lesson {
	text := []string{p.Name, p.Text}
	for _, t := range p.Tasks {
		text = append(text, t.Text)
	}
	return m.now().Relevant(strings.Join(text, "\n"), p.Files.All(), last)
}

// Prevent is attempt.Memory's.
func (m *Memory) Prevent(plan.Phase) []string { return m.prevent }

// Recall loads the file for a run, and says which of its commands will run and which will not.
// trust lets all accepted entries run, wherever they were accepted.
func (f File) Recall(trust bool) (*Memory, []string, error) {
	book, err := f.Load()
	if err != nil {
		return nil, nil, err
	}
	m := &Memory{reported: book.Prevent()}
	m.book.Store(book)
	run, others, err := f.runnable(book, trust)
	if err != nil {
		return nil, nil, err
	}
	m.prevent = run
	var notices []string
	for _, e := range others {
		notices = append(notices, unaccepted(e))
	}
	for _, command := range m.prevent {
		notices = append(notices, "before every attempt runs, as "+knowledge.FileName+" has it: "+
			text.Clean(command, 200))
	}
	return m, notices, nil
}

var _ attempt.Memory = (*Memory)(nil)

// Knowledge is the knowledge of one run: the file, what it holds, and the word of the setting. The
// zero Knowledge has none.
type Knowledge struct {
	File   File
	Memory *Memory
	word   string
}

// Recall loads the file, unless word turns that off. A word may also run commands that were
// accepted on another machine.
func (l *Knowledge) Recall(file File, word string) (notices []string, err error) {
	l.File, l.Memory, l.word = file, &Memory{}, word
	if word == config.KnowledgeOff {
		return nil, nil
	}
	memory, notices, err := file.Recall(word == config.KnowledgeTrust)
	if err == nil {
		l.Memory = memory
	}
	return notices, err
}

// Updates reports whether the run writes to the file.
func (l *Knowledge) Updates() bool {
	return l.word == config.KnowledgeOn || l.word == config.KnowledgeTrust
}

// Planted lists commands that appeared in the file during the run, each once.
func (l *Knowledge) Planted() []string {
	if l.word == config.KnowledgeOff {
		return nil
	}
	return l.Memory.Planted(l.File)
}
