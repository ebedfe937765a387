package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// longest is the room for foreign text in a progress line, in cells.
const longest = 200

// Plain writes what happens as lines for logs and pipes: a UTC stamp, the phase, a verb, and what there is to say.
// Every line begins with our own words, so foreign text can never be the first thing a CI runner reads. Signs of life
// and started gates are not shown; heartbeats tell the latest of each running phase. One event is one Write.
type Plain struct {
	W      io.Writer
	Style  Style
	Layout string // of the stamps, as package time writes it; empty is 15:04:05
	Dir    string // the state directory as a person types it; empty is ".autobuild"

	err    error
	heard  map[string]string // phase id → last sign of life
	batch  batches
	column int // width of the labels
}

// Event writes the lines of one event. It always returns nil, because a closed pipe must not stop a run: Err tells.
func (p *Plain) Event(e state.Event, run *state.Run) error {
	if p.heard == nil || e.Type == state.RunStarted {
		p.heard, p.batch, p.column = make(map[string]string), batches{}, labelColumn(run)
	}
	n := narrator{event: e, run: run, style: p.Style, layout: p.Layout, dir: p.Dir, column: p.column, heard: p.heard, batch: &p.batch}
	n.tell()
	if p.err == nil && len(n.out) > 0 {
		_, p.err = p.W.Write(n.out)
	}
	return nil
}

// Err is the first error of the writer. Nothing is written after it.
func (p *Plain) Err() error { return p.err }

// narrator turns one event into lines.
type narrator struct {
	event  state.Event
	run    *state.Run
	style  Style
	layout string
	dir    string
	column int
	heard  map[string]string
	batch  *batches
	shape  shape // of a line; nil is that of a log
	out    []byte
}

// shape makes a line of what say is told. Who is padded already.
type shape func(n *narrator, who, verb string, i ink, text string) string

// say adds a line. Its text is clean already, or our own.
func (n *narrator) say(who, verb string, i ink, text string) {
	draw := n.shape
	if draw == nil {
		draw = stamped
	}
	n.out = append(n.out, strings.TrimRight(draw(n, pad(who, n.column), verb, i, text), " ")...)
	n.out = append(n.out, '\n')
}

// verbs is the width of the verbs' column.
const verbs = 8

// stamped is a line of a log.
func stamped(n *narrator, who, verb string, i ink, text string) string {
	layout := n.layout
	if layout == "" {
		layout = time.TimeOnly
	}
	column := len(layout) + 1 + Width(who) + 1 + verbs + 1
	return n.style.paint(faint, n.event.Time.UTC().Format(layout)) +
		" " + n.style.paint(strong, who) + " " + n.style.paint(i, pad(verb, verbs)) + " " + n.style.rows(text, column, column)
}

// phase adds a line about the event's phase.
func (n *narrator) phase(verb string, i ink, text string) { n.say(n.label(), verb, i, text) }

// whole stands where the label would, in lines about the run.
const whole = ".."

// labelColumn is the width of the labels' column.
func labelColumn(run *state.Run) int {
	const least, most = 3, 12
	width := least
	for i := range run.Phases {
		width = max(width, min(most, Width(Clean(run.Phases[i].Label, most))))
	}
	return width
}

func (n *narrator) label() string {
	label := n.event.Label
	if label == "" {
		label = n.event.Phase
	}
	if p, ok := n.run.Find(n.event.Phase); ok && n.event.Label == "" {
		label = p.Label
	}
	if label == "" {
		return whole
	}
	return n.style.show(label, 12)
}

func (n *narrator) show(text string) string { return n.style.show(text, longest) }

// tell writes what the event has to say.
func (n *narrator) tell() {
	e := n.event
	switch e.Type {
	case state.RunStarted:
		n.started()
	case state.PhaseStarted:
		n.attempt()
	case state.AgentFinished:
		n.heard[e.Phase] = "verifying"
		n.phase("agent", plainInk, n.agent())
	case state.GateStarted:
		if e.Gate != nil {
			n.heard[e.Phase] = "gate " + e.Gate.Name
		}
	case state.GateFinished:
		n.gate()
	case state.AttemptFinished:
		delete(n.heard, e.Phase)
		n.finished()
	case state.PhaseInterrupted:
		delete(n.heard, e.Phase)
		n.phase("stopped", warn, "interrupted; keeps its attempts")
	case state.PhaseBlocked:
		n.phase("blocked", warn, "by "+n.name(e.By))
	case state.PhaseReset:
		n.phase("reset", plainInk, n.show(e.Text))
	case state.PhaseAccepted:
		n.phase("accepted", plainInk, n.show(e.Text))
	case state.PhaseMended:
		n.phase("mended", warn, n.show(e.Text))
	case state.PhaseSkipped:
		n.phase("skipped", plainInk, n.show(e.Text))
	case state.Notice:
		n.phase("note", warn, n.show(e.Text))
	case state.Activity:
		n.heard[e.Phase] = Clean(e.Text, 60)
	case state.Heartbeat:
		n.heartbeat()
	case state.RunFinished:
		n.ended()
	}
}

