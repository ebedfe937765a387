package attempt

import (
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
)

// ruleConstraint is the rule of an objection that the plan itself states.
const ruleConstraint = "constraint"

// maxConstraintsTold bounds what a prompt repeats of the plan's constraints.
const maxConstraintsTold = 20

// constrain compares the files that the attempt changed with what the plan rules out for all
// phases. A changed file is the witness. Where the phase's own section names the file, the author
// has made an exception.
func (t *try) constrain() {
	if t.Plan == nil {
		return
	}
	for _, c := range t.Plan.Constraints {
		for _, file := range t.seen.Past.Files {
			if !c.Forbids(file) || c.Excepts(t.task.Phase, file) {
				continue
			}
			if t.seen.Past.Contradicts == "" {
				t.seen.Past.Constraint = c.Text
				t.seen.Past.Contradicts = fmt.Sprintf("%q (line %d of the plan); the difference changes %s", c.Text, c.Pos.Line, file)
			}
			t.seen.Guard = append(t.seen.Guard, failure.Place{
				File: file, Rule: ruleConstraint, Message: fmt.Sprintf("the plan rules it out for all phases: %q (line %d)", c.Text, c.Pos.Line),
			})
			break
		}
	}
}

// constraints repeats what the plan rules out for all phases.
func (p prompt) constraints(b *strings.Builder) {
	if p.plan == nil || len(p.plan.Constraints) == 0 {
		return
	}
	b.WriteString("- The plan rules these out for all phases. A file that the phase's own section names is an exception:\n")
	for _, c := range p.plan.Constraints[:min(len(p.plan.Constraints), maxConstraintsTold)] {
		fmt.Fprintf(b, "  - %s\n", text.OneLine(c.Text))
	}
	if more := len(p.plan.Constraints) - maxConstraintsTold; more > 0 {
		fmt.Fprintf(b, "  - and %d more, in its sections about constraints\n", more)
	}
}
