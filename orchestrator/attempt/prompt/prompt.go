// Package prompt makes the text for an agent: the phase's section, the rules, what failed before
// and what earlier failures taught. It is pure, and golden files hold every form; advice that
// contradicts the section is left out. It does not know how an agent is called.
package prompt

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/state"
)

// Bounds of a prompt: an agent's context is not for logs.
const (
	maxSection   = 256 << 10 // bytes of the phase's text
	maxErrorText = 8 << 10   // bytes of one earlier failure
)

// maxConstraintsTold bounds what a prompt repeats of the plan's constraints.
const maxConstraintsTold = 20

// Prompt is everything that goes into the text for an agent. Text of the plan and of earlier output
// stands in fences that are longer than any in it, and is called data.
type Prompt struct {
	Task   state.Task
	Plan   *plan.Plan
	Gates  []state.GateSpec // that will judge the work
	Before []state.Gate     // that fail without the phase's work
	Nonce  string           // of the result block
	Tree   Tree             // as it was opened
	Strong bool             // the agent classifies its own errors
	Known  []failure.Lesson // from earlier failures, that fit
}

// Tree is the directory in which the agent works.
type Tree struct {
	Base   string // commit
	Kept   string // the branch with earlier work that was set aside; empty: none was
	Reused bool   // it holds earlier work
}

// String builds the prompt. It is pure: golden files hold it.
func (p Prompt) String() string {
	var b strings.Builder
	if p.Task.Tier != "" {
		p.diagnose(&b)
		return b.String()
	}
	p.intro(&b)
	p.section(&b)
	p.notes(&b)
	p.surroundings(&b)
	p.rules(&b)
	p.failed(&b, "## The previous attempt failed")
	p.known(&b)
	p.troubles(&b)
	p.result(&b)
	return b.String()
}

func (p Prompt) intro(b *strings.Builder) {
	fmt.Fprintf(b, "# %s\n\n", p.Task.Phase.Title())
	b.WriteString(
		"You carry out one phase of a plan, alone and unattended: nobody can answer questions.\n")
	p.position(b)
	p.whereabouts(b)
	b.WriteByte('\n')
}

// position says where the phase stands.
func (p Prompt) position(b *strings.Builder) {
	t := p.Task
	fmt.Fprintf(b, "Phase %s is number %d of %d", t.Phase.Label, t.Position, t.Of)
	if p.Plan.Title != "" {
		fmt.Fprintf(b, " in %q", p.Plan.Title)
	}
	b.WriteString(". Work in the current directory, which is yours alone.\n")
}

func (p Prompt) section(b *strings.Builder) {
	phase := p.Task.Phase
	b.WriteString("## The work\n\n")
	if strings.TrimSpace(phase.Text) != "" {
		b.WriteString("The plan says of this phase:\n\n")
		fence(b, "markdown", text.Truncate(phase.Text, maxSection))
	} else {
		b.WriteString("The plan says no more of this phase than its name.\n\n")
	}
	list(b, "Tasks, all of which must be done unless marked as optional:", phase.Tasks, taskText)
	list(b, "It is done when:", phase.Criteria, taskText)
	if files := phase.Files.All(); len(files) > 0 {
		list(b, "Files that the plan gives to this phase:", files,
			func(f string) string { return f })
	}
}

// notes are what the user has added while the run went on.
func (p Prompt) notes(b *strings.Builder) {
	if len(p.Task.Notes) == 0 {
		return
	}
	b.WriteString("## Notes of the user\n\nThe user has added to this phase while the run went on. " +
		"Where a note and the plan differ, the later note holds:\n\n")
	for _, n := range p.Task.Notes {
		fence(b, "text", text.Truncate(n.Text, state.MaxNote))
	}
}

func taskText(t plan.Task) string {
	if t.Optional {
		return t.Text + " (optional)"
	}
	return t.Text
}

func (p Prompt) surroundings(b *strings.Builder) {
	if len(p.Task.Before) > 0 {
		list(b, "## Before you\n\nThese phases are complete, and their work is in your directory:",
			p.Task.Before,
			func(f state.Finished) string {
				return named(f.Label, f.Name) + firstLine(": ", f.Message)
			})
	}
	if len(p.Task.Beside) > 0 {
		list(b, "## Beside you\n\nOther agents work on these phases at the same time, "+
			"elsewhere. Leave their files alone:",
			p.Task.Beside,
			func(q plan.Phase) string {
				text := named(q.Label, q.Name)
				if files := q.Files.All(); len(files) > 0 {
					text += " (" + strings.Join(files, ", ") + ")"
				}
				return text
			})
	}
}

func (p Prompt) rules(b *strings.Builder) {
	b.WriteString("## Rules\n\n")
	if len(p.Gates) > 0 {
		b.WriteString(
			"When you have finished, these commands are run afresh, and every one must succeed:\n\n")
		for _, g := range p.Gates {
			fmt.Fprintf(b, "- %s: `%s`", g.Name, g.Command)
			if g.FixCommand != "" {
				fmt.Fprintf(b, " (most of it is repaired by `%s`)", g.FixCommand)
			}
			b.WriteByte('\n')
		}
		p.inherited(b)
		b.WriteString("\n- Run them yourself after every change, and once more at the end.\n")
	}
	b.WriteString(`- Do not commit, stash, switch branches or change git's configuration: your work is committed for you.
- Do not edit the plan or tick its boxes, and leave .autobuild/ alone.
- Stay inside this directory and inside this phase: no file of another phase.
- Leave no process running in the background.
- Existing tests and gates are the referee: they judge your work as they were before it, in another checkout.
- Change one of them only where the plan asks for that. Where your work truly needs another change, name it in the result:
  "referee_changes": [{"file": "…", "test": "…", "why": "…"}]. A change that is neither asked for nor named fails the attempt.
`)
	p.constraints(b)
	b.WriteString(`- Only what git would commit counts: ignored files and files outside this directory are not there when your work is judged.
- If you cannot finish, say so in the result. Your work is checked independently in any case.

`)
}

