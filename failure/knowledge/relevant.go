package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"autobuild/failure"
)

// maxLessons is how many lessons one prompt may hold.
const maxLessons = 5

// leastShare is the share of an entry's words, weighted by their rarity among the entries, that a
// phase's text must have for the entry to be shown.
const leastShare = 0.4

// pathWeight is how much more a file counts than a word.
const pathWeight = 3

// minWord is the least length of a significant word.
const minWord = 4

// Relevant returns the lessons for an attempt at a phase: first the matches of the last failure,
// then those that fit the phase's text and files. text and files may be anything; last may be nil.
func (b *Book) Relevant(text string, files []string, last *failure.Diagnosis) []failure.Lesson {
	var lessons []failure.Lesson
	add := func(e Entry) {
		l := failure.Lesson{
			Name: e.Name, Trigger: sanitize(cmp.Or(e.Trigger, e.Match), maxTrigger),
			Fix: sanitize(e.Fix, maxFix),
		}
		if len(lessons) < maxLessons && !slices.Contains(lessons, l) {
			lessons = append(lessons, l)
		}
	}
	if last != nil {
		for _, c := range b.candidates(*last) {
			if c.strength > 0 {
				add(c.entry)
			}
		}
	}
	for _, e := range b.fittingPhase(text, files) {
		add(e)
	}
	return lessons
}

// fittingPhase are the entries whose words a phase uses, the best first.
func (b *Book) fittingPhase(text string, files []string) []Entry {
	const maxPhase = 64 << 10
	if len(text) > maxPhase {
		text = text[:maxPhase]
	}
	has := make(map[string]bool)
	for _, w := range words(text + " " + strings.Join(files, " ")) {
		has[w] = true
	}
	vocabulary := make([][]string, len(b.entries))
	often := make(map[string]int)
	for i, e := range b.entries {
		vocabulary[i] = words(strings.Join(append(slices.Clone(e.Tags), e.Trigger, e.Fix), " "))
		for _, w := range vocabulary[i] {
			often[w]++
		}
	}
	type ranked struct {
		Entry
		share float64
	}
	var found []ranked
	for i, e := range b.entries {
		if e.Status == Rejected || e.Worth() < leastWorth || e.learned() && e.Trigger != "" &&
			!informative(e.Trigger) {
			continue
		}
		shared, all := 0.0, 0.0
		for _, w := range vocabulary[i] {
			weight := 1 / float64(often[w])
			if strings.ContainsAny(w, "./") {
				weight *= pathWeight
			}
			all += weight
			if has[w] {
				shared += weight
			}
		}
		if shared > 0 && shared/all >= leastShare {
			found = append(found, ranked{e, shared / all})
		}
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.share*b.Worth(), a.share*a.Worth()),
			cmp.Compare(b.Helped, a.Helped), cmp.Compare(b.Cost, a.Cost),
			cmp.Compare(a.Name, b.Name))
	})
	out := make([]Entry, len(found))
	for i, f := range found {
		out[i] = f.Entry
	}
	return out
}

// words are the different words of a text that say something, in small letters. A path is one word
// and its last part another.
func words(s string) []string {
	var out []string
	add := func(w string) {
		if len([]rune(w)) >= minWord {
			out = append(out, w)
		}
	}
	apart := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./", r)
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), apart) {
		w = strings.Trim(w, "-./")
		add(w)
		if i := strings.LastIndexByte(w, '/'); i >= 0 {
			add(w[i+1:])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Prevent are the commands of the entries that a person has accepted, in the order of the entries'
// names, each once.
func (b *Book) Prevent() []string {
	var commands []string
	for _, e := range b.entries {
		if e.Status == Accepted && e.Prevent != "" && !slices.Contains(commands, e.Prevent) {
			commands = append(commands, e.Prevent)
		}
	}
	return commands
}
