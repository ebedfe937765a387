package term

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// blockedSection lists the dependents of a failed phase, by the name of the root.
func blockedSection(d render.Overview, b *box) {
	phases := d.ByStatus[state.Blocked]
	if len(phases) == 0 {
		return
	}
	b.section("BLOCKED PHASES", render.Warn)
	if len(phases) <= foldComplete {
		for _, p := range phases {
			b.leader(render.PhaseTitle(p), "blocked", render.Warn)
			b.field(2, "Blocked by:", text.JoinSome(d.Blockers(p), render.FoldLabels))
			b.blank()
		}
		return
	}
	var roots []string
	behind := make(map[string][]string)
	for _, p := range phases {
		if len(behind[p.BlockedBy]) == 0 {
			roots = append(roots, p.BlockedBy)
		}
		behind[p.BlockedBy] = append(behind[p.BlockedBy], p.Label)
	}
	for _, root := range roots {
		b.bounded(0, "Blocked by "+d.Label(root)+":",
			text.JoinSome(behind[root], render.FoldLabels), 12)
	}
	b.blank()
}

// undeliveredSection says where finished work is that has not reached the checkout.
func undeliveredSection(d render.Overview, b *box) {
	end := d.End()
	var out []string
	for _, p := range d.ByStatus[state.Complete] {
		if p.Commit == nil || p.Commit.Delivered || p.Commit.SHA == "" &&
			p.Commit.Undelivered == "" {
			continue
		}
		out = append(out, p.Label)
		if end.Why == "" {
			end.Why, end.Obstacle = p.Commit.Undelivered, p.Commit.Obstacle
		}
	}
	if end.Branch == "" && end.Merge == "" && end.Why == "" || d.Delivered() {
		return
	}
	b.section("WORK NOT YET IN YOUR CHECKOUT", render.Warn)
	if len(out) > 0 {
		b.field(0, "Phases:", text.JoinSome(out, render.FoldLabels))
	}
	if end.Branch != "" {
		b.field(0, "Branch:", end.Branch)
	}
	if end.Why != "" {
		b.field(0, "Because:", end.Why)
	}
	if content := render.MergeAdvice(end); content != "" && end.Merge != "" {
		b.field(0, "First:", content)
	}
	if end.Merge != "" {
		b.field(0, "Bring it in:", end.Merge)
	}
	b.blank()
}

// requestsSection says what became of a delivery to a remote.
func requestsSection(d render.Overview, b *box) {
	end := d.End()
	if len(end.Requests) == 0 {
		return
	}
	ink := render.Strong
	if slices.ContainsFunc(end.Requests, func(q state.PullRequest) bool { return q.Why != "" }) {
		ink = render.Warn
	}
	b.section("SENT TO THE REMOTE", ink)
	for _, q := range end.Requests {
		name := "Run:"
		if p, ok := d.Run.Find(q.Phase); ok {
			name = "Phase " + p.Label + ":"
		}
		b.field(0, name, cmp.Or(q.URL, q.Branch))
		if q.Why != "" {
			b.field(0, "Not done:", q.Why)
		}
		if len(q.Next) > 0 {
			b.field(0, "To do it:", render.Command(q.Next))
		}
	}
	b.blank()
}

// stateSection lists what is on disk.
func stateSection(b *box, name string, e render.Ending) {
	b.section(name, render.Strong)
	b.field(0, "Directory:", render.InStateDir(e.Dir, ""))
	if e.Files > 0 {
		b.field(0, "State files:", text.Count(e.Files, "phase"))
	}
	b.field(0, "Logs:", render.InStateDir(e.Dir, "logs/"))
	if e.Script != "" {
		b.field(0, "Commit script:", e.Script)
	}
	for _, report := range e.Reports {
		b.field(0, "Report:", report)
	}
	if name == "STATE PRESERVED" {
		b.blank()
	}
}

// mostSteps bounds the steps before the resume command; explain lists all of them.
const mostSteps = 3

// instructionsSection lists the user's next steps: those that the failures ask for, then the
// command that goes on.
func instructionsSection(d render.Overview, b *box, e render.Ending) {
	b.section("RESUME INSTRUCTIONS", render.Strong)
	n := 0
	step := func(content string) {
		n++
		b.bounded(0, fmt.Sprintf("%d.", n), content, 16)
	}
	failed := d.ByStatus[state.Failed]
	place := d.WhereToMend(failed, e.Dir)
	most := max(1, mostSteps/max(1, len(failed)))
	if place != "" {
		most--
	}
	var things []string // each once
	of := make(map[string][]string)
	for _, p := range failed {
		todos := d.NextSteps(p, e.Dir, render.ProgramOf(e), b.style)
		for _, next := range todos[:min(len(todos), most)] {
			content := next.Text
			for _, argv := range next.Commands {
				content += ": " + b.style.Command(argv)
			}
			if of[content] == nil {
				things = append(things, content)
			}
			of[content] = append(of[content], p.Label)
		}
	}
	var others []string
	for i, content := range things {
		switch {
		case i >= mostSteps:
			others = append(others, of[content]...)
		case len(failed) > 1:
			step(text.JoinSome(of[content], 5) + ": " + content)
		default:
			step(content)
		}
	}
	if len(others) > 0 {
		step("Likewise for " + text.JoinSome(others, 20))
	}
	d.FinalGateSteps(step)
	if place != "" && len(e.Resume) > 0 {
		step(place)
	}
	if len(e.Resume) > 0 {
		step("Run: " + b.style.Command(e.Resume))
		b.blank()
		b.para("To start fresh: Add --fresh flag", render.PlainInk)
	} else if n == 0 {
		b.para("This run cannot be resumed.", render.PlainInk)
	}
}

// pasteableCommands are the lines below the box. Each stands alone on its line, whole, so that it
// can be pasted.
func pasteableCommands(d render.Overview, e render.Ending, s render.Style) string {
	return pasteable(d.Advice(e, s), s)
}

// LastCommand is the last part of a Summary, for use after further output; empty where the user has
// nothing to type.
func LastCommand(run *state.Run, e render.Ending, s render.Style) string {
	all := render.NewOverview(run, false).Advice(e, s)
	return pasteable(all[max(len(all)-1, 0):], s)
}

func pasteable(all []render.Advice, s render.Style) string {
	var out strings.Builder
	for _, a := range all {
		out.WriteString("\n")
		for _, row := range text.Wrap(a.Caption, s.Columns()) {
			out.WriteString(paint(s, render.Strong, row) + "\n")
		}
		for _, line := range a.Lines {
			out.WriteString("  " + line + "\n")
		}
	}
	return out.String()
}
