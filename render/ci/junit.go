package ci

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
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

// Room for the end of a log in one test case, in lines: more for failures.
const (
	outPassed = 40
	outFailed = 200
)

// Suites is the input of a JUnit file.
type Suites struct {
	Run  *state.Run // nil or empty: nothing had begun
	Plan string     // its path, for the names
	// the end of a log, by its name in the state directory; nil: none can be read
	Read func(log string) string
	Exit int // the program's exit code
	// why it ended where Run does not say; empty for an end that it says
	Err  string
	Time time.Time // of the end
}

// The document, within xunit's schema 10: an element or attribute beyond it makes strict readers
// refuse the file.
type (
	junitRoot struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		ID         string          `xml:"id,attr,omitempty"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`

		took time.Duration
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Time    string       `xml:"time,attr"`
		Skipped *junitResult `xml:"skipped"`
		Error   *junitResult `xml:"error"`
		Failure *junitResult `xml:"failure"`
		Flaky   *junitFlaky  `xml:"flakyFailure"`
		Out     string       `xml:"system-out,omitempty"`
	}
	junitResult struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
	junitFlaky struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr,omitempty"`
		Trace   string `xml:"stackTrace,omitempty"`
		Out     string `xml:"system-out,omitempty"`
	}
)

// JUnit is the run for readers of test results: a suite a phase, in it a case for every attempt and
// for every gate of it. A failure in a phase that completed later is a flaky failure and not a
// failure; phases that had no turn are skipped. A run that did not come to the end of its plan for
// another reason than failed phases has an error in a suite of its own, so that no such file is
// ever all green.
func JUnit(s Suites) ([]byte, error) {
	root := junitRoot{
		Name: "autobuild " + text.CleanLine(s.Plan, render.MaxLine),
		Time: junitTime(0),
	}
	if s.Run != nil {
		for i := range s.Run.Phases {
			root.add(s.phase(&s.Run.Phases[i]))
		}
		if s.Run.End != nil {
			root.Time = junitTime(s.Run.End.Elapsed)
		}
	}
	root.add(s.whole(root.Failures))
	text, err := xml.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding JUnit XML: %w", err)
	}
	return slices.Concat([]byte(xml.Header), bytes.TrimSpace(text), []byte("\n")), nil
}

