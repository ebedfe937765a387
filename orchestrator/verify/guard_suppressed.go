package verify

import (
	"strings"

	"autobuild/internal/lazyregexp"
)

var (
	suppressing = lazyregexp.New(
		`eslint-disable|@ts-(?:ignore|expect-error)|#\s*noqa\b|#\s*type:\s*ignore|#\s*pylint:\s*disable|//\s*nolint|^#\[allow\(|@SuppressWarnings|#\s*rubocop:disable|phpcs:ignore|@phpstan-ignore|#pragma warning disable|(?:istanbul|c8|v8) ignore|pragma: no cover|NOSONAR|biome-ignore|deno-lint-ignore|#\s*pyright:\s*ignore`)
	wholesale = lazyregexp.New(
		`^/\*\s*eslint-disable\s*\*/|@ts-nocheck|^#\s*(?:flake8|ruff):\s*noqa\s*$|^#\s*mypy:\s*ignore-errors|^#!\[allow\((?:warnings|clippy::all|unused)|^#\s*pylint:\s*(?:skip-file|disable=all)|biome-ignore-all|^/\*\s*istanbul ignore file|^//go:build ignore`)
)

// bulk is the number of new suppressions from which on they are no exceptions.
const bulk = 5

// suppressions counts comments that make tools look away, beyond those that were there, and names
// those that hold for a whole file.
func (g *guard) suppressions() {
	total, first := 0, Change{}
	for i, c := range g.Changes {
		if strings.HasSuffix(c.Path, ".md") {
			continue
		}
		total -= countLines(g.diffs[i].removed, suppressing)
		for _, l := range g.diffs[i].added {
			switch {
			case wholesale.MatchString(l.text):
				g.add(Objection, RuleSuppressed, c.Path, l.n,
					"a tool looks away from the whole file: %s", g.quote(l.text))
			case suppressing.MatchString(l.text):
				if total++; first.Path == "" {
					first = c
				}
			}
		}
	}
	if total >= bulk {
		g.add(Objection, RuleSuppressed, first.Path, 0,
			"%d more comments that make tools look away, in the phase's files together", total)
	}
}

func countLines(lines []string, re *lazyregexp.Regexp) int {
	n := 0
	for _, l := range lines {
		if re.MatchString(l) {
			n++
		}
	}
	return n
}
