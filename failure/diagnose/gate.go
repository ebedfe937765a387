package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
	"autobuild/internal/text"
)

// gates diagnoses failed gates: the first one gives the type, all of them give the details.
func gates(runs []failure.GateRun, d *failure.Diagnosis) string {
	g := runs[0]
	words := oneGate(g, d)
	d.Found = []string{d.Message}
	d.Details = evidenceOf(g)
	rest := runs[1:]
	if len(rest) == 0 {
		return words
	}
	d.Details = failure.Head(d.Details, failure.MaxDetails/2)
	var names []string
	for _, r := range rest {
		var other failure.Diagnosis
		oneGate(r, &other)
		names = append(names, r.Name)
		d.Found = append(d.Found, other.Message)
		d.Tests, d.Places = slices.Concat(d.Tests, r.Tests), morePlaces(d.Places, r.Places)
		d.Details = join(d.Details, failure.Head(evidenceOf(r), failure.MaxDetails/2/len(rest)))
	}
	d.Message += "; " + text.JoinSome(names, 3) + " failed too"
	return words
}

// morePlaces adds findings of other gates without duplicates: linters and test runs repeat errors
// of the compiler.
func morePlaces(known, more []failure.Place) []failure.Place {
	out := slices.Clone(known)
	for _, p := range more {
		if !slices.ContainsFunc(out, func(q failure.Place) bool {
			return q.File == p.File && q.Line == p.Line && q.Message == p.Message
		}) {
			out = append(out, p)
		}
	}
	return out
}

// oneGate diagnoses one failed gate, without its details.
func oneGate(g failure.GateRun, d *failure.Diagnosis) string {
	d.Type, d.Gate, d.Command, d.FixCommand = gateType(g.Kind), g.Name, g.Command, g.FixCommand
	d.Tests, d.Places, d.After = g.Tests, g.Places, g.After
	d.Count = max(g.Count, len(g.Tests), 0)
	if d.Type != failure.TestFailure {
		d.Count = max(g.Count, len(g.Places), 0)
	}
	d.Files = filesOf(g)
	if timedOut(g) {
		d.Type = failure.Timeout
		d.Message = fmt.Sprintf("gate %s %s", g.Name, ending(g))
		return g.Name
	}
	d.After = 0
	if d.Count == 0 {
		head := failure.ErrorLine(g.Tail)
		d.Message = with(fmt.Sprintf("gate %s %s", g.Name, ending(g)), head)
		return head
	}
	switch d.Type {
	case failure.TestFailure:
		d.Message = text.Count(d.Count, "test") + " failing"
		if len(g.Tests) == 0 && len(g.Places) > 0 { // they do not even compile
			d.Message = "no test could run: " + text.Count(d.Count, "error")
		}
	case failure.LintError:
		d.Message = text.Count(d.Count, "lint error")
	case failure.TypecheckError:
		d.Message = text.Count(d.Count, "type error")
	case failure.FormatError:
		d.Message = text.Count(d.Count, "file") + " not formatted"
	default:
		d.Message = text.Count(d.Count, "finding") + " of gate " + g.Name
	}
	switch {
	case len(d.Files) > 0 && d.Type == failure.FormatError:
		d.Message += ": " + text.JoinSome(d.Files, 3)
	case len(d.Files) > 0:
		d.Message += " in " + text.JoinSome(d.Files, 3)
	case len(g.Tests) > 0:
		d.Message += ": " + text.JoinSome(testNames(g.Tests), 3)
	}
	return d.Message
}

// needsInstall reports whether a gate failed because something is not installed.
func needsInstall(g failure.GateRun) bool {
	_, ok := findDependency(g)
	return ok
}

// dependencyMissing diagnoses a gate that lacks a tool or package.
func dependencyMissing(g failure.GateRun, d *failure.Diagnosis) string {
	dep, _ := findDependency(g)
	d.Type, d.Package, d.FixCommand = failure.DependencyMissing, dep.name, dep.install
	d.Gate, d.Command, d.Count = g.Name, g.Command, 1
	d.RequiredBy = "gate " + g.Name
	for _, p := range g.Places {
		if strings.Contains(p.Message, dep.name) {
			d.RequiredBy = p.File
			break
		}
	}
	d.Message = fmt.Sprintf("%s is not installed, and %s needs it", dep.name, d.RequiredBy)
	d.Details = evidenceOf(g)
	return dep.name
}

// timedOut reports whether a deadline stopped a gate: autobuild's, or that of a timeout command
// (exit code 124).
func timedOut(g failure.GateRun) bool {
	const timedOut = 124
	return g.TimedOut || g.Exit == timedOut && slices.Contains([]string{"timeout", "gtimeout"},
		sign.FirstWord(g.Command))
}

// ending is how a gate ended: "failed with exit code 2".
func ending(g failure.GateRun) string {
	switch {
	case g.NotAvailable:
		return "could not run"
	case timedOut(g) && g.After > 0:
		return "did not finish within " + span(g.After)
	case timedOut(g):
		return "did not finish in time"
	case g.Exit < 0:
		return "failed"
	}
	return fmt.Sprintf("failed with exit code %d", g.Exit)
}

// filesOf are the files in a gate's findings, in its order.
func filesOf(g failure.GateRun) []string {
	var out []string
	seen := map[string]bool{"": true}
	add := func(f string) {
		if f = failure.Line(f, failure.MaxField); !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	for _, t := range g.Tests {
		add(t.File)
	}
	for _, p := range g.Places {
		if len(g.Tests) == 0 {
			add(p.File)
		}
	}
	return out
}

func testNames(tests []failure.Test) []string {
	var out []string
	for _, t := range tests {
		out = append(out, t.Name)
	}
	return out
}

// evidenceOf is a summary of one gate: command, end, log, findings or output.
func evidenceOf(g failure.GateRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\n%s", failure.Line(g.Command, failure.MaxField), ending(g))
	if g.Log != "" {
		fmt.Fprintf(&b, ", see %s", failure.Line(g.Log, failure.MaxField))
	}
	for i, t := range g.Tests {
		if i == failure.MaxShown {
			fmt.Fprintf(&b, "\n… and %d more", max(g.Count, len(g.Tests))-i)
			break
		}
		b.WriteString("\n" + t.String())
	}
	for i, p := range g.Places {
		if i == failure.MaxShown {
			fmt.Fprintf(&b, "\n… and %d more", max(g.Count, len(g.Places))-i)
			break
		}
		b.WriteString("\n" + p.String())
	}
	if len(g.Tests)+len(g.Places) == 0 {
		if tail := failure.Tail(g.Tail, failure.MaxDetails/2); tail != "" {
			b.WriteString("\n" + tail)
		}
	}
	return b.String()
}

// summaries has one line for each gate.
func summaries(runs []failure.GateRun) string {
	var out []string
	for _, g := range runs {
		var d failure.Diagnosis
		oneGate(g, &d)
		out = append(out, failure.Line(g.Name+": "+d.Message, failure.MaxField))
	}
	return strings.Join(failure.Lines(out, failure.MaxShown), "\n")
}

// gateType is the type of a failed gate of a kind.
func gateType(kind string) failure.Type {
	switch kind {
	case "test":
		return failure.TestFailure
	case "lint":
		return failure.LintError
	case "typecheck":
		return failure.TypecheckError
	case "format":
		return failure.FormatError
	}
	return failure.GateFailure
}
