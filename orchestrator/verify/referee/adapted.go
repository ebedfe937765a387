package referee

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/testunit"
)

// sameAssertions reports whether a test has no fewer assertions, keeps every expected value, and
// adds no computation to a line that it had.
func sameAssertions(base, work testunit.Unit) bool {
	return len(work.Asserts) >= len(base.Asserts) &&
		common(base.Values, work.Values) == len(base.Values) &&
		(len(base.Asserts) > 0 || len(testunit.Missing(numbersOf(base), numbersOf(work))) == 0) &&
		!computes(base, work)
}

var (
	tokens    = lazyregexp.New(`[\pL_$][\pL\pN_$]*|\d[\w.]*|[&|=!<>:+*/%-]{2,3}|\S`)
	operators = []string{
		"+", "-", "*", "/", "%", "&&", "||", "and", "or", "??", "?", "^", "|", "&",
		"not",
	}
)

// computes reports whether a changed line has more operators than the line it replaces, or fewer
// calls. A changed interface changes names and arguments only.
func computes(base, work testunit.Unit) bool {
	gone, added := testunit.Changed(base.Lines, work.Lines)
	for _, old := range gone {
		before := tokensOf(old)
		best, most := []string(nil), 0
		for _, line := range added {
			now := tokensOf(line)
			if n := common(before, now); n > most {
				best, most = now, n
			}
		}
		if best == nil {
			continue
		}
		fresh := testunit.Missing(best, before)
		inError := slices.ContainsFunc(fresh, func(t string) bool {
			return t == "err" || t == "error" || t == "ok"
		})
		if !inError && slices.ContainsFunc(fresh,
			func(t string) bool { return slices.Contains(operators, t) }) {
			return true
		}
		if calls(best) < calls(before) {
			return true
		}
	}
	return false
}

// numbersOf are the numbers in a test's code.
func numbersOf(u testunit.Unit) []string {
	return slices.DeleteFunc(tokensOf(strings.Join(u.Lines, "\n")),
		func(t string) bool { return t[0] < '0' || t[0] > '9' })
}

// tokensOf splits a line of code into tokens. Each quoted string is one empty string token.
func tokensOf(line string) []string {
	return tokens.FindAllString(inQuotes.ReplaceAllString(line, `""`), -1)
}

func calls(tokens []string) int {
	n := 0
	for i := 1; i < len(tokens); i++ {
		if tokens[i] == "(" && wordLike.MatchString(tokens[i-1]) {
			n++
		}
	}
	return n
}
