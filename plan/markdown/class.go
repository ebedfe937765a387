package markdown

import "strings"

// class is what a part of a phase's section is about.
type class int

const (
	classNone class = iota
	classCriteria
	classFiles
	classGates  // commands by name: "Quality gates"
	classVerify // a heading that often holds prose as well: "Verification"
	classSetup
	classCommit
	classDepends
	classOther // a label that ends what the one before began
)

// classOf sorts a sub-heading or a label by what it announces.
func classOf(name string) class {
	name = words(name)
	if after, step := strings.CutPrefix(name, "step "); step {
		name = strings.TrimLeft(after, "0123456789. ") // "Step 5: Commit"
	}
	switch {
	case name == "":
		return classNone
	case criterial(name):
		return classCriteria
	case hasAny(name, "commit message", "conventional commit", "suggested commit") || name == "commit" || name == "commits" || name == "git commit":
		return classCommit
	case hasAny(name, "quality gate", "validation command", "verification command", "gate commands", "test commands", "verify commands",
		"validation gate", "build and test commands") || name == "gates" || name == "gate" || name == "gate command":
		return classGates
	case name == "verification" || name == "validation" || name == "verify" || name == "how to verify" || name == "tests to run" ||
		name == "verification steps" || name == "validation steps":
		return classVerify
	case name == "setup" || name == "setup commands" || name == "environment setup" || name == "setup command" || name == "bootstrap commands":
		return classSetup
	case filing(name):
		return classFiles
	case name == "dependencies" || name == "depends on" || name == "blocked by" || name == "phase dependencies":
		return classDepends
	}
	return classNone
}

func criterial(name string) bool {
	return hasAny(name, "definition of done", "acceptance", "success criteria", "success metric", "done when", "done criteria", "exit criteria",
		"exit condition", "completion criteria", "complete when", "must haves", "success checklist") || name == "dod" || strings.HasPrefix(name, "dod ") || name == "criteria"
}

func filing(name string) bool {
	switch name {
	case "files", "file", "paths", "location", "files to create", "files to modify", "files to change", "files to edit", "files to update",
		"files to delete", "files to remove", "files to create/modify", "files to create or modify", "files to create and modify", "file changes", "files changed",
		"files affected", "affected files", "files touched", "files modified", "files created", "files involved", "key files", "new files",
		"modified files", "deleted files", "critical files", "target files":
		return true
	}
	return false
}
