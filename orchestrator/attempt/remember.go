package attempt

import (
	"context"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
)

// maxLessons bounds how many earlier failures a prompt names.
const maxLessons = 8

// lessons are what the agent should hear before it begins.
func (t *try) lessons() []failure.Lesson {
	if t.Memory == nil {
		return nil
	}
	var last *failure.Diagnosis
	if n := len(t.task.Earlier); n > 0 {
		last = t.task.Earlier[n-1].Failure
	}
	known := t.Memory.Relevant(t.task.Phase, last)
	return known[:min(len(known), maxLessons)]
}

// prevent runs what a person has accepted as a remedy for failures that were seen before. It stands
// apart from the setup, so that people see which of the two has failed.
func (t *try) prevent(ctx context.Context) error {
	if t.Memory == nil {
		return nil
	}
	commands := t.Memory.Prevent(t.task.Phase)
	err := t.prepare(ctx, t.tree.Dir, t.prefix()+".prevent", commands)
	if t.seen.Setup != nil {
		ran := text.OneLine(strings.Join(commands, "; "))
		t.record.Warnings = append(t.record.Warnings,
			"what failed is no setup of the plan's: the knowledge base has it run before this "+
				"phase ("+ran+")")
	}
	return err
}
