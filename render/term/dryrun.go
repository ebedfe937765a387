package term

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// DryRun shows the effects of a run in advance. Run is the one that would be started or resumed:
// its Config decides, and its phases, where it has any, show those that are complete or left out
// already.
func DryRun(p *plan.Plan, run *state.Run, s render.Style) string {
	var out strings.Builder
	title := s.Show(p.Title, max(20, s.Columns()))
	if title == "" {
		title = s.Show(p.Path, max(20, s.Columns()))
	}
	tasks := 0
	for _, phase := range p.Phases() {
		tasks += len(phase.Tasks)
	}
	batches := p.Batches()
	out.WriteString(paint(s, render.Strong, title) + "\n")
	fmt.Fprintf(&out, "%s in %s, %s; read as %s\n\n", text.Count(p.Len(), "phase"), text.Count(len(batches), "batch"),
		text.Count(tasks, "task"), s.Show(p.Reading, 40))
	writeSettings(s, &out, p, run.Config)
	labels, names := measure(s, p, max(12, s.Columns()/3))
	for i, batch := range batches {
		head := fmt.Sprintf("batch %d of %d", i+1, len(batches))
		if jobs := run.Config.Jobs; len(batch) > 1 && jobs > 0 {
			head += fmt.Sprintf(", %d at once", min(jobs, len(batch)))
		}
		out.WriteString("\n" + paint(s, render.Faint, head) + "\n")
		for _, phase := range batch {
			writePhase(s, &out, p, phase, run, labels, names)
		}
	}
	path := p.CriticalPath()
	first, _ := p.Index(path[0].ID)
	out.WriteString("\ncritical path: " + chain(s, path))
	if estimated(p) {
		out.WriteString(", estimate " + weight(p.Rest(first)))
	}
	out.WriteString("\nnothing was run and nothing was written\n")
	return text.DisarmLines(out.String())
}

func estimated(p *plan.Plan) bool {
	for _, phase := range p.Phases() {
		if phase.Estimate.Weight > 0 {
			return true
		}
	}
	return false
}

func weight(w float64) string { return strconv.FormatFloat(w, 'f', -1, 64) }

// writeSettings shows how the run would be done.
func writeSettings(s render.Style, out *strings.Builder, p *plan.Plan, c state.Config) {
	row := func(name, value string, i render.Ink) {
		if value == "" {
			return
		}
		const names = 9
		for _, content := range text.Wrap(s.Show(value, 2000), max(20, s.Columns()-names-2)) {
			out.WriteString(paint(s, render.Faint, text.Pad(name, names)) + "  " + paint(s, i, content) + "\n")
			name = ""
		}
	}
	agent := c.Agent
	if c.Model != "" {
		agent += ", model " + c.Model
	}
	if c.AgentCmd != "" {
		agent += ": " + c.AgentCmd
	}
	agent += render.FallbackSuffix(c)
	row("agent", agent, render.PlainInk)
	row("commit", commitMode(c.CommitMode), render.PlainInk)
	row("isolation", string(c.Isolation), render.PlainInk)
	order := c.Schedule
	if c.Jobs > 0 {
		order = strings.TrimPrefix(order+", "+text.Count(c.Jobs, "job"), ", ")
	}
	row("schedule", order, render.PlainInk)
	row("retry", retryPolicy(c), render.PlainInk)
	row("stack", c.Stack, render.PlainInk)
	for _, around := range aroundPhases(p, c) {
		row(around[0], around[1], render.PlainInk)
	}
	if len(c.Gates) == 0 {
		body := noGates
		if c.Schema == 0 { // the run could not be configured, so gates are unknown
			body = "unknown"
		}
		look := render.Warn
		if !slices.ContainsFunc(p.Phases(), func(phase plan.Phase) bool { return len(phase.Gates) == 0 }) {
			look = render.PlainInk
		}
		row("gates", body, look)
		return
	}
	for i, g := range c.Gates {
		name, look := "gates", render.PlainInk
		if i > 0 {
			name = " "
		}
		if !g.Available {
			look = render.Warn
		}
		row(name, gateLine(g), look)
	}
}

// retryPolicy says what follows a failed attempt.
func retryPolicy(c state.Config) string {
	switch c.RetryPolicy {
	case "single":
		return "single: one retry, with the error as context"
	case "adaptive":
		return "adaptive: as many retries as the kind of failure deserves"
	case "known-fix":
		return "known-fix: only what the knowledge base has a fix for"
	case "escalate":
		above := tiersAbove(c)
		if len(above) == 0 && len(c.Tiers) > 0 {
			return "escalate: to you, because " + c.Tiers[len(c.Tiers)-1] + ", which does the work, is the last tier"
		}
		return "escalate: to " + strings.Join(append(above, "you"), ", then ")
	}
	return c.RetryPolicy
}