func (r *junitRoot) add(suite junitSuite) {
	for _, c := range suite.Cases {
		suite.Tests++
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	suite.Time = junitTime(suite.took)
	r.Tests, r.Failures, r.Errors = r.Tests+suite.Tests, r.Failures+suite.Failures,
		r.Errors+suite.Errors
	r.Suites = append(r.Suites, suite)
}

// whole is the suite of the run itself. Failures says how many the phases' suites have.
func (s Suites) whole(failures int) junitSuite {
	suite := junitSuite{Name: "run", Timestamp: junitStamp(s.Time)}
	c := junitCase{Class: s.class("run"), Name: "the plan is complete", Time: junitTime(0)}
	reason := s.Err
	if s.Run != nil && s.Run.End != nil {
		suite.took = s.Run.End.Elapsed
		reason = cmp.Or(reason, s.Run.End.Reason)
	}
	if s.Run != nil && s.Run.Config.RunID != "" {
		suite.Properties = []junitProperty{
			{"run", text.CleanLine(s.Run.Config.RunID, render.MaxLine)},
			{"agent", text.CleanLine(s.Run.Config.Agent, render.MaxLine)},
			{"commit mode", text.CleanLine(string(s.Run.Config.CommitMode), render.MaxLine)},
		}
	}
	c.Time = junitTime(suite.took)
	if s.Exit != 0 && (failures == 0 || s.Err != "") {
		first, _, _ := strings.Cut(reason, "\n") // the text has the rest
		c.Error = &junitResult{
			Type:    "exit code " + strconv.Itoa(s.Exit),
			Message: text.CleanLine(first, render.MaxLine), Text: lines(s.Err, outFailed),
		}
	}
	if failures > 0 && c.Error == nil {
		c.Skipped = &junitResult{Message: text.CleanLine(reason, render.MaxLine)}
	}
	suite.Cases = append([]junitCase{c}, s.finals()...)
	return suite
}

// class is the name that readers show as a class in a package: the phase in the plan.
func (s Suites) class(name string) string {
	stem := strings.TrimSuffix(path.Base(strings.ReplaceAll(s.Plan, `\`, "/")), ".md")
	flat := strings.NewReplacer(".", "_", "/", "_")
	return flat.Replace(cmp.Or(text.CleanLine(stem, 80), "plan")) + "." +
		flat.Replace(text.CleanLine(name, 80))
}

func (s Suites) phase(p *state.Phase) junitSuite {
	suite := junitSuite{
		Name: text.CleanLine(strings.TrimSpace(p.Label+" "+p.Name), render.MaxLine),
		ID:   text.CleanLine(p.ID, 80), Timestamp: junitStamp(p.Started),
	}
	suite.Properties = append(suite.Properties, junitProperty{"status", string(p.Status)})
	if v := p.Verdict(); v != "" {
		suite.Properties = append(suite.Properties, junitProperty{"verdict", string(v)})
	}
	if a, ok := p.Last(); ok && a.Proof != "" {
		suite.Properties = append(suite.Properties, junitProperty{"proof", string(a.Proof)})
	}
	if a, ok := p.Last(); ok && a.Review != nil {
		suite.Properties = append(suite.Properties,
			junitProperty{"review", text.CleanLine(render.ReviewWords(a.Review), 400)})
	}
	contested := render.ContestLines(p.Contested())
	if len(contested) > 0 {
		suite.Properties = append(suite.Properties,
			junitProperty{"contested", strconv.Itoa(len(contested))})
	}
	if p.Commit != nil && p.Commit.SHA != "" {
		suite.Properties = append(suite.Properties,
			junitProperty{"commit", text.CleanLine(p.Commit.SHA, 80)})
	}
	if money := render.Cost(p.Spent); money != "" {
		suite.Properties = append(suite.Properties, junitProperty{"cost", money})
	}
	class := s.class("phase-" + p.ID)
	for i := range p.Attempts {
		suite.took += p.Attempts[i].Duration
		suite.Cases = append(suite.Cases, s.attempt(p, i, class)...)
	}
	if len(contested) > 0 { // no failure: the run's own case says that a person has to decide
		c := junitCase{Class: class, Name: "contested", Time: junitTime(0)}
		for i, line := range contested {
			contested[i] = text.CleanLine(line, 400)
		}
		c.say(strings.Join(contested, "\n"))
		suite.Cases = append(suite.Cases, c)
	}
	if len(suite.Cases) == 0 {
		c := junitCase{Class: class, Name: "attempt 1", Time: junitTime(0)}
		if p.Status != state.Complete { // complete without attempts: a tick in the plan
			c.Skipped = &junitResult{Message: text.CleanLine(s.idle(p), render.MaxLine)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}

// idle says why a phase had no turn.
func (s Suites) idle(p *state.Phase) string {
	text := string(p.Status)
	switch p.Status {
	case state.Blocked:
		text += " by " + render.NewOverview(s.Run, false).Label(p.BlockedBy)
	case state.Pending:
		return "not started"
	case state.Skipped, state.Running, state.Waiting, state.Complete, state.Failed:
	}
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	return text
}

// attempt is the case of an attempt and those of its gates.
func (s Suites) attempt(p *state.Phase, i int, class string) []junitCase {
	a := &p.Attempts[i]
	name := "attempt " + strconv.Itoa(a.N)
	c := junitCase{Class: class, Name: name, Time: junitTime(a.Duration)}
	last := i == len(p.Attempts)-1
	room := outPassed
	switch {
	case a.Failure != nil && a.Decision != nil && a.Decision.Action == failure.Wait:
		c.Skipped = &junitResult{
			Type:    string(a.Failure.Type),
			Message: text.CleanLine("waits: "+a.Failure.Message, render.MaxLine),
		}
	case a.Failure != nil:
		c.fails(p, junitResult{
			string(a.Failure.Type),
			text.CleanLine(a.Failure.Message, render.MaxLine), found(a.Failure),
		})
		room = outFailed
	case last && p.Status != state.Complete:
		c.Skipped = &junitResult{Type: "interrupted", Message: "interrupted; keeps its attempts"}
	}
	c.say(s.tail(a.Log, room))
	cases := []junitCase{c}
	taken := make(map[string]bool)
	for k := range a.Gates {
		g := s.gate(p, a, &a.Gates[k], class)
		base := name + ": " + g.Name
		g.Name = base
		for n := 2; taken[g.Name]; n++ {
			g.Name = base + " (" + strconv.Itoa(n) + ")"
		}
		taken[g.Name] = true
		cases = append(cases, g)
	}
	return cases
}

func (s Suites) gate(p *state.Phase, a *state.Attempt, g *state.Gate, class string) junitCase {
	c := junitCase{Class: class, Name: text.CleanLine(g.Name, 80), Time: junitTime(g.Duration)}
	if g.Landing {
		c.Name += " after landing"
	}
	room := outPassed
	switch {
	case g.Status == state.GatePassed:
	case g.Status == state.GateNotAvailable:
		c.Skipped = &junitResult{Message: text.CleanLine(cmp.Or(g.Missing, "its tool")+
			" is not installed", render.MaxLine)}
	case g.Before != "":
		c.Skipped = &junitResult{Message: "fails as it did before the phase"}
	default:
		word, _ := render.GateWord(*g)
		result := junitResult{
			cmp.Or(g.Kind, "gate"),
			text.CleanLine(gateText(g, strings.ToLower(word)), render.MaxLine),
			cmp.Or(places(g.Tests, g.Places), lines(g.Tail, outPassed)),
		}
		room = outFailed
		if g.Flaky || a.Verdict.Passed() {
			c.Flaky = &junitFlaky{Type: result.Type, Message: result.Message, Trace: result.Text}
		} else {
			c.fails(p, result)
		}
	}
	out := s.tail(g.Log, room)
	if out == "" && g.Tail != "" {
		out = lines(g.Tail, room)
	}
	c.say(out)
	return c
}

// fails gives a case its failure. In a phase that has completed since it is a flaky one.
func (c *junitCase) fails(p *state.Phase, r junitResult) {
	r.Type = text.CleanLine(r.Type, 80)
	if p.Status == state.Complete {
		c.Flaky = &junitFlaky{Type: r.Type, Message: r.Message, Trace: r.Text}
		return
	}
	c.Failure = &r
}

// say puts output where readers look for it.
func (c *junitCase) say(out string) {
	if c.Flaky != nil {
		c.Flaky.Out = out
		return
	}
	c.Out = out
}

// gateText is "test FAILED, 3 of 47 failed, exit 1".
func gateText(g *state.Gate, word string) string {
	text := g.Name + " " + word
	switch {
	case g.Failed > 0 && g.Count > 0:
		text += fmt.Sprintf(", %d of %d failed", g.Failed, g.Count)
	case g.Failed > 0:
		text += fmt.Sprintf(", %d found", g.Failed)
	}
	if g.Exit != 0 {
		text += fmt.Sprintf(", exit %d", g.Exit)
	}
	return text
}

// found lists the findings of a diagnosis, in lines.
func found(f *failure.Diagnosis) string {
	text := places(f.Tests, f.Places)
	if f.Details != "" {
		text = strings.TrimRight(lines(f.Details, outFailed)+"\n"+text, "\n")
	}
	return text
}

// places are tests and findings, a line each as compilers write it.
func places(tests []failure.Test, found []failure.Place) string {
	var out []string
	for _, t := range tests {
		out = append(out, spot(t.File, t.Line, t.Name, t.Said()))
	}
	for _, q := range found {
		out = append(out, spot(q.File, q.Line, q.Rule, q.Message))
	}
	return strings.Join(out, "\n")
}

func spot(file string, line int, texts ...string) string {
	var parts []string
	if file != "" {
		parts = append(parts, render.FileLine(file, line))
	}
	for _, text := range texts {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return text.CleanLine(strings.Join(parts, ": "), 400)
}

// tail is the end of a log.
func (s Suites) tail(log string, room int) string {
	if log == "" || s.Read == nil {
		return ""
	}
	return lines(s.Read(log), room)
}

// lines are the last lines of foreign text, indented as they were and with nothing in them that a
// terminal, a CI runner or a reader of XML could obey or refuse.
func lines(content string, room int) string {
	rows := text.LastLines(content, room)
	for i, row := range rows {
		rows[i] = text.DisarmLines(text.Indented(row))
	}
	return strings.Join(rows, "\n")
}

func junitTime(d time.Duration) string {
	return strconv.FormatFloat(max(d, 0).Seconds(), 'f', 3, 64)
}

func junitStamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05")
}
