package knowledgefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/diagnose"
	"autobuild/failure/knowledge"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/state"
)

// Sink is a sink that records the lessons of attempts. The run does not depend on it: a failed save
// prints a line.
type Sink struct {
	Memory *Memory
	File   File
	Show   []orchestrator.Sink // receive a notice of what was learned
	Note   func(format string, args ...any)
}

// Event learns from attempts that have ended.
func (l Sink) Event(e state.Event, run *state.Run) error {
	switch e.Type {
	case state.AttemptFinished:
		return l.learn(e, run)
	case state.RunFinished:
		for _, said := range l.Memory.Planted(l.File) {
			l.Note("%s", said)
		}
	}
	return nil
}

// learn changes the file at once: the next run, and a crash, find it.
func (l Sink) learn(e state.Event, run *state.Run) error {
	phase, ok := run.Find(e.Phase)
	if !ok {
		return nil
	}
	taught := taughtBy(e, phase)
	if taught == nil {
		return nil
	}
	var learned []string
	book, err := l.File.Update(func(b *knowledge.Book) (*knowledge.Book, error) {
		learned = nil
		next := b
		for _, t := range taught {
			var name string
			if next, name = t(next); name != "" {
				learned = append(learned, name)
			}
		}
		return next, nil
	})
	if err != nil {
		l.Note("nothing was learned: %s", text.Clean(err.Error(), 300))
		return nil
	}
	l.Memory.book.Store(book)
	if len(learned) == 0 {
		return nil
	}
	slices.Sort(learned)
	seen := "list"
	if len(learned) == 1 {
		seen = "show " + learned[0]
	}
	notice := state.Event{
		V: e.V, Time: e.Time, Run: e.Run, Phase: e.Phase, Label: e.Label, Name: e.Name,
		Status: e.Status, Type: state.Notice,
		Text: "learned " + strings.Join(learned, ", ") + "; " + l.File.Shown +
			"; see autobuild knowledge " + seen,
	}
	for _, sink := range l.Show {
		if err := sink.Event(notice, run); err != nil {
			return err
		}
	}
	return nil
}

// lesson is one change of a book, and the name of the entry that is new by it.
type lesson func(*knowledge.Book) (*knowledge.Book, string)

// taughtBy is what the end of an attempt teaches: that what was known has helped or not, that a
// retry found a fix, that nothing is known about what stopped a phase, that a gate is flaky.
func taughtBy(e state.Event, phase *state.Phase) []lesson {
	var taught []lesson
	result := e.Result
	source := fmt.Sprintf("run %s, phase %s", e.Run, cmp.Or(e.Label, e.Phase))
	learn := func(l knowledge.Lesson) {
		l.Source, l.On = source, e.Time
		taught = append(taught, func(b *knowledge.Book) (*knowledge.Book,
			string,
		) {
			return b.Learn(l)
		})
	}
	credit := func(name string, helped bool) {
		taught = append(taught, func(b *knowledge.Book) (*knowledge.Book,
			string,
		) {
			return b.Credit(name, helped, e.Time), ""
		})
	}
	before := lastFailure(phase, result.N)
	if failed := result.Failure; failed != nil {
		if before != nil && acted(before) && before.Fingerprint == failed.Fingerprint {
			credit(before.Match.Name, false)
		}
		if result.Decision != nil && result.Decision.Action == failure.Block || failed.Flaky {
			learn(knowledge.Lesson{Failure: *failed, Prevent: remedy(*failed), Flaky: failed.Flaky})
		}
	} else {
		fix := fixOf(result, before)
		if before != nil && acted(before) {
			credit(before.Match.Name, true)
		}
		if before != nil && (before.Match == nil || !before.Match.Known) {
			l := knowledge.Lesson{Failure: *before, Fix: fix}
			if before.Flaky || before.Class.Class == failure.Transient {
				l.Fix, l.Flaky = "", true // it passed by itself
			}
			learn(l)
		}
		taught = append(taught, func(b *knowledge.Book) (*knowledge.Book,
			string,
		) {
			return b.Solved(source, fix, e.Time), ""
		})
	}
	for _, g := range result.Gates {
		if g.Flaky && g.Before == "" && g.Status == state.GateFailed &&
			(result.Failure == nil || !result.Failure.Flaky) {
			learn(knowledge.Lesson{Failure: wavered(g), Flaky: true})
		}
	}
	return taught
}

// acted reports whether the attempt after this failure received a fix.
func acted(d *failure.Diagnosis) bool { return d.Match != nil && d.Match.Fix != "" }

// lastFailure is why the attempt before attempt n failed; nil when it did not.
func lastFailure(phase *state.Phase, n int) *failure.Diagnosis {
	var last *failure.Diagnosis
	for _, a := range phase.Attempts {
		if a.N < n && a.Failure != nil {
			last = a.Failure
		}
	}
	return last
}

// remedy is the command that installs what is missing, for a person to accept.
func remedy(d failure.Diagnosis) string {
	if cmp.Or(d.Cause, d.Type) == failure.DependencyMissing {
		return d.FixCommand
	}
	return ""
}

// wavered is the failure of a gate that passed when it was run again.
func wavered(g state.Gate) failure.Diagnosis {
	return diagnose.From(failure.Evidence{Flaky: []string{g.Name}, Gates: []failure.GateRun{{
		Name: g.Name, Command: g.Command, FixCommand: g.Fix, Kind: g.Kind, Exit: g.Exit,
		Count: g.Failed, Tests: g.Tests, Places: g.Places, Tail: g.Tail,
	}}})
}

// fixOf words what a successful attempt changed. Where a tier made it, what that tier says it
// found is the better half.
func fixOf(result *state.Attempt, before *failure.Diagnosis) string {
	changed := changeOf(result, before)
	if result.Tier == "" || result.Report == nil || result.Report.Said == "" {
		return changed
	}
	return strings.TrimPrefix(result.Report.Said, "fixed: ") + " (" + changed + ")"
}

// changeOf is a commit message and the files changed, those first that the failure named.
func changeOf(result *state.Attempt, before *failure.Diagnosis) string {
	const most = 6
	var named, others []string
	for _, f := range slices.Concat(result.Changes.Modified, result.Changes.Created,
		result.Changes.Deleted) {
		if before != nil && concerns(before, f) {
			named = append(named, f)
		} else {
			others = append(others, f)
		}
	}
	files := slices.Concat(named, others)
	subject := ""
	if result.Commit != nil {
		subject, _, _ = strings.Cut(result.Commit.Message, "\n")
	}
	list := strings.Join(files[:min(len(files), most)], ", ")
	if len(files) > most {
		list += fmt.Sprintf(" and %d more", len(files)-most)
	}
	switch {
	case list == "":
		return subject
	case subject == "":
		return "changed " + list
	}
	return subject + " (changed " + list + ")"
}

// concerns reports whether a failure names the file.
func concerns(d *failure.Diagnosis, file string) bool {
	return slices.ContainsFunc(d.Tests, func(t failure.Test) bool { return t.File == file }) ||
		slices.ContainsFunc(d.Places, func(p failure.Place) bool { return p.File == file }) ||
		slices.Contains(d.Files, file)
}

var _ orchestrator.Sink = Sink{}
