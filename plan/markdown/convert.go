package markdown

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/words"
)

// Convert writes a plan in the recommended format: an overview table, and a section for each phase.
// It reads what it wrote again, and returns it only when both plans have the same phases, edges and
// boxes; the error says where they differ.
func Convert(p *plan.Plan) (string, error) {
	// with the sections as written, else with their boxes apart
	for _, whole := range []bool{true, false} {
		text := recommended(p, whole)
		again, err := Parse(p.Path, []byte(text), Options{})
		if err == nil {
			err = sameGraph(p, again)
		}
		if err == nil {
			return text, nil
		}
		if !whole {
			return "", fmt.Errorf(
				"the plan cannot be written in the recommended format without changing it: %w", err)
		}
	}
	return "", errors.New("the plan was not written")
}

func recommended(p *plan.Plan, whole bool) string {
	var b strings.Builder
	if p.Title != "" {
		fmt.Fprintf(&b, "# %s\n\n", p.Title)
	}
	b.WriteString(
		"| Phase | Name | Depends On | Status |\n|-------|------|------------|--------|\n")
	for i, phase := range p.Phases() {
		needs := "none"
		if list := p.Needs(i); len(list) > 0 {
			labels := make([]string, len(list))
			for k, need := range list {
				labels[k] = p.At(need).Label
			}
			needs = strings.Join(labels, ", ")
		}
		status := phase.Status
		if status == plan.StatusUnknown {
			status = plan.StatusTodo
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s %s |\n", phase.Label,
			strings.ReplaceAll(phase.Name, "|", "\\|"), needs, marks[status], written[status])
	}
	for _, phase := range p.Phases() {
		head := "## Phase " + phase.Label
		if phase.Name != "" {
			head += ": " + phase.Name
		}
		if words.ReadTitle(strings.TrimPrefix(head, "## ")).Label != phase.Label {
			head = "## " + phase.Label
		}
		fmt.Fprintf(&b, "\n%s\n", head)
		if body := sectionBody(phase, whole); body != "" {
			fmt.Fprintf(&b, "\n%s\n", body)
		}
	}
	return b.String()
}

// sectionBody is the text of a phase below its heading, its own headings two levels down at least.
func sectionBody(phase plan.Phase, whole bool) string {
	_, text, _ := strings.Cut(phase.Text, "\n")
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	code := false
	for i, line := range lines {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "```") ||
			strings.HasPrefix(trimmed, "~~~") {
			code = !code
		}
		if level := len(line) - len(strings.TrimLeft(line, "#")); !code && level > 0 && level < 6 &&
			strings.HasPrefix(line[level:], " ") {
			lines[i] = strings.Repeat("#", max(level, 3)) + line[level:]
		}
		if !whole && !code {
			for _, box := range []string{"[ ] ", "[x] ", "[X] ", "[~] ", "[-] "} {
				lines[i] = strings.Replace(lines[i], box, "", 1)
			}
		}
	}
	body := strings.TrimRight(strings.Join(lines, "\n"), "\n")
	if whole {
		return body
	}
	if len(phase.Tasks) > 0 {
		body = boxList(phase.Tasks) + "\n" + body
	}
	if len(phase.Criteria) > 0 {
		body += "\n\n### Definition of Done\n\n" + boxList(phase.Criteria)
	}
	return strings.Trim(body, "\n")
}

func boxList(tasks []plan.Task) string {
	var b strings.Builder
	for _, t := range tasks {
		mark := " "
		if t.Done {
			mark = "x"
		}
		fmt.Fprintf(&b, "- [%s] %s\n", mark, t.Text)
	}
	return b.String()
}

// sameGraph compares two plans by their phases, edges and boxes.
func sameGraph(p, q *plan.Plan) error {
	if p.Len() != q.Len() {
		return fmt.Errorf("%d phases would become %d", p.Len(), q.Len())
	}
	for i, a := range p.Phases() {
		b := q.At(i)
		switch {
		case a.ID != b.ID:
			return fmt.Errorf("phase %s would become phase %s", a.Label, b.Label)
		case !slices.Equal(p.Needs(i), q.Needs(i)):
			return fmt.Errorf("phase %s would depend on %v, not on %v", a.Label, b.DependsOn,
				a.DependsOn)
		case len(a.External) > 0:
			return fmt.Errorf("phase %s depends on a phase of another document: %s", a.Label,
				a.External[0])
		case len(a.Tasks) != len(b.Tasks) || len(a.Criteria) != len(b.Criteria):
			return fmt.Errorf("phase %s would have %d boxes, not %d", a.Label,
				len(b.Tasks)+len(b.Criteria),
				len(a.Tasks)+len(a.Criteria))
		}
	}
	return nil
}