// name is the label of a phase that the event names by id.
func (n *narrator) name(id string) string {
	if p, ok := n.run.Find(id); ok {
		id = p.Label
	}
	return n.style.show(id, 40)
}

func (n *narrator) started() {
	c := n.run.Config
	if n.event.Config != nil {
		c = *n.event.Config
	}
	verb := "start"
	if c.Sessions > 1 {
		verb = "resume"
	}
	n.say(whole, verb, strong, n.show(fmt.Sprintf("autobuild %s, plan %s, %s in %s, jobs %d, commit %s, agent %s, run %s",
		c.Autobuild, c.Plan, count(c.Counts.Phases, "phase"), count(c.Counts.Batches, "batch"), c.Jobs, c.CommitMode, c.Agent+instead(c), c.RunID)))
	if t := n.run.Totals(); c.Sessions > 1 && t.Complete > 0 {
		n.say(whole, "resume", plainInk, fmt.Sprintf("%s complete already", count(t.Complete, "phase")))
	}
	if len(c.Gates) == 0 {
		n.say(whole, "gates", warn, noGates)
		return
	}
	var ready, absent []string
	for _, g := range c.Gates {
		if g.Available {
			ready = append(ready, g.Name)
			continue
		}
		absent = append(absent, strings.TrimSuffix(g.Name+" ("+g.Tool+")", " ()"))
	}
	text := strings.Join(ready, ", ")
	if len(absent) > 0 {
		text = strings.TrimPrefix(text+"; not available: "+strings.Join(absent, ", "), "; ")
	}
	n.say(whole, "gates", plainInk, n.show(text))
}

// attempt tells that a phase starts, under the heading of its batch where that is new.
func (n *narrator) attempt() {
	e := n.event
	if heading := n.batch.heading(n.run, e.Phase); heading != "" {
		n.say(whole, "batch", strong, n.show(heading))
	}
	text := fmt.Sprintf("%s (attempt %d/%d)", n.style.show(e.Name, 80), e.Attempt, max(e.Attempt, e.Attempts))
	text = strings.TrimSpace(text)
	if e.Agent != "" && e.Agent != n.run.Config.Agent {
		text += ", by " + n.style.show(e.Agent, 40)
	}
	if e.Attempt == 1 {
		n.phase("start", live, text)
		return
	}
	verb := "retry"
	if p, ok := n.run.Find(e.Phase); ok {
		how := ", told of its "
		if asked(p) != "" {
			verb, how = "escalate", ", to look into its "
		}
		if past := p.Failures(); len(past) > 0 {
			text += how + string(past[len(past)-1].Type)
		}
	}
	n.phase(verb, warn, n.show(text))
}

func (n *narrator) agent() string {
	text := "ended; verifying"
	if n.event.Usage != nil {
		if s := spent(*n.event.Usage); s != "" {
			text = "ended, " + s + "; verifying"
		}
	}
	if n.event.Text != "" {
		text += ": " + n.show(n.event.Text)
	}
	return text
}

func (n *narrator) gate() {
	g := n.event.Gate
	if g == nil {
		return
	}
	n.heard[n.event.Phase] = "verifying"
	word, i := gateWord(*g)
	text := g.Name
	if g.Landing {
		text += " after landing"
	}
	text += " " + word
	switch {
	case g.Failed > 0 && g.Count > 0:
		text += fmt.Sprintf(", %d of %d failed", g.Failed, g.Count)
	case g.Failed > 0:
		text += fmt.Sprintf(", %d found", g.Failed)
	case g.Count > 0:
		text += ", " + count(g.Count, "test")
	}
	if g.Exit != 0 {
		text += fmt.Sprintf(", exit %d", g.Exit)
	}
	if g.Duration > 0 {
		text += ", " + duration(g.Duration)
	}
	if g.Missing != "" {
		text += ": " + g.Missing + " is not installed"
	}
	if g.Status != state.GatePassed && g.Log != "" {
		text += ", log " + under(n.dir, g.Log)
	}
	n.phase("gate", i, n.show(text))
}

// unproven says why nothing proves an attempt's work.
func unproven(a state.Attempt) string {
	if inconclusive(a) {
		return "the gates failed before it as well, and prove nothing"
	}
	return "no gate was run"
}

