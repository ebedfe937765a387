package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/text"
	"autobuild/state"
)

// requestLimit bounds what a request quotes of agents and plans, in columns.
const requestLimit = 300

// requestNotesKept bounds the notes of a reviewer on one phase.
const requestNotesKept = 10

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
	b.WriteString("Agents wrote the code. autobuild ran the gates on the merged work, and landed a phase " +
		"only if they passed.\n\n")
	b.WriteString("| phase | name | verdict | proof | attempts | cost |\n|---|---|---|---|---|---|\n")
	var sum state.Usage
	for _, p := range phases {
		last, _ := p.Last()
		sum = sum.Add(p.Spent)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %s |\n", cell(p.Label), cell(p.Name),
			cmp.Or(string(last.Verdict), string(p.Status)), cmp.Or(ProofWord(last.Proof), "-"),
			len(p.Attempts), cmp.Or(Cost(p.Spent), "-"))
	}
	if cost := Cost(sum); cost != "" && len(phases) > 1 {
		fmt.Fprintf(&b, "\nTogether: %s.\n", cost)
	}
	requestContested(&b, phases)
	requestDoubts(&b, phases)
	requestNotes(&b, phases)
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

// requestDoubts lists what autobuild could not verify of the work.
func requestDoubts(b *strings.Builder, phases []*state.Phase) {
	head := "\n## Not verified\n\n"
	say := func(p *state.Phase, what string) {
		fmt.Fprintf(b, "%s- %s: %s\n", head, cell(p.Label), what)
		head = ""
	}
	for _, p := range phases {
		last, _ := p.Last()
		if last.Verdict == state.Unverified {
			say(p, "no gate ran")
		}
		switch last.Proof {
		case state.ProofNone:
			say(p, "no test of its own shows the change")
		case state.ProofRegression:
			say(p, "its tests pass without the change too")
		case state.ProofRedGreen:
		}
		for _, g := range last.Gates {
			switch {
			case g.Status == state.GateNotAvailable:
				say(p, "gate "+quoted(g.Name)+" did not run: "+quoted(cmp.Or(g.Missing, g.Command))+
					" is not installed")
			case g.Before != "":
				say(p, "gate "+quoted(g.Name)+" fails, as it did before the phase")
			}
		}
		if r := last.Review; r != nil && r.Missing != "" {
			say(p, "not reviewed: "+quoted(r.Missing))
		}
		if remark := editRemark(p); remark != "" {
			say(p, remark)
		}
	}
}

// requestNotes lists the findings of reviewers that autobuild could not confirm.
func requestNotes(b *strings.Builder, phases []*state.Phase) {
	head := "\n## Notes of the reviewer\n\nNothing that autobuild ran shows that these hold:\n\n"
	for _, p := range phases {
		last, _ := p.Last()
		notes := last.Review.Notes()
		for _, f := range notes[:min(len(notes), requestNotesKept)] {
			place := f.File
			if f.Line > 0 {
				place += ":" + strconv.Itoa(f.Line)
			}
			fmt.Fprintf(b, "%s- %s, %s, %s: %s\n", head, cell(p.Label), cell(f.Severity),
				cell(place), quoted(f.Claim))
			head = ""
		}
		more := max(0, len(notes)-requestNotesKept)
		if last.Review != nil {
			more += last.Review.Omitted
		}
		if more > 0 {
			fmt.Fprintf(b, "%s- %s: %d more\n", head, cell(p.Label), more)
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
