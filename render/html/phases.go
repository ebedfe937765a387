package html

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// rowView is a phase in the table.
type rowView struct {
	Anchor, Label, Name     string
	Word, Mark, Class       string
	Tries, Took, Cost       string
	Changed, Commit, Remark string
	Only                    bool // there is no more of the phase on the page
}

// phaseView is a phase with everything that is known of it.
type phaseView struct {
	rowView
	Open     bool
	Parts    []partView
	Attempts []attemptView
	Files    []string
	Tail     string // of the most useful log
	TailName string
	TailLink string
}

// partView is a section of an explanation.
type partView struct {
	Name  string
	Text  []string
	Facts []factView
	Notes []string
	Steps []stepView
}

type factView struct {
	Name    string
	Lines   []string
	Code    bool
	Reasons []string
	Excerpt string
}

type stepView struct {
	Text     string
	Commands []string
}

// attemptView is an attempt in the table of a phase.
type attemptView struct {
	N                            int
	By, Started, Took, Cost      string
	Result, Mark, Class, Verdict string
	Gates                        []gateView
	Log                          string
}

// gateView is a gate of the run, or one run of it.
type gateView struct {
	Name, Word, Class, Facts, Command, Log string
}

// anchored matches the ids that may stand in an anchor as they are.
var anchored = lazyregexp.New(`^[A-Za-z0-9_.-]{0,64}$`)

// anchor is the name by which links lead to a phase. An id of other characters than plans have is
// one of an edited file.
func anchor(p *state.Phase) string {
	if anchored.MatchString(p.ID) {
		return "phase-" + p.ID
	}
	sum := sha256.Sum256([]byte(p.ID))
	return "phase-" + hex.EncodeToString(sum[:8])
}

// rowOf is a phase as it is listed.
func (g *pager) rowOf(p *state.Phase) rowView {
	word, mark, i := g.Word(p, g.glyph)
	row := rowView{
		Anchor: anchor(p), Label: g.text(p.Label, 24), Name: g.text(p.Name, 120), Word: word,
		Mark: mark, Class: className(i),
		Only:  g.only[p.ID],
		Tries: render.Tries(p), Took: render.Elapsed(p, g.Alive, g.Now), Cost: render.Cost(p.Spent),
		Remark: g.text(render.Remark(g.Overview, p, render.Style{}, g.Now), 200),
	}
	if a, ok := p.Last(); ok && a.Changes.Len() > 0 {
		row.Changed = text.Count(a.Changes.Len(), "file")
	}
	if p.Commit != nil && p.Commit.SHA != "" {
		row.Commit = g.text(p.Commit.SHA[:min(len(p.Commit.SHA), 10)], 10)
		if n, ok := g.Changed[p.Commit.SHA]; ok {
			row.Changed = fmt.Sprintf("%s, +%d −%d", text.Count(n.Files, "file"), n.Added,
				n.Deleted)
		}
	}
	return row
}

// className is the CSS class of an ink.
func className(i render.Ink) string {
	switch i {
	case render.Good:
		return "good"
	case render.Bad:
		return "bad"
	case render.Warn:
		return "warn"
	case render.Live:
		return "live"
	case render.PlainInk, render.Strong, render.Faint:
	}
	return "idle"
}

// table lists every phase, in plan order.
func (g *pager) table() []rowView {
	rows := make([]rowView, len(g.Page.Run.Phases))
	g.rows = make(map[string]rowView, len(rows))
	for i := range g.Page.Run.Phases {
		p := &g.Page.Run.Phases[i]
		rows[i] = g.rowOf(p)
		g.rows[p.ID] = rows[i]
	}
	return rows
}

// failedPhases come first; the bounds of the page leave out the last of them.
func (g *pager) failedPhases(v *pageView) {
	for i, p := range g.ByStatus[state.Failed] {
		v.Failed = append(v.Failed, g.phase(p, i < mostExplained, i < mostOpen))
	}
	if len(v.Failed) > 1 {
		for _, f := range v.Failed[:min(len(v.Failed), mostExplained)] {
			v.Jumps = append(v.Jumps, f.rowView)
		}
		if n := len(v.Failed) - mostExplained; n > 0 {
			v.Jumps = append(v.Jumps, rowView{Anchor: "all", Label: fmt.Sprintf("and %d more", n)})
		}
	}
}

// choose finds the phases that the page has no room to describe: of those that did not fail, the
// last in plan order, and verified, pending and skipped ones before others.
func (g *pager) choose() {
	phases := g.Page.Run.Phases
	excess := len(phases) - max(mostDescribed, len(g.ByStatus[state.Failed]))
	g.only = make(map[string]bool, max(0, excess))
	for _, quiet := range []bool{true, false} {
		for i := len(phases) - 1; i >= 0 && len(g.only) < excess; i-- {
			if p := &phases[i]; p.Status != state.Failed && isQuiet(p) == quiet {
				g.only[p.ID] = true
			}
		}
	}
}

