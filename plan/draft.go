package plan

// Draft is what a reader found in a document, before anything is resolved or checked. New makes a
// Plan of it.
type Draft struct {
	Path    string
	Title   string
	Dialect string
	Hash    string
	Phases  []DraftPhase

	// Final are the commands that have to succeed when all phases are complete.
	Final []Gate

	// Constraints are what the document rules out for all phases.
	Constraints []Constraint

	// Found holds the findings of the reader. An error among them refuses the plan.
	Found Problems

	// Judged says that the document states criteria which hold for every phase.
	Judged bool

	// Refuse lists the codes of warnings that are to count as errors.
	Refuse []string

	// Line gives the text of a source line for diagnostics, without its line end; nil gives none.
	Line func(n int) string

	// Group gives the heading that the phases on a line stand under; nil gives none. Where two
	// phases share an id, their groups give each another.
	Group func(line int) string

	// Elsewhere says under which name a label that is unknown here exists in another document. Such
	// names go to External and are no edges; nil means that there are no other documents.
	Elsewhere func(label string) (name string, ok bool)

	// Other reports whether the document uses a label for something that is no phase, such as a
	// risk or a question. A dependency on it is a remark; nil means that it has no such labels.
	Other func(label string) bool

	// Within gives the label of the phase that a task belongs to, by the id of the task, such as
	// "2.1"; ok is false for an id that no phase or more than one has, and phase is not empty where
	// more than one has it. Nil means no such ids.
	Within func(label string) (phase string, ok bool)

	// Done reports whether a reference carries its own mark of being done: "Phase 3 (done)". Nil
	// means that none does.
	Done func(reference string) bool
}

// DraftPhase is a phase whose relations to others are still as written. Of the embedded Phase, New
// fills in ID (from Label, when empty), DependsOn, SoftDeps, External, Parallel, Unstated and
// Fingerprint.
type DraftPhase struct {
	Phase

	// Width is the length in bytes of the text at Pos, for the caret.
	Width int

	// Row is the place of the table row that lists this phase, where one does.
	Row Pos

	// Word is the kind word that the document writes before the id: "Phase", "Étape".
	Word string

	// Aliases are further labels that the document uses for this phase, such as "US3".
	Aliases []string

	// Around are the labels of the headings around this phase, such as "Epic 2". A reference to
	// one means all phases below it.
	Around []string

	// Needs lists what the phase depends on. Empty means that nothing states it; a list that says
	// "none" is a statement. Where nothing is stated the phase needs what Implied says, else its
	// predecessor.
	Needs   []Ref
	Implied []Ref

	Again   []Ref // a second statement of the dependencies: it adds nothing, but has to agree
	Soft    []Ref // phases it should rather come after
	Beside  []Ref // phases that may run at the same time
	Unlocks []Ref // phases said to wait for this one: adds nothing, but has to agree

	// Meaning is the text whose change makes the phase another one; empty means Text. A reader
	// leaves out of it what only says how far the phase has come.
	Meaning string
}

// Ref is a list of phases as a document writes it: "2A, 3–5 (partly)", "all previous", "none".
type Ref struct {
	Text string
	Pos  Pos // where the text begins

	// Sentence marks a Text from a sentence. Words beside a reference are description there.
	Sentence bool
}
