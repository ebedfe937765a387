package diagnose

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/failure"

	"autobuild/internal/text"
)

// failing names the failing tests and their files, as far as they are known.
func failing(d failure.Diagnosis) string {
	switch {
	case len(d.Tests) == 0:
		return "they are in " + where(d, "the output of `"+d.Command+"`")
	case len(d.Files) == 0:
		return text.JoinSome(testNames(d.Tests), 3)
	}
	return text.JoinSome(testNames(d.Tests), 3) + " in " + text.JoinSome(d.Files, 3)
}

func ranFor(d failure.Diagnosis) string {
	if d.After == 0 {
		return ""
	}
	return " after " + span(d.After)
}

// edges are the edges of a cycle.
func edges(e failure.Evidence) string {
	var all []string
	for i := range max(len(e.Cycle)-1, 0) {
		all = append(all, e.Cycle[i]+" on "+e.Cycle[i+1])
	}
	return text.JoinSome(all, 3)
}

// where names the files of a diagnosis.
func where(d failure.Diagnosis, otherwise string) string {
	if len(d.Files) == 0 {
		return otherwise
	}
	return text.JoinSome(d.Files, 3)
}

// fix is "Fix what is to be fixed", with its place as far as that is known.
func fix(d failure.Diagnosis, what string) string {
	switch {
	case len(d.Files) > 0:
		return "Fix " + what + " in " + text.JoinSome(d.Files, 3)
	case len(d.Tests) > 0:
		return "Fix " + what + ": " + text.JoinSome(testNames(d.Tests), 3)
	}
	return "Fix what `" + d.Command + "` finds"
}

func fixOnly(d failure.Diagnosis) string {
	switch {
	case d.FixCommand == "":
		return ""
	case len(d.Files) == 0:
		return "Run `" + d.FixCommand + "`, then fix what `" + d.Command + "` still finds"
	}
	return "Run `" + d.FixCommand + "`, then fix what is left in " + text.JoinSome(d.Files, 3)
}

func rules(d failure.Diagnosis) string {
	var names []string
	for _, p := range d.Places {
		if p.Rule != "" {
			names = append(names, p.Rule)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + text.JoinSome(slices.Compact(slices.Sorted(slices.Values(names))), 3) + ")"
}

// typings and typeConfig speak the language of the files concerned.
func typings(d failure.Diagnosis) string {
	if language(d) == "python" {
		return "stub packages"
	}
	if language(d) == "node" {
		return "@types packages"
	}
	return "packages"
}

func typeConfig(d failure.Diagnosis) string {
	switch language(d) {
	case "python":
		return "the mypy configuration"
	case "node":
		return "the tsconfig"
	}
	return "the type checker's configuration"
}

func language(d failure.Diagnosis) string {
	for _, f := range d.Files {
		switch path.Ext(f) {
		case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx":
			return "node"
		case ".py", ".pyi":
			return "python"
		}
	}
	switch {
	case strings.Contains(d.Command, "mypy"), strings.Contains(d.Command, "pyright"):
		return "python"
	case strings.Contains(d.Command, "tsc"):
		return "node"
	}
	return ""
}

func lastSeen(d failure.Diagnosis) string {
	if d.Activity == "" {
		return ""
	}
	return "\nIts last sign of life was: " + failure.Line(d.Activity, failure.MaxField)
}

func lastSeenShort(d failure.Diagnosis) string {
	if d.Activity == "" {
		return ""
	}
	return ", beginning with: " + failure.Line(d.Activity, failure.MaxMessage)
}

func longer(e failure.Evidence) string {
	if e.Agent != nil && e.Agent.Idle {
		return "--idle-timeout"
	}
	return "--timeout"
}

func logged(e failure.Evidence) string {
	if len(e.Gates) > 0 && e.Gates[0].Log != "" {
		return "; its output is in " + failure.Line(e.Gates[0].Log, failure.MaxField)
	}
	return ""
}

func forWhom(d failure.Diagnosis) string {
	if d.RequiredBy == "" {
		return ""
	}
	return "; " + d.RequiredBy + " needs it"
}

func order(d failure.Diagnosis) string {
	if len(d.Conflicts) == 0 || d.Conflicts[0].Other == "" {
		return ""
	}
	return fmt.Sprintf(": let %s depend on %s", d.Conflicts[0].Phase, d.Conflicts[0].Other)
}

// unless leaves an action out when it does not apply.
func unless(skip bool, action string) string {
	if skip {
		return ""
	}
	return action
}

func compact(actions ...string) []string { return failure.Lines(actions, len(actions)) }
