package prompt

import (
	"fmt"
	"strings"
)

// A tier ends its answer with one of these words and a reason.
const (
	WordFixed   = "fixed"
	WordBlocked = "blocked"

	WordsNeeded = "what is needed, and from whom" // stands for a reason in the prompt
)

// MaxSaid bounds what is kept of a tier's own words, in bytes.
const MaxSaid = 600

// diagnose is the prompt of a tier: what went wrong comes before what is to be done.
func (p Prompt) diagnose(b *strings.Builder) {
	p.diagnosticIntro(b)
	p.failed(b, "## What went wrong")
	p.known(b)
	p.section(b)
	p.surroundings(b)
	p.troubles(b)
	p.rules(b)
	p.result(b)
	fmt.Fprintf(b, `
After the block, end with one last line that begins with one of these two words:

%s: what the cause was, and what you changed
%s: %s
`, WordFixed, WordBlocked, WordsNeeded)
}

func (p Prompt) diagnosticIntro(b *strings.Builder) {
	t := p.Task
	fmt.Fprintf(b, "# Diagnosis of %s\n\n", t.Phase.Title())
	b.WriteString(
		"Another agent was to carry out one phase of a plan, and failed. You find out why, and " +
			"put it right, alone and unattended: nobody can answer questions.\n")
	p.position(b)
	p.whereabouts(b)
	b.WriteString(`
In this order:

1. Look. Read what went wrong, run the command that failed, and see it for yourself.
2. Find the cause, which may be elsewhere than where it shows: in the code, in the plan, in what is installed.
3. If the fix is simple, make it, finish what the phase asks for, and run every command under Rules.
4. If it is not (the plan is wrong, something must be installed, somebody must decide), leave no half of it behind and say what is needed.

Your fix is taken if every command passes, no merge or conflict mark is left behind, nothing outside this directory has changed, all tasks are done, and
the files that the plan names exist. Otherwise it is set aside.

`)
}
