package render

import (
	"fmt"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
)

// Mermaid draws the batches as subgraphs; the critical path has thick arrows. Nodes are named by
// position, never by what a plan calls them.
func Mermaid(p *plan.Plan) string {
	var out strings.Builder
	out.WriteString("flowchart LR\n")
	for i, batch := range p.Batches() {
		fmt.Fprintf(&out, "  subgraph batch%d[\"batch %d\"]\n", i+1, i+1)
		for _, phase := range batch {
			at, _ := p.Index(phase.ID)
			fmt.Fprintf(&out, "    p%d[\"%s\"]\n", at, mermaidText(named(phase)))
		}
		out.WriteString("  end\n")
	}
	critical := criticalEdges(p)
	for i := range p.Len() {
		for _, need := range p.Needs(i) {
			arrow := "-->"
			if critical[[2]int{need, i}] {
				arrow = "==>"
			}
			fmt.Fprintf(&out, "  p%d %s p%d\n", need, arrow, i)
		}
	}
	var done []string
	for i, phase := range p.Phases() {
		if phase.Status == plan.StatusDone {
			done = append(done, fmt.Sprintf("p%d", i))
		}
	}
	if len(done) > 0 {
		out.WriteString("  classDef done fill:#d5f5d5,stroke:#2e7d32,color:#1b3d1b\n  class " +
			strings.Join(done, ",") + " done\n")
	}
	return out.String()
}

// mermaidText writes everything that could end a label or begin markup as a mermaid entity.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\"#&<>`;\\{}%|[]()*_~", r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Dot draws the graph for Graphviz: batches share a rank, the critical path is bold.
func Dot(p *plan.Plan) string {
	var out strings.Builder
	out.WriteString("digraph plan {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	for _, batch := range p.Batches() {
		out.WriteString("  { rank=same;")
		for _, phase := range batch {
			at, _ := p.Index(phase.ID)
			fmt.Fprintf(&out, " p%d;", at)
		}
		out.WriteString(" }\n")
	}
	for i, phase := range p.Phases() {
		look := ""
		if phase.Status == plan.StatusDone {
			look = ", style=filled, fillcolor=\"#d5f5d5\""
		}
		fmt.Fprintf(&out, "  p%d [label=\"%s\"%s];\n", i, dotText(named(phase)), look)
	}
	critical := criticalEdges(p)
	for i := range p.Len() {
		for _, need := range p.Needs(i) {
			look := ""
			if critical[[2]int{need, i}] {
				look = " [penwidth=2.5]"
			}
			fmt.Fprintf(&out, "  p%d -> p%d%s;\n", need, i, look)
		}
	}
	out.WriteString("}\n")
	return out.String()
}

func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(s)
}

func named(phase plan.Phase) string {
	name := text.Clean(phase.Name, 80)
	if name == "" {
		return text.Clean(phase.Label, 40)
	}
	return text.Clean(phase.Label, 40) + ": " + name
}

// criticalEdges are the pairs of positions that follow each other on the critical path.
func criticalEdges(p *plan.Plan) map[[2]int]bool {
	path := p.CriticalPath()
	edges := make(map[[2]int]bool, len(path))
	for i := 1; i < len(path); i++ {
		from, _ := p.Index(path[i-1].ID)
		to, _ := p.Index(path[i].ID)
		edges[[2]int{from, to}] = true
	}
	return edges
}

// graphDocument is the output of graph --format json.
type graphDocument struct {
	Schema      int          `json:"schema"`
	Plan        string       `json:"plan"`
	Reading     string       `json:"reading"`
	Title       string       `json:"title"`
	Phases      []graphPhase `json:"phases"`
	Batches     [][]string   `json:"batches"`
	Accounted   int          `json:"accounted"` // lines that look like work or order and were read as something
	Unread      int          `json:"unread"`    // those that were not
	Diagnostics []diagnostic `json:"diagnostics"`
}

type graphPhase struct {
	ID        string    `json:"id"`
	Label     string    `json:"label"`
	Name      string    `json:"name"`
	Line      int       `json:"line"`
	DependsOn *[]string `json:"depends_on"` // null: only the document's order says so
	SoftDeps  []string  `json:"soft_deps"`
	External  []string  `json:"external"`
	Parallel  []string  `json:"parallel_with"`
	Tasks     boxes     `json:"tasks"` // every box of the phase
	Gates     boxes     `json:"gates"` // those of them under Definition of Done and the like
	Status    *string   `json:"status"`
	Files     []string  `json:"files"`
	Estimate  *string   `json:"estimate"`
}

type boxes struct {
	Total int `json:"total"`
	Done  int `json:"done"`
}

type diagnostic struct {
	Code     string        `json:"code"`
	Severity plan.Severity `json:"severity"`
	Line     int           `json:"line"`
	Col      int           `json:"col"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint"`
}

// GraphJSON is a plan's graph with the findings about it, as schema 1 of the JSON document. A plan
// that was refused is nil: then there are findings only.
func GraphJSON(path string, p *plan.Plan, findings plan.Problems) ([]byte, error) {
	doc := graphDocument{
		Schema: 1, Plan: path, Phases: []graphPhase{}, Batches: [][]string{},
		Diagnostics: []diagnostic{},
	}
	for _, f := range findings {
		doc.Diagnostics = append(doc.Diagnostics, diagnostic{
			f.Code, f.Severity, f.Pos.Line,
			f.Pos.Col, f.Message, f.Hint,
		})
	}
	if p == nil {
		return document(doc)
	}
	doc.Reading, doc.Title = p.Reading, p.Title
	doc.Accounted, doc.Unread = p.Accounted()
	for _, phase := range p.Phases() {
		doc.Phases = append(doc.Phases, phaseDocument(phase))
	}
	for _, batch := range p.Batches() {
		ids := make([]string, len(batch))
		for i, phase := range batch {
			ids[i] = phase.ID
		}
		doc.Batches = append(doc.Batches, ids)
	}
	return document(doc)
}

func phaseDocument(phase plan.Phase) graphPhase {
	tasks, gates := ticked(phase.Tasks), ticked(phase.Criteria)
	doc := graphPhase{
		ID: phase.ID, Label: phase.Label, Name: phase.Name, Line: phase.Pos.Line,
		SoftDeps: array(phase.SoftDeps), External: array(phase.External),
		Parallel: array(phase.Parallel),
		Tasks:    boxes{tasks.Total + gates.Total, tasks.Done + gates.Done}, Gates: gates,
		Status: known(string(phase.Status)), Files: array(phase.Files.All()),
		Estimate: known(phase.Estimate.Text),
	}
	if !phase.Unstated {
		needs := array(phase.DependsOn)
		doc.DependsOn = &needs
	}
	return doc
}

func ticked(tasks []plan.Task) boxes {
	b := boxes{Total: len(tasks)}
	for _, t := range tasks {
		if t.Done {
			b.Done++
		}
	}
	return b
}

// array is the list itself, or an empty one that JSON does not write as null.
func array(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
