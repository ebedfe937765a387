package referee

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// Rule decides every change that has no ruling: asked for by the section, contested where the agent
// named it with a reason, refused otherwise. Mode Strict refuses what it names, too; Off records
// everything.
func Rule(
	m Classifier, changes []state.RefereeChange, edits []Edit, s Section,
	claimed []state.ClaimedChange, mode Mode,
) []state.RefereeChange {
	out := slices.Clone(changes)
	open := func(c state.RefereeChange) bool { return c.Ruling == "" }
	if !slices.ContainsFunc(out, open) {
		return out
	}
	pairs, tests := pairsOf(out, edits)
	r := newRequest(s, tests, productOf(out, edits))
	r.program = m.Program
	for i := range out {
		c := &out[i]
		if c.Ruling != "" {
			continue
		}
		if mode == Off {
			c.Ruling = state.RulingRecorded
			continue
		}
		p, edit := find(*c, pairs, edits)
		if why, ok := r.asked(*c, p, edit); ok {
			c.Ruling, c.Why = state.RulingAsked, clipLine(strings.Join(strings.Fields(why), " "))
			continue
		}
		c.Ruling = state.RulingRefused
		if why, ok := claimedFor(*c, p, claimed); ok {
			c.Why = why
			if mode != Strict {
				c.Ruling = state.RulingContested
			}
		}
	}
	group(out, pairs, edits)
	return out
}

// pairsOf matches the units of the difference again; the tests are those of the base among which a
// word has to be rare.
func pairsOf(changes []state.RefereeChange, edits []Edit) (pairs []pair, tests []testunit.Unit) {
	named := map[string]bool{}
	for _, c := range changes {
		named[c.File] = true
	}
	var olds, news []testunit.Unit
	list := func(e Edit, mode, text string) []testunit.Unit {
		if mode == "" {
			return nil
		}
		if e.Unread {
			return []testunit.Unit{{
				File: e.Path, First: 1, Shared: true,
				Lines: []string{mode, text},
			}}
		}
		units := testunit.Units(e.Path, text)
		if named[e.Path] {
			return units
		}
		return slices.DeleteFunc(units, func(u testunit.Unit) bool { return u.Shared })
	}
	for _, e := range edits {
		olds = append(olds, list(e, e.OldMode, e.Old)...)
		news = append(news, list(e, e.NewMode, e.New)...)
	}
	return match(olds, news), olds
}

// find is the pair, and the edit, that a change is about.
func find(c state.RefereeChange, pairs []pair, edits []Edit) (pair, Edit) {
	var edit Edit
	for _, e := range edits {
		if e.Path == c.File {
			edit = e
		}
	}
	for _, exact := range []bool{true, false} {
		for _, p := range pairs {
			at := p.base
			if p.work != nil {
				at = *p.work
			}
			if at.File == c.File && (p.base.Name == c.Test || at.Name == c.Test) &&
				(!exact || at.First == c.Line) {
				return p, edit
			}
		}
	}
	return pair{base: testunit.Unit{File: c.File, Name: c.Test}}, edit
}

// claimedFor is the agent's reason for exactly this change. A reason without meaning excuses
// nothing.
func claimedFor(c state.RefereeChange, p pair, claimed []state.ClaimedChange) (string, bool) {
	for _, claim := range claimed {
		file := path.Clean(strings.TrimPrefix(strings.ReplaceAll(claim.File, `\`, "/"), "./"))
		if file != c.File && (file != p.base.File || p.base.File == "") || !meaningful(claim.Why) {
			continue
		}
		if claim.Test == "" || sameTest(claim.Test, c.Test) || sameTest(claim.Test, p.base.Name) {
			return strings.Join(strings.Fields(claim.Why), " "), true
		}
	}
	return "", false
}

var nameBreak = lazyregexp.New(`\s*(?:>|›|::|#|»)\s*`)

// sameTest compares names of tests with any separator between suites and test, and with or without
// the suites.
func sameTest(claimed, name string) bool {
	claimed = strings.TrimSuffix(nameBreak.ReplaceAllString(strings.TrimSpace(claimed),
		testunit.Separator), "()")
	return claimed != "" && name != "" &&
		(claimed == name || strings.HasSuffix(name, testunit.Separator+claimed))
}

const fewestWords = 3 // of a reason

// meaningful reports whether a reason has three different words.
func meaningful(why string) bool {
	words := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(why),
		func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if len(word) > 1 || !unicode.IsLetter(rune(word[0])) {
			words[word] = true
		}
	}
	return len(words) >= fewestWords
}

// group gives changes that follow from one declaration of the product that is gone, or changed, the
// same group; and those of one file and cause.
func group(changes []state.RefereeChange, pairs []pair, edits []Edit) {
	gone := goneNames(nil, productOf(changes, edits))
	members := map[string][]int{}
	var order []string
	join := func(key string, i int) {
		if members[key] == nil {
			order = append(order, key)
		}
		members[key] = append(members[key], i)
	}
	for i, c := range changes {
		if c.Ruling != state.RulingContested && c.Ruling != state.RulingRefused {
			continue
		}
		p, _ := find(c, pairs, edits)
		key := string(c.Cause) + " in " + c.File
		if c.Cause == state.CauseSupport {
			key = string(c.Cause) + " in " + path.Dir(c.File)
		}
		if name := goneName(p.base, gone); name != "" {
			key = name + " is gone"
		}
		join(key, i)
	}
	for _, key := range order {
		if len(members[key]) < 2 {
			continue
		}
		for _, i := range members[key] {
			changes[i].Group = key
		}
	}
}

// productOf are the edits of other files than the changed tests and gates.
func productOf(changes []state.RefereeChange, edits []Edit) []Edit {
	return slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool {
		return slices.ContainsFunc(changes,
			func(c state.RefereeChange) bool { return c.File == e.Path })
	})
}
