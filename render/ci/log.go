// Package ci writes a run for CI systems and their tools: logs with folds and marks, step
// summaries, JUnit files, traces. Foreign text is made harmless for the reader of each format
// before it is written, since most of them obey what they read. It does not know which CI system
// runs it, or where its output goes.
package ci

import (
	"bytes"
	"cmp"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Runner is a CI system whose log has folds or marks.
type Runner string

// The runners.
const (
	GitHub Runner = "github" // GitHub Actions, and those that run its workflows
	GitLab Runner = "gitlab"
	Azure  Runner = "azure" // Azure Pipelines
)

// Room for logs in a CI log, in lines: passed attempts are folded, readers look for the failed
// ones.
const (
	foldedLog = 400
	failedLog = 150
	agentLog  = 40
)

// MaxAnnotations bounds what is marked in a run: GitHub shows ten errors of a step, and other steps
// want some of them.
const MaxAnnotations = 8

// Log writes progress lines, and after each attempt its log: folded where the attempt has passed,
// and open where it has failed, since a fold hides what is wrong. At the end it marks failures at
// their files and lines. Rows of logs begin with their phase's label and a bar, so that foreign
// text cannot begin a line and issue commands to the runner. One event is one Write.
type Log struct {
	W      io.Writer
	Runner Runner
	Style  render.Style
	// the state directory as a person types it; empty is ".autobuild"
	Dir string
	// the end of a log, by its name in the state directory; nil: none can be read
	Read func(log string) string
	// the progress lines of an event; nil: none are wanted
	Lines func(state.Event, *state.Run) []byte
	// where the project is in the folder that the runner checked out, with slashes; empty: it is
	// that folder
	Below string

	err error
	out bytes.Buffer
}

// Event writes the lines of one event. It always returns nil, because a closed pipe must not stop a
// run: Err has the error.
func (c *Log) Event(e state.Event, run *state.Run) error {
	c.out.Reset()
	if c.Lines != nil {
		c.out.Write(c.Lines(e, run))
	}
	switch e.Type {
	case state.AttemptFinished:
		c.attempt(e, run)
	case state.RunFinished:
		for _, a := range annotations(run, c.Below) {
			c.out.WriteString(c.Runner.mark(a))
		}
	}
	if c.err == nil && c.out.Len() > 0 {
		_, c.err = c.W.Write(c.out.Bytes())
	}
	return nil
}

// Err is the first error of the writer. Nothing is written after it.
func (c *Log) Err() error { return c.err }

// attempt writes the logs of an attempt.
func (c *Log) attempt(e state.Event, run *state.Run) {
	a := e.Result
	if a == nil || c.Read == nil || a.Decision != nil && a.Decision.Action == failure.Wait {
		return
	}
	label := render.EventLabel(e, run, c.Style)
	if strings.HasPrefix(label, ":") {
		label = e.Phase // a runner reads a line that begins with two colons as a command
	}
	if a.Failure == nil {
		if rows := c.log(label, a.Log, foldedLog); rows != "" {
			name := "phase-" + e.Phase + "-" + strconv.Itoa(a.N)
			title := label + " log: " + render.InStateDir(cmp.Or(c.Dir, ".autobuild"), a.Log)
			c.out.WriteString(c.Runner.fold(name, c.Style.Show(title, render.MaxLine), rows,
				a.Started, e.Time))
		}
		return
	}
	room := failedLog
	for _, g := range a.Gates {
		if g.Status != state.GatePassed && g.Before == "" && g.Log != "" {
			c.out.WriteString(c.log(label, g.Log, failedLog))
			room = agentLog
		}
	}
	c.out.WriteString(c.log(label, a.Log, room))
}

// log is the end of a log below its name, each row behind the phase's label.
func (c *Log) log(label, name string, room int) string {
	if name == "" {
		return ""
	}
	rows := text.LastLines(c.Read(name), room)
	if len(rows) == 0 {
		return ""
	}
	margin := label + " | "
	var out strings.Builder
	out.WriteString(c.Style.Show(margin+"end of "+render.InStateDir(cmp.Or(c.Dir, ".autobuild"),
		name)+":", 0) + "\n")
	for _, row := range rows {
		row = text.Indented(row)
		if c.Style.ASCII {
			row = text.ASCII(row)
		}
		out.WriteString(text.DisarmLines(text.Disarm(strings.TrimRight(margin+row, " "))) + "\n")
	}
	return out.String()
}

// annotation marks a failure at a file and line.
type annotation struct {
	file           string
	line, col      int
	title, message string
}

// annotations are the failures of a run that are worth a mark: of each failed phase the first
// finding that has a place, the phases that hold up most first; then, while there is room, the
// others in turn.
func annotations(run *state.Run, below string) []annotation {
	held := make(map[string]int)
	var failed []*state.Phase
	for i := range run.Phases {
		p := &run.Phases[i]
		if p.Status == state.Blocked {
			held[p.BlockedBy]++
		}
		if a, ok := p.Last(); ok && p.Status == state.Failed && a.Failure != nil {
			failed = append(failed, p)
		}
	}
	slices.SortStableFunc(failed, func(a, b *state.Phase) int { return held[b.ID] - held[a.ID] })
	var all [][]annotation
	longestList := 0
	for _, p := range failed {
		marks := marksOf(p, below)
		all = append(all, marks)
		longestList = max(longestList, len(marks))
	}
	var out []annotation
	for turn := range longestList {
		for _, marks := range all {
			if turn < len(marks) && len(out) < MaxAnnotations {
				out = append(out, marks[turn])
			}
		}
	}
	return out
}

// marksOf are the annotations of one failed phase, at least one.
func marksOf(p *state.Phase, below string) []annotation {
	a, _ := p.Last()
	f := a.Failure
	title := "autobuild phase " + p.Label + ": " + string(f.Type)
	var marks []annotation
	add := func(file string, line, col int, message string) {
		if !slices.ContainsFunc(marks, func(m annotation) bool {
			return m.file == file && m.line == line
		}) {
			marks = append(marks, annotation{file, line, col, title, cmp.Or(message, f.Message)})
		}
	}
	for _, t := range f.Tests {
		if t.File != "" {
			add(placed(t.File, a, below), t.Line, 0, strings.TrimSuffix(t.Name+": "+t.Said(), ": "))
		}
	}
	for _, q := range f.Places {
		if q.File != "" {
			add(placed(q.File, a, below), q.Line, q.Col, strings.Trim(q.Rule+": "+q.Message, ": "))
		}
	}
	if len(marks) == 0 {
		return []annotation{{title: title, message: f.Message + "\n" + f.Details}}
	}
	if marks[0].message != f.Message {
		marks[0].message = f.Message + "\n" + marks[0].message
	}
	return marks
}

// placed is a file's path in the runner's checkout. Tools name files from where they ran, which was
// the phase's worktree, or by the last part of their name alone.
func placed(file string, a state.Attempt, below string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if dir := strings.TrimSuffix(strings.ReplaceAll(a.Dir, `\`, "/"), "/"); dir != "" {
		if _, rest, ok := strings.Cut(file, dir+"/"); ok {
			file = rest
		}
	}
	if !strings.Contains(file, "/") {
		var same []string
		for _, changed := range a.Changes.Paths() {
			if path.Base(changed) == file {
				same = append(same, changed)
			}
		}
		if len(same) == 1 {
			file = same[0]
		}
	}
	if path.IsAbs(file) {
		return file
	}
	return path.Join(below, file)
}

// foreignLines are a few lines of foreign text for a mark, each clean.
func foreignLines(content string) []string {
	var rows []string
	for row := range strings.Lines(content) {
		if row = text.CleanLine(row, render.MaxLine); row != "" && len(rows) < 12 {
			rows = append(rows, row)
		}
	}
	return rows
}

// fold is rows under a title that are closed until the user opens them.
func (r Runner) fold(name, title, rows string, from, to time.Time) string {
	title = text.DisarmLines(title)
	switch r {
	case GitHub:
		return "::group::" + githubData(title) + "\n" + rows + "::endgroup::\n"
	case GitLab:
		name = gitlabName(name)
		start, end := strconv.FormatInt(from.Unix(), 10), strconv.FormatInt(to.Unix(), 10)
		return "\x1b[0Ksection_start:" + start + ":" + name + "[collapsed=true]\r\x1b[0K" + title +
			"\n" + rows +
			"\x1b[0Ksection_end:" + end + ":" + name + "\r\x1b[0K\n"
	case Azure:
		return "##[group]" + title + "\n" + rows + "##[endgroup]\n"
	}
	return rows
}

// mark is the line that marks a failure; empty where the runner supports none: GitLab reads the
// JUnit file instead.
func (r Runner) mark(a annotation) string {
	message := strings.Join(foreignLines(a.message), "\n")
	title, file := text.CleanLine(a.title, 120), text.CleanLine(a.file, 0)
	switch r {
	case GitHub:
		properties := ""
		if file != "" {
			properties = "file=" + githubProperty(file) + ","
			if a.line > 0 {
				properties += "line=" + strconv.Itoa(a.line) + ","
			}
			if a.col > 0 {
				properties += "col=" + strconv.Itoa(a.col) + ","
			}
		}
		return "::error " + properties + "title=" + githubProperty(title) + "::" +
			githubData(message) + "\n"
	case Azure:
		properties := "type=error;"
		if file != "" {
			properties += "sourcepath=" + azureProperty(file) + ";"
			if a.line > 0 {
				properties += "linenumber=" + strconv.Itoa(a.line) + ";"
			}
			if a.col > 0 {
				properties += "columnnumber=" + strconv.Itoa(a.col) + ";"
			}
		}
		return "##vso[task.logissue " + properties + "]" + azureData(title+": "+message) + "\n"
	case GitLab:
	}
	return ""
}

func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func githubProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",",
		"%2C").Replace(s)
}

func azureData(s string) string {
	return strings.NewReplacer("%", "%AZP25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func azureProperty(s string) string {
	return strings.NewReplacer("%", "%AZP25", "\r", "%0D", "\n", "%0A", ";", "%3B", "]",
		"%5D").Replace(s)
}

// gitlabName keeps of a section's name what GitLab reads as one.
func gitlabName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' &&
			r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, s)
}
