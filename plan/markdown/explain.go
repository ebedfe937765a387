package markdown

import (
	"slices"
	"strings"
)

// explanations say what each code means and what to do about it.
var explanations = map[string]string{
	"E-NO-PHASES": `Nothing in the document can be recognised as a phase.
Give each phase a heading with an id, such as "## Phase 1: Name", or list the phases in a table that has a
column of ids and a column "Depends On". Headings inside code fences, comments and quotations do not count.`,
	"E-BAD-ID": `The id of a phase cannot be used: it holds neither letter nor digit, is a path, holds a control character, or
mixes ASCII with letters that only look like it.
Number the phases: "## Phase 1: Name", "## Phase 2A: Name".`,
	"E-DUP-ID": `Two phases have the same id. "Phase 2-A", "2A" and "phase 2a" are one id.
Give one of them another id. A second heading with the same id and the same name is read as one phase, with a
warning.`,
	"E-CYCLE": `Phases depend on each other in a circle, so that none of them can ever start. The message shows the
whole circle: in 2A → 3 → 2A, phase 2A depends on 3, and 3 on 2A.
Remove one of these dependencies. If two phases really need each other, they are one phase.`,
	"E-UNKNOWN": `A dependency names a phase that the plan does not have.
Correct the id, add the phase, or write "none". Text that is no id belongs in parentheses: "1 (for the schema)".`,
	"E-AMBIGUOUS": `A dependency is abbreviated so far that several phases fit. "001" stands for TASK-FB-001 only while no
other id ends in -001. Write the full id.`,
	"E-TABLE": `A row of the phase table ends before its dependencies.
Give it as many cells as the header has, and write "none" or "-" where there is nothing to say.`,
	"E-COLUMN": `A table lists the phases, and the head of one of its columns is almost "Depends On". Read as it is, the
table would say nothing of dependencies, and the phases would run in document order.
Correct the head of the column. "Depends On", "Dependencies", "Blocked By", "Requires" and "Prerequisites" are known.`,
	"W-COLUMN": `The head of a column in a table of phases is almost one that is known, such as "Status", "Estimate" or
"Parallel With". The column was left out: correct its head.`,
	"E-PARALLEL": `Two phases are said to run side by side, but one of them depends on the other, directly or through
others. Dependencies decide what runs when, so one of the two statements is wrong: remove it.`,
	"E-UTF8": `The document is not UTF-8 text. Save it as UTF-8, without NUL bytes. A byte order mark and any kind of
line end are fine.`,
	"E-FENCE-EOF": `A code fence is never closed, so that the headings of phases below it are code.
Close it with a line of as many back-ticks as opened it.`,
	"E-TOO-LARGE": `The document is beyond what a plan can need: its size, the depth of its lists or quotations, the
cells of a table, or the number of its dependencies. Check that it is the file you meant, or split it.`,
	"W-FENCE": `A code fence contains another of the same length, or is never closed. Strictly, the outer fence ends at
the first inner end; it was read the way it was meant, in pairs. Give the outer fence one more back-tick.`,
	"W-ONLY-TABLE": `The table, or the list of phases, has a phase without a section, so the agent gets only its name.
Add a heading for it.`,
	"W-ONLY-HEADING": `A phase has a section but no row in the table of phases. Its dependencies come from its own text.
Add a row for it.`,
	"W-DUP": `A phase is named twice in a way that does not contradict itself; both are read as one. Or the ids begin
again below another heading, and nothing depends on them: the later phases get ids of their own.
Remove one of the two, or give each phase its own id.`,
	"W-STATUS": `A phase is declared done while boxes are open, or open while all boxes are ticked; or its row states the
status in another column than the head says; or what is stated is not plainly done or skipped, as in "done?",
"done except docs" and "complete after Phase 1": a run does such a phase.
The status counts: what is declared done is left out of a run (--only or --fresh runs it), and what is declared
open is run. Make them agree.`,
	"W-DEP-CONFLICT": `The table and the text of a phase give different dependencies. The table counts; make them agree.`,
	"W-RANGE": `A range such as 1-4 ends at a phase that has parts (4.1, 4.2), and it is not clear whether they are meant.
They were left out. List them if they are meant.`,
	"W-INVERSE": `A phase is said to unlock another that does not depend on it. Only "Depends On" makes dependencies.`,
	"W-PARALLEL": `One phase is said to run beside another, which names others, but not the first; or beside one that the plan
does not have. Nothing depends on it, but one of the two is not what was meant.`,
	"W-BOX":   `A box holds a character that is not understood, and counts as open. Use [ ], [x], [-] or [~].`,
	"W-EMPTY": `A phase has a heading and nothing below it, so the agent is told only its name.`,
	"E-RIVAL": `Two tables list the phases and their dependencies, and nothing tells which of them counts: they cover equally
many phases, but do not say the same. Remove one, or take its column of dependencies out.`,
	"W-GUESSED": `The only heading with an ordinal was read as the one phase of the document. Number the phases if there are more.`,
	"E-UNSURE": `More than a tenth of the checkboxes or ids of the document belong to no phase in the reading that applies.
A wrong graph costs a night, so nothing is guessed. Say which reading is meant (--reading table, headings, boxes or frontmatter), move
what is left over into phases, or let an agent rewrite it: autobuild import PLAN.md --agent NAME.`,
	"W-RIVAL": `A second level of the document could be the phases as well. The outer one was taken: say --reading, or number only the phases.`,
	"W-UNREAD": `A line looks like work or like an order of phases, and was read as nothing: a box, a heading or a row outside of all phases,
or a sentence, a chart or a table of order that the graph does not follow.
Move it into a phase, or say it where it is read: in the column "Depends On", or in a line "**Depends on:** 1, 2" of the section.
autobuild check PLAN.md --receipts shows what every line was read as.`,
	"W-GAP": `The ids of the phases are counted by number or letter, and one is missing between two others. If its heading or its row was lost, its
tasks now belong to the phase before it. Give it its heading again, or number the phases anew.`,
	"W-UNSTATED": `Most phases say what they depend on, and this one does not, so it follows the phase before it in the document.
Write "**Depends on:** none" if it can start at once.`,
	"W-SOFT": `A phase should rather come after another: "recommended after 2", "preferably". Such a preference makes no
edge, so the two may run in any order, also at the same time. Write a plain dependency if the order matters.`,
	"W-REFERENCE": `A list of dependencies holds more than phases to wait for, and a graph cannot say all of it: a choice ("1 or
2" waits for both), a number with a unit ("2 weeks" is not phase 2), an order ("1 → 3" has to be that of the phases themselves), a
phase that is struck out, or a word that is not understood. The message says what phases are waited for. Write only those.`,
	"W-MISSING-FILE": `A phase is to modify a file, or needs one, that does not exist, and no phase before it creates it.
Correct the path, say "Create", or let the phase depend on the one that creates the file.`,
	"W-MISSING-COMMAND": `A gate, a setup or a prerequisite calls a program that is not on PATH, so that it can only fail.
Install the program, or correct the plan.`,
	"W-PIPELINE": `A gate is a pipeline, such as "npm test | tail", and no shell on this machine has pipefail: the status of the
last command alone counts, so that a failure before it passes. Install bash, or write the output to a file first.`,
	"W-MISSING-VARIABLE": `A phase needs an environment variable that is not set. Set it before the run.`,
	"W-OVERLAP": `Two phases can run at the same time and name the same file. Each works on a copy, and the second to finish
may find its changes in conflict with those of the first.
Let one depend on the other.`,
	"W-CONSTRAINT": `A phase names a file that the plan as a whole says to leave alone, below a heading such as Constraints, Mission or
Non-goals. The phase may change it, because its own section names it. Another phase that changes it is refused.
Say in the constraint which phase is the exception, or take one of the two out.`,
	"W-UNTESTABLE": `Phases have tasks, but nothing that tells whether they are done: no gate, no criteria, no test file.
Add a command under "Gates", a Definition of Done, or the test that proves it.`,
	"W-LARGE": `A phase is larger than one agent tends to finish well: more than 15 tasks or 25 files, or an estimate of more
than 13 points or 2 days. Split it. Each part is verified by itself, and a retry repeats less.`,
	"E-SETTING": `A line "Autobuild:" of a phase says how that phase is done, and one of its words cannot be used: it is no
name=value, its name is not known, its value has another form, or it stands there twice. Known are agent, model, effort,
timeout, idle-timeout, max-cost, max-tokens, retry-policy and proof.`,
	"W-SETTING": `A line "Autobuild:" of a phase holds no name=value, so it sets nothing.`,
	"I-IMPLICIT": `Nothing states what some phases depend on, so each follows the one before it in the document, and none
runs beside another. State the dependencies, or "none", to let phases run in parallel.`,
	"I-NOTE": `Words beside a dependency were read as a remark. In parentheses they are one for certain.`,
}

// Explain says what a code of a finding means, and what to do about it.
func Explain(code string) (string, bool) {
	text, ok := explanations[strings.ToUpper(strings.TrimSpace(code))]
	return text, ok
}

// Codes lists all codes that Explain has a text for, sorted.
func Codes() []string {
	codes := make([]string, 0, len(explanations))
	for code := range explanations {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}
