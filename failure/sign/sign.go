// Package sign recognises trouble by its words. Table has one row a sign: the text in which its
// words count, what they mean there, and what to do about it; Find is the one matcher, and the
// first row that fits decides. It does not know attempts, policies or which command printed a text.
package sign

import (
	"iter"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
)

// Source is a text in which the words of a sign count.
type Source string

// The sources.
const (
	Output  Source = "output"  // what a failed command or agent printed
	Account Source = "account" // what an agent reports of its own failure
	// one sentence of it
	Sentence Source = "sentence"
)

// Name is the name of a row: "missing-file".
type Name string

// Names of rows that rules ask for one by one.
const (
	MissingFile      Name = "missing-file"
	MissingVariable  Name = "missing-variable"
	RefusedAccess    Name = "refused-access"
	DeniedWrite      Name = "denied-write" // in no text alone: the sandbox is asked
	NotInstalled     Name = "not-installed"
	ReportsFailure   Name = "reports-failure"
	UnexpectedResult Name = "unexpected-result"
	Misalignment     Name = "misalignment"
	Unclear          Name = "unclear"
	Stale            Name = "stale"
	Undecided        Name = "undecided"
	Doubt            Name = "doubt"
	SaysFails        Name = "says-fails"
	SaysPasses       Name = "says-passes"
	Printed          Name = "printed"
	Harmless         Name = "harmless"
	AboutTests       Name = "about-tests"
	AboutLint        Name = "about-lint"
	AboutTypes       Name = "about-types"
	AboutFormat      Name = "about-format"
	AboutBuild       Name = "about-build"
)

// Sign is one row of the table. Empty columns state nothing.
type Sign struct {
	Name Name
	In   Source
	// an example of a text; the row is the first of its kind that fits it
	Example string
	// the type that it gives to a failure
	Type failure.Type
	// the category of what is missing, or of the account
	Category failure.Category
	// rule 3 (F1) or rule 6 (F2) of the classes
	Class failure.Class
	// it may be gone at the next attempt although nothing was changed
	Passes bool
	// the row of policy adaptive that says how many retries it is worth
	Indicator string
	// what to do; $1 stands for what was found
	Advice Advice
	// the command that installs what was found; nil where none is known
	Install func(name string, g failure.GateRun) string

	words []*lazyregexp.Regexp
	// what a match names: its index pairs as of regexp; empty where it is none after all. nil: the
	// first group, else the whole match
	names func(text string, at []int) string
}

// Advice is what the next attempt reads, and what the user can do.
type Advice struct{ Guidance, Action string }

// About is the advice with name in place of $1.
func (a Advice) About(name string) Advice {
	return Advice{
		strings.ReplaceAll(a.Guidance, "$1", name),
		strings.ReplaceAll(a.Action, "$1", name),
	}
}

// Found is a sign in a text, and the words that it names there.
type Found struct {
	Sign
	Words string
}

// Find is the first row of the table, in its order, that fits, counts in this source and has its
// words in the text.
func Find(in Source, text string, fits func(Sign) bool) (Found, bool) {
	for _, s := range Table {
		if s.In != in || !fits(s) {
			continue
		}
		if names := s.All(text, 1); len(names) > 0 {
			return Found{s, names[0]}, true
		}
	}
	return Found{}, false
}

// All is what the words of a sign name in a text, each once, at most n; the clearest words come
// first.
func (s Sign) All(text string, n int) []string {
	var all []string
	for name := range s.Matches(text) {
		if slices.Contains(all, name) {
			continue
		}
		if all = append(all, name); len(all) == n {
			break
		}
	}
	return all
}

// Matches iterates over the words of a sign in a text: what they name, and all that matched.
func (s Sign) Matches(text string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, re := range s.words {
			for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
				if name := s.named(text, at); name != "" && !yield(name, text[at[0]:at[1]]) {
					return
				}
			}
		}
	}
}

func (s Sign) named(text string, at []int) string {
	if s.names != nil {
		return s.names(text, at)
	}
	return failure.Line(group(text, at), failure.MaxField)
}

// group is the first group of a match that took part in it, else the whole match.
func group(text string, at []int) string {
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			return text[at[i]:at[i+1]]
		}
	}
	return text[at[0]:at[1]]
}

// In reports whether the words of the named sign stand in a text.
func In(name Name, text string) bool { return len(Row(name).All(text, 1)) > 0 }

// Row is the row of that name, and the zero Sign where the table has none.
func Row(name Name) Sign {
	if i := slices.IndexFunc(Table, func(s Sign) bool { return s.Name == name }); i >= 0 {
		return Table[i]
	}
	return Sign{}
}
