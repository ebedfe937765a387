package orchestrator

import (
	"fmt"
	"slices"

	"autobuild/internal/text"
	"autobuild/plan"
)

// Part is a part of a plan that a person asked for. The zero Part is the whole plan.
type Part struct {
	Only []string // labels
	From string   // label: this phase and all after it in the document
	Skip []string // labels
}

// PartError says that a part of a plan cannot be run.
type PartError struct {
	What, Next string
}

// Error joins What and Next.
func (e *PartError) Error() string { return e.What + "; " + e.Next }

// Select turns a part into positions and into phases that are to be recorded as skipped: those that
// were left out by name and that the plan itself marks as done. done reports which phases are
// complete already. The needs of a selected phase must be selected, complete, or skipped in that
// way; the error is a *PartError.
func Select(
	p *plan.Plan, part Part, done func(id string) bool,
) (selected []bool, skipped map[string]string, err error) {
	selected = make([]bool, p.Len())
	first, err := from(p, part.From)
	if err != nil {
		return nil, nil, err
	}
	for i := range selected {
		selected[i] = i >= first && len(part.Only) == 0
	}
	for _, label := range part.Only {
		i, err := position(p, label, "--only")
		if err != nil {
			return nil, nil, err
		}
		selected[i] = i >= first
	}
	skipped = make(map[string]string)
	for _, label := range part.Skip {
		i, err := position(p, label, "--skip")
		if err != nil {
			return nil, nil, err
		}
		selected[i] = false
		if phase := p.At(i); phase.Status == plan.StatusDone || phase.Status == plan.StatusSkipped {
			skipped[phase.ID] = "left out with --skip; the plan marks it as " + string(phase.Status)
		}
	}
	if !slices.Contains(selected, true) {
		return nil, nil, &PartError{
			What: "nothing is left to run of what was asked for",
			Next: "name other phases",
		}
	}
	for i := range selected {
		for _, need := range p.Needs(i) {
			other := p.At(need)
			if _, ok := skipped[other.ID]; selected[i] && !selected[need] && !ok &&
				!done(other.ID) {
				return nil, nil, &PartError{
					What: fmt.Sprintf("phase %s needs phase %s, which is left out and not complete",
						p.At(i).Label, other.Label),
					Next: fmt.Sprintf("run %s too, or leave %s out as well", other.Label,
						p.At(i).Label),
				}
			}
		}
	}
	return selected, skipped, nil
}

func from(p *plan.Plan, label string) (int, error) {
	if label == "" {
		return 0, nil
	}
	return position(p, label, "--from")
}

func position(p *plan.Plan, label, flag string) (int, error) {
	if phase, ok := p.Find(label); ok {
		i, _ := p.Index(phase.ID)
		return i, nil
	}
	return 0, &PartError{
		What: fmt.Sprintf("%s names phase %q, which the plan does not have", flag, label),
		Next: "its phases are " + text.Clip(plan.Labels(p.Phases()), 303),
	}
}
