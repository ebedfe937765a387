package html

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// markup is text of an agent, a test or a plan that tries to get out of its place.
const markup = `<script>hacked=1</script>"'><img src=x onerror=hacked=1></style></title></textarea>--> javascript:hacked=1 {{.}} &lt;b&gt; <!-- `

// pageOf is the page of a tale.
func pageOf(x *rendertest.Story) Page {
	return Page{
		Run: &x.Run, Events: x.Events, Now: x.Now, Ending: rendertest.Ending(), Files: "../.autobuild/",
		Read:    func(string) string { return "ok\n    FAIL src/api/auth.test.ts:45\n\treceived: null\n" },
		Changed: map[string]Changed{"a1b2c3d4e5f6": {Files: 2, Added: 30, Deleted: 4}},
	}
}

func written(t testing.TB, p Page) string {
	t.Helper()
	raw, err := Document(p)
	rendertest.Check(t, err)
	return string(raw)
}

// TestHTML holds the page of every kind of run against its golden file.
func TestHTML(t *testing.T) {
	over := Page{Run: rendertest.HardRun(t), Now: rendertest.Midnight, Ending: rendertest.Ending()}
	live := pageOf(rendertest.Going(t))
	live.Alive = true
	live.Live = &Live{Nonce: "NONCE", Runs: []RunLink{{Name: "this one", Here: true}, {Name: "an older one", Address: "/T/history/old/"}}}
	for name, p := range map[string]Page{
		"report-halted.html": pageOf(rendertest.Halted(t, nil)), "report-done.html": over, "report-live.html": live,
		"report-none.html": {Now: rendertest.Midnight}, "report-unread.html": {Now: rendertest.Midnight, Observed: []string{"the stored run cannot be used"}},
		"report-refused.html": {Now: rendertest.Midnight, Refused: true, Observed: []string{"error: <b>", "  |", "5 | 7", "  | ^"}},
	} {
		page := written(t, p)
		rendertest.Golden(t, name, page)
		sound(t, name, page, p)
	}
}

// element is one tag of a page with its attributes.
type element struct {
	name  string
	attrs [][2]string
}

var attribute = regexp.MustCompile(`\s([A-Za-z:-]+)(?:="([^"]*)")?`)

// tags reads a page as a browser does: the text between < and > outside of the one style and the
// one script is a tag.
func tags(t testing.TB, page string) []element {
	t.Helper()
	var all []element
	for rest := page; ; {
		at := strings.IndexByte(rest, '<')
		if at < 0 {
			return all
		}
		rest = rest[at+1:]
		end, quoted := -1, false
		for i := range len(rest) {
			if rest[i] == '"' {
				quoted = !quoted
			}
			if rest[i] == '>' && !quoted {
				end = i
				break
			}
		}
		if end < 0 {
			t.Fatalf("a tag that does not end: %.80s", rest)
		}
		text := rest[:end]
		rest = rest[end+1:]
		name, _, _ := strings.Cut(text, " ")
		one := element{name: strings.TrimSuffix(name, "/")}
		for _, m := range attribute.FindAllStringSubmatch(text, -1) {
			one.attrs = append(one.attrs, [2]string{m[1], m[2]})
		}
		all = append(all, one)
		if name == "style" || name == "script" {
			_, rest, _ = strings.Cut(rest, "</"+name)
			rest = "</" + name + rest
		}
	}
}

// sound checks the rules that hold for every page.
func sound(t testing.TB, name, page string, p Page) {
	t.Helper()
	ids, levels := make(map[string]bool), 0
	var jumps []string
	for _, one := range tags(t, page) {
		switch one.name {
		case "img", "iframe", "object", "embed", "link", "base", "form", "input", "image", "use", "foreignObject":
			t.Errorf("%s: has a tag %s", name, one.name)
		case "script":
			if p.Live == nil || !slices.Contains(one.attrs, [2]string{"nonce", p.Live.Nonce}) {
				t.Errorf("%s: a script without leave", name)
			}
		case "h1", "h2", "h3":
			level := int(one.name[1] - '0')
			if level > levels+1 && levels > 0 && p.Run != nil && one.name != "h3" {
				t.Errorf("%s: %s behind h%d", name, one.name, levels)
			}
			levels = level
		case "th":
			if !slices.ContainsFunc(one.attrs, func(a [2]string) bool { return a[0] == "scope" }) {
				t.Errorf("%s: a heading of a table without scope", name)
			}
		}
		for _, a := range one.attrs {
			switch key, value := a[0], a[1]; {
			case strings.HasPrefix(key, "on"), key == "style", key == "src", key == "srcdoc", key == "action":
				t.Errorf("%s: %s has an attribute %s", name, one.name, key)
			case key == "id" && ids[value]:
				t.Errorf("%s: two things are called %s", name, value)
			case key == "id":
				ids[value] = true
			case key == "href" && strings.HasPrefix(value, "#"):
				jumps = append(jumps, value[1:])
			case key == "href" && !strings.HasPrefix(value, "../.autobuild/logs/") && !strings.HasPrefix(value, "/T/"):
				t.Errorf("%s: leads to %s", name, value)
			}
		}
	}
	for _, to := range jumps {
		if !ids[to] {
			t.Errorf("%s: leads to #%s, which is not there", name, to)
		}
	}
	_, rest, _ := strings.Cut(page, "<style>")
	look, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(look))
	if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(p.Policy(), "'sha256-"+hash+"'") {
		t.Errorf("%s: the policy forbids the page's own look: %s", name, p.Policy())
	}
}