// inherited names the gates that fail without the phase's work, so that the agent does not repair
// half the project.
func (p Prompt) inherited(b *strings.Builder) {
	for _, g := range p.Before {
		if !slices.ContainsFunc(p.Gates, func(s state.GateSpec) bool {
			return s.Name == g.Name && s.Command == g.Command
		}) {
			continue
		}
		fmt.Fprintf(b, "- %s fails already, without your work", g.Name)
		if g.Failed > 0 {
			fmt.Fprintf(b, " (%d found)", g.Failed)
		}
		b.WriteString(
			": add nothing to it. What fails there is not yours to mend, unless the plan says so.\n")
	}
}

func (p Prompt) result(b *strings.Builder) {
	fmt.Fprintf(b, `## The result

End your final message with exactly one fenced json block of this form, filled in truthfully (or write the object alone to
the file named by $AUTOBUILD_RESULT_FILE):

`)
	total := Required(p.Task.Phase.Tasks)
	// a prompt that is read aloud claims nothing: its status is no valid one
	fence(b, "json", fmt.Sprintf(`{"nonce": %q, "phase_id": %q, "status": "complete|failed",
 "tasks": {"total": %d, "completed": %d},
 "quality_gates": {%s},
 "commit_message": %q,
 "files": {"created": [], "modified": [], "deleted": []},
 "plan_updated": false, "error": null}
`, p.Nonce, p.Task.Phase.ID, total, total, p.gateExample(), p.commitExample()))
	if !p.Strong {
		b.WriteString(
			"\"status\" is one of the two words. If you could not finish: \"failed\", and \"error\": {\"type\": \"…\", " +
				"\"message\": \"what stopped you\"}.\n")
		return
	}
	b.WriteString(`"status" is one of the two words. If you could not finish: "failed", and "error": {"type": "…", "message": "what stopped you", "category": "…", "retryable": false}.
"retryable" says whether the same work may succeed if it is tried again as it is. "category" is one of these, the first that fits:

- prerequisite: something that the plan takes for granted is not there
- execution: a command ran and failed
- unexpected_result: it succeeded, and the result is not what was asked for
- misalignment: instructions were not followed, or a claim was untrue
- ambiguity: the plan does not say enough to go on safely
`)
}

func (p Prompt) gateExample() string {
	var parts []string
	for _, g := range p.Gates {
		parts = append(parts, fmt.Sprintf(`%q: {"passed": true, "output": "…"}`, g.Name))
	}
	return strings.Join(parts, ", ")
}

func (p Prompt) commitExample() string {
	if p.Task.Phase.Commit != "" {
		return p.Task.Phase.Commit
	}
	return "feat(scope): what changed and why"
}

// fence writes text between fences longer than any run of backticks in it.
func fence(b *strings.Builder, info, text string) {
	longest, run := 2, 0
	for _, r := range text {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	bar := strings.Repeat("`", longest+1)
	fmt.Fprintf(b, "%s%s\n%s\n%s\n\n", bar, info, strings.TrimRight(text, "\n"), bar)
}

func list[T any](b *strings.Builder, head string, items []T, text func(T) string) {
	if len(items) == 0 {
		return
	}
	b.WriteString(head + "\n\n")
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", text(item))
	}
	b.WriteByte('\n')
}

func named(label, name string) string {
	if name == "" {
		return "Phase " + label
	}
	return "Phase " + label + ": " + name
}

func at(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return " (" + file + ")"
	}
	return fmt.Sprintf(" (%s:%d)", file, line)
}

// firstLine is sep and the first line of s, or nothing.
func firstLine(sep, s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if s == "" {
		return ""
	}
	return sep + s
}

// constraints repeats what the plan rules out for all phases.
func (p Prompt) constraints(b *strings.Builder) {
	if p.Plan == nil || len(p.Plan.Constraints) == 0 {
		return
	}
	b.WriteString(
		"- The plan rules these out for all phases. A file that the phase's own section names " +
			"is an exception:\n")
	for _, c := range p.Plan.Constraints[:min(len(p.Plan.Constraints), maxConstraintsTold)] {
		fmt.Fprintf(b, "  - %s\n", text.OneLine(c.Text))
	}
	if more := len(p.Plan.Constraints) - maxConstraintsTold; more > 0 {
		fmt.Fprintf(b, "  - and %d more, in its sections about constraints\n", more)
	}
}

// Required counts the tasks that may not be left out. What an agent counts is a claim: one that
// gives up may count less.
func Required(tasks []plan.Task) int {
	n := 0
	for _, t := range tasks {
		if !t.Optional {
			n++
		}
	}
	return n
}
