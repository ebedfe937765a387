package term

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// A phase that shows no sign of life for so long is called quiet.
const quietAfter = time.Minute

// frame draws the scene: the count, the waits, and a row a running phase, each shorter than the
// window is wide, and together with the cursor's row fewer than it has rows.
func (s *scene) frame(style render.Style, rows int, now time.Time) []string {
	if s.started.IsZero() || s.ended {
		return nil
	}
	f := framer{
		style: style, glyph: style.Marks(), cells: max(style.Width, leastColumns) - 1,
		now: now,
	}
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
		frame = append(frame[:room],
			f.fit([]span{{f.glyph.More + " and " + strconv.Itoa(over+1) + " more", render.Faint}}))
	}
	return frame[:min(len(frame), 1+room)]
}

// framer holds the measures that all rows of one frame share.
type framer struct {
	style       render.Style
	glyph       render.Marks
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
		f.label = max(f.label, text.Width(f.style.Show(rows[i].label, 12)))
		f.name = max(f.name, text.Width(f.style.Show(rows[i].name, most)))
	}
}

// roomy windows show costs, and every gate instead of the one that runs.
func (f *framer) roomy() bool { return f.cells >= 60 }

// fit paints spans until the row is full.
func (f *framer) fit(spans []span) string {
	var out strings.Builder
	left := f.cells
	for _, s := range spans {
		content := text.Cut(s.text, left, f.glyph.More)
		if content == "" && s.text != "" {
			break
		}
		out.WriteString(paint(f.style, s.ink, content))
		left -= text.Width(content)
		if content != s.text {
			break
		}
	}
	return strings.TrimRight(out.String(), " ")
}

// counts is the row about the whole run.
func (s *scene) counts(f framer) []span {
	t := s.totals
	spans := []span{{fmt.Sprintf("%d/%d done", t.Complete, t.Phases-t.Skipped), render.Strong}}
	if s.paused {
		spans = append(spans, span{"  paused", render.Warn})
	}
	for _, c := range []struct {
		n    int
		what string
		ink  render.Ink
	}{
		{t.Running, "running", render.Live},
		{s.again, "to retry", render.Warn},
		{t.Failed - s.again, "failed", render.Bad},
		{t.Blocked, "blocked", render.Warn},
		{t.Waiting, "waiting", render.Warn},
	} {
		if c.n > 0 {
			spans = append(spans, span{"  ", render.PlainInk},
				span{strconv.Itoa(c.n) + " " + c.what, c.ink})
		}
	}
	spans = append(spans, span{"  " + f.elapsed(s.started), render.PlainInk})
	usage := t.Usage
	for i := range s.rows {
		told, before := s.rows[i].usage, s.rows[i].before
		usage.CostUSD += told.CostUSD - before.CostUSD
	}
	if c := render.Cost(usage); c != "" {
		spans = append(spans, span{"  " + c, render.PlainInk})
	}
	return append(spans, span{"  " + f.style.Show(s.plan, render.MaxLine), render.Faint})
}

// spans is the row of a wait: the account, the reason and its end. A narrow window has room for
// what is left of it.
func (p pause) spans(f framer) []span {
	left := p.until.Sub(f.now).Round(time.Second)
	text := awaited(p.kind)
	switch {
	case left <= 0:
		text += ", due"
	case f.roomy():
		text += ", until " + f.style.Moment(p.until, f.now)
	default:
		text = render.Duration(left) + " more"
	}
	return []span{
		{f.glyph.Waiting + " ", render.Warn},
		{
			f.style.Show(cmp.Or(p.account, "the agent"), 24) + ": " + text + held(p.phases),
			render.PlainInk,
		},
	}
}

// spans is the row of a running phase, the most important first: the end is cut off where it does
// not fit.
func (g *busy) spans(f framer, agent string) []span {
	const clock = 6
	elapsed := f.elapsed(g.started)
	spans := []span{
		{f.glyph.Running + " ", render.Live},
		{text.Pad(f.style.Show(g.label, 12), f.label) + " ", render.Strong},
		{text.Pad(f.style.Show(g.name, f.name), f.name), render.PlainInk},
		{strings.Repeat(" ", max(1, 1+clock-len(elapsed))) + elapsed, render.PlainInk},
	}
	add := func(text string, i render.Ink) {
		if text != "" {
			spans = append(spans, span{"  ", render.PlainInk}, span{text, i})
		}
	}
	if g.attempt > 1 {
		add(fmt.Sprintf("try %d/%d", g.attempt, g.attempts), render.Warn)
	}
	running := g.gate()
	if quiet := f.now.Sub(g.heard); quiet >= quietAfter && running == nil {
		add("quiet "+coarse(quiet), render.Warn)
	}
	if f.roomy() {
		add(render.Cost(g.usage), render.PlainInk)
		if g.agent != "" && g.agent != agent {
			add("by "+f.style.Show(g.agent, 20), render.PlainInk)
		}
		if len(g.gates) > 0 {
			spans = append(spans, span{"  gates:", render.PlainInk})
			for _, m := range g.gates {
				spans = append(spans, m.spans(f)...)
			}
		}
	}
	switch {
	case running != nil && !f.roomy():
		add("gate "+f.style.Show(running.name, 20), render.PlainInk)
	case running != nil:
		add(f.elapsed(running.started), render.Faint)
	case len(g.gates) == 0 || !f.roomy():
		add(f.style.Show(g.last, render.MaxLine), render.Faint)
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
	mark := span{f.glyph.More, render.Live}
	switch {
	case m.status == "":
	case m.before, m.status == state.GateNotAvailable:
		mark = span{f.glyph.Warned, render.Warn}
	case m.status == state.GatePassed:
		mark = span{f.glyph.Done, render.Good}
	default:
		mark = span{f.glyph.Failed, render.Bad}
	}
	return []span{{" " + f.style.Show(m.name, 20) + " ", render.PlainInk}, mark}
}

// elapsed is the time since a moment, in whole seconds: a frame is drawn once a second.
func (f framer) elapsed(since time.Time) string {
	d := max(0, f.now.Sub(since))
	if d < 10*time.Second {
		return strconv.Itoa(int(d.Seconds())) + "s"
	}
	return render.Duration(d)
}

// coarse is a duration in minutes.
func coarse(d time.Duration) string {
	if d < time.Hour {
		return strconv.Itoa(int(d.Minutes())) + "m"
	}
	return render.Duration(d)
}
