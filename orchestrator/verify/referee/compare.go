package referee

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// Classifier says what a file is; *Map does.
type Classifier interface {
	Class(path string) Class
	Program(path string) bool // a gate runs it, and it may be what the gate tests
}

// pair is a unit of the base and its present form; work is nil where it is gone.
type pair struct {
	base testunit.Unit
	work *testunit.Unit
}

// TestChanges compares the tests of a difference by name, and rules on each change by the referee
// run. A test that still passes there is recorded; one that could not run there and asserts the
// same is adapted; the ruling of every other is empty. Names that failed on the base too have to be
// taken out of run: see Outcome.Worse.
func TestChanges(m Classifier, edits []Edit, run Outcome) []state.RefereeChange {
	x := newIndex(run)
	olds, news := unitsOf(m, edits)
	c := comparison{index: x, gone: goneNames(m, edits)}
	for _, p := range match(olds, news) {
		if p.work != nil && !p.work.Skip && p.base.Essence() == p.work.Essence() {
			c.kept = append(c.kept, p.base)
			continue
		}
		// A whole file that no runner names is shared by tests, if runners name tests.
		if p.base.Shared || p.base.Name == "" && len(run.Blind) == 0 && x.named(p.base) == unknown {
			c.shared = append(c.shared, p)
			continue
		}
		if p.base.Skip && (p.work == nil || p.work.Skip) {
			continue // it did not run before either
		}
		c.units = append(c.units, p)
	}
	for _, p := range c.units {
		c.unit(p)
	}
	c.untouched()
	c.unchanged()
	for _, p := range c.shared {
		c.support(p)
	}
	slices.SortStableFunc(c.found, func(a, b state.RefereeChange) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return c.found
}

// unitsOf lists the tests of a difference before and after.
func unitsOf(m Classifier, edits []Edit) (olds, news []testunit.Unit) {
	for _, e := range edits {
		if class := m.Class(e.Path); class != Test &&
			(path.Ext(e.Path) != ".rs" || class != Product) {
			continue
		}
		olds = append(olds, unitsIn(m, e.Path, e.Old, e.OldMode, e.Unread)...)
		news = append(news, unitsIn(m, e.Path, e.New, e.NewMode, e.Unread)...)
	}
	return olds, news
}

func unitsIn(m Classifier, file, text, mode string, unread bool) []testunit.Unit {
	if mode == "" {
		return nil
	}
	if unread {
		return []testunit.Unit{{File: file, First: 1, Shared: true, Lines: []string{mode, text}}}
	}
	units := testunit.Units(file, text)
	if m.Class(file) == Product { // tests inside product code: the rest of the file is the product
		units = slices.DeleteFunc(units, func(u testunit.Unit) bool {
			return u.Shared || u.Name == ""
		})
	}
	return units
}

// match pairs every unit of the base with its counterpart in the work: by file and name, then by
// body in any place and under any name, then by name in another file, then by most of its lines.
func match(olds, news []testunit.Unit) []pair {
	pairs := make([]pair, len(olds))
	taken := make([]bool, len(news))
	for i, u := range olds {
		pairs[i].base = u
	}
	pass := func(same func(before, now testunit.Unit) bool) {
		for i := range pairs {
			if pairs[i].work != nil {
				continue
			}
			for j := range news {
				if !taken[j] && news[j].Shared == olds[i].Shared && same(olds[i], news[j]) &&
					!testunit.Lost(olds[i].File, news[j].File) {
					pairs[i].work, taken[j] = &news[j], true
					break
				}
			}
		}
	}
	pass(func(a, b testunit.Unit) bool {
		return a.File == b.File && a.Name == b.Name && a.Essence() == b.Essence()
	})
	pass(func(a, b testunit.Unit) bool { return a.File == b.File && a.Name == b.Name })
	pass(func(a, b testunit.Unit) bool {
		return a.Name == b.Name && a.Essence() == b.Essence() && len(a.Lines) > 1
	})
	pass(func(a, b testunit.Unit) bool {
		return a.Essence() == b.Essence() && (len(a.Lines) > 1 || a.Shared)
	})
	pass(func(a, b testunit.Unit) bool {
		return a.Name == b.Name && a.Name != "" && path.Ext(a.File) == path.Ext(b.File)
	})
	pass(func(a, b testunit.Unit) bool { return !a.Shared && similar(a, b) })
	pass(func(a, b testunit.Unit) bool { return !a.Shared && a.File == b.File && alike(a, b) })
	return pairs
}

// similar reports whether most lines of one test stand in another, assertions among them.
func similar(a, b testunit.Unit) bool {
	if len(a.Asserts) == 0 || path.Ext(a.File) != path.Ext(b.File) {
		return false
	}
	return 4*common(a.Lines, b.Lines) >= 3*len(a.Lines) &&
		2*common(a.Asserts, b.Asserts) >= len(a.Asserts)
}

// alike reports whether most of the code of one test stands in another: their subject was renamed.
func alike(a, b testunit.Unit) bool {
	before, now := tokensOf(strings.Join(a.Lines, "\n")), tokensOf(strings.Join(b.Lines, "\n"))
	return 3*common(before, now) >= 2*len(before) && 3*common(now, before) >= 2*len(now)
}

// comparison gathers the changes of one difference.
type comparison struct {
	index  index
	gone   map[string]bool // declarations and files of the product that are no more
	units  []pair          // tests that changed
	shared []pair          // helpers, tables, fixtures that changed
	kept   []testunit.Unit // tests that are as they were
	blamed []string        // names of failed tests that did not change: the files they use decide
	found  []state.RefereeChange
}

func (c *comparison) add(p pair, ruling state.RefereeRuling, cause state.RefereeCause) {
	change := state.RefereeChange{
		Ruling: ruling, Cause: cause, File: p.base.File,
		Line: p.base.First, Test: p.base.Name,
	}
	if p.work != nil {
		change.File, change.Line = p.work.File, p.work.First
	}
	describe(p, &change)
	c.found = append(c.found, change)
}

// unit decides what the change of one test is.
func (c *comparison) unit(p pair) {
	shown := c.shown(p)
	cause := state.CauseValue
	switch {
	case p.work == nil:
		cause = state.CauseRemoved
	case p.work.Skip:
		cause = state.CauseSkipped
	case shown != passes && len(p.work.Asserts) < len(p.base.Asserts), len(p.work.Asserts) == 0 &&
		len(p.base.Asserts) > 0:
		cause = state.CauseEmptied
	case shown == cannotRun && sameAssertions(p.base, *p.work):
		c.add(p, state.RulingAdapted, state.CauseAdapted)
		return
	case shown == passes && sameAssertions(p.base, *p.work):
		cause = state.CauseAdapted
	}
	if shown == passes {
		c.add(p, state.RulingRecorded, cause)
		return
	}
	c.add(p, "", cause)
}

// shown is the run's result for the base's unit. Where a gate failed and named no test, one whose
// changed lines follow the product could not run.
func (c *comparison) shown(p pair) seen {
	shown := c.index.of(p.base)
	if shown == fails && c.index.named(p.base) == unknown && c.linesFollow(p) {
		return cannotRun
	}
	return shown
}

// linesFollow reports whether each line that went used what the product no longer declares.
func (c *comparison) linesFollow(p pair) bool {
	if p.work == nil {
		return false
	}
	gone, _ := testunit.Changed(p.base.Lines, p.work.Lines)
	return len(gone) > 0 && !slices.ContainsFunc(gone, func(line string) bool {
		return goneName(testunit.Unit{Lines: []string{line}}, c.gone) == ""
	})
}

// goneName is the first name in a test that the product no longer declares.
func goneName(u testunit.Unit, gone map[string]bool) string {
	for _, word := range wordLike.FindAllString(u.Body(), -1) {
		for part := range strings.FieldsFuncSeq(word,
			func(c rune) bool { return strings.ContainsRune("./:-", c) }) {
			if gone[part] {
				return part
			}
		}
	}
	return ""
}

// untouched finds tests that fail by the base's referee although their own lines are as they were.
func (c *comparison) untouched() {
	known := map[string]bool{}
	for _, p := range c.units {
		for _, key := range keys(p.base) {
			known[key] = true
		}
	}
	for _, u := range c.kept {
		if u.Shared || c.index.named(u) != fails {
			continue
		}
		for _, key := range keys(u) {
			known[key] = true
		}
		if len(c.shared) > 0 { // these are what changed
			c.blamed = append(c.blamed, Key(path.Dir(u.File), u.Name))
			continue
		}
		c.found = append(c.found, state.RefereeChange{
			Cause: state.CauseValue, File: u.File, Line: u.First, Test: u.Name,
			What: "its own lines are as they were; it fails without the other test files of the " +
				"phase",
		})
	}
	for key := range c.index.run.Failing {
		scope, name, _ := strings.Cut(key, "::")
		if !slices.ContainsFunc(prefixes(name),
			func(part string) bool { return known[Key(scope, part)] || known[Key("", part)] }) {
			c.blamed = append(c.blamed, key)
		}
	}
}

// unchanged records, once a file, unchanged tests that could not run in the referee run because an
// import moved.
func (c *comparison) unchanged() {
	changed := map[string]bool{}
	for _, p := range c.units {
		changed[p.base.File] = true // the change there is the reason
	}
	for _, u := range c.kept {
		if u.Shared || changed[u.File] || !c.index.broken(u) && !c.wholeFails(u) {
			continue
		}
		changed[u.File] = true
		c.found = append(c.found, state.RefereeChange{
			Ruling: state.RulingAdapted, Cause: state.CauseAdapted, File: u.File, Line: u.First,
			Test: u.Name,
			What: "its own lines are as they were; what it imports has moved",
		})
	}
}

// wholeFails reports whether the runner names the test's file as failed and none of its tests.
func (c *comparison) wholeFails(u testunit.Unit) bool {
	if c.index.named(u) != unknown {
		return false
	}
	for key := range c.index.run.Failing {
		if scope, name, _ := strings.Cut(key, "::"); name == u.File || scope == u.File &&
			name == "" || strings.HasSuffix(name, "/"+u.File) {
			return true
		}
	}
	return false
}

// blames reports whether a test that failed and is as it was may use what is shared: it lies in the
// same directory, or above a directory of fixtures. Where names of subtests say which fixtures
// failed, the others did not.
func (c *comparison) blames(file string) bool {
	near := slices.DeleteFunc(slices.Clone(c.blamed), func(key string) bool {
		scope, _, _ := strings.Cut(key, "::")
		return !reaches(scope, file)
	})
	named := func(file string) bool {
		stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
		return slices.ContainsFunc(near, func(key string) bool {
			_, name, _ := strings.Cut(key, "::")
			return slices.Contains(strings.FieldsFunc(name,
				func(r rune) bool { return r == '/' || r == '[' || r == ']' }), stem)
		})
	}
	if slices.ContainsFunc(c.shared, func(p pair) bool { return named(p.base.File) }) {
		return named(file)
	}
	return len(near) > 0
}

var besideTests = lazyregexp.New(
	`^(.*?)/?(?:testdata|fixtures?|__fixtures__|__snapshots__|__mocks__|snapshots?)/`)

// reaches reports whether tests of a directory, or of a file, may read a file.
func reaches(scope, file string) bool {
	if path.Ext(scope) != "" {
		scope = path.Dir(scope)
	}
	dir := path.Dir(file)
	if m := besideTests.FindStringSubmatch(file); m != nil {
		dir = m[1]
	} else if !strings.HasSuffix(file, "_test.go") {
		return true // a helper may be imported from anywhere
	}
	return scope == "" || dir == "" || dir == "." && !strings.HasSuffix(file, "_test.go") ||
		scope == dir || strings.HasPrefix(dir, scope+"/")
}

// support decides what the change of a helper or a fixture is: harmless where the base's own
// passes.
func (c *comparison) support(p pair) {
	run := c.index.run
	switch {
	case run.Passed:
		c.add(p, state.RulingRecorded, state.CauseSupport)
	case p.work != nil && c.follows(p) && sameAssertions(p.base, *p.work):
		c.add(p, state.RulingAdapted, state.CauseAdapted)
	case c.index.broken(p.base), c.blames(p.base.File), len(run.Blind) > 0, !run.Ran:
		c.add(p, "", state.CauseSupport)
	default:
		c.add(p, state.RulingRecorded, state.CauseSupport)
	}
}

// follows reports whether what tests share could not be built there, and changed as the product
// did: it says the same.
func (c *comparison) follows(p pair) bool {
	return (c.index.broken(p.base) || len(c.index.run.Blind) > 0) && c.linesFollow(p)
}

// describe sets the change in one line, and the first changed lines where the change is within
// lines.
func describe(p pair, c *state.RefereeChange) {
	switch {
	case p.work == nil:
		c.What = kind(p.base) + " with " + assertions(len(p.base.Asserts)) + " is gone"
		return
	case c.Cause == state.CauseSkipped:
		c.What = "it does not run any more"
		return
	case c.Cause == state.CauseEmptied, len(p.work.Asserts) < len(p.base.Asserts):
		c.What = fmt.Sprintf("%s, before %d", assertions(len(p.work.Asserts)), len(p.base.Asserts))
		return
	}
	gone, added := testunit.Changed(p.base.Lines, p.work.Lines)
	c.Was, c.Now = clipLine(first(gone)), clipLine(first(added))
	c.What = c.Was + " → " + c.Now
}

func assertions(n int) string {
	if n == 1 {
		return "1 assertion"
	}
	return fmt.Sprintf("%d assertions", n)
}

func kind(u testunit.Unit) string {
	if u.Shared {
		return "a helper"
	}
	return "a test"
}

func first(lines []string) string {
	if len(lines) == 0 {
		return "(nothing)"
	}
	return lines[0]
}

const maxQuoted = 120 // bytes of a line in RefereeChange.What

func clipLine(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return strings.ToValidUTF8(s[:maxQuoted], "") + "…"
}

// common counts the lines of a that stand in b too, each as often as it does.
func common(a, b []string) int { return len(a) - len(testunit.Missing(a, b)) }