// A run's texts change no tag and no attribute's name: a page of hostile text is built like one of
// harmless text.
func TestHTMLInert(t *testing.T) {
	skeleton := func(text string) (string, string) {
		x := rendertest.Halted(t, nil)
		p := pageOf(x)
		p.Run = rendertest.Poisoned(t, text)
		for i := range p.Run.Phases {
			p.Run.Phases[i].ID = text + rendertest.Label(i)
		}
		p.Run.Config.RunID = "01JDZ8"
		p.Run.Config.Gates[0].Name, p.Run.Config.Gates[0].Command = text, text
		for i := range p.Events {
			e := p.Events[i]
			e.Type, e.Text, e.Phase = state.Notice, text, text+"0"
			p.Events = append(p.Events, e)
		}
		p.Read = func(string) string { return strings.Repeat(text+"\n", 30) }
		p.Ending.Notes, p.Observed = []string{text}, []string{text}
		page := written(t, p)
		sound(t, "hostile", page, p)
		var b strings.Builder
		for _, one := range tags(t, page) {
			b.WriteString("<" + one.name)
			for _, a := range one.attrs {
				b.WriteString(" " + a[0])
			}
			b.WriteString(">\n")
		}
		return b.String(), page
	}
	harmless, _ := skeleton("word ")
	got, page := skeleton(markup)
	if got != harmless {
		t.Errorf("hostile text changes how the page is built:\n%s\n--- harmless:\n%s", got, harmless)
	}
	if strings.Contains(page, "<script>") || !strings.Contains(page, "&lt;script&gt;") {
		t.Error("hostile text is not escaped")
	}
}

// However much a run has to say, its page stays one that a browser opens, and says that something
// is left out; of logs, only some are read.
func TestHTMLBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for _, noise := range []string{"", strings.Repeat(`<&"'> noise `, 400)} {
		x := rendertest.Throng(t, 500, noise)
		p := pageOf(x)
		read := 0
		p.Read = func(string) string {
			read++
			return strings.Repeat("a row of a log, as tools print them <&>\n", 100)
		}
		page := written(t, p)
		if len(page) > 3<<20 {
			t.Errorf("the page has %d bytes", len(page))
		}
		if read > 3*mostExplained {
			t.Errorf("%d logs were read", read)
		}
		if left := strings.Contains(page, "was left out of this page"); left != (noise != "") {
			t.Errorf("the page says that something is left out: %t", left)
		}
		for i := range 500 {
			if !strings.Contains(page, fmt.Sprintf(`<details id="phase-%d"`, i)) {
				t.Fatalf("phase %d is not on the page", i)
			}
		}
	}
}

// A large run has a row for each phase. The page describes a bounded number: failed phases, then
// those that a reader would look for.
func TestHTMLDescribed(t *testing.T) {
	verified := state.Attempt{N: 1, Verdict: state.Verified}
	run := &state.Run{}
	for i := range mostDescribed + 100 {
		run.Phases = append(run.Phases, state.Phase{
			ID: fmt.Sprint(i), Label: fmt.Sprint(i), Status: state.Complete, Attempts: []state.Attempt{verified},
		})
	}
	failed, unverified := len(run.Phases)-1, len(run.Phases)-2
	run.Phases[failed].Status = state.Failed
	run.Phases[unverified].Attempts[0].Verdict = state.Unverified
	page := written(t, Page{Run: run})
	if n := strings.Count(page, `<details id="phase-`); n != mostDescribed {
		t.Errorf("%d phases are described, want %d", n, mostDescribed)
	}
	for _, i := range []int{0, failed, unverified} {
		if !strings.Contains(page, fmt.Sprintf(`<details id="phase-%d"`, i)) {
			t.Errorf("phase %d is not described", i)
		}
	}
	if !strings.Contains(page, fmt.Sprintf(`<tr id="phase-%d"`, unverified-1)) || !strings.Contains(page, "<p>100 more have a row") {
		t.Error("the page does not lead to the other phases")
	}
}

