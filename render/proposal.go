package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/state"
)

// Revision is the input of Proposal: a phase that failed, the plan that it is in, and the text of
// that plan.
type Revision struct {
	Plan   *plan.Plan
	Run    *state.Run
	Phase  *state.Phase
	Source string
}

// suggestion is a possible change of the plan: a title, the reason, and the text with its place.
type suggestion struct {
	title, why, change string
}

// ProposalName is where the proposal of a phase is, below the state directory, with slashes.
func ProposalName(phase string) string { return "proposals/phase-" + phase + ".md" }

// Proposal is a markdown page on the failure, the drift from the plan, and possible changes of the
// plan. Nothing of it is ever applied: it is for a person. It is "" for a phase that has not failed
// or is not in the plan.
func Proposal(r Revision) string {
	phase, known := r.Plan.Find(r.Phase.ID)
	last, ok := r.Phase.Last()
	if !known || !ok || last.Failure == nil {
		return ""
	}
	w := wish{
		Revision: r, phase: phase, last: last, f: last.Failure,
		lines: strings.Split(r.Source, "\n"),
	}
	s := w.suggest()
	var out strings.Builder
	fmt.Fprintf(&out,
		"# Proposal: %s\n\n%s\n\nNothing of this has been done. The plan is yours: change it, "+
			"or leave it.\n",
		s.title, s.why)
	w.failures(&out)
	w.drift(&out)
	w.present(&out)
	w.proposed(&out, s)
	return text.DisarmLines(out.String())
}

// summaryOf is the title and the reason of a proposal.
func summaryOf(page string) string {
	title, rest, _ := strings.Cut(strings.TrimPrefix(page, "# Proposal: "), "\n\n")
	why, _, _ := strings.Cut(rest, "\n\n")
	return strings.TrimSpace(title + "\n" + why)
}

// wish is a proposal in the making.
type wish struct {
	Revision
	phase plan.Phase
	last  state.Attempt
	f     *failure.Diagnosis
	lines []string
}

// failures lists what failed, oldest first.
func (w *wish) failures(out *strings.Builder) {
	out.WriteString("\n## What failed\n\n")
	row := func(who string, kind failure.Type, mark, message string) {
		fmt.Fprintf(out, "- %s: `%s`, %s", who, kind, inert(message, 300))
		if mark != "" {
			fmt.Fprintf(out, " (fingerprint `%s`)", inert(mark[:min(len(mark), 12)], 12))
		}
		out.WriteString("\n")
	}
	for _, e := range w.Phase.Past[:max(0, len(w.Phase.Past)-len(w.Phase.Failures()))] {
		row("earlier", e.Type, e.Fingerprint, e.Message)
	}
	for _, a := range w.Phase.Attempts {
		if f := a.Failure; f != nil {
			row(fmt.Sprintf("attempt %d", a.N), f.Type, f.Fingerprint, f.Message)
		}
	}
	var tests []string
	for _, t := range w.f.Tests {
		tests = append(tests, inert(located(t.Name, FileLine(t.File, t.Line)), 200))
	}
	if len(tests) > 0 {
		fmt.Fprintf(out, "- failing at the end: %s\n", text.JoinSome(tests, 10))
	}
	if c := w.f.Class; c.Class != "" {
		fmt.Fprintf(out, "- class %s, %s (confidence %s): %s\n", c.Class, classWords(w.last),
			decimal(c.Confidence), inert(strings.Join(c.Evidence, "; "), 400))
	}
}

// drift lists what differs from the plan.
func (w *wish) drift(out *strings.Builder) {
	var rows []string
	if declared := w.phase.Files.All(); len(declared) > 0 {
		var outside []string
		for _, path := range w.touched() {
			if !slices.Contains(declared, path) {
				outside = append(outside, "`"+inert(path, 120)+"`")
			}
		}
		if len(outside) > 0 {
			rows = append(rows, "changed outside the files that the phase declares: "+
				text.JoinSome(outside, 10))
		}
	}
	for _, other := range w.intruded() {
		rows = append(rows, fmt.Sprintf("changed files of phase %s: %s", inert(other.label, 40),
			text.JoinSome(other.files, 5)))
	}
	if u := w.Phase.Spent; u.InputTokens+u.OutputTokens > 0 {
		rows = append(rows, fmt.Sprintf("used %d tokens%s", u.InputTokens+u.OutputTokens,
			strings.TrimSuffix(", "+Cost(u), ", ")))
	}
	if w.Phase.Revisions > 0 {
		rows = append(rows, "its text changed "+times(w.Phase.Revisions)+" between attempts")
	}
	if w.f.Deviation > 0 {
		rows = append(rows, "it deviates from the plan by "+decimal(w.f.Deviation)+" of 1")
	}
	if len(rows) == 0 {
		return
	}
	out.WriteString("\n## What drifted\n\n")
	for _, row := range rows {
		out.WriteString("- " + row + "\n")
	}
}

