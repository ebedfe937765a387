package plan

// Draft is what a reader found in a document, before anything is resolved or checked. New makes a
// Plan of it.
type Draft struct {
	Path    string
	Title   string
	Reading string
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

	// Tasks are the ids of tasks within phases, such as "T012", normalised, each with the position
	// of its phase, or -1 where several phases have it.
	Tasks map[string]int
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

	// Kind is the kind word before the id, as SplitKind names it: "phase" for "Étape 1" of a stage.
	Kind string

	// Aliases are further labels that the document uses for this phase, such as "US3".
	Aliases []string

	// Around are the labels of the headings around this phase, such as "Epic 2". A reference to
	// one means all phases below it.
	Around []string

	// Needs lists what the phase depends on. Empty means that nothing states it; a list that says
	// "none" is a statement. Where nothing is stated the phase needs what Implied says, else what
	// stands before it.
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

	// Weak marks a list that may as well name tools: what resolves to no phase there is no fault.
	Weak bool
}
