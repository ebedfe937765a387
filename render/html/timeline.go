package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// timeView is the drawing of when things happened: a row a phase, from left to right, the time
// between two sessions folded.
type timeView struct {
	Width, Height, Foot int
	Folded              bool
	Rows                []trackView
	Ticks               []tickView
	Pauses              []tickView
	Left                string // names the omitted part
}

// trackView is a phase's row.
type trackView struct {
	Anchor, Label, Note string
	TextY               int
	NoteX               int
	Bars                []barView
}

// barView is one stretch of time.
type barView struct {
	X, W  float64
	Y, H  int
	Class string
	Mark  string // drawn on it where there is room
	MarkX float64
	Title string
}

// tickView is a mark of the axis.
type tickView struct {
	X    float64
	Text string
}

// The measures of a timeline, in pixels.
const (
	trackLeft   = 170 // where time begins
	trackWidth  = 620
	trackRight  = 110 // for what a phase took
	trackTop    = 26
	trackHeight = 24
	trackPause  = 26 // between two sessions
)

// stretch is one activity of a phase, from one moment to another.
type stretch struct {
	phase    string
	class    string // good, bad, warn, live; gate-…; wait
	what     string
	from, to time.Time
}

// timeline draws the spans of the diary.
func (g *pager) timeline() *timeView {
	h := g.chronicle()
	if len(h.spans) == 0 || len(g.Page.Run.Phases) > mostDrawn {
		return nil
	}
	axis := newAxis(h.sessions)
	v := &timeView{Width: trackLeft + trackWidth + trackRight}
	v.Ticks, v.Pauses = axis.ticks(), axis.pauses()
	rows := make(map[string]int)
	drawn := 0
	for _, s := range h.spans {
		p, ok := g.Page.Run.Find(s.phase)
		if !ok {
			continue
		}
		if drawn++; drawn > 4*mostDrawn {
			v.Left = "Not everything that happened is drawn."
			break
		}
		i, ok := rows[s.phase]
		if !ok {
			i = len(v.Rows)
			rows[s.phase] = i
			v.Rows = append(v.Rows, g.track(p, trackTop+i*trackHeight))
		}
		v.Rows[i].Bars = append(v.Rows[i].Bars, axis.bar(s, trackTop+i*trackHeight, g.glyph))
	}
	v.Folded = len(v.Rows) > fewDrawn
	v.Foot = trackTop + len(v.Rows)*trackHeight
	v.Height = v.Foot + 6
	return v
}

func (g *pager) track(p *state.Phase, y int) trackView {
	_, mark, _ := g.Word(p, g.glyph)
	note := render.Elapsed(p, g.Alive, g.Now)
	if c := render.Cost(p.Spent); c != "" {
		note += " · " + c
	}
	return trackView{
		Anchor: anchor(p), Label: mark + " " + text.Cut(g.text(p.Label+" "+p.Name, 60), 20, "…"),
		Note:  note,
		TextY: y + 15, NoteX: trackLeft + trackWidth + 8,
	}
}

// bar draws a span. Gates lie on the foot of their attempt.
func (x axis) bar(s stretch, y int, g render.Marks) barView {
	from, to := x.at(s.from), x.at(s.to)
	b := barView{
		X: from, W: round(max(to-from, 1.5)), Y: y + 4, H: 15, Class: s.class,
		Title: fmt.Sprintf("%s, %s, from %s", s.what, render.Duration(s.to.Sub(s.from)),
			moment(s.from)),
	}
	switch s.class {
	case "gate-good", "gate-bad", "gate-warn":
		b.Y, b.H = y+14, 5
	case "wait":
		b.Y, b.H = y+9, 5
	}
	marks := map[string]string{"good": g.Done, "bad": g.Failed, "live": g.Running, "warn": g.Warned}
	if mark := marks[s.class]; mark != "" && b.W >= 16 {
		b.Mark, b.MarkX = mark, round(b.X+b.W/2)
	}
	return b
}

// axis maps moments to places. Time between sessions takes no room but a fixed gap.
type axis struct {
	sessions []session
	scale    float64 // pixels a second
	gap      float64
}

// session is a stretch of time in which a session worked on the run.
type session struct{ from, to time.Time }

