package words

import (
	"strings"

	"autobuild/plan/markdown/inline"
)

// Class is what a part of a section is about.
type Class int

// The classes. A topic of ClassNone is about the work itself.
const (
	ClassNone Class = iota
	ClassCriteria
	ClassFiles
	ClassGates  // commands by name: "Quality gates"
	ClassVerify // a heading that often holds prose as well: "Verification"
	ClassSetup
	ClassCommit
	ClassDepends
	ClassOther // a label that ends what the one before began
)

// ClassOf is the class that a sub-heading or a label announces.
func ClassOf(name string) Class {
	name = inline.Words(name)
	if after, step := strings.CutPrefix(name, "step "); step {
		name = strings.TrimLeft(after, "0123456789. ") // "Step 5: Commit"
	}
	switch {
	case name == "":
		return ClassNone
	case criterial(name):
		return ClassCriteria
	case ContainsAny(name, "commit message", "conventional commit", "suggested commit") ||
		name == "commit" || name == "commits" || name == "git commit":
		return ClassCommit
	case ContainsAny(name, "quality gate", "validation command", "verification command",
		"gate commands",
		"test commands", "verify commands",
		"validation gate", "build and test commands") || name == "gates" || name == "gate" ||
		name == "gate command":
		return ClassGates
	case name == "verification" || name == "validation" || name == "verify" ||
		name == "how to verify" ||
		name == "tests to run" ||
		name == "verification steps" || name == "validation steps":
		return ClassVerify
	case name == "setup" || name == "setup commands" || name == "environment setup" ||
		name == "setup command" || name == "bootstrap commands":
		return ClassSetup
	case filing(name):
		return ClassFiles
	case name == "dependencies" || name == "depends on" || name == "blocked by" ||
		name == "phase dependencies":
		return ClassDepends
	}
	return ClassNone
}

func criterial(name string) bool {
	return ContainsAny(name, "definition of done", "acceptance", "success criteria",
		"success metric",
		"done when", "done criteria", "exit criteria",
		"exit condition", "completion criteria", "complete when", "must haves",
		"success checklist") ||
		name == "dod" || strings.HasPrefix(name, "dod ") || name == "criteria"
}

func filing(name string) bool {
	switch name {
	case "files", "file", "paths", "location", "files to create", "files to modify",
		"files to change",
		"files to edit", "files to update",
		"files to delete", "files to remove", "files to create/modify", "files to create or modify",
		"files to create and modify", "file changes", "files changed",
		"files affected", "affected files", "files touched", "files modified", "files created",
		"files involved", "key files", "new files",
		"modified files", "deleted files", "critical files", "target files":
		return true
	}
	return false
}
