package steering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
)

// maxWaiting bounds the commands that are taken in one look.
const maxWaiting = 1000

// Receive looks for commands until ctx ends, and passes each on once. ours reports whether a
// process belongs to the run itself: an agent, a gate, or what they have started. note hears of
// what could not be read or was refused.
func Receive(
	ctx context.Context, stateDir string, ours func(pid int) bool, note func(string),
	pass func(orchestrator.Request),
) {
	r := receiver{dir: filepath.Join(stateDir, Dir), ours: ours, note: note, pass: pass}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		r.look()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

type receiver struct {
	dir  string
	ours func(pid int) bool
	note func(string)
	pass func(orchestrator.Request)
	seen fs.FileInfo // the folder at the last look
	left bool        // there were more than one look takes
	// commands of this look that were not passed on, by what became of them
	dropped map[string]int
}

// look takes the commands that have come. A folder that has not changed is not read.
func (r *receiver) look() {
	info, err := os.Lstat(r.dir)
	if err != nil || !info.IsDir() || !r.left && r.seen != nil &&
		os.SameFile(r.seen, info) && info.ModTime().Equal(r.seen.ModTime()) {
		return
	}
	r.seen, r.left = info, false
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return // the next look says it again, or finds it
	}
	defer root.Close() //nolint:errcheck // only read from
	entries, err := safefile.ReadDirIn(root, ".", safefile.Entries)
	if err != nil {
		r.note("the folder of commands cannot be read: " + text.Clean(err.Error(), 200))
		return
	}
	taken := 0
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), asked)
		if r.left = ok && taken == maxWaiting; r.left {
			break
		}
		if ok {
			taken++
			r.take(root, name)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(r.dropped)) {
		if more := r.dropped[what] - 1; more > 0 {
			r.note(fmt.Sprintf("%d more commands %s", more,
				strings.Replace(what, "was", "were", 1)))
		}
	}
	r.dropped = nil
}

// drop says why a command is not passed on: each time that another thing is the matter in this
// look.
func (r *receiver) drop(what, why string) {
	if r.dropped == nil {
		r.dropped = make(map[string]int)
	}
	if r.dropped[what]++; r.dropped[what] == 1 {
		r.note("a command " + what + ": " + why)
	}
}

// take reads one command and removes it before it is done, so that no later session does it again.
func (r *receiver) take(root *os.Root, name string) {
	c, sender, err := read(root, name+asked)
	if removed := root.Remove(name + asked); errors.Is(removed, fs.ErrNotExist) {
		return // its sender has withdrawn it
	}
	respond := func(text string, err error) {
		if failed := r.reply(name, asAnswer(text, err)); failed != nil {
			r.note(failed.Error())
		}
	}
	switch {
	case err != nil:
		r.drop("could not be read", text.Clean(err.Error(), 200))
		if sender != 0 { // else no process waits for an answer
			respond("", &orchestrator.CommandError{Why: "the run could not read the command"})
		}
	case sender == 0:
		r.drop("was dropped", "the process that sent it is gone")
	case r.ours(sender):
		r.drop("was refused", "a process that this run has started sent it")
		respond("", &orchestrator.CommandError{
			Why:  "a process of the run sent it, and only a person may steer the run",
			Next: "run it in a shell of your own",
		})
	default:
		r.pass(orchestrator.Request{Command: c, Answer: respond})
	}
}

// reply opens the folder anew: an answer may come long after its command.
func (r *receiver) reply(name string, a answer) error {
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // the answer is written
	return reply(root, name, a)
}

// read reads a command and asks the kernel for the process that holds it; 0: none does.
func read(root *os.Root, name string) (c orchestrator.Command, sender int, err error) {
	f, err := safefile.OpenIn(root, name, os.O_RDWR, 0)
	if err != nil {
		return c, 0, err
	}
	defer f.Close() //nolint:errcheck // only read from
	if sender, err = holder(f); err != nil {
		return c, 0, err
	}
	data := make([]byte, maxFile+1)
	n, err := f.ReadAt(data, 0)
	if n > maxFile {
		return c, sender, &safefile.TooLargeError{Path: name, Size: int64(n), Limit: maxFile}
	}
	if n == 0 && err != nil {
		return c, sender, err
	}
	err = json.Unmarshal(data[:n], &c)
	return c, sender, err
}