func newAxis(sessions []session) axis {
	x := axis{sessions: sessions}
	if n := len(sessions) - 1; n > 0 {
		x.gap = min(trackPause, trackWidth/3/float64(n))
	}
	total := 0.0
	for _, s := range sessions {
		total += s.to.Sub(s.from).Seconds()
	}
	x.scale = (trackWidth - x.gap*float64(max(0, len(sessions)-1))) / max(total, 0.001)
	return x
}

// at is where a moment lies. Before the first session is its beginning, between two the middle of
// the gap.
func (x axis) at(t time.Time) float64 {
	place := float64(trackLeft)
	for i, s := range x.sessions {
		if i > 0 {
			place += x.gap
		}
		if t.Before(s.from) {
			if i > 0 {
				place -= x.gap / 2
			}
			return round(place)
		}
		if !t.After(s.to) {
			return round(place + t.Sub(s.from).Seconds()*x.scale)
		}
		place += s.to.Sub(s.from).Seconds() * x.scale
	}
	return round(place)
}

// ticks stand at round times of work since the run began.
func (x axis) ticks() []tickView {
	const most = 7
	var total time.Duration
	for _, s := range x.sessions {
		total += s.to.Sub(s.from)
	}
	step := time.Second
	for _, seconds := range []int{
		1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 2 * 3600,
		5 * 3600, 12 * 3600, 24 * 3600,
	} {
		if step = time.Duration(seconds) * time.Second; total/step <= most {
			break
		}
	}
	for total/step > most {
		step *= 2
	}
	ticks := []tickView{{X: trackLeft, Text: "0"}}
	var worked time.Duration
	for _, s := range x.sessions {
		long := s.to.Sub(s.from)
		for t := worked.Truncate(step) + step; t <= worked+long; t += step {
			ticks = append(ticks, tickView{x.at(s.from.Add(t - worked)), roundTime(t)})
		}
		worked += long
	}
	return ticks
}

// roundTime is a round time without parts that are nothing: "5m", "2h".
func roundTime(t time.Duration) string {
	switch {
	case t%time.Hour == 0:
		return fmt.Sprintf("%dh", t/time.Hour)
	case t > time.Hour:
		return fmt.Sprintf("%dh%02dm", t/time.Hour, t%time.Hour/time.Minute)
	case t%time.Minute == 0:
		return fmt.Sprintf("%dm", t/time.Minute)
	}
	return fmt.Sprintf("%ds", t/time.Second)
}

// pauses are between the sessions.
func (x axis) pauses() []tickView {
	var all []tickView
	for i := 1; i < len(x.sessions); i++ {
		before, s := x.sessions[i-1], x.sessions[i]
		all = append(all,
			tickView{
				round(x.at(s.from) - x.gap/2),
				"paused for " + render.Duration(s.from.Sub(before.to)) + ", until " +
					moment(s.from),
			})
	}
	return all
}

func round(f float64) float64 { return math.Round(f*10) / 10 }

// chronicle collects the times of the diary.
type chronicle struct {
	spans    []stretch
	sessions []session
	open     map[string]stretch // attempts that run, by phase
	gates    map[string]stretch
	waits    map[string]stretch
	last     time.Time
}