// isQuiet reports whether a row says all that most readers want to know of a phase.
func isQuiet(p *state.Phase) bool {
	switch p.Status {
	case state.Pending, state.Skipped:
		return true
	case state.Complete:
		a, ok := p.Last()
		return ok && a.Verdict == state.Verified && len(p.Contested()) == 0
	case state.Running, state.Waiting, state.Failed, state.Blocked:
	}
	return false
}

// others are the phases that did not fail and that the page describes.
func (g *pager) others() []phaseView {
	var all []phaseView
	for i := range g.Page.Run.Phases {
		if p := &g.Page.Run.Phases[i]; p.Status != state.Failed && !g.only[p.ID] {
			all = append(all, g.phase(p, false, false))
		}
	}
	return all
}

// phase is the view of one phase; with logs it has an excerpt of the log of its failure.
func (g *pager) phase(p *state.Phase, logs, open bool) phaseView {
	v := phaseView{rowView: g.rows[p.ID], Open: open}
	if g.short {
		v.Parts = []partView{{Text: []string{"There was no room for more of it on this page."}}}
		return v
	}
	e := render.Explanation{
		Run: g.Page.Run, Phase: p, Alive: g.Alive, Dir: g.Ending.Dir,
		Program: g.Ending.Program, Resume: g.Ending.Resume,
	}
	if logs {
		e.Read = g.Read
	}
	v.Parts = g.parts(render.ExplainLines(e, render.Style{}), !g.Past && g.advises(p))
	for i := range p.Attempts {
		v.Attempts = append(v.Attempts, g.attempt(p, &p.Attempts[i]))
	}
	if a, ok := p.Last(); ok {
		const most = 40
		paths := a.Changes.Paths()
		for _, name := range paths[:min(len(paths), most)] {
			v.Files = append(v.Files, g.text(name, 200))
		}
		if all := a.Changes.Len(); all > min(len(paths), most) {
			v.Files = append(v.Files, fmt.Sprintf("and %d more", all-min(len(paths), most)))
		}
		if logs && a.Failure != nil {
			g.tail(&v, a)
		}
	}
	return v
}

// tail is the end of the most useful log of a failed attempt. Where the file is gone, the state
// has kept a little of it.
func (g *pager) tail(v *phaseView, a state.Attempt) {
	name := render.LogOf(a)
	text := ""
	if g.Read != nil && name != "" {
		text = g.Read(name)
	}
	for _, gate := range a.Gates {
		if strings.TrimSpace(text) == "" && gate.Log == name {
			text = gate.Tail
		}
	}
	v.TailName, v.TailLink, v.Tail = g.text(render.InStateDir(g.Ending.Dir, name), 400),
		g.link(name), g.lastRows(text)
}

// lastRows are the last rows of a log, cleaned one by one; how far each is indented stays.
func (g *pager) lastRows(text string) string {
	const most, width = 30, 240
	text = text[max(0, len(text)-64<<10):]
	rows := strings.Split(strings.TrimRight(text, "\r\n\t "), "\n")
	rows = rows[max(0, len(rows)-most):]
	for i, row := range rows {
		bare := strings.TrimLeft(row, " \t")
		indent := strings.ReplaceAll(row[:len(row)-len(bare)], "\t", "    ")
		rows[i] = strings.TrimRight(indent[:min(len(indent), 32)]+g.text(bare, width), " ")
	}
	return strings.Join(rows, "\n")
}

// advises reports whether the page says what to do about a phase: where a person has to look at it,
// and where the run goes on and the page has no form for commands.
func (g *pager) advises(p *state.Phase) bool {
	last, _ := p.Last()
	switch p.Status {
	case state.Failed, state.Blocked:
		return true
	case state.Complete:
		return len(p.Contested()) > 0 || !p.Edited.IsZero() || len(last.Review.Notes()) > 0
	}
	return g.Alive && (g.Page.Live == nil || !g.Page.Live.Steers)
}

