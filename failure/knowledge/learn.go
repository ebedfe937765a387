package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
)

// duplicate is the similarity from which two errors of one type are one.
const duplicate = 0.9

// minLearned is the least that is learned as a trigger, in characters: "exit 1" would be found
// everywhere.
const minLearned = 8

// Lesson is the knowledge gained from a failed attempt. Its texts come from other programs and are
// untrusted.
type Lesson struct {
	Failure failure.Diagnosis
	Fix     string // the fix; empty where unknown
	Prevent string // a command that may spare the failure; only ever a proposal
	Flaky   bool   // it comes and goes on the same content
	// "run 20261121-130000-ab12, phase 2A"; the same lesson from the same source counts once
	Source string
	On     time.Time // its day is kept
}

// teaches reports whether failures of this type concern the work. The ending of an agent, its
// account or autobuild gives no help to the next phase.
func teaches(t failure.Type) bool {
	switch t {
	case failure.TestFailure, failure.LintError, failure.TypecheckError, failure.FormatError,
		failure.GateFailure,
		failure.VerificationMismatch, failure.TaskIncomplete, failure.DependencyMissing,
		failure.SetupFailure, failure.AgentError:
		return true
	}
	return false
}

// Learn returns the book with the lesson, and the name of the new entry. The name is empty where an
// existing entry matches, where nothing can be learned, or where the book is full of entries that
// people have accepted. A full book drops its least useful proposals. Of an accepted entry only the
// counts change.
func (b *Book) Learn(l Lesson) (*Book, string) {
	e, ok := l.entry()
	if !ok {
		return b, ""
	}
	if old, met := b.duplicateOf(e); met {
		return b.seenAgain(old, e), ""
	}
	room, ok := b.makeRoom(e)
	if !ok {
		return b, ""
	}
	e.Name = room.freeName(slug(e.Trigger))
	if e.check() != nil {
		return b, ""
	}
	return newBook(append(room.Entries(), e)), e.Name
}

// Credit is the book in which an entry that was acted on has helped once more, or failed once more.
func (b *Book) Credit(name string, helped bool, on time.Time) *Book {
	e, ok := b.Find(name)
	if !ok {
		return b
	}
	if helped {
		e.Helped++
	} else {
		e.Failed++
	}
	e.LastSeen = max(e.LastSeen, day(on))
	return b.replace(e)
}

// Solved returns the book in which the proposals of that source without a fix have one: the phase
// that they stopped has been completed since. A flaky failure passed by itself, and stays without.
func (b *Book) Solved(source, fix string, on time.Time) *Book {
	fix = sanitize(fix, maxFix)
	for _, e := range b.Entries() {
		if e.Source == sanitize(source, maxSmall) && e.Source != "" && fix != "" && e.Fix == "" &&
			e.Status == Proposal && !slices.Contains(e.Tags, Flaky) {
			e.Fix, e.LastSeen = fix, max(e.LastSeen, day(on))
			b = b.replace(e)
		}
	}
	return b
}

