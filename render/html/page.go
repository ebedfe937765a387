// Package html draws a run as one self-contained HTML document for a browser. The page is a
// template over a view whose foreign text is clean and bounded, so that the template only escapes
// it. The package has no notion of where the page is served or stored.
package html

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the page's template, look and script
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Page is the input of one HTML document about a run. Every field but Run may be empty.
type Page struct {
	// nil: there is none to show; Observed says why, or there is none yet
	Run *state.Run
	// the diary, oldest first; without it the timeline has finished attempts only
	Events []state.Event
	Alive  bool          // a session works on the run
	Now    time.Time     // when the page is written
	Ending render.Ending // how autobuild is called, and the files and refs that it left behind
	// the text of a log by its name in the state directory, "" where there is none
	Read func(name string) string
	// the address of the state directory as seen from the page, ending in a slash; empty: logs are
	// named, not linked
	Files   string
	Changed map[string]Changed // by full name of a commit
	// the run was set aside: nothing can be done about it any more
	Past bool
	Live *Live // nil: a file that never changes
	// facts about the page itself: a diary that could not be read
	Observed []string
	// no run to show because the call was not taken, rather than because its state is not readable
	Refused bool
}

// Changed is the size of a commit.
type Changed struct{ Files, Added, Deleted int }

// Live is the server that a page comes from.
type Live struct {
	Nonce string // of this answer; lets the one script run
	Runs  []RunLink
	// the page has a form for commands to the run, which its script posts to "commands"
	Steers bool
}

// RunLink leads to a run of the same directory.
type RunLink struct {
	Name, Address string
	Here          bool // it is the one that is shown
}

// Bounds of a page. Foreign text beyond them is left out, with a mark on the page: five hundred
// phases with long logs must not make a page that no browser opens.
const (
	mostForeign   = 1200 << 10 // bytes of foreign text, as they are written
	mostExplained = 24         // failed phases whose logs are read
	mostOpen      = 3          // failed phases that are unfolded
	mostDescribed = 1000       // phases with all that is known of them; of others there is a row
	mostDrawn     = 1500       // phases in the graph and in the timeline, edges between them
	fewDrawn      = 60         // phases up to which both are drawn large and unfolded
)

//go:embed templates/report.html
var pageText string

//go:embed templates/report.css
var pageLook string

//go:embed templates/live.js
var pageScript string

// pageTemplate is parsed when the first page is made.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
})

// Document is the page: one document that needs nothing else, and runs no script unless it is live.
func Document(p Page) ([]byte, error) {
	var out bytes.Buffer
	if err := pageTemplate().Execute(&out, p.view()); err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return out.Bytes(), nil
}

// Policy is the content security policy of the page: nothing is loaded, and nothing but our own
// look and, on a live page, our own script is obeyed.
func (p Page) Policy() string {
	sum := sha256.Sum256([]byte(pageLook))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
	if p.Live != nil {
		policy += "; script-src 'nonce-" + p.Live.Nonce + "'; connect-src 'self'"
	}
	return policy
}

// pageView is the input of the template. Foreign text in it is clean and bounded; the template
// escapes it.
type pageView struct {
	Policy   string
	Look     template.CSS
	Script   template.JS
	Nonce    string
	Live     bool
	Steers   bool
	Runs     []RunLink
	Title    string
	Plan     string
	ID       string
	Word     string // how the run stands
	Mark     string
	Class    string
	Tally    string
	Reason   string
	Facts    []factView
	Advice   []adviceView
	Observed []string
	Failed   []phaseView
	Jumps    []rowView // to failed phases, where they are several
	Warnings []string
	Graph    *graphView
	Time     *timeView
	Rows     []rowView
	Phases   []phaseView
	Rest     int // phases of which there is a row only
	Gates    []gateView
	Written  string
	Cut      bool // foreign text was left out
	Empty    bool
}

type adviceView struct {
	Caption string
	Lines   []string
}

// pager puts a page together.
type pager struct {
	Page
	render.Overview
	rows  map[string]rowView // by id
	only  map[string]bool    // ids of phases of which there is a row only
	room  int                // bytes of foreign text that may still be written
	short bool
	glyph render.Marks
}

func (p Page) view() pageView {
	v := pageView{
		Policy: p.Policy(), Look: template.CSS(pageLook), //nolint:gosec // a constant of ours
		Title: "autobuild", Written: moment(p.Now), Empty: p.Run == nil, Class: "warn",
	}
	if p.Live != nil {
		v.Live, v.Nonce, v.Runs = true, p.Live.Nonce, p.Live.Runs
		v.Steers = p.Live.Steers && p.Run != nil && p.Run.End == nil
		v.Script = template.JS(pageScript) //nolint:gosec // a constant of ours
	}
	if p.Run == nil {
		v.Word, v.Mark = "no run yet", "·"
		p.absent(&v)
		return v
	}
	g := &pager{
		Page: p, Overview: render.NewOverview(p.Run, p.Alive), room: mostForeign,
		glyph: render.Style{}.Marks(),
	}
	g.head(&v)
	g.choose()
	v.Rows = g.table() // short parts first: long ones may be left out
	v.Graph, v.Time = g.graph(), g.timeline()
	g.gates(&v)
	g.warnings(&v)
	g.failedPhases(&v)
	v.Phases, v.Rest = g.others(), len(g.only)
	v.Cut = g.short
	return v
}

// absent gives the reason why there is no run to show, if there is one: a page must not show
// "nothing yet" for a run that it could not read.
func (p Page) absent(v *pageView) {
	const most = 200
	if len(p.Observed) == 0 {
		return
	}
	v.Word, v.Mark, v.Class = "not readable", render.Style{}.Marks().Failed, "bad"
	if p.Refused {
		v.Word = "could not start"
	}
	for _, line := range p.Observed[:min(len(p.Observed), most)] {
		v.Observed = append(v.Observed, text.Indented(line))
	}
}

