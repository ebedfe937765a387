package config

import (
	"time"

	"autobuild/internal/sandbox"
)

// The default deadlines.
const (
	DefaultTimeout     = 60 * time.Minute // of an attempt's agent
	DefaultIdle        = 15 * time.Minute // without a sign of life
	DefaultGateTimeout = 10 * time.Minute
)

// The words of --progress that choose a screen.
const (
	ProgressAuto = "auto" // live on a person's terminal, lines elsewhere
	ProgressLive = "live"
)

// The words of --referee: which unrequested changes of tests and gates may land.
const (
	RefereeStrict  = "strict"  // nothing
	RefereeContest = "contest" // those that the agent explains; the phase is contested
	RefereeOff     = "off"     // everything: nothing is compared
)

// The words of --proof and of a phase's setting of that name.
const (
	ProofAuto     = "auto"     // where the gate that holds the tests is quick
	ProofOff      = "off"      // never
	ProofRequired = "required" // always, and a phase without it fails
)

// The name of --engine and its words.
const (
	EngineFlag     = "engine"
	EngineLocal    = "local"
	EngineTemporal = "temporal" // by the program autobuild-temporal
)

// DetachedFlag marks the process that --detach starts.
const DetachedFlag = "detached"

// The name of --sandbox and its words beside the means.
const (
	SandboxFlag = "sandbox"
	SandboxOff  = "off"
	SandboxAuto = "auto"
)

// ReadingWords are the readings of a plan (SPEC.md 3).
func ReadingWords() []string { return []string{"frontmatter", "table", "headings", "boxes"} }

func sandboxWords() []string {
	words := []string{SandboxOff, SandboxAuto}
	for _, m := range sandbox.All() {
		words = append(words, string(m))
	}
	return words
}

// The words of --guard: the effect of its findings.
const (
	GuardOff = "off" // guards do not run
	// findings are warnings; secrets refuse the work, because a commit cannot be taken back
	GuardWarn   = "warn"
	GuardStrict = "strict" // findings refuse the work
)

// The words of --baseline: whether gates run once before the first phase.
const (
	BaselineOn  = "on"  // they do, and a phase is blamed for new failures only
	BaselineOff = "off" // they do not, and a phase is blamed for every failure
	// they do, and a phase is blamed for every failure
	BaselineStrict = "strict"
)

// The words of --resume: which phases run again besides, and whose an edit of the plan is.
const (
	ResumeChanged = "changed" // complete ones whose text has changed
	ResumeEdited  = "edited"  // the user's, although an agent can have made it
)

// The words of knowledge.
const (
	KnowledgeOn   = "on"
	KnowledgeRead = "read"
	KnowledgeOff  = "off"
	// KnowledgeTrust is KnowledgeOn and also runs commands that were accepted on another
	// machine, for machines that exist for one run.
	KnowledgeTrust = "trust"
)
