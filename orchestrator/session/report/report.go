package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/atomicfile"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/ci"
	"autobuild/render/html"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

// Check finds out before anything is paid for that a report could not be written where it is
// wanted. The one that could not is forgotten, so that the end of the call does not say the same
// again.
func Check(c *call.Call, o *config.Options) error {
	files := o.ReportFiles()
	for _, flag := range slices.Sorted(maps.Keys(files)) {
		name := files[flag]
		if *name == "" {
			continue
		}
		if err := checkFile(c, "--"+flag+" "+*name, c.Path(*name), o.DryRun); err != nil {
			*name = ""
			return err
		}
	}
	return nil
}

// checkFile looks at the place of one report, as far as it exists. In a dry run it writes nothing.
func checkFile(c *call.Call, flag, path string, dryRun bool) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return call.Usage(flag+" is no file", "name one, it is written when the run ends")
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	for err != nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	switch {
	case err == nil && !info.IsDir():
		return call.Usage(fmt.Sprintf("%s: %s is no directory", flag, c.Shown(dir)),
			"name a file in one")
	case dryRun:
		return nil
	}
	// Permissions are not enough: file systems may be read-only, and some refuse every write.
	probe, err := os.CreateTemp(dir, ".autobuild-")
	if err != nil {
		if p, ok := errors.AsType[*os.PathError](err); ok {
			err = p.Err
		}
		return fmt.Errorf(
			"%s: nothing can be written in %s: %w; name another place, or leave it out", flag,
			c.Shown(dir), err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// End is a session at the end of its call, as far as there was one.
type End struct {
	Project *call.Project
	Plan    string // name in state
	Run     *state.Run
	Ending  render.Ending
	Ended   bool // the run's end is this call's
}

// Write writes the requested outputs about the end of a call, good or bad. A failed write prints a
// note and changes no exit code. end is nil where the call ended before there was a session, and
// its Run where it ended before there was a run.
func Write(c *call.Call, o *config.Options, planArg string, end *End, err error) {
	if o.DryRun {
		return
	}
	w := writer{Call: c, o: o, planArg: planArg, err: err}
	say := func(what string, failed error) {
		if failed != nil {
			c.Note("%s could not be written: %s", what, text.Clean(failed.Error(), 300))
		}
	}
	if problems, ok := errors.AsType[plan.Problems](err); ok && end == nil {
		w.markProblems(problems)
	}
	if o.JUnit != "" {
		say("the JUnit file", w.junit(end))
	}
	switch {
	case o.Report != "" && end != nil && end.Run != nil && end.Run.Config.RunID != "":
		say("the report", w.html(end))
	case o.Report != "" && err != nil:
		say("the report", w.refusal())
	}
	if end != nil && end.Ended {
		say("the step's summary", w.stepSummary(ci.StepSummary(end.Run, end.Ending, end.log())))
	} else if err != nil {
		say("the step's summary", w.stepSummary(ci.StepProblem(planArg, w.problem())))
	}
}

// writer writes the outputs of one call.
type writer struct {
	*call.Call
	o       *config.Options
	planArg string
	err     error // of the call
}

// problem is an error in words, those of a plan with their places.
func (w writer) problem() string {
	if problems, ok := errors.AsType[plan.Problems](w.err); ok {
		return term.Problems(w.planArg, problems, render.Style{Width: 100})
	}
	return "autobuild: " + w.err.Error()
}

func (w writer) junit(end *End) error {
	suites := ci.Suites{Plan: w.planArg, Exit: call.ExitCode(w.err), Time: w.Now()}
	if end != nil {
		suites.Plan, suites.Run, suites.Read = end.Plan, end.Run, end.log()
	}
	if w.err != nil && (end == nil || !end.Ended || call.ExitCode(w.err) == call.ExitUnproven) {
		suites.Err = w.problem()
	}
	text, failed := ci.JUnit(suites)
	if failed != nil {
		return failed
	}
	return w.file(w.o.JUnit, text)
}

// html writes the page of the run. It also contains the error that kept a session from going on.
func (w writer) html(end *End) error {
	dir := end.Project.StateDir
	page := html.Page{
		Run: end.Run, Now: w.Now(), Ending: end.Ending,
		Read: func(name string) string { return store.ReadText(dir, name) },
	}
	if w.err != nil && !end.Ended {
		page.Observed = append(page.Observed, "the last call could not go on: "+w.err.Error())
	}
	readDiary(&page, dir)
	measure(context.Background(), end.Project, &page) // an interrupted run is measured too
	return WritePage(page, dir, w.Path(w.o.Report))
}

// refusal writes the page of a call that began no run, so that the page of an earlier one is not
// mistaken for this one's.
func (w writer) refusal() error {
	rows := strings.Split(strings.TrimSpace(w.problem()), "\n")
	raw, failed := html.Document(html.Page{Now: w.Now(), Observed: rows, Refused: true})
	if failed != nil {
		return failed
	}
	return w.file(w.o.Report, raw)
}

// file writes a file that others read, whole or not at all.
func (w writer) file(name string, text []byte) error {
	path := w.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.WritePath(path, text, 0o644)
}

// maxTail bounds what is read of the end of a log, in bytes.
const maxTail = 256 << 10

// LogTail returns the end of a log, by its name in a state directory; empty where the log is
// unreadable.
func LogTail(stateDir string) func(name string) string {
	return func(name string) string {
		return store.ReadPart(stateDir, name, func(f *os.File, size int64) io.Reader {
			return io.NewSectionReader(f, max(0, size-maxTail), maxTail)
		})
	}
}

func (e *End) log() func(name string) string { return LogTail(e.Project.StateDir) }