// Every phase stands in the graph below all that it needs, and within it.
func TestHTMLGraph(t *testing.T) {
	for _, x := range []*rendertest.Story{rendertest.Halted(t, nil), rendertest.Throng(t, 200, "")} {
		p := pageOf(x)
		g := pagerOf(p)
		v := g.graph()
		if len(v.Nodes) != len(x.Run.Phases) {
			t.Fatalf("%d of %d phases are drawn", len(v.Nodes), len(x.Run.Phases))
		}
		y := make(map[string]int)
		edges := 0
		for _, n := range v.Nodes {
			y[n.Anchor] = n.Y
			if n.X < 0 || n.Y < 0 || n.X+n.W > v.Width || n.Y+n.H > v.Height {
				t.Errorf("%s is outside the drawing: %+v", n.Label, n)
			}
		}
		for i := range x.Run.Phases {
			for _, id := range x.Run.Phases[i].DependsOn {
				edges++
				if need, _ := x.Run.Find(id); y[anchor(need)] >= y[anchor(&x.Run.Phases[i])] {
					t.Errorf("%s does not stand below %s", x.Run.Phases[i].ID, id)
				}
			}
		}
		if edges != len(v.Edges) {
			t.Errorf("%d of %d lines are drawn", len(v.Edges), edges)
		}
	}
}

func pagerOf(p Page) *pager {
	return &pager{Page: p, Overview: render.NewOverview(p.Run, p.Alive), room: mostForeign, glyph: render.Style{}.Marks()}
}

// The timeline shows attempts that no state holds: cut off, interrupted, before a wait. Nights
// between sessions take no room.
func TestHTMLTimeline(t *testing.T) {
	x := rendertest.Begin(t, rendertest.FeaturePlan(t), nil)
	x.Start("0")
	x.Now = x.Now.Add(10 * time.Minute)
	x.Tell(state.Event{Type: state.PhaseInterrupted, Phase: "0"})
	x.End(state.Interrupted, "Ctrl-C")
	x.Now = x.Now.Add(9 * time.Hour)
	config := x.Run.Config
	config.Sessions = 2
	x.Tell(state.Event{Type: state.RunStarted, Config: &config, Phases: x.Events[0].Phases})
	x.Start("0")
	x.Now = x.Now.Add(time.Minute)
	until := x.Now.Add(5 * time.Minute)
	x.Finish("0", state.Attempt{
		Failure:  &failure.Diagnosis{Type: failure.UsageLimit, Message: "limit"},
		Decision: &failure.Decision{Action: failure.Wait, Until: until},
	})
	x.Events[len(x.Events)-1].Status = state.Waiting
	x.Now = until
	x.Start("0")
	x.Now = x.Now.Add(4 * time.Minute)

	p := pageOf(x)
	p.Alive, p.Now = true, x.Now
	v := pagerOf(p).timeline()
	if len(v.Rows) != 1 || len(v.Pauses) != 1 {
		t.Fatalf("%d rows, %d pauses", len(v.Rows), len(v.Pauses))
	}
	var got []string
	for _, b := range v.Rows[0].Bars {
		what, _, _ := strings.Cut(b.Title, ", from ")
		got = append(got, b.Class+": "+what)
		if b.X < trackLeft || b.X+b.W > trackLeft+trackWidth+0.2 {
			t.Errorf("%s is outside the drawing: %+v", b.Title, b)
		}
	}
	want := []string{
		"warn: attempt 1, interrupted, 10m01s", "warn: attempt 1, met a limit, 1m01s", "wait: waits for a limit, 5m00s", "live: attempt 1, running, 4m00s",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if work := v.Rows[0].Bars[0].W / v.Rows[0].Bars[1].W; work < 9.5 || work > 10.2 {
		t.Errorf("ten minutes are %.1f times as long as one", work)
	}

	p.Events = nil // without a diary: the attempts that are still known
	y := rendertest.Halted(t, nil)
	q := pageOf(y)
	q.Events = nil
	if v = pagerOf(q).timeline(); v == nil || len(v.Rows) != 5 {
		t.Errorf("without a diary: %+v", v)
	}
}
