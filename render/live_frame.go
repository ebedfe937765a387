package render

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// A phase that shows no sign of life for so long is called quiet.
const quietAfter = time.Minute

// frame draws the scene: the count, what is waited for, and a row a running phase, each shorter than the window is wide, and
// together with the cursor's row fewer than it has rows.
func (s *scene) frame(style Style, rows int, now time.Time) []string {
	if s.started.IsZero() || s.ended {
		return nil
	}
	f := framer{style: style, glyph: style.glyphs(), cells: max(style.Width, leastColumns) - 1, now: now}
	frame := []string{f.fit(s.counts(f))}
	room := max(0, rows-3) // for rows; one stays empty, one is the cursor's
	for _, p := range s.limits {
		frame = append(frame, f.fit(p.spans(f)))
	}
	f.measure(s.rows)
	for i := range s.rows {
		frame = append(frame, f.fit(s.rows[i].spans(f, s.agent)))
	}
	if over := len(frame) - 1 - room; over > 0 && room > 0 {
		frame = append(frame[:room], f.fit([]span{{f.glyph.more + " and " + strconv.Itoa(over+1) + " more", faint}}))
	}
	return frame[:min(len(frame), 1+room)]
}

// framer knows what rows of one frame have in common.
type framer struct {
	style       Style
	glyph       glyphs
	cells       int // that a row may take
	now         time.Time
	label, name int // widths of the columns
}

// measure finds the widths of the columns, from the window and from what stands in them.
func (f *framer) measure(rows []busy) {
	most := 10
	switch {
	case f.cells >= 110:
		most = 28
	case f.cells >= 60:
		most = 18
	}
	for i := range rows {
		f.label = max(f.label, Width(f.style.show(rows[i].label, 12)))
		f.name = max(f.name, Width(f.style.show(rows[i].name, most)))
	}
}

// roomy windows show costs, and every gate instead of the one that runs.
func (f *framer) roomy() bool { return f.cells >= 60 }

// fit paints spans until the row is full.
func (f *framer) fit(spans []span) string {
	var out strings.Builder
	left := f.cells
	for _, s := range spans {
		text := cut(s.text, left, f.glyph.more)
		if text == "" && s.text != "" {
			break
		}
		out.WriteString(f.style.paint(s.ink, text))
		left -= Width(text)
		if text != s.text {
			break
		}
	}
	return strings.TrimRight(out.String(), " ")
}

// counts is the row about the whole run.
func (s *scene) counts(f framer) []span {
	t := s.totals
	spans := []span{{fmt.Sprintf("%d/%d done", t.Complete, t.Phases-t.Skipped), strong}}
	for _, c := range []struct {
		n    int
		what string
		ink  ink
	}{
		{t.Running, "running", live}, {s.again, "to retry", warn}, {t.Failed - s.again, "failed", bad}, {t.Blocked, "blocked", warn}, {t.Waiting, "waiting", warn},
	} {
		if c.n > 0 {
			spans = append(spans, span{"  ", plainInk}, span{strconv.Itoa(c.n) + " " + c.what, c.ink})
		}
	}
	spans = append(spans, span{"  " + f.elapsed(s.started), plainInk})
	usage := t.Usage
	for i := range s.rows {
		told, before := s.rows[i].usage, s.rows[i].before
		usage.CostUSD += told.CostUSD - before.CostUSD
	}
	if c := cost(usage); c != "" {
		spans = append(spans, span{"  " + c, plainInk})
	}
	return append(spans, span{"  " + f.style.show(s.plan, longest), faint})
}

// spans is the row of a wait: whose, for what, until when. A narrow window has room for what is left of it.
func (p pause) spans(f framer) []span {
	left := p.until.Sub(f.now).Round(time.Second)
	text := "usage limit"
	if p.kind == failure.TransportError {
		text = "no way to its model"
	}
	switch {
	case left <= 0:
		text += ", due"
	case f.roomy():
		text += ", until " + f.style.moment(p.until, f.now)
	default:
		text = duration(left) + " more"
	}
	return []span{{f.glyph.waiting + " ", warn}, {f.style.show(cmp.Or(p.account, "the agent"), 24) + ": " + text + held(p.phases), plainInk}}
}

// spans is the row of a running phase, the most telling first: what does not fit is cut off at the end.
func (g *busy) spans(f framer, agent string) []span {
	const clock = 6
	elapsed := f.elapsed(g.started)
	spans := []span{
		{f.glyph.running + " ", live},
		{pad(f.style.show(g.label, 12), f.label) + " ", strong},
		{pad(f.style.show(g.name, f.name), f.name), plainInk},
		{strings.Repeat(" ", max(1, 1+clock-len(elapsed))) + elapsed, plainInk},
	}
	add := func(text string, i ink) {
		if text != "" {
			spans = append(spans, span{"  ", plainInk}, span{text, i})
		}
	}
	if g.attempt > 1 {
		add(fmt.Sprintf("try %d/%d", g.attempt, g.attempts), warn)
	}
	running := g.gate()
	if quiet := f.now.Sub(g.heard); quiet >= quietAfter && running == nil {
		add("quiet "+coarse(quiet), warn)
	}
	if f.roomy() {
		add(cost(g.usage), plainInk)
		if g.agent != "" && g.agent != agent {
			add("by "+f.style.show(g.agent, 20), plainInk)
		}
		if len(g.gates) > 0 {
			spans = append(spans, span{"  gates:", plainInk})
			for _, m := range g.gates {
				spans = append(spans, m.spans(f)...)
			}
		}
	}
	switch {
	case running != nil && !f.roomy():
		add("gate "+f.style.show(running.name, 20), plainInk)
	case running != nil:
		add(f.elapsed(running.started), faint)
	case len(g.gates) == 0 || !f.roomy():
		add(f.style.show(g.last, longest), faint)
	}
	return spans
}

// gate is the one that runs, nil where none does.
func (g *busy) gate() *gateMark {
	for i := len(g.gates) - 1; i >= 0; i-- {
		if g.gates[i].status == "" {
			return &g.gates[i]
		}
	}
	return nil
}

// spans is a gate with how it ended, or that it has not.
func (m gateMark) spans(f framer) []span {
	mark := span{f.glyph.more, live}
	switch {
	case m.status == "":
	case m.before, m.status == state.GateNotAvailable:
		mark = span{f.glyph.warned, warn}
	case m.status == state.GatePassed:
		mark = span{f.glyph.done, good}
	default:
		mark = span{f.glyph.failed, bad}
	}
	return []span{{" " + f.style.show(m.name, 20) + " ", plainInk}, mark}
}

// elapsed is the time since a moment, in whole seconds: a frame is drawn once a second.
func (f framer) elapsed(since time.Time) string {
	d := max(0, f.now.Sub(since))
	if d < 10*time.Second {
		return strconv.Itoa(int(d.Seconds())) + "s"
	}
	return duration(d)
}

// coarse is a duration in minutes.
func coarse(d time.Duration) string {
	if d < time.Hour {
		return strconv.Itoa(int(d.Minutes())) + "m"
	}
	return duration(d)
}
