// Package knowledge holds the lessons of earlier failures: the error, its fix, and how often that
// has helped since. A Book is immutable: learning returns another one, so several goroutines may
// ask it, and saving is learning the same once more into the book that is on disk by then. The
// package has no notion of files, phases or callers; texts of other programs in it are data, and
// run nowhere.
package knowledge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
)

// Schema is the version of the file that Parse reads and JSON writes.
const Schema = 1

// FileName is the file beside the configuration. Users commit and edit it.
const FileName = "autobuild.knowledge.json"

// Bounds of a book. A person may write longer texts than autobuild learns by itself.
const (
	MaxEntries = 2000
	MaxField   = 4 << 10 // bytes of one field
	MaxBytes   = 4 << 20 // newBook the whole file
	MaxPattern = 1 << 10 // bytes of a regular expression
	MaxTags    = 20
	minTrigger = 4 // characters: less than that stands in every error
)

// Status says what a person thinks of an entry.
type Status string

// The statuses. An entry that a person writes has none, and counts as accepted.
const (
	Proposal Status = "proposal" // learned by itself: shown and matched, but its commands never run
	Accepted Status = "accepted"
	Rejected Status = "rejected" // kept so that it is not learned again; never shown, never matched
)

// Flaky is the tag of failures that come and go on the same content.
const Flaky = "flaky"

// Entry is one failure and the knowledge about it.
type Entry struct {
	Name        string       `json:"name"`
	Status      Status       `json:"status"`
	Trigger     string       `json:"trigger,omitzero"` // part of the error's own text
	Match       string       `json:"match,omitzero"`   // a regular expression (RE2) that finds the error
	Fix         string       `json:"fix,omitzero"`     // the fix, in words; never run
	Prevent     string       `json:"prevent,omitzero"` // a command to run before an attempt, once a person has accepted it
	Tags        []string     `json:"tags,omitzero"`
	Type        failure.Type `json:"type,omitzero"` // newBook the failure: where it is known, it must be the same
	Gate        string       `json:"gate,omitzero"`
	Code        string       `json:"code,omitzero"`        // the tool's own: TS2688, SA4006
	Fingerprint string       `json:"fingerprint,omitzero"` // newBook the failure that it was learned from
	About       []string     `json:"about,omitzero"`       // tests, files and symbols that it was learned from
	Cost        int          `json:"cost,omitzero"`        // attempts that it has taken
	Source      string       `json:"source,omitzero"`      // "run 20261121-130000-ab12, phase 2A"
	Helped      int          `json:"times_helped"`
	Failed      int          `json:"times_failed"`
	Learned     string       `json:"learned,omitzero"`   // a day: 2026-11-21
	LastSeen    string       `json:"last_seen,omitzero"` // a day
}

// Book is a set of entries, sorted by name. The zero Book is empty and ready to use; a Book never
// changes.
type Book struct {
	entries []Entry

	once sync.Once
	idx  *index
}

// newBook makes a book of entries, in any order, whose names differ.
func newBook(entries []Entry) *Book {
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return &Book{entries: entries}
}

// index is made when it is first asked for: most calls of the program never ask.
func (b *Book) index() *index {
	b.once.Do(func() { b.idx = newIndex(b.entries) })
	return b.idx
}

// Len is the number of entries.
func (b *Book) Len() int { return len(b.entries) }

// Entries are all entries by name.
func (b *Book) Entries() []Entry {
	out := slices.Clone(b.entries)
	for i := range out {
		out[i].Tags, out[i].About = slices.Clone(out[i].Tags), slices.Clone(out[i].About)
	}
	return out
}

// Find is the entry of that name.
func (b *Book) Find(name string) (Entry, bool) {
	i, ok := b.at(name)
	if !ok {
		return Entry{}, false
	}
	return b.entries[i], true
}

func (b *Book) at(name string) (int, bool) {
	return slices.BinarySearchFunc(b.entries, name,
		func(e Entry, name string) int { return cmp.Compare(e.Name, name) })
}

// Add is the book with one more entry. Where e has no name it gets one from its trigger or pattern;
// no status is accepted. It says what is wrong with e, that the name is taken, or that the book is
// full.
func (b *Book) Add(e Entry) (*Book, Entry, error) {
	e.Status = cmp.Or(e.Status, Accepted)
	if e.Name == "" {
		e.Name = b.freeName(slug(cmp.Or(e.Trigger, e.Match)))
	}
	if err := e.check(); err != nil {
		return b, e, err
	}
	if _, taken := b.at(e.Name); taken {
		return b, e, fmt.Errorf(
			"there is an entry %q already; remove that one first, or choose another name", e.Name)
	}
	if i := slices.IndexFunc(b.entries, func(o Entry) bool {
		return o.Trigger == e.Trigger && o.Match == e.Match && o.Type == e.Type
	}); i >= 0 {
		// learned from a block: this is the answer
		if open := b.entries[i]; open.Status == Proposal && open.Fix == "" && e.Fix != "" {
			open.Fix, open.Status = e.Fix, Accepted
			open.Prevent, open.Tags = cmp.Or(e.Prevent, open.Prevent),
				append(slices.Clone(open.Tags), e.Tags...)
			next, err := b.Decide(open, Accepted)
			return next, open, err
		}
		return b, e, fmt.Errorf("entry %q is found by the same already; accept or remove that one",
			b.entries[i].Name)
	}
	if len(b.entries) >= MaxEntries {
		return b, e, fmt.Errorf("the book is full: it has %d entries; remove some", len(b.entries))
	}
	next := newBook(append(b.Entries(), e))
	if err := next.fits(); err != nil {
		return b, e, err
	}
	return next, e, nil
}

