package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/report"
	"autobuild/render/html"
	"autobuild/state/store"
)

// reportName is the report's name in the state directory, where git does not see it.
const reportName = "report.html"

func (a *app) reportCommand() *cobra.Command {
	var out, id string
	c := &cobra.Command{
		Use:   "report",
		Short: "Write the run as one HTML file",
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
			p, err := a.OpenProject(c.Context(), &proc.Runner{}, nil)
			if err != nil {
				return err
			}
			dir, err := runDir(p, id)
			if err != nil {
				return err
			}
			page, err := report.StoredPage(c.Context(), a.Call, p, dir)
			if errors.Is(err, store.ErrNoRun) {
				return call.ErrNoState
			}
			if err != nil {
				return err
			}
			if out == "-" {
				raw, failed := html.Document(page)
				a.Print(string(raw))
				return failed
			}
			path := filepath.Join(dir, reportName)
			if out != "" {
				path = a.Path(out)
			}
			if err = report.WritePage(page, dir, path); err != nil {
				return err
			}
			a.Print(a.Shown(path) + "\n")
			return nil
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write to `FILE`; - is stdout (default "+
		reportName+" beside the run's state)")
	c.Flags().StringVar(&id, "run", "",
		"tell of the run `ID`, or what its id begins with, also where --fresh has set it aside "+
			"(default: the present one)")
	_ = c.RegisterFlagCompletionFunc("run", a.completeRuns)
	return c
}

// runDir is the state directory of the run that is meant by an id or its beginning: the present
// run, or one that was set aside.
func runDir(p *call.Project, id string) (string, error) {
	if id == "" {
		return p.StateDir, nil
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
		return "", call.Usage(fmt.Sprintf("--run %s could be %d runs here", id, len(meant)),
			"give more of its id")
	case len(dirs) == 0:
		return "", call.ErrNoState
	}
	return "", call.Usage("there is no run "+strconv.Quote(text.Clean(id, 80))+" here",
		text.Suggest(id, known, config.SeeHelp))
}

// stored is a run of a directory, by its id and where its state is.
type stored struct{ id, path string }

// runDirs are all runs of a directory: the present one, then those that were set aside, the latest
// first.
func runDirs(p *call.Project) []stored {
	var all []stored
	if store.Exists(p.StateDir) {
		all = append(all, stored{idOf(p.StateDir, "present"), p.StateDir})
	}
	for _, name := range store.Archived(p.StateDir) {
		dir := filepath.Join(p.StateDir, store.HistoryDir, name)
		all = append(all, stored{idOf(dir, name), dir})
	}
	return all
}

// idOf is the id of the run in a state directory.
func idOf(stateDir, otherwise string) string {
	var config struct {
		ID string `json:"run_id"`
	}
	// an unreadable configuration leads to the other name
	_ = json.Unmarshal([]byte(store.ReadText(stateDir, store.ConfigName)), &config)
	return cmp.Or(text.Clean(config.ID, 80), otherwise)
}

// completeRuns completes the runs of the directory.
func (a *app) completeRuns(
	c *cobra.Command, _ []string, _ string,
) ([]string, cobra.ShellCompDirective) {
	p, err := a.OpenProject(c.Context(), &proc.Runner{}, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, d := range runDirs(p) {
		ids = append(ids, d.id)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