// text makes foreign text fit for the page, as far as there is room for it. Once something did not
// fit, nothing does.
func (g *pager) text(s string, limit int) string {
	if g.short {
		return g.glyph.More
	}
	return g.whole(text.Clean(s[:min(len(s), 8*limit)], limit))
}

// whole shows a command completely or not at all: one with a part left out would be worse than
// none.
func (g *pager) whole(command string) string {
	size := len(template.HTMLEscapeString(command))
	if g.short = g.short || size > g.room; g.short {
		return g.glyph.More
	}
	g.room -= size
	return command
}

// moment is a time as the page shows it: readers are in any zone, so it is UTC.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// head shows the state of the run, and the possible next commands.
func (g *pager) head(v *pageView) {
	c := g.Page.Run.Config
	v.Word, v.Mark, v.Class = g.stands()
	v.Plan, v.ID = g.text(c.Plan, 300), g.text(c.RunID, 80)
	v.Title = cmp.Or(g.text(c.PlanTitle, 200), v.Plan, "autobuild")
	v.Tally = g.Tally()
	if proofs := g.Proofs(); proofs != "" {
		v.Tally += "; proof: " + proofs
	}
	if reviews := g.Reviews(); reviews != "" {
		v.Tally += "; review: " + reviews
	}
	if end := g.Page.Run.End; end != nil && end.Reason != "" {
		v.Reason = g.text(g.Reason(), 600)
	}
	fact := func(name, content string) {
		if content != "" {
			v.Facts = append(v.Facts, factView{Name: name, Lines: []string{content}})
		}
	}
	fact("run", v.ID)
	fact("plan", v.Plan)
	fact("started", moment(c.Started))
	if c.Sessions > 1 {
		fact("resumed", moment(c.Resumed)+", session "+fmt.Sprint(c.Sessions))
	}
	end := g.End()
	fact("ended", moment(end.Time))
	agent := strings.TrimPrefix(c.Agent+", "+c.Model, ", ")
	fact("agent", g.text(strings.TrimSuffix(agent, ", ")+render.FallbackSuffix(c), 200))
	if gates := end.Final; len(gates) > 0 {
		fact("final gates", g.text(strings.Join(render.FinalGateLines(gates), ", "), 600))
	}
	fact("policy", g.text(c.RetryPolicy+", "+text.Count(c.Jobs, "job")+", "+c.Schedule+
		", isolation "+string(c.Isolation)+", commit "+string(c.CommitMode), 300))
	fact("undelivered",
		g.text(strings.TrimPrefix(strings.TrimSuffix(end.Branch+": "+end.Why, ": "), ": "), 400))
	fact("autobuild", g.text(c.Autobuild, 60))
	for _, name := range g.Observed {
		v.Observed = append(v.Observed, g.text(name, 400))
	}
	if g.Past || g.Page.Run.End == nil && g.Alive {
		return // it is over, or goes on by itself
	}
	for _, a := range g.Advice(g.Ending, render.Style{}) {
		view := adviceView{Caption: strings.ToUpper(a.Caption[:1]) + a.Caption[1:]}
		for _, line := range a.Lines {
			view.Lines = append(view.Lines, g.whole(line))
		}
		v.Advice = append(v.Advice, view)
	}
}

// stands is the verdict: a word, a mark and a colour, in this order of weight.
func (g *pager) stands() (word, mark, class string) {
	switch s := g.StatusWord(); s {
	case render.StandsRunning:
		return "running", g.glyph.Running, "live"
	case render.StandsCutOff:
		return "cut off", g.glyph.Warned, "warn"
	case render.StandsPart:
		return "part complete", g.glyph.Done, "warn"
	case string(state.Done):
		if g.Totals.Contested > 0 {
			return "complete, contested", g.glyph.Done, "warn"
		}
		if g.Unproven() {
			return "complete, unverified", g.glyph.Done, "warn"
		}
		return "complete", g.glyph.Done, "good"
	case string(state.Interrupted), string(state.Stopped):
		return s, g.glyph.Warned, "warn"
	case string(state.Broken):
		return "could not go on", g.glyph.Failed, "bad"
	}
	return "halted", g.glyph.Failed, "bad"
}

// warnings are complete phases that deserve a look, and observations during the run.
func (g *pager) warnings(v *pageView) {
	const most = 30
	lines := slices.Concat(g.ContestedRemarks(), g.Remarks(g.Ending.Notes), g.notices())
	for i, line := range lines {
		if i == most {
			v.Warnings = append(v.Warnings, fmt.Sprintf("and %d more", len(lines)-most))
			break
		}
		v.Warnings = append(v.Warnings, g.text(line, 400))
	}
}

// notices are the diary's notices for a person, each once.
func (g *pager) notices() []string {
	var lines []string
	for _, e := range g.Events {
		if e.Type != state.Notice || e.Text == "" {
			continue
		}
		line := e.Text
		if e.Phase != "" {
			line = g.Label(e.Phase) + ": " + line
		}
		if !slices.Contains(lines, line) && len(lines) < 200 {
			lines = append(lines, line)
		}
	}
	return lines
}

// link is where a log is read; empty where it cannot be.
func (g *pager) link(name string) string {
	if g.Files == "" || path.Clean(name) != name || !strings.HasPrefix(name, "logs/") ||
		len(name) > 300 {
		return ""
	}
	return g.Files + (&url.URL{Path: name}).EscapedPath()
}
