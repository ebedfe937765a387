package verify

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// testFile matches files that hold nothing but tests, by the runners' own conventions.
var testFile = regexp.MustCompile(`_test\.(?:go|py|rb|exs|dart|cc|cpp|c)$|(?:^|/)test_[^/]*\.py$|[._-](?:test|spec)\.[cm]?[jt]sx?$|_spec\.(?:rb|lua)$|(?:^|/)__tests__/|(?:^|/)(?:tests?|specs?|e2e)/.*\.(?:py|rb|rs|php|java|kt|scala|cs|go|[cm]?[jt]sx?|swift|exs|dart)$|(?:Tests?|IT|Spec)\.(?:java|kt|scala|groovy|cs|php|swift)$|(?:^|/)tests?\.(?:py|rb|[cm]?[jt]sx?)$`)

func isTest(file string) bool {
	return testFile.MatchString(file) && path.Base(file) != "conftest.py"
}

// tongue is how the tests of a language look.
type tongue struct {
	name   *regexp.Regexp // a line that begins a test; its first group that is not empty is the name
	mark   *regexp.Regexp // a line after which the next function is a test
	fn     *regexp.Regexp // … and how that function is named
	skip   *regexp.Regexp // a line by which a test does not run
	anyway bool           // tests stand in ordinary files too
}

var tongues = map[string]tongue{
	"go": {
		name: regexp.MustCompile(`^func ((?:Test|Fuzz|Example)\w*)\(`),
		skip: regexp.MustCompile(`^\w*\.Skip(?:f|Now)?\(|^//go:build (?:ignore|never)\b`),
	},
	"py": {
		name: regexp.MustCompile(`^(?:async )?def (test\w*)\(`),
		skip: regexp.MustCompile(`^@(?:pytest\.)?mark\.(?:skip|xfail)\b|^@(?:unittest\.)?(?:skip|expectedFailure)\b|^pytest\.(?:skip|xfail)\(|\.skipTest\(|^raise (?:unittest\.)?SkipTest|^pytestmark\s*=.*\bskip\b|^__test__\s*=\s*False|^collect_ignore`),
	},
	"js": {
		name: regexp.MustCompile("^(?:x|f)?(?:it|test)(?:\\.(?:skipIf|runIf|each|for)\\(.*\\)|\\.\\w+)*\\(\\s*(?:'([^']*)|\"([^\"]*)|`([^`]*))"),
		skip: regexp.MustCompile(`\b(?:it|test|describe|context|suite)(?:\.\w+)*\.(?:skip|todo|fixme|failing|only)\b|^(?:x|f)(?:it|describe|test|context)\(|\bthis\.skip\(\)`),
	},
	"rs": {
		mark: regexp.MustCompile(`^#\[(?:\w+::)*(?:test|rstest)\b`), fn: regexp.MustCompile(`\bfn (\w+)`),
		skip: regexp.MustCompile(`^#\[(?:ignore\b|cfg\(any\(\)\))`), anyway: true,
	},
	"java": {
		mark: regexp.MustCompile(`^@(?:Test|ParameterizedTest|RepeatedTest)\b`), fn: regexp.MustCompile("(\\w+|`[^`]+`)\\s*\\("),
		skip: regexp.MustCompile(`^@(?:Disabled|Ignore)\b`),
	},
	"cs": {
		mark: regexp.MustCompile(`^\[(?:Fact|Theory|Test|TestMethod|TestCase)\b`), fn: regexp.MustCompile(`(\w+)\s*\(`),
		skip: regexp.MustCompile(`^\[Ignore\b|\bSkip\s*=\s*"`),
	},
	"rb": {
		name: regexp.MustCompile(`^x?(?:it|test|specify|scenario)\s*\(?\s*(?:'([^']*)|"([^"]*))|^def (test_\w+)`),
		skip: regexp.MustCompile(`^x(?:it|describe|context|specify)\b|^(?:skip|pending)\b`),
	},
	"php": {
		name: regexp.MustCompile(`\bfunction (test\w+)\s*\(`), mark: regexp.MustCompile(`^#\[Test\b|@test\b`), fn: regexp.MustCompile(`\bfunction (\w+)`),
		skip: regexp.MustCompile(`\bmarkTest(?:Skipped|Incomplete)\(`),
	},
}

// speaks gives the language of a file that may hold tests; false where it holds none.
func speaks(file string) (tongue, bool) {
	ext := strings.TrimPrefix(path.Ext(file), ".")
	switch ext {
	case "ts", "tsx", "jsx", "mjs", "cjs", "mts", "cts":
		ext = "js"
	case "kt", "scala", "groovy":
		ext = "java"
	}
	t, ok := tongues[ext]
	return t, ok && (t.anyway || isTest(file))
}

// testNames lists the tests of a text in order. What stands in a comment of the whole line is none.
func (t tongue) testNames(text string) []string {
	var names []string
	pending := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case t.name != nil && t.name.MatchString(line):
			for _, group := range t.name.FindStringSubmatch(line)[1:] {
				if group != "" {
					names = append(names, group)
					break
				}
			}
			pending = false
		case t.mark != nil && t.mark.MatchString(line):
			pending = true
		case pending && t.fn.MatchString(line) && !strings.HasPrefix(line, "@") && !strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "#["):
			names = append(names, t.fn.FindStringSubmatch(line)[1])
			pending = false
		}
	}
	return names
}

