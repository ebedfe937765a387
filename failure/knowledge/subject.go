package knowledge

import (
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
)

// maxAbout bounds the tests, files and symbols that an entry keeps of the failure it was learned
// from.
const maxAbout = 20

var (
	// symbol are words that name something of a project: with a capital or a digit inside, an
	// underscore, a dot, a slash, a colon pair, or in capitals altogether.
	symbol = lazyregexp.New(`[\pL_$@][\w$@.:/-]*\w`)
	quoted = lazyregexp.New("['\"`‘]([\\w@][\\w@./:-]*)['\"`’]")
	inside = lazyregexp.New(
		`[\p{Ll}\d][\p{Lu}]|[\w][._/]\w|::|_|^[\p{Lu}][\p{Lu}\d]{3,}$|\pL\d{2,}`)
	// frameworkWord are symbols of languages and frameworks: they stand in failures of any project.
	frameworkWord = lazyregexp.New(
		`(?i)^(?:\w*(?:error|exception|failure)|expect|assert\w*|object\.is|to(?:strict)?(?:be|equal|match|have|throw|contain)\w*|not\.to\w*|(?:n\.)?exports?|console\.\w+|process\.\w+|node_modules.*|testing\.\w+|FAIL(?:ED|URE|URES)?|ENOENT|ERROR|PASS(?:ED)?|ASSERTION|EXPECTED|RECEIVED|ACTUAL|PANIC|TODO|node:\w+.*)$`)
	// commonWord are words that do not distinguish failures.
	commonWord = lazyregexp.New(
		`(?i)^(?:expect(?:ed|s|ing)?|received?|actual|got|want(?:ed)?|deep|equal(?:s|ity)?|strict(?:ly)?|object|value|values|fail(?:s|ed|ing|ure|ures)?|error|errors|err|tests?|suites?|specs?|cases?|asser\w+|passed|passing|passes|total|panic|exit(?:ed)?|status|code|command|line|lines|column|file|files|found|such|director(?:y|ies)|exists?|cannot|open|stat|access|and|the|was|were|not|are|has|have|but|for|from|with|that|this|does|did|left|right|true|false|null|nil|none|undefined|exception|traceback|goroutine|running|run|summary|short|info|gate|claimed|complete|exist|more|too|runtime|warning|warnings|function|type|of|to|be|is|in|at|an?|or|on|ok)$`)
	pathLike = lazyregexp.New(`^[\w@.~+-]*(?:/[\w@.~+-]+)+$|^[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}$`)
	// header is how frameworks announce the test that failed.
	header = lazyregexp.New(
		`^\W*(?:FAIL(?:ED)?|PASS(?:ED)?|ERROR|(?:not )?ok(?: \d+)?|RUN|test)\b:?\s+(?:- )?\S+(?:\s+\([\d.]+ ?m?s\))?(?:\s+-)?`)
	placed  = lazyregexp.New(`(?::\d+)+$`) // a line and a column behind a file
	measure = lazyregexp.New(`^[\d.,]+[a-z%]*$`)
	letters = lazyregexp.New(`\pL{3,}`)
)

// informative reports whether a line says what was wrong. The header of a framework, the name of a
// file, a count and the values of an assertion do not: they stand in every failure.
func informative(line string) bool {
	named, said := content(line)
	return named || said >= 2 || said == 1 && quoted.MatchString(line)
}

// specific reports whether a line is so specific that the same words elsewhere mean the same thing.
func specific(line string) bool {
	const enough = 3
	_, said := content(line)
	return said >= enough
}

// content counts the words of a line that say something; named reports whether one of them is a
// symbol.
func content(line string) (named bool, said int) {
	line = header.ReplaceAllString(bounded(line), "")
	for _, w := range strings.FieldsFunc(line,
		func(r rune) bool { return strings.ContainsRune(" \t()[]{}<>,;\"'`=", r) }) {
		w = strings.Trim(w, ".:!?-/*#●✗×›>")
		switch {
		case w == "" || measure.MatchString(w) || len(w) > maxSmall || pathLike.MatchString(w) ||
			frameworkWord.MatchString(w):
		case inside.MatchString(w):
			named = true
		case letters.MatchString(w) && !commonWord.MatchString(w):
			said++
		}
	}
	return named, said
}

// bounded keeps the beginning of a text: a symbol that stands only far behind is none by which a
// failure is known.
func bounded(s string) string {
	const most = 1 << 10
	return s[:min(len(s), most)]
}

// symbols are the names in a text that belong to a project, small, each once.
func symbols(text string) []string {
	var all []string
	text = bounded(text)
	add := func(w string) {
		w = strings.ToLower(placed.ReplaceAllString(strings.Trim(w, ".:/-"), ""))
		if len(all) < maxAbout && len(w) > 1 && len(w) <= maxSmall &&
			!frameworkWord.MatchString(w) && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	for _, m := range quoted.FindAllStringSubmatch(text, maxAbout) {
		add(m[1])
	}
	for _, w := range symbol.FindAllString(text, 10*maxAbout) {
		if inside.MatchString(w) {
			add(w)
		}
	}
	return all
}

// subjects are the subjects of a failure: its tests, its files, and the symbols in its messages.
func subjects(d failure.Diagnosis) []string {
	var all []string
	add := func(w string) {
		if w = strings.ToLower(sanitize(w, maxTrigger)); len(all) < maxAbout && w != "" &&
			!slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	for _, t := range d.Tests {
		add(t.Name)
		add(t.File)
	}
	for _, p := range d.Places {
		add(p.File)
		add(p.Rule)
	}
	for _, f := range d.Files {
		add(f)
	}
	for _, w := range symbols(firstInformative(d)) {
		add(w)
	}
	return all
}

// about are the subjects of an entry; those of one that was learned before entries kept them are in
// its words.
func (e Entry) about() []string {
	return slices.Concat(e.About, symbols(e.Trigger))
}

// learned reports whether no person has stood by the entry: then its words alone prove nothing.
func (e Entry) learned() bool { return e.Status == Proposal }

// shares reports whether a failure is about something that the entry is about too.
func (s view) shares(e Entry) bool {
	if e.Code != "" && e.Code == s.code {
		return true
	}
	return slices.ContainsFunc(e.about(),
		func(w string) bool { return slices.Contains(s.about, w) })
}
