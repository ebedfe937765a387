package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autobuild/internal/atomicfile"
	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/render/html"
	"autobuild/state"
	"autobuild/state/store"
)

// reportName is the report's name in the state directory, where git does not see it.
const reportName = "report.html"

func (a *app) reportCommand() *cobra.Command {
	var out, id string
	c := &cobra.Command{
		Use:   "report",
		Short: "Write one HTML file that tells all about the run",
		Long: `report writes what is known about the run that is stored here as one HTML file: how it stands, what failed and why, what to do
now, the graph, when what happened, every phase with its attempts, gates, cost and commits. The file needs nothing else, runs no
script, loads nothing, and can be sent to somebody or kept by a CI job. While a run is going it tells of the run so far;
autobuild serve shows the same and follows the run. --run tells of a run that --fresh has set aside instead.`,
		Example: `  autobuild report                       write .autobuild/report.html
  autobuild report -o /tmp/report.html   write it elsewhere
  autobuild report -o - > report.html    write it to stdout
  autobuild report --run 20261120-0217   of a run that was set aside`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := a.openProject(c.Context(), &proc.Runner{}, nil)
			if err != nil {
				return err
			}
			dir, err := runDir(p, id)
			if err != nil {
				return err
			}
			page, err := a.storedPage(c.Context(), p, dir)
			if errors.Is(err, store.ErrNoRun) {
				return errNoState
			}
			if err != nil {
				return err
			}
			if out == "-" {
				raw, failed := html.Document(page)
				a.print(string(raw))
				return failed
			}
			path := filepath.Join(dir, reportName)
			if out != "" {
				path = a.path(out)
			}
			if err = writePage(page, dir, path); err != nil {
				return err
			}
			a.print(a.shown(path) + "\n")
			return nil
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write to `FILE`; - is stdout (default "+reportName+" beside the run's state)")
	c.Flags().StringVar(&id, "run", "", "tell of the run `ID`, or what its id begins with, also where --fresh has set it aside (default: the present one)")
	_ = c.RegisterFlagCompletionFunc("run", a.completeRuns)
	return c
}

// runDir is the state directory of the run that is meant by an id or its beginning: the present run, or one that was set aside.
func runDir(p *project, id string) (string, error) {
	if id == "" {
		return p.stateDir, nil
	}
	dirs := runDirs(p)
	known, meant := make([]string, len(dirs)), []string(nil)
	for i, d := range dirs {
		known[i] = d.id
		if d.id == id {
			return d.path, nil
		}
		if strings.HasPrefix(d.id, id) {
			meant = append(meant, d.path)
		}
	}
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		return "", usage(fmt.Sprintf("--run %s could be %d runs here", id, len(meant)), "give more of its id")
	case len(dirs) == 0:
		return "", errNoState
	}
	return "", usage("there is no run "+strconv.Quote(text.Clean(id, 80))+" here", text.Suggest(id, known, config.SeeHelp))
}

// stored is a run of a directory, by its id and where its state is.
type stored struct{ id, path string }

// runDirs are all runs of a directory: the present one, then those that were set aside, the latest first.
func runDirs(p *project) []stored {
	var all []stored
	if store.Exists(p.stateDir) {
		all = append(all, stored{idOf(p.stateDir, "present"), p.stateDir})
	}
	for _, name := range store.Archived(p.stateDir) {
		dir := filepath.Join(p.stateDir, store.HistoryDir, name)
		all = append(all, stored{idOf(dir, name), dir})
	}
	return all
}

// idOf is the id of the run in a state directory.
func idOf(stateDir, otherwise string) string {
	var config struct {
		ID string `json:"run_id"`
	}
	// what cannot be read is called otherwise
	_ = json.Unmarshal([]byte(store.ReadText(stateDir, store.ConfigName)), &config)
	return cmp.Or(text.Clean(config.ID, 80), otherwise)
}

// completeRuns completes the runs of the directory.
func (a *app) completeRuns(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	p, err := a.openProject(c.Context(), &proc.Runner{}, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, d := range runDirs(p) {
		ids = append(ids, d.id)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// writePage writes a page whose links lead from where it is written to the logs.
func writePage(page html.Page, stateDir, path string) error {
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
		return fmt.Errorf("the report cannot be written to %s: %s; name another file", path, safefile.Reason(err))
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
	return (&url.URL{Path: "./" + filepath.ToSlash(rel) + "/"}).EscapedPath() // a name such as javascript: is no scheme behind ./
}

// storedPage is the page of the run in stateDir, which is the project's own or one that was set aside.
func (a *app) storedPage(ctx context.Context, p *project, stateDir string) (html.Page, error) {
	page := html.Page{
		Now: time.Now(), Past: stateDir != p.stateDir, Ending: render.Ending{Program: a.program(), Dir: a.shown(stateDir)},
		Read: func(name string) string { return store.ReadText(stateDir, name) },
	}
	a.readDiary(&page, stateDir)
	run, notes, err := store.Load(stateDir, seedsOf(page.Events))
	if err != nil {
		return page, err
	}
	page.Run = run
	for _, n := range notes {
		page.Observed = append(page.Observed, n.String())
	}
	if !page.Past {
		page.Alive = store.Working(p.stateDir, p.lockDir)
		lookUpCutOffs(stateDir, run)
		page.Ending.Resume = a.resumeCall(p, run)
	}
	for i := range run.Phases {
		if phase := &run.Phases[i]; proposed(stateDir, phase) {
			page.Ending.Plans = append(page.Ending.Plans, phase.ID)
		}
	}
	a.measure(ctx, p, &page)
	return page, nil
}

// readDiary fills in the events. A diary that ends in the middle costs the rest of the timeline and a remark.
func (*app) readDiary(page *html.Page, stateDir string) {
	for e, err := range store.ReadDiary(stateDir) {
		if err != nil {
			page.Observed = append(page.Observed, "what happened later is not drawn: "+err.Error())
			return
		}
		page.Events = append(page.Events, e)
	}
}

// seedsOf are the phases with which the last session began, so that those that never started are known too.
func seedsOf(events []state.Event) []state.Seed {
	for i := len(events) - 1; i >= 0; i-- {
		if e := events[i]; e.Type == state.RunStarted && len(e.Phases) > 0 {
			return e.Phases
		}
	}
	return nil
}

// measure fills in how large the run's commits are.
func (*app) measure(ctx context.Context, p *project, page *html.Page) {
	var commits []string
	for i := range page.Run.Phases {
		if c := page.Run.Phases[i].Commit; c != nil {
			commits = append(commits, c.SHA)
		}
	}
	if p.repo == nil {
		return
	}
	numbers, err := p.repo.Numstat(ctx, commits)
	if err != nil {
		page.Observed = append(page.Observed, "how large the commits are is not known: "+err.Error())
		return
	}
	page.Changed = make(map[string]html.Changed, len(numbers))
	for name, n := range numbers {
		page.Changed[name] = html.Changed(n)
	}
}

// writeHTML writes the file that was asked for by --report. What kept a session from going on is said there too.
func (s *session) writeHTML(err error) error {
	page := html.Page{
		Run: s.run, Now: time.Now(), Ending: s.ending(),
		Read: func(name string) string { return store.ReadText(s.project.stateDir, name) },
	}
	if err != nil && !s.ended {
		page.Observed = append(page.Observed, "the last call could not go on: "+err.Error())
	}
	s.readDiary(&page, s.project.stateDir)
	s.measure(context.Background(), s.project, &page) // a run that was interrupted is told of too
	return writePage(page, s.project.stateDir, s.app.path(s.o.Report))
}
