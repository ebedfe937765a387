package attempt

import (
	"fmt"

	"autobuild/failure"
)

// ruleConstraint is the rule of an objection that the plan itself states.
const ruleConstraint = "constraint"

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
				t.seen.Past.Contradicts = fmt.Sprintf(
					"%q (line %d of the plan); the difference changes %s", c.Text, c.Pos.Line, file)
			}
			t.seen.Guard = append(t.seen.Guard, failure.Place{
				File: file, Rule: ruleConstraint,
				Message: fmt.Sprintf("the plan rules it out for all phases: %q (line %d)", c.Text,
					c.Pos.Line),
			})
			break
		}
	}
}
