package diagnose

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"text/template"

	"autobuild/failure"
	"autobuild/internal/text"
)

// advice holds the guidance for the agent's next attempt and the steps for the user.
type advice struct {
	guidance string
	actions  []string
}

// adviceFor is the advice for a diagnosis. A mismatch adds the advice for its cause; an attempt
// without a result adds the guidance for the gate that failed.
func adviceFor(d failure.Diagnosis, e failure.Evidence) advice {
	a := adviceOn(d.Type, d, e)
	if d.Cause != "" && !d.Together {
		b := adviceOn(d.Cause, d, e)
		a.guidance = join(a.guidance, b.guidance)
		a.actions = append(b.actions, a.actions...)
	}
	if d.Type == failure.ParseError && d.Gate != "" && len(e.Gates) > 0 {
		a.guidance = join(a.guidance, adviceOn(gateType(e.Gates[0].Kind), d, e).guidance)
	}
	return a
}

// adviceOn is the first of adviceRows that fits a type, filled in.
func adviceOn(t failure.Type, d failure.Diagnosis, e failure.Evidence) advice {
	f := factsOf(d, e)
	i := slices.IndexFunc(adviceRows, func(c adviceRow) bool {
		return c.on == t && (c.when == nil || c.when(f))
	})
	if i < 0 {
		return advice{}
	}
	a := advice{guidance: f.fill(adviceRows[i].guidance)}
	for _, action := range adviceRows[i].actions {
		a.actions = append(a.actions, f.fill(action))
	}
	a.actions = failure.Lines(a.actions, len(a.actions))
	return a
}

// fill fills in a template. A text that is no template comes out unchanged.
func (f facts) fill(row string) string {
	t, err := template.New("").Parse(row)
	var b strings.Builder
	if err != nil || t.Execute(&b, f) != nil {
		return row
	}
	return b.String()
}

// facts are the values for the templates of adviceRows. Fields of the diagnosis come first, then
// these.
type facts struct {
	failure.Diagnosis
	Evidence failure.Evidence

	Where  string // the files concerned, at most three
	Found  string // those of them in which a gate has findings
	Agent  string
	Remedy string // how to log the agent in, or to install it
	Place  string // where the phase's work lies
	Shared bool
	Span   string // how long until the timeout
	Idle   bool
	Log    string // of the gate
	Work   string // why the work cannot be taken
	Note   string // why there is no result
	Tasks  failure.TaskCount

	NoChange bool
	Account  string // the agent's account of its failure
	Asked    string // a diagnosing agent's request to the user
	LastStep string // the agent's last sign of life
	LastSeen string // the same, in a sentence
}

func factsOf(d failure.Diagnosis, e failure.Evidence) facts {
	f := facts{
		Diagnosis: d, Evidence: e, Agent: "the agent", Place: "the phase's worktree",
		Shared: e.Shared, Span: span(d.After),
		Where: text.JoinSome(d.Files, 3), Work: failure.Line(e.Work, failure.MaxField),
		Note:     failure.Line(e.ParseNote, failure.MaxField),
		NoChange: e.NoChange, LastStep: failure.Line(d.Activity, failure.MaxMessage),
		Tasks: failure.TaskCount{Total: max(e.Tasks.Total, 0), Done: max(e.Tasks.Done, 0)},
	}
	var found []string
	for _, file := range d.Files {
		if slices.ContainsFunc(d.Tests, func(t failure.Test) bool { return t.File == file }) ||
			slices.ContainsFunc(d.Places, func(p failure.Place) bool { return p.File == file }) {
			found = append(found, file)
		}
	}
	f.Found = text.JoinSome(found, 3)
	if e.Shared {
		f.Place = "the directory that the phases share"
	}
	if d.Activity != "" {
		f.LastSeen = "\nIts last sign of life was: " + failure.Line(d.Activity, failure.MaxField)
	}
	// any program, which has another name of its own
	if e.Agent != nil && e.Agent.Name != "command" {
		f.Agent = name(*e.Agent)
	}
	if e.Agent != nil {
		f.Idle, f.Remedy = e.Agent.Idle, failure.Line(e.Agent.Remedy, failure.MaxField)
	}
	if len(e.Gates) > 0 {
		f.Log = failure.Line(e.Gates[0].Log, failure.MaxField)
	}
	if e.Claim != nil {
		f.Account = failure.Line(e.Claim.Error, failure.MaxMessage)
		if e.Claim.Blocked {
			f.Asked = f.Account
		}
	}
	return f
}

