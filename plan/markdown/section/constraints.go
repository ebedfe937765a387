package section

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// ConstraintNames are the headings, in lower case, below which a plan says what holds for the
// whole; nonGoalNames those below which it lists what is not to be done.
var (
	ConstraintNames = lazyregexp.New(
		`^(?:\d+[.)]? )?(?:(?:global|overall|hard|project|technical|design|architectural) )?` +
			`(?:constraints?|invariants?|mission|guard ?rails|ground rules)(?: and (?:constraints?|non-goals))?$`)
	NonGoalNames = lazyregexp.New(
		`^(?:\d+[.)]? )?(?:non-?goals?|non goals?|not goals|out of scope|off limits|do not (?:touch|change)|what not to (?:touch|change))$`)
)

// The grammar of a statement whose paths have been replaced by pathMark. A path has to be the
// object of the change, or the subject of what has to stay: "do not change the signature of
// `Parse` in `parse.go`" says nothing about the file.
const (
	pathMark = "\x00"
	fillers  = `(?:(?:to|the|any|anything|everything|all|of|files?|in|under|below|inside|within|code|contents?|director(?:y|ies)|folders?|existing|generated|these|this)\s*:?\s+)*`
	pathList = pathMark + `(?:(?:\s*,)?(?:\s+(?:and|or|nor))?\s+` + fillers + pathMark + `)*`
	change   = `(?:chang|modif|touch|edit|alter|delet|remov|renam|mov(?:e|ed|ing)\b|rewrit|replac)\w*`
	changes  = change + `(?:(?:\s*,)?(?:\s+(?:and|or|nor))?\s+` + change + `)*`
	ruledOut = `\b(?:do not|don't|must not|mustn't|may not|never|should not|shall not|cannot|no|without|avoid|not)\s+(?:\w+\s+){0,2}?`
	remains  = `(?:(?:must|may|should|shall|can|is|are|stays?|remains?|has|have|to|be|files?|code|kept|left)\s+)*`
	kept     = `(?:(?:not|never)\s+(?:be\s+)?` + change +
		`|unchanged|untouched|unmodified|intact|alone|as[- ]is|` +
		`as (?:it|they) (?:is|are)|off[- ]limits|out of scope|read-only|frozen)\b`
)

var (
	forbidding = lazyregexp.New(`(?i)` + ruledOut + changes + `\s*:?\s+` + fillers + pathList +
		`|` +
		pathList + `\s+` + remains + kept)
	// ruling are the items of non-goals that name nothing but a change, or nothing but paths.
	ruling = lazyregexp.New(`(?i)^(?:any\s+)?(?:` + changes + `\s+)?` + fillers + pathList + `\s*$`)
	// excepting are words with which a statement takes a part of itself back. What is left is not
	// certain.
	excepting = lazyregexp.New(
		`(?i)(?:^|[^-\w])(?:except|unless|other than|apart from|besides|outside|beyond|only|but|until)\b`)
)

// maxConstraintText bounds a statement, and maxConstraints how many are kept.
const (
	maxConstraintText = 200
	MaxConstraints    = 100
)

// endOfStatement is where a sentence ends and another one begins.
var endOfStatement = lazyregexp.New(`[.;!]\s+`)

// ConstraintsIn are the sentences of paragraphs and list items in a section that rule out changes
// of paths. Each list item begins anew.
func ConstraintsIn(d *document.Document, from, to int, goals bool) []plan.Constraint {
	var all []plan.Constraint
	statement, at := "", plan.Pos{}
	flush := func() {
		for _, sentence := range endOfStatement.Split(statement, -1) {
			if paths := ruledOutIn(sentence, goals); len(paths) > 0 {
				all = append(all,
					plan.Constraint{Text: text.Clip(text.OneLine(inline.Plain(sentence)),
						maxConstraintText), Pos: at, Paths: paths})
			}
		}
		statement = ""
	}
	last := -2
	for _, p := range d.ParagraphsIn(from, to) {
		if p.Head || p.Line != last+1 {
			flush()
		}
		if statement == "" {
			at = d.Pos(p.Offset)
		}
		statement = strings.TrimSpace(statement + " " + strings.TrimSpace(p.Raw))
		last = p.Line
	}
	flush()
	return all
}

// ruledOutIn are the paths of a sentence that it rules out changes of, each once.
func ruledOutIn(sentence string, goals bool) []string {
	marked, paths := markPaths(sentence)
	if len(paths) == 0 || excepting.MatchString(marked) {
		return nil
	}
	span := forbidding.FindStringIndex(marked)
	if span == nil && goals {
		span = ruling.FindStringIndex(strings.TrimRight(marked, ". "))
	}
	if span == nil {
		return nil
	}
	first := strings.Count(marked[:span[0]], pathMark)
	var found []string
	for _, p := range paths[first : first+strings.Count(marked[span[0]:span[1]], pathMark)] {
		found = AddPrerequisite(found, p)
	}
	return found
}

// markPaths replaces what is a path in a sentence: what stands in code quotes and looks like one,
// and words with a slash that end with one or have an extension.
func markPaths(sentence string) (marked string, paths []string) {
	var b strings.Builder
	add := func(word string) bool {
		p := CleanPath(word)
		if !PathLike(p) {
			return false
		}
		paths = append(paths, p)
		b.WriteString(pathMark)
		return true
	}
	for i, part := range strings.Split(strings.ReplaceAll(sentence, pathMark, ""), "`") {
		if i%2 == 1 {
			if !add(strings.TrimSpace(part)) {
				b.WriteString("code")
			}
			continue
		}
		part = strings.NewReplacer("**", "", "__", "").Replace(part)
		for k, word := range strings.Split(part, " ") {
			if k > 0 {
				b.WriteByte(' ')
			}
			bare := strings.Trim(word, "()[],;:!\"")
			p := strings.TrimRight(bare, ".")
			if !strings.Contains(p, "/") ||
				!strings.HasSuffix(p, "/") && !strings.Contains(p[strings.LastIndexByte(p, '/'):],
					".") || !add(p) {
				b.WriteString(word)
				continue
			}
			b.WriteString(strings.TrimLeft(word[strings.Index(word, bare)+len(bare):], ")]\""))
		}
	}
	return b.String(), paths
}
