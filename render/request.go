package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/state"
)

// requestLimit bounds what a request quotes of agents and plans, in columns.
const requestLimit = 300

// RequestTitle is the title of a pull request for a whole run.
func RequestTitle(run *state.Run) string {
	return text.CleanLine(cmp.Or(run.Config.PlanTitle, run.Config.Plan), 120)
}

// RequestBody is the text of a pull request for phases of a run, in Markdown: what was asked, how
// it was verified, what a person has to look at, what it cost, and how to check it. Words of a plan
// and of agents stand in code spans, where a forge follows no mention and closes no issue.
func RequestBody(run *state.Run, phases []*state.Phase, branch string) string {
	var b strings.Builder
	t := run.Totals()
	fmt.Fprintf(&b, "Made by autobuild from %s: %d of %s complete, run %s.\n",
		quoted(run.Config.Plan), t.Complete, text.Count(t.Phases-t.Skipped, "phase"),
		quoted(run.Config.RunID))
	b.WriteString("No agent's word was taken for any of it: autobuild ran what is listed here.\n\n")
	b.WriteString("| phase | name | verdict | proof | attempts | cost |\n|---|---|---|---|---|---|\n")
	var sum state.Usage
	for _, p := range phases {
		last, _ := p.Last()
		sum = sum.Add(p.Spent)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %s |\n", cell(p.Label), cell(p.Name),
			cmp.Or(string(last.Verdict), string(p.Status)), cmp.Or(string(last.Proof), "-"),
			len(p.Attempts), cmp.Or(Cost(p.Spent), "-"))
	}
	if cost := Cost(sum); cost != "" && len(phases) > 1 {
		fmt.Fprintf(&b, "\nTogether: %s.\n", cost)
	}
	requestContested(&b, phases)
	requestGates(&b, phases)
	requestOthers(&b, run, phases)
	b.WriteString("\n## Check it\n\n")
	fmt.Fprintf(&b, "    git fetch origin %s && git switch --detach FETCH_HEAD\n", branch)
	for _, g := range run.Config.Gates {
		if g.Available {
			b.WriteString("    " + text.CleanLine(g.Command, 0) + "\n")
		}
	}
	return b.String()
}

// requestContested lists the changes of tests and gates that a person has to decide about.
func requestContested(b *strings.Builder, phases []*state.Phase) {
	head := "\n## To look at first\n\nThese changes of tests, gates or what steers them were not asked for by the plan:\n\n"
	for _, p := range phases {
		for _, c := range p.Contested() {
			fmt.Fprintf(b, "%s- %s: %s", head, cell(p.Label), quoted(c.File))
			if c.Test != "" {
				b.WriteString(" " + quoted(c.Test))
			}
			if c.Why != "" {
				b.WriteString(", the agent's reason: " + quoted(c.Why))
			}
			b.WriteByte('\n')
			head = ""
		}
	}
}

// requestGates lists the gates of the last attempts, each once, with how often each passed.
func requestGates(b *strings.Builder, phases []*state.Phase) {
	type count struct{ passed, other int }
	counts := make(map[string]*count)
	var names []string
	for _, p := range phases {
		last, _ := p.Last()
		for _, g := range last.Gates {
			name := g.Name + "\x00" + g.Command
			if counts[name] == nil {
				counts[name] = &count{}
				names = append(names, name)
			}
			if g.Status == state.GatePassed {
				counts[name].passed++
			} else {
				counts[name].other++
			}
		}
	}
	if len(names) == 0 {
		return
	}
	b.WriteString("\n## Gates\n\n")
	for _, key := range names {
		name, command, _ := strings.Cut(key, "\x00")
		fmt.Fprintf(b, "- %s %s: passed %s", cell(name), quoted(command),
			text.Count(counts[key].passed, "time"))
		if n := counts[key].other; n > 0 {
			fmt.Fprintf(b, ", and did not %s", text.Count(n, "time"))
		}
		b.WriteByte('\n')
	}
}

// requestOthers names the phases that are not part of the work.
func requestOthers(b *strings.Builder, run *state.Run, phases []*state.Phase) {
	var rest []string
	for i := range run.Phases {
		p := &run.Phases[i]
		if p.Status != state.Complete && !slices.Contains(phases, p) {
			rest = append(rest, fmt.Sprintf("- %s %s: %s\n", cell(p.Label), cell(p.Name), p.Status))
		}
	}
	if len(rest) > 0 {
		b.WriteString("\n## Not in it\n\n" + strings.Join(rest, ""))
	}
}

// quoted is foreign text as a code span of one line.
func quoted(s string) string {
	s = text.CleanLine(s, requestLimit)
	if s == "" {
		return "``` ```"
	}
	bar := "`"
	for strings.Contains(s, bar) {
		bar += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return bar + s + bar
}

// cell is foreign text as a code span in a table.
func cell(s string) string { return strings.ReplaceAll(quoted(s), "|", `\|`) }