// WhereOr names the files concerned.
func (f facts) WhereOr(otherwise string) string { return cmp.Or(f.Where, otherwise) }

// FoundOr names the files in which a gate has findings.
func (f facts) FoundOr(otherwise string) string { return cmp.Or(f.Found, otherwise) }

// Failing names the failing tests and their files, as far as they are known.
func (f facts) Failing() string {
	switch {
	case len(f.Tests) == 0:
		return "they are in " + f.FoundOr("the output of `"+f.Command+"`")
	case f.Found == "":
		return text.JoinSome(testNames(f.Tests), 3)
	}
	return text.JoinSome(testNames(f.Tests), 3) + " in " + f.Found
}

// Fix is an action that fixes something, with its place as far as that is known.
func (f facts) Fix(what string) string {
	switch {
	case f.Found != "":
		return "Fix " + what + " in " + f.Found
	case len(f.Tests) > 0:
		return "Fix " + what + ": " + text.JoinSome(testNames(f.Tests), 3)
	}
	return "Fix what `" + f.Command + "` finds"
}

// FixFirst is Fix after the command that fixes most by itself, where there is one.
func (f facts) FixFirst(what string) string {
	switch {
	case f.FixCommand == "":
		return f.Fix(what)
	case f.Found == "":
		return "Run `" + f.FixCommand + "`, then fix what `" + f.Command + "` still finds"
	}
	return "Run `" + f.FixCommand + "`, then fix what is left in " + f.Found
}

// Rules are the rules that findings break: " (semi, no-unused-vars)".
func (f facts) Rules() string {
	var names []string
	for _, p := range f.Places {
		if p.Rule != "" {
			names = append(names, p.Rule)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return " (" + text.JoinSome(slices.Compact(names), 3) + ")"
}

// TypePackages are what a language calls its packages of types.
func (f facts) TypePackages() string {
	return byLanguage(f.Diagnosis, "@types packages", "stub packages", "packages")
}

// TypeConfig names the configuration of the type checker for the files concerned.
func (f facts) TypeConfig() string {
	return byLanguage(f.Diagnosis, "the tsconfig", "the mypy configuration",
		"the type checker's configuration")
}

// byLanguage is one of three texts, by the language of the files and the command.
func byLanguage(d failure.Diagnosis, node, python, other string) string {
	for _, f := range d.Files {
		switch path.Ext(f) {
		case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx":
			return node
		case ".py", ".pyi":
			return python
		}
	}
	switch {
	case strings.Contains(d.Command, "mypy"), strings.Contains(d.Command, "pyright"):
		return python
	case strings.Contains(d.Command, "tsc"):
		return node
	}
	return other
}

// Order names the dependency that would keep two phases apart.
func (f facts) Order() string {
	if len(f.Conflicts) == 0 || f.Conflicts[0].Other == "" {
		return ""
	}
	return ": let " + f.Conflicts[0].Phase + " depend on " + f.Conflicts[0].Other
}

// Cycle are the edges of a cycle.
func (f facts) Cycle() string {
	var all []string
	for i := range max(len(f.Evidence.Cycle)-1, 0) {
		all = append(all, f.Evidence.Cycle[i]+" on "+f.Evidence.Cycle[i+1])
	}
	return text.JoinSome(all, 3)
}

// AllSecrets reports whether every objection is a secret.
func (f facts) AllSecrets() bool { return f.all("secret") }

// SomeSecret reports whether an objection is a secret.
func (f facts) SomeSecret() bool {
	return slices.ContainsFunc(f.Places, func(p failure.Place) bool { return p.Rule == "secret" })
}

// all reports whether every place breaks the same rule.
func (f facts) all(rule string) bool {
	return !slices.ContainsFunc(f.Places, func(p failure.Place) bool { return p.Rule != rule })
}
