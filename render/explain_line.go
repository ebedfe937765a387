package render

// ExplainLine is one thing that an explanation says. A screen draws it one way, a page another.
type ExplainLine struct {
	Kind ExplainLineKind
	Name string // of a fact; the number of a step
	Text string // foreign, but for AsCommand, which is quoted for a shell and must stay whole
}

// ExplainLineKind is how something is said.
type ExplainLineKind int

// The kinds.
const (
	AsTitle ExplainLineKind = iota
	AsSentence
	AsSection
	AsFact
	AsPath     // a fact that can be pasted
	AsEvidence // a reason for the fact before
	AsExcerpt  // a row of a log
	AsRemark   // something to know
	AsStep     // something to do
	AsCommand  // … and the command for it
)
