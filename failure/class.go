package failure

import (
	"slices"
	"strconv"
	"strings"
)

// Category is the kind of trouble, by error-classification's taxonomy.
type Category string

// The categories, in the order of the decision tree.
const (
	// something that was taken for granted is not there
	Prerequisite Category = "prerequisite"
	Execution    Category = "execution" // a command ran and failed
	// it succeeded, and its result is not what was asked for
	UnexpectedResult Category = "unexpected_result"
	// the agent deviates from its instructions, or from its own claim
	Misalignment Category = "misalignment"
	Ambiguity    Category = "ambiguity" // the plan does not say enough to go on safely
)

// Nature says whether a category is a cause or an observation.
type Nature string

// The natures.
const (
	Fault       Nature = "fault"   // a cause: prevent it
	Observation Nature = "failure" // an observation: tolerate it
)

// Nature of the category: prerequisites and ambiguities are faults, everything else is a failure.
func (c Category) Nature() Nature {
	if c == Prerequisite || c == Ambiguity {
		return Fault
	}
	return Observation
}

// Class is how far up the trouble reaches, by failure-classifier.
type Class string

// The classes.
const (
	Transient     Class = "F1" // it may pass by itself
	LocalLogic    Class = "F2" // the phase's own work is wrong
	LocalDesign   Class = "F3" // the phase cannot succeed as it is cut
	StoryLevel    Class = "F4" // it is at odds with its siblings
	Architectural Class = "F5" // it contradicts what the whole plan is for
	Conflicting   Class = "F6" // two phases changed the same thing
)

// Classification is the classifier's answer. Its JSON is a contract with other tools.
type Classification struct {
	Class      Class    `json:"class"`
	Confidence float64  `json:"confidence"` // 0 to 1
	Evidence   []string `json:"evidence"`   // facts, one each
	Action     string   `json:"recommended_action"`
	Node       string   `json:"node_id"`
	Parent     string   `json:"parent_node_id"`
	Routes     string   `json:"routes_to,omitzero"`
	Constraint string   `json:"constraint,omitzero"` // of the plan, that an architectural failure contradicts
}

// Contradicts reports whether the failure contradicts a constraint of the plan. A classification
// that an older version stored has the constraint within its evidence alone.
func (c Classification) Contradicts(constraint string) bool {
	if c.Constraint != "" {
		return c.Constraint == Line(constraint, MaxMessage)
	}
	return slices.ContainsFunc(c.Evidence,
		func(e string) bool { return strings.Contains(e, strconv.Quote(constraint)) })
}

// Match is an earlier failure that looks like this one, and what helped then. It is guidance: it
// decides nothing alone.
type Match struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`           // substring, pattern or similarity
	Score  float64  `json:"score"`          // 0 to 1; 1 for a substring or pattern
	Reason string   `json:"reason"`         // "Matched NAME because …"
	Fix    string   `json:"fix,omitzero"`   // what helped, in words; never run
	Tags   []string `json:"tags,omitzero"`  // "flaky"
	Known  bool     `json:"known,omitzero"` // strong enough to act on: the fix is known and the likeness is not the score's alone
}

// Lesson is an entry of the knowledge base as it stands in a prompt.
type Lesson struct {
	Name, Trigger, Fix string
}

// NeedsReplan reports whether a class recommends a change of the plan.
func (c Class) NeedsReplan() bool { return c == LocalDesign || c == StoryLevel }

// ParseCategory reads a category as an agent may write it: "prerequisite", "PREREQUISITE_FAILURE",
// "Inter-Agent Misalignment".
func ParseCategory(s string) (Category, bool) {
	s = strings.ToLower(strings.NewReplacer(" ", "_", "-",
		"_").Replace(strings.TrimSpace(Line(s, MaxField))))
	s = strings.TrimPrefix(s, "inter_agent_")
	switch strings.TrimSuffix(strings.TrimSuffix(s, "_error"), "_failure") {
	case "prerequisite":
		return Prerequisite, true
	case "execution":
		return Execution, true
	case "unexpected_result", "unexpected":
		return UnexpectedResult, true
	case "misalignment":
		return Misalignment, true
	case "ambiguity":
		return Ambiguity, true
	}
	return "", false
}