// chronicle reads the diary; without one, the attempts that the run still holds.
func (g *pager) chronicle() *chronicle {
	h := &chronicle{
		open: map[string]stretch{}, gates: map[string]stretch{},
		waits: map[string]stretch{},
	}
	for i := range g.Events {
		if e := &g.Events[i]; e.Run == g.Page.Run.Config.RunID && !e.Time.IsZero() {
			h.event(e)
		}
	}
	if len(h.sessions) == 0 {
		h.remembered(g.Page.Run)
	}
	if len(h.sessions) > 0 && g.Alive && g.Page.Run.End == nil {
		h.last = latest(h.last, g.Now)
		h.sessions[len(h.sessions)-1].to = h.last
		h.close("live", "running")
	}
	h.close("warn", "cut off")
	position := make(map[string]int, len(g.Page.Run.Phases))
	for i := range g.Page.Run.Phases {
		position[g.Page.Run.Phases[i].ID] = i
	}
	slices.SortStableFunc(h.spans, func(a, b stretch) int {
		return cmp.Or(a.from.Compare(b.from), cmp.Compare(position[a.phase], position[b.phase]),
			b.to.Compare(a.to), cmp.Compare(a.what, b.what))
	})
	return h
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (h *chronicle) event(e *state.Event) {
	if e.Type == state.RunStarted {
		h.close("warn", "cut off")
		h.sessions = append(h.sessions, session{e.Time, e.Time})
	}
	if len(h.sessions) == 0 {
		return // a diary whose beginning is gone
	}
	h.last = latest(h.last, e.Time)
	h.sessions[len(h.sessions)-1].to = h.last
	switch e.Type {
	case state.PhaseStarted:
		if w, ok := h.waits[e.Phase]; ok {
			h.end(w, e.Time)
			delete(h.waits, e.Phase)
		}
		h.open[e.Phase] = stretch{
			phase: e.Phase, what: fmt.Sprintf("attempt %d", e.Attempt),
			from: e.Time,
		}
	case state.GateStarted:
		if e.Gate != nil {
			h.gates[e.Phase+"\x00"+e.Gate.Name] = stretch{phase: e.Phase, from: e.Time}
		}
	case state.GateFinished:
		h.gate(e)
	case state.AttemptFinished, state.PhaseInterrupted:
		h.attempt(e)
	}
}

func (h *chronicle) end(s stretch, to time.Time) {
	s.to = to
	if !s.to.Before(s.from) {
		h.spans = append(h.spans, s)
	}
}

func (h *chronicle) gate(e *state.Event) {
	if e.Gate == nil || e.Gate.Status == state.GateNotAvailable {
		return
	}
	key := e.Phase + "\x00" + e.Gate.Name
	s, ok := h.gates[key]
	delete(h.gates, key)
	if !ok {
		s = stretch{phase: e.Phase, from: e.Time.Add(-e.Gate.Duration)}
	}
	word, i := render.GateWord(*e.Gate)
	s.class, s.what = "gate-"+className(i), "gate "+text.Clean(e.Gate.Name, 60)+" "+word
	h.end(s, e.Time)
}

// attempt ends the running attempt. After a limit, or a failure that is retried, the phase waits.
func (h *chronicle) attempt(e *state.Event) {
	s, ok := h.open[e.Phase]
	delete(h.open, e.Phase)
	if !ok {
		return
	}
	wait := stretch{phase: e.Phase, class: "wait", from: e.Time}
	switch {
	case e.Type == state.PhaseInterrupted:
		s.class, s.what = "warn", s.what+", interrupted"
	case e.Result != nil && e.Result.Failure == nil:
		s.class, s.what = "good", s.what+", complete"
	case e.Status == state.Waiting:
		s.class, s.what, wait.what = "warn", s.what+", met a limit", "waits for a limit"
	default:
		s.class, s.what = "bad", s.what+", failed"
		if e.Result != nil && e.Result.Decision != nil && e.Result.Decision.Again() {
			wait.what = "waits for its next attempt"
		}
	}
	if wait.what != "" {
		h.waits[e.Phase] = wait
	}
	h.end(s, e.Time)
}

// close ends what is open at the end of a session.
func (h *chronicle) close(class, word string) {
	for _, s := range h.open {
		s.class, s.what = class, s.what+", "+word
		h.end(s, h.last)
	}
	for _, s := range h.waits {
		h.end(s, h.last)
	}
	clear(h.open)
	clear(h.waits)
	clear(h.gates)
}

// remembered are the finished attempts, as one session.
func (h *chronicle) remembered(run *state.Run) {
	for i := range run.Phases {
		p := &run.Phases[i]
		for _, a := range p.Attempts {
			if a.Started.IsZero() || a.Duration <= 0 {
				continue
			}
			s := stretch{
				phase: p.ID, class: "good", what: fmt.Sprintf("attempt %d", a.N),
				from: a.Started, to: a.Started.Add(a.Duration),
			}
			if a.Failure != nil {
				s.class, s.what = "bad", s.what+", failed"
			}
			h.spans = append(h.spans, s)
			if len(h.sessions) == 0 {
				h.sessions = []session{{s.from, s.to}}
			}
			only := &h.sessions[0]
			if s.from.Before(only.from) {
				only.from = s.from
			}
			only.to = latest(only.to, s.to)
		}
	}
	if len(h.sessions) > 0 {
		h.last = h.sessions[0].to
	}
}
