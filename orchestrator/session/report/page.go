// Package report writes what a call leaves for others to read: the HTML page, JUnit XML, the trace
// and the summary of a CI step. Each is made of the stored run at the call's end, however the call
// ended; a failed write prints a note and changes no exit code. It does not know how a run goes on.
package report

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"autobuild/internal/atomicfile"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/render"
	"autobuild/render/html"
	"autobuild/state"
	"autobuild/state/store"
)

// WritePage writes a page whose links lead from where it is written to the logs.
func WritePage(page html.Page, stateDir, path string) error {
	page.Files = addressFrom(filepath.Dir(path), stateDir)
	raw, err := html.Document(page)
	if err != nil {
		return err
	}
	if info, failed := os.Stat(path); failed == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file") // a device would be replaced by one
	} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = atomicfile.WritePath(path, raw, 0o644)
	}
	if err != nil {
		return fmt.Errorf("the report cannot be written to %s: %s; name another file", path,
			safefile.Reason(err))
	}
	return nil
}

// addressFrom is how a page in one directory calls another directory; empty where it cannot.
func addressFrom(from, to string) string {
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	if rel == "." {
		return "./"
	}
	// a name such as javascript: is no scheme behind ./
	return (&url.URL{Path: "./" + filepath.ToSlash(rel) + "/"}).EscapedPath()
}

// StoredPage is the page of the run in stateDir, which is the project's own or one that was set
// aside.
func StoredPage(
	ctx context.Context, c *call.Call, p *call.Project, stateDir string,
) (html.Page, error) {
	page := html.Page{
		Now: c.Now(), Past: stateDir != p.StateDir, Ending: render.Ending{
			Program: c.Program(),
			Dir:     c.Shown(stateDir),
		},
		Read: func(name string) string { return store.ReadText(stateDir, name) },
	}
	readDiary(&page, stateDir)
	run, notes, err := store.Load(stateDir, seedsOf(page.Events))
	if err != nil {
		return page, err
	}
	page.Run = run
	for _, n := range notes {
		page.Observed = append(page.Observed, n.String())
	}
	if !page.Past {
		page.Alive = store.Working(p.StateDir, p.LockDir)
		page.Ending.Resume = calls.Stored(c, p, run, store.Holder{}).Next()
	}
	measure(ctx, p, &page)
	return page, nil
}

// readDiary fills in the events. A diary that ends in the middle costs the rest of the timeline and
// a remark.
func readDiary(page *html.Page, stateDir string) {
	for e, err := range store.ReadDiary(stateDir) {
		if err != nil {
			page.Observed = append(page.Observed, "what happened later is not drawn: "+err.Error())
			return
		}
		page.Events = append(page.Events, e)
	}
}

// seedsOf are the phases with which the last session began, so that those that never started are
// known too.
func seedsOf(events []state.Event) []state.Seed {
	for i := len(events) - 1; i >= 0; i-- {
		if e := events[i]; len(e.Phases) > 0 {
			return e.Phases
		}
	}
	return nil
}

// measure fills in how large the run's commits are.
func measure(ctx context.Context, p *call.Project, page *html.Page) {
	var commits []string
	for i := range page.Run.Phases {
		if c := page.Run.Phases[i].Commit; c != nil {
			commits = append(commits, c.SHA)
		}
	}
	if p.Repo == nil {
		return
	}
	numbers, err := p.Repo.Numstat(ctx, commits)
	if err != nil {
		page.Observed = append(page.Observed, "how large the commits are is not known: "+
			err.Error())
		return
	}
	page.Changed = make(map[string]html.Changed, len(numbers))
	for name, n := range numbers {
		page.Changed[name] = html.Changed(n)
	}
}

// StoredEnding is what a summary has to know of the call that ran a stored run; holder is who runs
// it, zero where that is unknown.
func StoredEnding(
	c *call.Call, p *call.Project, run *state.Run, holder store.Holder,
) render.Ending {
	return Ending(c, p, calls.Stored(c, p, run, holder))
}

// Ending is what the summary of a session says of its calls and files.
func Ending(c *call.Call, p *call.Project, after calls.After) render.Ending {
	e := render.Ending{
		Program: c.Program(), Dir: c.Shown(p.StateDir), Resume: after.Next(), Fresh: after.Fresh(),
	}
	if files, err := os.ReadDir(filepath.Join(p.StateDir, store.PhasesDir)); err == nil {
		e.Files = len(files)
	}
	if after.Config.CommitMode == state.CommitMessage {
		script := filepath.Join(p.StateDir, "commits.sh")
		if _, err := os.Stat(script); err == nil {
			e.Script = c.Shown(script)
		}
	}
	return e
}