// parts turns an explanation into sections. Without advise it leaves the section of next steps out.
func (g *pager) parts(said []render.ExplainLine, advise bool) []partView {
	parts := []partView{{}}
	for _, it := range said {
		part := &parts[len(parts)-1]
		switch it.Kind {
		case render.AsTitle: // the page has it as a heading
		case render.AsSection:
			if it.Text == render.WhatToDo && !advise {
				return parts
			}
			parts = append(parts, partView{Name: it.Text})
		case render.AsSentence:
			part.Text = append(part.Text, g.text(it.Text, 1200))
		case render.AsFact, render.AsPath:
			g.fact(part, it)
		case render.AsEvidence, render.AsExcerpt:
			g.below(part, it)
		case render.AsRemark:
			part.Notes = append(part.Notes, g.text(it.Text, 600))
		case render.AsStep:
			part.Steps = append(part.Steps, stepView{Text: g.text(it.Text, 800)})
		case render.AsCommand:
			if n := len(part.Steps); n > 0 {
				part.Steps[n-1].Commands = append(part.Steps[n-1].Commands, g.whole(it.Text))
			}
		}
	}
	return parts
}

// fact adds a fact. One without a name goes on with the one before.
func (g *pager) fact(part *partView, it render.ExplainLine) {
	text := g.text(it.Text, 1200)
	if n := len(part.Facts); it.Name == "" && n > 0 && part.Facts[n-1].Excerpt == "" {
		part.Facts[n-1].Lines = append(part.Facts[n-1].Lines, text)
		return
	}
	part.Facts = append(part.Facts, factView{
		Name: it.Name, Lines: []string{text},
		Code: it.Kind == render.AsPath,
	})
}

// below adds a reason or a row of a log to the fact that it belongs to.
func (g *pager) below(part *partView, it render.ExplainLine) {
	if len(part.Facts) == 0 {
		part.Facts = append(part.Facts, factView{Name: "details"})
	}
	f := &part.Facts[len(part.Facts)-1]
	if it.Kind == render.AsEvidence {
		f.Reasons = append(f.Reasons, g.text(it.Text, 400))
		return
	}
	f.Excerpt += g.text(it.Text, 400) + "\n"
}

// attempt is one attempt as a row.
func (g *pager) attempt(p *state.Phase, a *state.Attempt) attemptView {
	v := attemptView{
		N: a.N, By: g.text(render.WorkerOf(*a), 80), Started: moment(a.Started),
		Cost: render.Cost(a.Usage), Verdict: string(a.Verdict), Log: g.link(a.Log),
		Result: "complete", Mark: g.glyph.Done, Class: "good",
	}
	if a.Duration > 0 {
		v.Took = render.Duration(a.Duration)
	}
	switch {
	case a.Failure != nil:
		v.Result, v.Mark, v.Class = g.text(string(a.Failure.Type), 60), g.glyph.Failed, "bad"
		if d := a.Decision; d != nil {
			v.Result += ", then " + g.text(render.DecisionWords(d), 60)
		}
	case p.Status == state.Running && a.N == len(p.Attempts):
		v.Result, v.Mark, v.Class = "running", g.glyph.Running, "live"
		if !g.Alive {
			v.Result, v.Mark, v.Class = "cut off", g.glyph.Warned, "warn"
		}
	}
	const most = 30
	for i := range a.Gates {
		if i == most {
			v.Gates = append(v.Gates, gateView{Name: fmt.Sprintf("and %d more", len(a.Gates)-most)})
			break
		}
		v.Gates = append(v.Gates, g.gate(&a.Gates[i]))
	}
	return v
}

// gate is one run of a gate.
func (g *pager) gate(q *state.Gate) gateView {
	word, i := render.GateWord(*q)
	v := gateView{
		Name: g.text(q.Name, 60), Word: word, Class: className(i),
		Command: g.text(q.Command, 200), Log: g.link(q.Log),
	}
	var facts []string
	switch {
	case q.Failed > 0 && q.Count > 0:
		facts = append(facts, fmt.Sprintf("%d of %d", q.Failed, q.Count))
	case q.Failed > 0:
		facts = append(facts, fmt.Sprintf("%d found", q.Failed))
	case q.Count > 0:
		facts = append(facts, text.Count(q.Count, "test"))
	}
	switch {
	case q.Reused != "":
		facts = append(facts, render.Reused(*q))
	case q.Duration > 0:
		facts = append(facts, render.Duration(q.Duration))
	}
	if q.Landing {
		facts = append(facts, "after landing")
	}
	v.Facts = strings.Join(facts, ", ")
	return v
}

// gates lists the gates that the run began with.
func (g *pager) gates(v *pageView) {
	for _, q := range g.Page.Run.Config.Gates {
		row := gateView{
			Name: g.text(q.Name, 60), Command: g.text(q.Command, 300),
			Word: "available", Class: "good", Facts: g.text(q.Source, 80),
		}
		if !q.Available {
			row.Word, row.Class = "not installed", "warn"
		}
		v.Gates = append(v.Gates, row)
	}
}