// entry words a lesson, if it is worth one.
func (l Lesson) entry() (Entry, bool) {
	d := l.Failure
	e := Entry{
		Status: Proposal, Type: cmp.Or(d.Cause, d.Type), Gate: sanitize(d.Gate, maxSmall),
		Code:        sanitize(code(d), maxSmall),
		Fingerprint: sanitize(d.Fingerprint, maxSmall), Trigger: trigger(d),
		Fix: sanitize(l.Fix, maxFix), Prevent: sanitize(l.Prevent, maxTrigger),
		About: subjects(d), Cost: 1, Source: sanitize(l.Source, maxSmall), Learned: day(l.On),
		LastSeen: day(l.On),
	}
	if l.Flaky {
		e.Tags = []string{Flaky}
	}
	return e, teaches(e.Type) && e.Type.Valid() && len([]rune(e.Trigger)) >= minLearned &&
		informative(e.Trigger)
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// masked are the places that failure.Mask leaves where something changes from sighting to sighting.
var masked = lazyregexp.New(`<(?:tmp|dir|time|id|hex|duration|n)>/?`)

// trigger is the part of an error that stays the same between sightings. It takes the most
// informative line, and of that the text between numbers, paths and times, or the whole line where
// too little lies there.
func trigger(d failure.Diagnosis) string {
	// a cut end is in no error
	line := strings.TrimRight(sanitize(firstInformative(d), maxTrigger), "…")
	longest := ""
	for _, piece := range masked.Split(failure.Mask(line), -1) {
		if piece = strings.Trim(piece, " \t:;,.-–()[]{}"); len(piece) > len(longest) {
			longest = piece
		}
	}
	if len(longest) >= 20 && strings.Contains(line, longest) {
		return longest
	}
	return line
}

// firstInformative is the first line of a failure that says what was wrong rather than that
// something was; empty where none does.
func firstInformative(d failure.Diagnosis) string {
	var lines []string
	for _, p := range d.Places {
		lines = append(lines, p.Message)
	}
	for _, t := range d.Tests {
		lines = append(lines, t.Message)
	}
	out := output(d.Details)
	lines = append(lines, failure.ErrorLine(out))
	for l := range strings.Lines(out) {
		lines = append(lines, strings.TrimSpace(l))
	}
	if cmp.Or(d.Cause, d.Type) == failure.DependencyMissing {
		lines = append(lines, d.Message)
	}
	for _, l := range lines {
		if informative(l) {
			return l
		}
	}
	return "" // how a command ended is nothing to recognise an error by
}

// output extracts a command's own output from details. It drops the lines that autobuild wrote: the
// command and a line on how it ended.
func output(details string) string {
	var out strings.Builder
	ours := 0
	for l := range strings.Lines(clip(details)) {
		if strings.HasPrefix(l, "$ ") {
			ours = 2
		}
		if ours--; ours < 0 {
			out.WriteString(l)
		}
	}
	return out.String()
}

// duplicateOf is the entry that is about the same error: the same fingerprint, the same masked
// trigger, or nearly the same words for the same type.
func (b *Book) duplicateOf(e Entry) (Entry, bool) {
	similarities := b.index().similarity([]string{e.Trigger})
	words := norm(e.Trigger)
	best, found := -1, 0.0
	for i, old := range b.entries {
		typed := old.Type == "" || old.Type == e.Type
		score := similarities[i]
		switch {
		case e.Fingerprint != "" && old.Fingerprint == e.Fingerprint:
			score = 3
		case typed && norm(old.Trigger) == words:
			score = 2
		case old.Type != e.Type || score < duplicate:
			continue
		}
		if score > found {
			best, found = i, score
		}
	}
	if best < 0 {
		return Entry{}, false
	}
	return b.entries[best], true
}

// seenAgain returns the book after an entry was met once more. A person's decisions stay; an
// unknown fix of a proposal is filled in.
func (b *Book) seenAgain(old, e Entry) *Book {
	if old.Source == e.Source && e.Source != "" && old.Fingerprint == e.Fingerprint {
		return b
	}
	if old.Status == Proposal {
		old.Fix = cmp.Or(old.Fix, e.Fix)
		old.Prevent = cmp.Or(old.Prevent, e.Prevent)
	}
	if old.Status != Rejected && len(e.Tags) > 0 && !slices.Contains(old.Tags, Flaky) &&
		len(old.Tags) < MaxTags {
		old.Tags = append(slices.Clone(old.Tags), Flaky)
	}
	old.Source = cmp.Or(e.Source, old.Source)
	old.Fingerprint = cmp.Or(e.Fingerprint, old.Fingerprint)
	old.Cost++
	old.LastSeen = max(old.LastSeen, e.LastSeen)
	return b.replace(old)
}

// makeRoom is the book with space for e: proposals give way, the least useful first, then the
// longest unseen.
func (b *Book) makeRoom(e Entry) (*Book, bool) {
	entries := b.Entries()
	size := len(b.JSON()) + len((&Book{entries: []Entry{e}}).JSON())
	for len(entries) >= MaxEntries || size > MaxBytes {
		worst := -1
		for i, x := range entries {
			if x.Status == Proposal && (worst < 0 || lessUseful(x, entries[worst]) < 0) {
				worst = i
			}
		}
		if worst < 0 {
			return b, false
		}
		size -= len((&Book{entries: entries[worst : worst+1]}).JSON())
		entries = slices.Delete(entries, worst, worst+1)
	}
	return newBook(entries), true
}

func lessUseful(a, b Entry) int {
	return cmp.Or(
		cmp.Compare(a.Worth(), b.Worth()), cmp.Compare(a.Helped, b.Helped),
		cmp.Compare(a.LastSeen, b.LastSeen), cmp.Compare(a.Name, b.Name),
	)
}
