package term

import (
	"fmt"
	"io"
	"strings"
	"time"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Plain writes events as lines for logs and pipes: a UTC stamp, the phase, a verb, and a text.
// Every line begins with our own words, so foreign text can never be the first thing a CI runner
// reads. Signs of life and started gates are not shown; heartbeats show the latest of each running
// phase. One event is one Write.
type Plain struct {
	W      io.Writer
	Style  render.Style
	Layout string // of the stamps, as package time writes it; empty is 15:04:05
	Dir    string // the state directory as a person types it; empty is ".autobuild"

	err    error
	heard  map[string]string // phase id → last sign of life
	batch  batches
	column int // width of the labels
}

// Event writes the lines of one event. It always returns nil, because a closed pipe must not stop a
// run: Err has the error.
func (p *Plain) Event(e state.Event, run *state.Run) error {
	lines := p.Lines(e, run)
	if p.err == nil && len(lines) > 0 {
		_, p.err = p.W.Write(lines)
	}
	return nil
}

// Lines are the lines of one event, without writing them. Events have to come in their order.
func (p *Plain) Lines(e state.Event, run *state.Run) []byte {
	if p.heard == nil || e.Type == state.RunStarted {
		p.heard, p.batch, p.column = make(map[string]string), batches{}, labelColumn(run)
	}
	n := narrator{
		event: e, run: run, style: p.Style, layout: p.Layout, dir: p.Dir,
		column: p.column, heard: p.heard, batch: &p.batch,
	}
	n.tell()
	return n.out
}

// Err is the first error of the writer. Nothing is written after it.
func (p *Plain) Err() error { return p.err }

// narrator turns one event into lines.
type narrator struct {
	event  state.Event
	run    *state.Run
	style  render.Style
	layout string
	dir    string
	column int
	heard  map[string]string
	batch  *batches
	shape  shape // of a line; nil is that of a log
	out    []byte
}

// shape formats a line. The label in who is padded already.
type shape func(n *narrator, who, verb string, i render.Ink, text string) string

// say adds a line. Its text is clean already, or our own.
func (n *narrator) say(who, verb string, i render.Ink, content string) {
	draw := n.shape
	if draw == nil {
		draw = stamped
	}
	n.out = append(n.out, strings.TrimRight(draw(n, text.Pad(who, n.column), verb, i, content),
		" ")...)
	n.out = append(n.out, '\n')
}

// verbs is the width of the verbs' column.
const verbs = 8

// stamped is a line of a log.
func stamped(n *narrator, who, verb string, i render.Ink, content string) string {
	layout := n.layout
	if layout == "" {
		layout = time.TimeOnly
	}
	column := len(layout) + 1 + text.Width(who) + 1 + verbs + 1
	return paint(n.style, render.Faint, n.event.Time.UTC().Format(layout)) +
		" " + paint(n.style, render.Strong, who) + " " + paint(n.style, i, text.Pad(verb, verbs)) +
		" " + n.style.Rows(content, column, column)
}

// phase adds a line about the event's phase.
func (n *narrator) phase(verb string, i render.Ink, text string) {
	n.say(render.EventLabel(n.event, n.run, n.style), verb, i, text)
}

// labelColumn is the width of the labels' column.
func labelColumn(run *state.Run) int {
	const least, most = 3, 12
	width := least
	for i := range run.Phases {
		width = max(width, min(most, text.Width(text.Clean(run.Phases[i].Label, most))))
	}
	return width
}

func (n *narrator) show(text string) string { return n.style.Show(text, render.MaxLine) }

// tell writes the lines of the event.
func (n *narrator) tell() {
	e := n.event
	switch e.Type {
	case state.RunStarted:
		n.started()
	case state.PhaseStarted:
		n.attempt()
	case state.AgentFinished:
		n.heard[e.Phase] = "verifying"
		n.phase("agent", render.PlainInk, n.agent())
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
		n.phase("stopped", render.Warn, "interrupted; keeps its attempts")
	case state.PhaseBlocked:
		n.phase("blocked", render.Warn, "by "+n.name(e.By))
	case state.PhaseReset, state.PhaseAccepted, state.PhaseMended, state.PhaseSkipped,
		state.PhaseNoted, state.RunPaused, state.RunContinued, state.PlanEdited:
		n.changed()
	case state.Notice:
		n.phase("note", render.Warn, n.show(e.Text))
	case state.Activity:
		n.heard[e.Phase] = text.Clean(e.Text, 60)
	case state.Heartbeat:
		n.heartbeat()
	case state.RunFinished:
		n.ended()
	}
}

// changed reports what a user, or a resume, has changed.
func (n *narrator) changed() {
	text := n.show(n.event.Text)
	switch n.event.Type {
	case state.PhaseReset:
		n.phase("reset", render.PlainInk, text)
	case state.PhaseAccepted:
		n.phase("accepted", render.PlainInk, text)
	case state.PhaseMended:
		n.phase("mended", render.Warn, text)
	case state.PhaseSkipped:
		n.phase("skipped", render.PlainInk, text)
	case state.PhaseNoted:
		n.phase("note", render.PlainInk, n.show("of the user: "+n.event.Text))
	case state.RunPaused:
		n.say(render.WholeRun, "paused", render.Warn,
			n.show("nothing starts until: autobuild resume"))
	case state.RunContinued:
		n.say(render.WholeRun, "resumed", render.PlainInk, "the run goes on")
	case state.PlanEdited:
		n.say(render.WholeRun, "edited", render.Strong, n.show("the plan: "+n.event.Text))
	}
}

// name is the label of a phase that the event names by id.
func (n *narrator) name(id string) string {
	if p, ok := n.run.Find(id); ok {
		id = p.Label
	}
	return n.style.Show(id, 40)
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
	n.say(render.WholeRun, verb, render.Strong,
		n.show(fmt.Sprintf("autobuild %s, plan %s, %s in %s, jobs %d, commit %s, agent %s, run %s",
			c.Autobuild, c.Plan, text.Count(c.Counts.Phases, "phase"),
			text.Count(c.Counts.Batches, "batch"), c.Jobs, c.CommitMode,
			c.Agent+render.FallbackSuffix(c), c.RunID)))
	if t := n.run.Totals(); c.Sessions > 1 && t.Complete > 0 {
		n.say(render.WholeRun, "resume", render.PlainInk,
			fmt.Sprintf("%s complete already", text.Count(t.Complete, "phase")))
	}
	if len(c.Gates) == 0 {
		n.say(render.WholeRun, "gates", render.Warn, noGates)
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
	body := strings.Join(ready, ", ")
	if len(absent) > 0 {
		body = strings.TrimPrefix(body+"; not available: "+strings.Join(absent, ", "), "; ")
	}
	n.say(render.WholeRun, "gates", render.PlainInk, n.show(body))
}

// attempt reports that a phase starts, under the heading of its batch where that is new.
func (n *narrator) attempt() {
	e := n.event
	if heading := n.batch.heading(n.run, e.Phase); heading != "" {
		n.say(render.WholeRun, "batch", render.Strong, n.show(heading))
	}
	text := fmt.Sprintf("%s (attempt %d/%d)", n.style.Show(e.Name, 80), e.Attempt,
		max(e.Attempt, e.Attempts))
	text = strings.TrimSpace(text)
	if e.Agent != "" && e.Agent != n.run.Config.Agent {
		text += ", by " + n.style.Show(e.Agent, 40)
	}
	if e.Attempt == 1 {
		n.phase("start", render.Live, text)
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
	n.phase(verb, render.Warn, n.show(text))
}

func (n *narrator) agent() string {
	text := "ended; verifying"
	if n.event.Usage != nil {
		if s := render.Spent(*n.event.Usage); s != "" {
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
	word, i := render.GateWord(*g)
	body := g.Name
	if g.Landing {
		body += " after landing"
	}
	body += " " + word
	switch {
	case g.Failed > 0 && g.Count > 0:
		body += fmt.Sprintf(", %d of %d failed", g.Failed, g.Count)
	case g.Failed > 0:
		body += fmt.Sprintf(", %d found", g.Failed)
	case g.Count > 0:
		body += ", " + text.Count(g.Count, "test")
	}
	if g.Exit != 0 {
		body += fmt.Sprintf(", exit %d", g.Exit)
	}
	switch {
	case g.Reused != "":
		body += ", " + render.Reused(*g)
	case g.Duration > 0:
		body += ", " + render.Duration(g.Duration)
	}
	if g.Missing != "" {
		body += ": " + g.Missing + " is not installed"
	}
	if g.Status != state.GatePassed && g.Log != "" {
		body += ", log " + render.InStateDir(n.dir, g.Log)
	}
	n.phase("gate", i, n.show(body))
}

// heartbeat lists the running phases, for how long, with each one's last sign of life, and the
// waits.
func (n *narrator) heartbeat() {
	defer n.waitsOn()
	var running []string
	for i := range n.run.Phases {
		p := &n.run.Phases[i]
		if p.Status != state.Running {
			continue
		}
		body := p.Label
		if a, ok := p.Last(); ok {
			body += " " + render.Duration(n.event.Time.Sub(a.Started))
		}
		if last := n.heard[p.ID]; last != "" {
			body += " (" + last + ")"
		}
		running = append(running, body)
	}
	if len(running) == 0 {
		return
	}
	n.say(render.WholeRun, "running", render.Live, n.show(text.JoinSome(running, 8)))
}

func (n *narrator) ended() {
	end := n.event.End
	if end == nil {
		return
	}
	verb, i := "halted", render.Bad
	switch end.Outcome {
	case state.Done:
		verb, i = "done", render.Good
	case state.Interrupted, state.Stopped:
		verb, i = "stopped", render.Warn
	case state.Broken:
		verb = "error"
	case state.Halted:
	}
	d := render.NewOverview(n.run, false)
	text := d.Tally()
	if end.Reason != "" {
		text = d.Reason() + " (" + text + ")"
	}
	n.say(render.WholeRun, verb, i, n.show(text))
}
