package term

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"autobuild/internal/text/texttest"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/rendertest"
)

// big is a plan of ten batches of n/10 phases each, every one needing three of the batch before.
func big(t testing.TB, n int) *plan.Plan {
	t.Helper()
	wide := n / 10
	var phases []plan.DraftPhase
	for i := range n {
		needs := "none"
		if i >= wide {
			above := i - wide - i%wide
			needs = fmt.Sprintf("%d, %d, %d", above+i%wide, above+(i+1)%wide, above+(i+2)%wide)
		}
		phases = append(phases, plan.DraftPhase{
			Phase: plan.Phase{Label: rendertest.Label(i), Name: "Build the part with number " + rendertest.Label(i)}, Needs: []plan.Ref{{Text: needs}},
		})
	}
	p, err := plan.New(plan.Draft{Path: "plan.md", Title: "Sixty", Reading: "table", Phases: phases})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGraphOfSixty: sixty phases are still read at a glance.
func TestGraphOfSixty(t *testing.T) {
	rendertest.Golden(t, "graph-60.txt", drawn(t, big(t, 60), nil, "text", render.Style{}))
}

// TestHugeGraphs: the work of drawing grows with the number of phases.
func TestHugeGraphs(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for _, format := range []string{"text", "mermaid", "dot", "json"} {
		drawing := func(phases int) uint64 {
			p := big(t, phases)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			drawn(t, p, nil, format, render.Style{})
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if tenth, whole := drawing(1000), drawing(10_000); whole > 15*tenth {
			t.Errorf("%s: ten times the phases allocate %d bytes, after %d", format, whole, tenth)
		}
	}
}

// TestDrawingsKeepTheirShape: no name can end its label, or say anything in the language of a
// drawing tool.
func TestDrawingsKeepTheirShape(t *testing.T) {
	shapes := map[string]*regexp.Regexp{
		"mermaid": regexp.MustCompile(`^(flowchart LR|  subgraph batch\d+\["batch \d+"\]|    p\d+\["[^"\[\]{}<>` + "`" + `|%]*"\]|  end|  p\d+ (-->|==>) p\d+)$`),
		"dot":     regexp.MustCompile(`^(digraph plan \{|  rankdir=LR;|  node \[[^\]]*\];|  \{ rank=same;( p\d+;)+ \}|  p\d+ \[label="([^"\\]|\\["\\])*"\];|  p\d+ -> p\d+( \[penwidth=2.5\])?;|\})$`),
	}
	for _, name := range append([]string{`"]; click p0 "javascript:x`, "a\nend\np9 --> p0", `\`, `\"`, "%% comment", "<b>&lt;", "`md`", "]}|{["}, texttest.Hostile...) {
		p := retold(t, name)
		for format, shape := range shapes {
			for row := range strings.SplitSeq(strings.TrimSuffix(drawn(t, p, nil, format, render.Style{}), "\n"), "\n") {
				if !shape.MatchString(row) {
					t.Errorf("%q gives the %s line %q", name, format, row)
				}
			}
		}
	}
}

// TestGraphJSON holds the promises of the document that a golden file cannot say.
func TestGraphJSON(t *testing.T) {
	var doc struct {
		Schema int `json:"schema"`
		Phases []struct {
			ID        string    `json:"id"`
			DependsOn *[]string `json:"depends_on"`
		} `json:"phases"`
		Batches [][]string `json:"batches"`
	}
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{
		{Phase: plan.Phase{Label: "1"}, Needs: []plan.Ref{{Text: "none"}}},
		{Phase: plan.Phase{Label: "2"}},
		{Phase: plan.Phase{Label: "3"}, Needs: []plan.Ref{{Text: "1"}}},
	}})
	rendertest.Check(t, err)
	rendertest.Check(t, json.Unmarshal([]byte(drawn(t, p, nil, "json", render.Style{})), &doc))
	needs := func(i int) string {
		if doc.Phases[i].DependsOn == nil {
			return "null"
		}
		return fmt.Sprint(*doc.Phases[i].DependsOn)
	}
	if needs(0) != "[]" || needs(1) != "null" || needs(2) != "[1]" {
		t.Errorf("said none %s, unstated %s, stated %s", needs(0), needs(1), needs(2))
	}
	if doc.Schema != 1 || len(doc.Batches) == 0 {
		t.Errorf("schema %d, batches %v", doc.Schema, doc.Batches)
	}
}

func TestUnknownGraphFormat(t *testing.T) {
	_, err := Graph(rendertest.FeaturePlan(t), nil, "svg", render.Style{})
	if err == nil || !strings.Contains(err.Error(), "text, mermaid, dot or json") {
		t.Errorf("error %v", err)
	}
}