// fits says when a book is too large for its file.
func (b *Book) fits() error {
	if n := len(b.JSON()); n > MaxBytes {
		return fmt.Errorf("the book would have %d bytes, more than %d; remove entries", n, MaxBytes)
	}
	return nil
}

// Remove is the book without the entry of that name.
func (b *Book) Remove(name string) *Book {
	i, ok := b.at(name)
	if !ok {
		return b
	}
	return newBook(slices.Delete(b.Entries(), i, i+1))
}

// Decide is the book in which a person has accepted or rejected an entry. The error says what is
// wrong with e, which is the entry as that person wants it.
func (b *Book) Decide(e Entry, status Status) (*Book, error) {
	e.Status = status
	if err := e.check(); err != nil {
		return b, err
	}
	next := b.replace(e)
	if err := next.fits(); err != nil {
		return b, err
	}
	return next, nil
}

// replace puts e in the place of the entry of its name, if there is one.
func (b *Book) replace(e Entry) *Book {
	i, ok := b.at(e.Name)
	if !ok {
		return b
	}
	entries := b.Entries()
	entries[i] = e
	return newBook(entries)
}

// Worth is the weight of an entry, above 0 and at most 1: each failure beyond the times that it
// helped halves it.
func (e Entry) Worth() float64 {
	worth := 1.0
	for range min(max(e.Failed-e.Helped, 0), 60) {
		worth /= 2
	}
	return worth
}

// name matches valid entry names: users type them in commands, and no file name contains them.
var name = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// check says what is wrong with an entry.
func (e Entry) check() error {
	fields := []struct{ name, text string }{
		{"trigger", e.Trigger},
		{"fix", e.Fix},
		{"prevent", e.Prevent},
		{"gate", e.Gate},
		{"code", e.Code},
		{"fingerprint", e.Fingerprint},
		{"source", e.Source},
		{"a tag", strings.Join(e.Tags, "")},
		{"about", strings.Join(e.About, "")},
	}
	for _, f := range fields {
		if err := checkText(f.name, f.text); err != nil {
			return err
		}
	}
	switch {
	case !name.MatchString(e.Name):
		return fmt.Errorf(
			"%q is no name; use small letters, digits, dash, dot and underscore, 64 at most",
			e.Name)
	case !slices.Contains([]Status{Proposal, Accepted, Rejected}, e.Status):
		return fmt.Errorf("status %q is not known; write %s, %s or %s", e.Status, Proposal,
			Accepted, Rejected)
	case e.Trigger == "" && e.Match == "":
		return fmt.Errorf("%s has neither a trigger nor a match; one of them must find the error",
			e.Name)
	case e.Trigger != "" && len([]rune(strings.TrimSpace(e.Trigger))) < minTrigger:
		return fmt.Errorf(
			"trigger %q would be found in every error; write at least %d characters of it",
			e.Trigger, minTrigger)
	case len(e.Tags) > MaxTags:
		return fmt.Errorf("%s has %d tags; keep at most %d", e.Name, len(e.Tags), MaxTags)
	case len(e.About) > maxAbout:
		return fmt.Errorf("%s is about %d things; keep at most %d", e.Name, len(e.About), maxAbout)
	case slices.Contains(e.Tags, ""):
		return fmt.Errorf("%s has an empty tag; leave it out", e.Name)
	case strings.ContainsRune(e.Prevent, '\n'):
		return fmt.Errorf("prevent of %s has several lines; write one command", e.Name)
	case e.Type != "" && !e.Type.Valid():
		return fmt.Errorf(
			"type %q of %s is no type of failure; leave it out, or take one of those in "+
				"docs/failures.md",
			e.Type, e.Name)
	case e.Cost < 0 || e.Helped < 0 || e.Failed < 0:
		return fmt.Errorf("a count of %s is negative; write 0 or more", e.Name)
	}
	for _, day := range []string{e.Learned, e.LastSeen} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fmt.Errorf("%q is no day; write it as 2026-11-21", day)
		}
	}
	_, err := e.pattern()
	return err
}

// pattern is the compiled match; nil without one. Its time is linear in the length of the text, for
// every pattern.
func (e Entry) pattern() (*regexp.Regexp, error) {
	if e.Match == "" {
		return nil, nil
	}
	if len(e.Match) > MaxPattern {
		return nil, fmt.Errorf("match of %s has %d bytes; keep it below %d", e.Name, len(e.Match),
			MaxPattern)
	}
	re, err := regexp.Compile(e.Match)
	if err != nil {
		return nil, fmt.Errorf("match of %s is no regular expression: %s; the syntax is RE2",
			e.Name, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if re.MatchString("") {
		return nil, fmt.Errorf(
			"match of %s fits every text, the empty one too; name what stands in the error", e.Name)
	}
	return re, nil
}
