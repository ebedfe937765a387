package knowledgefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"autobuild/failure/knowledge"
	"autobuild/internal/atomicfile"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/render"
	"autobuild/state/store"
)

// acceptedName is the file beside the user's own configuration that says which commands of which
// knowledge files a person has accepted on this machine. It is no part of a repository, package
// tamper watches it while agents work, and nothing is accepted while a run is going on: so no
// agent's word is taken for a person's.
const acceptedName = "accepted-commands.json"

// acceptance is a command that a person has accepted.
type acceptance struct {
	File    string `json:"file"` // the knowledge file that has it: absolute, links resolved
	Command string `json:"command"`
	Date    string `json:"date"`
}

// acceptances are all that a person has accepted on this machine, oldest first.
type acceptances struct {
	Schema   int          `json:"schema"`
	Accepted []acceptance `json:"accepted"`
}

// loadAccepted reads them; a missing file is an empty list.
func loadAccepted(path string) (acceptances, error) {
	all := acceptances{Schema: 1}
	if path == "" {
		return all, nil
	}
	raw, err := safefile.ReadNamed(path, config.MaxSize)
	if safefile.Missing(err) || errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err == nil && all.Schema != 1 {
		err = fmt.Errorf("schema %d is not known", all.Schema)
	}
	if err != nil {
		return all, &config.Error{
			Where: path, What: "it cannot be read: " + safefile.Reason(err),
			Next: "repair or remove the file, then accept again: autobuild knowledge accept NAME",
		}
	}
	return all, nil
}

// key is a knowledge file by which its acceptances are known.
func (f File) key() string {
	if whole, err := filepath.EvalSymlinks(filepath.Dir(f.Path)); err == nil {
		return filepath.Join(whole, filepath.Base(f.Path))
	}
	return f.Path
}

// has reports whether a person has accepted this command of this file.
func (l acceptances) has(f File, command string) bool {
	return slices.ContainsFunc(l.Accepted, func(a acceptance) bool {
		return a.File == f.key() && a.Command == command
	})
}

// errRunning refuses an acceptance that an agent could give.
var errRunning = errors.New(
	"a run is going on here, and an agent of it could be the one who accepts · wait until it " +
		"has ended: autobuild wait")

// MayAccept refuses while a run is going on in a project.
func MayAccept(c *call.Call, p *call.Project) error {
	if store.Working(p.StateDir, p.LockDir) || c.Environ.Get("AUTOBUILD_NONCE") != "" {
		return errRunning
	}
	return nil
}

// Accept stores that the user accepted the command of an entry. An entry without a command
// stores nothing.
func (f File) Accept(e knowledge.Entry, now time.Time) error {
	if e.Status != knowledge.Accepted || e.Prevent == "" {
		return nil
	}
	path := f.Accepted
	if path == "" {
		return errors.New(
			"there is no place to write the acceptance down: HOME and XDG_CONFIG_HOME are not " +
				"set · set HOME, or set knowledge: trust")
	}
	all, err := loadAccepted(path)
	if err != nil || all.has(f, e.Prevent) {
		return err
	}
	all.Accepted = append(all.Accepted, acceptance{
		File: f.key(), Command: e.Prevent,
		Date: now.UTC().Format(time.DateOnly),
	})
	data, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = atomicfile.WritePath(path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the acceptance down: %w", err)
	}
	return nil
}

// runnable splits the commands of a book into accepted ones, which run, and the others, which do
// not.
func (f File) runnable(
	book *knowledge.Book, trust bool,
) (run []string, others []knowledge.Entry, err error) {
	all, err := loadAccepted(f.Accepted)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range book.Entries() {
		switch {
		case e.Status != knowledge.Accepted || e.Prevent == "" || slices.Contains(run, e.Prevent):
		case trust || all.has(f, e.Prevent):
			run = append(run, e.Prevent)
		default:
			others = append(others, e)
		}
	}
	return run, others, nil
}

// unaccepted says that a command does not run, and how it would.
func unaccepted(e knowledge.Entry) string {
	return fmt.Sprintf(
		"%s has a command that is not accepted on this machine; autobuild does not run it: %s; "+
			"review it, then: %s",
		knowledge.FileName,
		text.Clean(e.Prevent, 200),
		render.Command([]string{"autobuild", "knowledge", "accept", e.Name}))
}

// Planted lists commands that appeared in the knowledge file during the run, each once.
func (m *Memory) Planted(f File) []string {
	m.looking.Lock()
	defer m.looking.Unlock()
	book, err := f.Load()
	if err != nil {
		return nil // said when it is next used
	}
	var said []string
	for _, e := range book.Entries() {
		if e.Status == knowledge.Accepted && e.Prevent != "" &&
			!slices.Contains(m.reported, e.Prevent) {
			m.reported = append(m.reported, e.Prevent)
			said = append(said, "while it ran, "+unaccepted(e))
		}
	}
	return said
}