// touched are the files that the failed attempts changed.
func (w *wish) touched() []string {
	var files []string
	for _, a := range w.Phase.Attempts {
		files = append(files, slices.Concat(a.Changes.Created, a.Changes.Modified,
			a.Changes.Deleted)...)
	}
	for _, e := range w.Phase.Past {
		files = append(files, e.Files...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// intrusion is a phase whose files another one changed.
type intrusion struct {
	id, label string
	files     []string
}

// intruded are the phases, unrelated to this one, that declare or changed a file that this one
// changed.
func (w *wish) intruded() []intrusion {
	mine := w.touched()
	var found []intrusion
	for i, other := range w.Plan.Phases() {
		if other.ID == w.phase.ID || w.related(other.ID) {
			continue
		}
		theirs := other.Files.All()
		if p, ok := w.Run.Find(other.ID); ok {
			if a, tried := p.Last(); tried {
				theirs = slices.Concat(theirs, a.Changes.Created, a.Changes.Modified,
					a.Changes.Deleted)
			}
		}
		var shared []string
		for _, path := range mine {
			if slices.Contains(theirs, path) {
				shared = append(shared, "`"+inert(path, 120)+"`")
			}
		}
		if len(shared) > 0 {
			found = append(found, intrusion{w.Plan.At(i).ID, other.Label, shared})
		}
	}
	return found
}

// related reports whether one of the two phases waits for the other already.
func (w *wish) related(id string) bool {
	a, _ := w.Plan.Index(w.phase.ID)
	b, _ := w.Plan.Index(id)
	return slices.Contains(w.Plan.Descendants(a), b) || slices.Contains(w.Plan.Descendants(b), a)
}

// present quotes what the plan says of the phase now.
func (w *wish) present(out *strings.Builder) {
	fmt.Fprintf(out, "\n## The plan now\n\n")
	var quoted []string
	show := func(n int) {
		if n > 0 && n <= len(w.lines) {
			quoted = append(quoted, fmt.Sprintf("%s:%d: %s", w.Plan.Path, n, w.lines[n-1]))
		}
	}
	show(w.phase.Pos.Line)
	for _, t := range slices.Concat(w.phase.Tasks, w.phase.Criteria) {
		show(t.Pos.Line)
	}
	Fence(out, "text", quoted)
}

// proposed lists the changes to make, and the command to run then.
func (w *wish) proposed(out *strings.Builder, s suggestion) {
	check := cmp.Or(w.Plan.Path, "plan.md")
	out.WriteString("\n## What could be changed\n\n")
	out.WriteString(cmp.Or(s.change,
		"Nothing in the plan: the first paragraph says what would help.") + "\n")
	fmt.Fprintf(out, "\nThen:\n\n    %s\n    %s\n", Command([]string{"autobuild", "check", check}),
		Command([]string{"autobuild", check, "--resume"}))
}

// at names a line of the plan.
func (w *wish) at(line int) string {
	return inert(fmt.Sprintf("%s:%d", cmp.Or(w.Plan.Path, "plan.md"), line), 200)
}

// Fence writes lines between fences that none of them can close.
func Fence(out *strings.Builder, word string, lines []string) {
	fence := "```"
	for _, line := range lines {
		for strings.Contains(line, fence) {
			fence += "`"
		}
	}
	out.WriteString(fence + word + "\n")
	for _, line := range lines {
		out.WriteString(safeLine(line) + "\n")
	}
	out.WriteString(fence + "\n")
}

// safeLine is a line of a plan as it is, unless a terminal would obey something in it.
func safeLine(line string) string {
	if (Style{}).shows(strings.ReplaceAll(line, "\t", " ")) {
		return line
	}
	return text.Clean(line, 0)
}

// inert is foreign text that is no markup in a sentence.
func inert(content string, limit int) string {
	return strings.NewReplacer("`", "'", "<", "(", ">", ")").Replace(text.Clean(content, limit))
}
