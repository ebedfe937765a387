package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/atomicfile"
	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/ci"
	"autobuild/render/html"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

// checkReports finds out before anything is paid for that a report could not be written where it is
// wanted. The one that could not is forgotten, so that the end of the call does not say the same
// again.
func (a *Caller) checkReports(o *config.Options) error {
	files := o.ReportFiles()
	for _, flag := range slices.Sorted(maps.Keys(files)) {
		name := files[flag]
		if *name == "" {
			continue
		}
		if err := a.checkReport("--"+flag+" "+*name, a.Path(*name), o.DryRun); err != nil {
			*name = ""
			return err
		}
	}
	return nil
}

// checkReport looks at the place of one report, as far as it is there. A dry run writes nothing,
// this neither.
func (a *Caller) checkReport(flag, path string, dryRun bool) error {
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
		return call.Usage(fmt.Sprintf("%s: %s is no directory", flag, a.Shown(dir)), "name a file in one")
	case dryRun:
		return nil
	}
	// Permissions are not enough: file systems may be read-only, and some refuse every write.
	probe, err := os.CreateTemp(dir, ".autobuild-")
	if err != nil {
		if p, ok := errors.AsType[*os.PathError](err); ok {
			err = p.Err
		}
		return fmt.Errorf("%s: nothing can be written in %s: %w; name another place, or leave it out", flag, a.Shown(dir), err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// reportEnd is report for a call that may have panicked: that is an end as well, and goes on to be
// one.
func (a *Caller) reportEnd(panicked any, o *config.Options, s *session, planArg string, err error) {
	if panicked != nil {
		a.report(o, s, planArg, &call.BugError{What: panicked})
		panic(panicked) //nolint:forbidigo // the same panic goes on
	}
	a.report(o, s, planArg, err)
}

// report writes the requested outputs about the end of a call, good or bad. A failed write prints a
// note and changes no exit code. The session is nil where the call ended before there was one.
func (a *Caller) report(o *config.Options, s *session, planArg string, err error) {
	if o.DryRun {
		return
	}
	say := func(what string, failed error) {
		if failed != nil {
			a.Note("%s could not be written: %s", what, text.Clean(failed.Error(), 300))
		}
	}
	if problems, ok := errors.AsType[plan.Problems](err); ok && s == nil {
		a.markProblems(planArg, problems)
	}
	if o.JUnit != "" {
		say("the JUnit file", a.writeJUnit(o, s, planArg, err))
	}
	if o.Trace != "" && s != nil {
		say("the trace", s.writeTrace())
	}
	switch {
	case o.Report != "" && s != nil && s.run != nil && s.run.Config.RunID != "":
		say("the report", s.writeHTML(err))
	case o.Report != "" && err != nil:
		say("the report", a.writeRefusal(o, planArg, err))
	}
	if s != nil && s.ended {
		say("the step's summary", a.stepSummary(ci.StepSummary(s.run, s.ending(), s.logTail)))
	} else if err != nil {
		say("the step's summary", a.stepSummary(ci.StepProblem(planArg, a.problem(planArg, err))))
	}
}

// problem is an error in words, those of a plan with their places.
func (a *Caller) problem(planArg string, err error) string {
	if problems, ok := errors.AsType[plan.Problems](err); ok {
		return term.Problems(planArg, problems, render.Style{Width: 100})
	}
	return "autobuild: " + err.Error()
}

func (a *Caller) writeJUnit(o *config.Options, s *session, planArg string, err error) error {
	suites := ci.Suites{Plan: planArg, Exit: call.ExitCode(err), Time: a.Now()}
	if s != nil {
		suites.Plan, suites.Run, suites.Read = s.name, s.run, s.logTail
	}
	if err != nil && (s == nil || !s.ended || call.ExitCode(err) == call.ExitUnproven) {
		suites.Err = a.problem(planArg, err)
	}
	text, failed := ci.JUnit(suites)
	if failed != nil {
		return failed
	}
	return a.writeReport(o.JUnit, text)
}

// writeRefusal writes the page of a call that began no run, so that the page of an earlier one is
// not mistaken for this one's.
func (a *Caller) writeRefusal(o *config.Options, planArg string, err error) error {
	rows := strings.Split(strings.TrimSpace(a.problem(planArg, err)), "\n")
	raw, failed := html.Document(html.Page{Now: a.Now(), Observed: rows, Refused: true})
	if failed != nil {
		return failed
	}
	return a.writeReport(o.Report, raw)
}

// writeTrace writes the diary of the run, all its sessions, as a trace.
func (s *session) writeTrace() error {
	var out bytes.Buffer
	if err := ci.Trace(&out, store.ReadDiary(s.project.StateDir)); err != nil {
		return err
	}
	return s.writeReport(s.o.Trace, out.Bytes())
}

// writeReport writes a file that others read, whole or not at all.
func (a *Caller) writeReport(name string, text []byte) error {
	path := a.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.WritePath(path, text, 0o644)
}

// maxTail bounds what is read of the end of a log, in bytes.
const maxTail = 256 << 10

// logTail is the end of a log, by its name in the state directory; empty where the log is
// unreadable.
func (s *session) logTail(name string) string {
	return store.ReadPart(s.project.StateDir, name, func(f *os.File, size int64) io.Reader {
		return io.NewSectionReader(f, max(0, size-maxTail), maxTail)
	})
}

// couldNotStart records in a run that cannot go on why: else result.json would present the last
// session's end as this one's. A call that was wrong changes nothing, and a run that was cut off
// stays so.
func (s *session) couldNotStart(err error) {
	if s.run == nil || s.run.Config.RunID == "" || call.ExitCode(err) != call.ExitEnv {
		return
	}
	for i := range s.run.Phases {
		if s.run.Phases[i].Status == state.Running {
			return
		}
	}
	now := s.Now()
	end := state.End{Outcome: state.Broken, Exit: call.ExitEnv, Reason: text.Clean(err.Error(), 500), Time: now, Totals: s.run.Totals()}
	// as the last session was called: this call may be what is wrong
	end.Resume = s.past(s.project, s.run, store.Holder{}).goOn(false)
	if was := s.run.End; was != nil {
		end.Merge, end.Branch, end.Why, end.Obstacle = was.Merge, was.Branch, was.Why, was.Obstacle
	}
	e := state.Event{V: state.EventVersion, Seq: s.run.Seq + 1, Time: now, Type: state.RunFinished, Run: s.run.Config.RunID, End: &end}
	if s.run.Apply(e) != nil {
		return
	}
	for _, sink := range s.sinks() {
		if failed := sink.Event(e, s.run); failed != nil {
			s.Note("recording why it could not start: %v", failed)
			return
		}
	}
}
