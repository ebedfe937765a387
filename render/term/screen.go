package term

import (
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Screen shows a run on a terminal while it goes on: final lines scroll up as lasting lines, and
// below them a frame is drawn over and over, a count and a row for everything that runs or is
// waited for. It only writes: it asks the terminal nothing, hides nothing and uses no second
// screen, so that foreign output over it costs a row of the frame and never a lasting line. Event
// and Say take new content; Paint turns content that is not shown yet into bytes. They belong under
// one lock, the writing of the bytes does not: a terminal that has been stopped must not stop the
// run.
type Screen struct {
	Style render.Style // its Width counts until the first Paint
	Dir   string       // the state directory as a person types it; empty is ".autobuild"

	scene  scene
	heard  map[string]string
	batch  batches
	column int
	lines  []string // lasting, to be written
	region region

	columns int       // of the window when it was painted last
	resized time.Time // when that was last another number
}

// Window is a terminal's window at the moment of painting.
type Window struct {
	Columns, Rows int
	Behind        bool // another job has the terminal: lasting lines only, and no cursor movements
}

// settling is how long a window's width must have stayed before a frame is drawn again: one that is
// being dragged would be left with a torn frame for every width.
const settling = 300 * time.Millisecond

// Event takes what happened. It always returns nil.
func (l *Screen) Event(e state.Event, run *state.Run) error {
	if l.heard == nil || e.Type == state.RunStarted {
		l.heard, l.batch, l.column = make(map[string]string), batches{}, labelColumn(run)
		l.scene = scene{started: e.Time}
	}
	l.scene.take(e, run)
	if lasting(e.Type) {
		style := l.Style
		if l.columns > 0 {
			style.Width = l.columns
		}
		n := narrator{
			event: e, run: run, style: style, dir: l.Dir, column: l.column,
			heard: l.heard, batch: &l.batch, shape: glanced,
		}
		n.tell()
		for line := range strings.Lines(string(n.out)) {
			l.lines = append(l.lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return nil
}

// lasting events get lines; the frame shows the others while they matter.
func lasting(t state.EventType) bool {
	switch t {
	case state.PhaseStarted, state.AgentFinished, state.GateStarted, state.GateFinished,
		state.Activity, state.Heartbeat:
		return false
	}
	return true
}

// Say adds lasting lines from elsewhere. The text is cleaned.
func (l *Screen) Say(text string) {
	for line := range strings.Lines(text) {
		l.lines = append(l.lines, l.Style.Show(line, 0))
	}
}

// Paint returns the bytes that bring the window up to date, as one write; empty where it is so
// already.
func (l *Screen) Paint(w Window, now time.Time) []byte {
	if w.Columns != l.columns {
		if l.columns != 0 {
			l.resized = now
		}
		l.columns = w.Columns
	}
	if w.Behind {
		l.Forget()
		return l.region.behind(l.take())
	}
	if !l.resized.IsZero() && now.Sub(l.resized) < settling {
		if len(l.lines) == 0 {
			return nil
		}
		return l.region.paint(l.take(), nil, w)
	}
	style := l.Style
	style.Width = w.Columns
	return l.region.paint(l.take(), l.scene.frame(style, w.Rows, now), w)
}

// Clear writes the lasting lines that are left, and takes the frame away.
func (l *Screen) Clear(w Window) []byte {
	if w.Behind {
		l.Forget()
		return l.region.behind(l.take())
	}
	return l.region.paint(l.take(), nil, w)
}

// Forget leaves what is drawn where it is, because another program may have written below it.
func (l *Screen) Forget() { l.region = region{} }

func (l *Screen) take() []string {
	lines := l.lines
	l.lines = nil
	return lines
}

// glanced is a lasting line: a sign that is found at a glance, the phase, a verb.
func glanced(n *narrator, who, verb string, i render.Ink, content string) string {
	g := n.style.Marks()
	sign := " "
	switch verb {
	case "done":
		sign = g.Done
	case "FAILED", "BLOCKED", "halted", "error":
		sign = g.Failed
	case "start", "resume", "next":
		sign = g.Running
	case "waiting":
		sign = g.Waiting
	case "blocked":
		sign = g.Blocked
	case "stopped", "note":
		sign = g.Warned
	case "skipped", "reset":
		sign = g.Skipped
	}
	name := ""
	if p, ok := n.run.Find(n.event.Phase); ok &&
		(verb == "done" || verb == "FAILED" || verb == "BLOCKED") && p.Name != "" {
		name = n.style.Show(p.Name, 40)
		content = name + "  " + content
	}
	column := 2 + text.Width(who) + 1 + verbs + 1
	content = n.style.Rows(content, column, column)
	if rest, whole := strings.CutPrefix(content, name); whole { // else it is broken in two
		content = paint(n.style, render.Strong, name) + rest
	}
	return paint(n.style, i, sign) + " " + paint(n.style, render.Strong, who) + " " +
		paint(n.style, i, text.Pad(verb, verbs)) + " " + content
}

// scene is the content of a frame: a copy, because it is drawn while the run goes on.
type scene struct {
	plan     string
	agent    string // of the run
	started  time.Time
	ended    bool
	paused   bool
	totals   state.Totals
	again    int // failed phases with another attempt left
	rows     []busy
	limits   []pause
	sleepers int // phases that nothing but the limit keeps from starting, as the loop counts them
	sleeping string
}

// busy is a running phase.
type busy struct {
	id, label, name, agent string
	attempt, attempts      int
	started, heard         time.Time
	last                   string // sign of life
	gates                  []gateMark
	usage                  state.Usage // of all its attempts, as far as reported
	before                 state.Usage // of the attempts before this one
}

type gateMark struct {
	name    string
	status  state.GateStatus // empty while it runs
	started time.Time
	before  bool // it fails as it did before the phase
}

// pause is a usage limit, or an agent's way to its model, that is waited for.
type pause struct {
	account string
	kind    failure.Type
	until   time.Time
	phases  int
}

// take brings the scene up to date.
func (s *scene) take(e state.Event, run *state.Run) {
	if e.Waiting > 0 {
		s.sleeping, s.sleepers = e.Account, e.Waiting
	}
	if e.Type.Lifecycle() {
		s.plan, s.agent, s.totals = run.Config.Plan, run.Config.Agent, run.Totals()
		s.ended, s.paused = e.Type == state.RunFinished, !run.Config.Paused.IsZero()
		s.collect(e, run)
		return
	}
	i := slices.IndexFunc(s.rows, func(g busy) bool { return g.id == e.Phase })
	if i < 0 {
		return
	}
	g := &s.rows[i]
	if e.Type == state.Activity && e.Quiet > 0 {
		return
	}
	g.heard = e.Time
	switch e.Type {
	case state.Activity:
		g.last = e.Text
	case state.AgentFinished:
		g.last = "verifying"
		if e.Usage != nil {
			g.usage = g.before.Add(*e.Usage)
		}
	case state.GateStarted:
		if e.Gate != nil {
			g.mark(gateMark{name: e.Gate.Name, started: e.Time})
		}
	case state.GateFinished:
		if e.Gate != nil {
			g.mark(gateMark{name: e.Gate.Name, status: e.Gate.Status, before: e.Gate.Before != ""})
		}
	}
}

// mark says how a gate stands. One that is run again, after landing or to be sure, keeps its place.
func (g *busy) mark(m gateMark) {
	i := slices.IndexFunc(g.gates, func(known gateMark) bool { return known.name == m.name })
	if i < 0 {
		g.gates = append(g.gates, m)
		return
	}
	g.gates[i] = m
}

// collect finds the running phases and the waits.
func (s *scene) collect(e state.Event, run *state.Run) {
	known := s.rows
	s.rows, s.again = nil, 0
	waiting := make(map[string]int)
	for i := range run.Phases {
		p := &run.Phases[i]
		switch p.Status {
		case state.Waiting:
			waiting[p.Account]++
		case state.Failed:
			if p.Retry {
				s.again++
			}
		case state.Running:
			a, _ := p.Last()
			if k := slices.IndexFunc(known, func(g busy) bool {
				return g.id == p.ID && g.started.Equal(a.Started)
			}); k >= 0 {
				s.rows = append(s.rows, known[k])
				continue
			}
			g := busy{
				id: p.ID, label: p.Label, name: p.Name, agent: a.Agent, attempt: a.N,
				attempts: max(a.N, p.MaxAttempts),
				started:  a.Started, heard: a.Started, usage: p.Spent, before: p.Spent,
			}
			if e.Phase == p.ID && e.Attempts > 0 {
				g.attempts = max(a.N, e.Attempts)
			}
			s.rows = append(s.rows, g)
		}
	}
	s.limits = nil
	for account, limit := range run.Limited() {
		n := waiting[account]
		if account == s.sleeping && n > 0 {
			n = max(n, s.sleepers)
		}
		if n > 0 {
			s.limits = append(s.limits, pause{account, limit.Type, limit.Until, n})
		}
	}
	slices.SortFunc(s.limits, func(a, b pause) int { return strings.Compare(a.account, b.account) })
}