// tiersAbove are those that can be asked: the one that does the work, and those below it, are not.
func tiersAbove(c state.Config) []string {
	worker := slices.IndexFunc(c.Tiers, func(t string) bool {
		return t == c.Agent && c.Model == "" || c.Model != "" && (t == c.Model || t == c.Agent+":"+c.Model)
	})
	return slices.Clone(c.Tiers[worker+1:])
}

// choices words what one phase has of its own, in the order of plan.SettingNames.
func choices(own map[string]string) string {
	var words []string
	for _, name := range plan.SettingNames() {
		if value, ok := own[name]; ok {
			words = append(words, strings.ReplaceAll(name, "-", " ")+" "+value)
		}
	}
	return strings.Join(words, ", ")
}

// noGates is said of a run that has found none for all phases when it starts.
const noGates = "each phase's own, and those that its work brings; one without any completes unverified"

func gateLine(g state.GateSpec) string {
	text := g.Name + ": " + g.Command
	if g.Source != "" {
		text += " (" + g.Source + ")"
	}
	switch {
	case g.Available:
		return text
	case g.Tool == "":
		return text + " NOT AVAILABLE"
	}
	return text + " NOT AVAILABLE: " + g.Tool + " is not installed"
}

func commitMode(m state.CommitMode) string {
	switch m {
	case state.CommitAuto:
		return "auto: a commit a phase"
	case state.CommitSingle:
		return "single: one commit at the end"
	case state.CommitMessage:
		return "message-only: messages and commits.sh; history untouched"
	}
	return string(m)
}

// writePhase shows one phase: where it stands, its size, its gates and its files.
func writePhase(s render.Style, out *strings.Builder, p *plan.Plan, phase plan.Phase, run *state.Run, labels, names int) {
	g := s.Marks()
	mark, i, stands := g.Pending, render.PlainInk, ""
	if r, ok := run.Find(phase.ID); ok && (r.Status == state.Complete || r.Status == state.Skipped) {
		stands, mark, i = render.StatusMark(r.Status, g)
	}
	var facts []string
	if stands != "" {
		facts = append(facts, stands)
	}
	if len(phase.Tasks) > 0 {
		facts = append(facts, text.Count(len(phase.Tasks), "task"))
	}
	if phase.Estimate.Text != "" {
		facts = append(facts, "estimate "+phase.Estimate.Text)
	}
	name := s.Show(phase.Name, names)
	room := max(12, s.Columns()-labels-names-8)
	row := "  " + paint(s, i, mark) + " " + paint(s, render.Strong, text.Pad(s.Show(phase.Label, 16), labels)) + "  " + text.Pad(name, names) +
		"  " + paint(s, render.Faint, s.Show(strings.Join(facts, ", "), room)) + needsText(s, p, phase, s.Columns()/4)
	out.WriteString(strings.TrimRight(row, " ") + "\n")
	detail := func(kind, value string) {
		lead := "      " + kind + " "
		for n, row := range text.Wrap(s.Show(value, 4*s.Columns()), max(20, s.Columns()-text.Width(lead))) {
			if n > 0 {
				lead = strings.Repeat(" ", text.Width(lead))
			}
			out.WriteString(paint(s, render.Faint, lead) + row + "\n")
		}
	}
	if own := choices(run.Config.Choices[phase.ID]); own != "" {
		detail("own", own)
	}
	needed := phase.Prerequisites
	if all := slices.Concat(needed.Commands, needed.Variables, needed.Files); len(all) > 0 {
		detail("requires", text.JoinSome(all, 12))
	}
	for _, command := range phase.Setup {
		detail("setup", command)
	}
	for _, g := range phase.Gates {
		detail("gate", g.Name+": "+g.Command)
	}
	for _, f := range []struct {
		kind  string
		paths []string
	}{
		{"create", phase.Files.Create}, {"modify", phase.Files.Modify}, {"test", phase.Files.Test}, {"delete", phase.Files.Delete},
	} {
		if len(f.paths) > 0 {
			detail(f.kind, text.JoinSome(f.paths, 12))
		}
	}
	if render.CommitSubject(phase.Commit) != "" {
		detail("commit", render.CommitSubject(phase.Commit)+" (where the agent gives no other)")
	}
}

// aroundPhases are the commands that run before each phase and after the last, with the name of
// their row.
func aroundPhases(p *plan.Plan, c state.Config) (rows [][2]string) {
	for _, command := range c.Setup {
		rows = append(rows, [2]string{"setup", command})
	}
	for _, g := range p.Final {
		rows = append(rows, [2]string{"final", g.Name + ": " + strings.ReplaceAll(g.Command, "\n", "; ")})
	}
	return rows
}