// inconclusive reports whether gates ran, and told nothing of the attempt's work.
func inconclusive(a state.Attempt) bool {
	return slices.ContainsFunc(a.Gates, func(g state.Gate) bool { return g.Before == state.NotComparable })
}

func gateWord(g state.Gate) (string, ink) {
	if g.Before != "" {
		return "fails as before", warn
	}
	switch g.Status {
	case state.GatePassed:
		return "passed", good
	case state.GateTimeout:
		return "TIMED OUT", bad
	case state.GateNotAvailable:
		return "not available", warn
	case state.GateFailed:
	}
	return "FAILED", bad
}

func (n *narrator) finished() {
	a := n.event.Result
	if a == nil {
		return
	}
	if a.Failure == nil {
		n.done(*a)
	} else {
		n.failed(*a)
	}
	for _, line := range n.batch.sequel(n.event, n.run) {
		n.say(n.style.show(line.who, 12), "next", warn, n.show(line.text))
	}
}

func (n *narrator) done(a state.Attempt) {
	parts := []string{duration(a.Duration)}
	if c := cost(a.Usage); c != "" {
		parts = append(parts, c)
	}
	if a.Tasks.Total > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d tasks", a.Tasks.Done, a.Tasks.Total))
	}
	if proof := proofWord(a.Proof); proof != "" {
		parts = append(parts, proof)
	}
	if a.Commit != nil {
		parts = append(parts, n.style.show(subject(a.Commit.Message), 100))
		if a.Commit.SHA != "" && commits(n.run) {
			parts = append(parts, short(n.style.show(a.Commit.SHA, 40)))
		}
	}
	n.phase("done", good, strings.Join(parts, "  "))
	switch a.Verdict {
	case state.Unverified:
		n.phase("note", warn, "unverified: "+unproven(a))
	case state.Upgraded:
		n.phase("note", warn, "upgraded: the agent reported failure, yet all gates pass and every task is done")
	case state.Verified, state.Refused:
	}
	contested := contestLines(a.Contested())
	for _, line := range contested[:min(len(contested), foldContested)] {
		n.phase("note", warn, n.style.show("contested: "+line, 2*longest))
	}
	for _, w := range a.Warnings[:min(len(a.Warnings), 10)] {
		n.phase("note", warn, n.show(w))
	}
	if a.Commit != nil && a.Commit.Undelivered != "" {
		n.phase("note", warn, n.show("not yet in your checkout: "+a.Commit.Undelivered))
	}
}

func (n *narrator) failed(a state.Attempt) {
	f := a.Failure
	if d := a.Decision; d != nil && d.Action == failure.Wait {
		n.waits(f, d)
		return
	}
	allowed := a.N
	if p, ok := n.run.Find(n.event.Phase); ok {
		allowed = max(allowed, p.MaxAttempts)
	}
	verb := "FAILED"
	if d := a.Decision; d != nil && d.Action == failure.Block {
		verb = "BLOCKED"
	}
	n.phase(verb, bad, n.style.show(failureLine(a), 2*longest)+
		fmt.Sprintf(" (attempt %d/%d, %s)", a.N, allowed, duration(a.Duration)))
	if len(f.Tests) > 0 {
		names := make([]string, len(f.Tests))
		for i, t := range f.Tests {
			names[i] = t.Name
		}
		n.phase("tests", plainInk, n.show(some(names, foldTests)))
	}
	log := a.Log
	if refused(a) {
		log = logOf(a)
	}
	if log != "" {
		n.phase("log", plainInk, n.show(under(n.dir, log)))
	}
}

// heartbeat tells what runs, for how long, and each one's last sign of life; and what is waited for.
func (n *narrator) heartbeat() {
	defer n.waitsOn()
	var running []string
	for i := range n.run.Phases {
		p := &n.run.Phases[i]
		if p.Status != state.Running {
			continue
		}
		text := p.Label
		if a, ok := p.Last(); ok {
			text += " " + duration(n.event.Time.Sub(a.Started))
		}
		if last := n.heard[p.ID]; last != "" {
			text += " (" + last + ")"
		}
		running = append(running, text)
	}
	if len(running) == 0 {
		return
	}
	n.say(whole, "running", live, n.show(some(running, 8)))
}

func (n *narrator) ended() {
	end := n.event.End
	if end == nil {
		return
	}
	verb, i := "halted", bad
	switch end.Outcome {
	case state.Done:
		verb, i = "done", good
	case state.Interrupted, state.Stopped:
		verb, i = "stopped", warn
	case state.Broken:
		verb = "error"
	case state.Halted:
	}
	text := digest(n.run, false).tally()
	if end.Reason != "" {
		text = end.Reason + " (" + text + ")"
	}
	n.say(whole, verb, i, n.show(text))
}