// tests finds tests that are gone, that do not run, and that hold nothing any more.
func (g *guard) tests() {
	g.deleted()
	for i, c := range g.Changes {
		if t, ok := speaks(c.Path); ok {
			g.skipped(c.Path, t, g.diffs[i])
			g.emptied(c, t, g.diffs[i])
		}
	}
	for _, ran := range g.Ran {
		if before := g.Before[ran.Name]; ran.Count > 0 && before > ran.Count {
			g.add(Objection, RuleTestsFewer, "", 0, "%s ran %d tests; it ran %d before the phase", ran.Name, ran.Count, before)
		}
	}
}

// deleted compares the tests of the whole difference, so that one that moved or got another name is not gone: there must be fewer.
func (g *guard) deleted() {
	var gone []Finding
	fewer := 0
	kept := map[string]int{}
	for _, c := range g.Changes {
		if t, ok := speaks(c.Path); ok {
			for _, name := range t.testNames(c.New) {
				kept[name]++
				fewer--
			}
		}
	}
	for _, c := range g.Changes {
		t, ok := speaks(c.Path)
		if !ok {
			continue
		}
		var lost []string
		for _, name := range t.testNames(c.Old) {
			fewer++
			if kept[name]--; kept[name] < 0 {
				lost = append(lost, name)
			}
		}
		if len(lost) == 0 || matchesAny(g.Deleted, c.Path) {
			continue
		}
		w := Objection
		if c.NewMode == "" && g.withItsSource(c.Path) {
			w = Hint // what it tests went too
		}
		gone = append(gone, Finding{RuleTestsDeleted, c.Path, 0, plural(len(lost), "test is gone", "tests are gone") + ": " + g.quote(some(lost)), w})
	}
	if fewer > 0 {
		g.found = append(g.found, gone...)
	}
}

// withItsSource reports whether the file that a deleted test file is named after was deleted as well.
func (g *guard) withItsSource(test string) bool {
	stem := sourceStem(test)
	return slices.ContainsFunc(g.Changes, func(c Change) bool {
		return c.NewMode == "" && c.Path != test && !isTest(c.Path) && strings.TrimSuffix(path.Base(c.Path), path.Ext(c.Path)) == stem
	})
}

var testAffix = regexp.MustCompile(`^test_|[._-](?:test|spec)$|(?:Tests?|IT|Spec)$`)

func sourceStem(test string) string {
	base := path.Base(test)
	return testAffix.ReplaceAllString(strings.TrimSuffix(base, path.Ext(base)), "")
}

// skipped finds what newly keeps tests from running. A skip that hangs on a condition of its own is ordinary.
func (g *guard) skipped(file string, t tongue, d lineDiff) {
	had := 0
	for _, line := range d.removed {
		if t.skip.MatchString(line) {
			had++
		}
	}
	for _, l := range d.added {
		if !t.skip.MatchString(l.text) || conditional(l.before) {
			continue
		}
		if had > 0 {
			had-- // it was skipped before, and its line changed
			continue
		}
		g.add(Objection, RuleTestsSkipped, file, l.n, "a test no longer runs: %s", g.quote(l.text))
	}
}

var constant = regexp.MustCompile(`^(?:\} else )?if \(?(?:true|True|1|!false|not False)\)?\s*[:{]?$`)

func conditional(above string) bool {
	return !constant.MatchString(above) &&
		(strings.HasPrefix(above, "if ") || strings.HasPrefix(above, "if(") || strings.HasPrefix(above, "} else") || strings.HasPrefix(above, "except"))
}

var (
	asserts = regexp.MustCompile(`\bassert\w*\b|\bexpect\(|\brequire\.\w|\.should\b|\bt\.(?:Error|Fatal|Fail)|\bwant\(|\bASSERT_|\bEXPECT_`)
	trivial = regexp.MustCompile(`\bexpect\(\s*(true|1)\s*\)\.(?:toBe|toEqual|toBeTruthy|toStrictEqual)\(|^assert (?:True|1)\b|\bassert!\(true\)|\bassertTrue\(\s*[Tt]rue\s*[,)]|\bassert\.(?:True\(t, true|ok\(true)|\bassertEquals?\((\d+), ?(\d+)\)`)
)

// emptied is a suspicion only: tests that assert much less than before, and such as always hold.
func (g *guard) emptied(c Change, t tongue, d lineDiff) {
	for _, l := range d.added {
		if m := trivial.FindStringSubmatch(l.text); m != nil && m[2] == m[3] {
			g.add(Hint, RuleAssertions, c.Path, l.n, "it always holds: %s", g.quote(l.text))
		}
	}
	if c.OldMode == "" || c.NewMode == "" || !isTest(c.Path) {
		return
	}
	was, is := len(asserts.FindAllStringIndex(c.Old, -1)), len(asserts.FindAllStringIndex(c.New, -1))
	if was-is >= 2 && is*2 <= was && len(t.testNames(c.New)) >= len(t.testNames(c.Old)) {
		g.add(Hint, RuleAssertions, c.Path, 0, "as many tests, and assertions went from %d to %d", was, is)
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// some names the first three.
func some(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}
