package verify

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/secret"
)

// Weight says how much a finding of Guard counts.
type Weight int

// The weights.
const (
	// a person should look; it refuses nothing, because it may well be meant
	Hint      Weight = iota
	Objection        // refuses the work where guards are strict
	Grave            // refuses the work wherever guards are on: it could not be taken back
)

// The rules that Guard holds a difference against.
const (
	RuleSuppressed = "suppressed"
	RuleCI         = "ci-or-hook"
	RuleSecret     = "secret"
	RuleScope      = "scope"
	RuleSize       = "size"
	RuleMarkers    = "conflict-markers"
	RuleMode       = "file-mode"
	RuleUnread     = "unread"
)

// Change is one file of a difference, with its content on both sides. A file that moved is two
// changes.
type Change struct {
	Path             string
	OldMode, NewMode string // git's; empty where the file is not there
	Old, New         string // a link's content is where it leads
	Size             int64  // of the new side, in bytes
	Unread           bool   // too large for its content to be here; of New the beginning may be
}

// Look is what Guard judges: a phase's difference and what it may be held against. The zero value
// objects to nothing.
type Look struct {
	Changes []Change
	Message string // of the commit
	// files that the plan names for the phase; patterns are allowed, none at all declares nothing
	Declared []string
	Text     string // of the phase: files that it names are meant to be changed
	// values that must not be committed; those shorter than eight bytes are left out
	Secrets []string
}

// Finding is one reason against a difference. Text never holds a secret's value.
type Finding struct {
	Rule   string
	File   string
	Line   int // 0: the whole file
	Text   string
	Weight Weight
}

// maxOfRule bounds the findings that Guard lists for one rule; the rest are counted.
const maxOfRule = 12

// Guard looks at a difference for what must not be committed and what the plan does not name. It is
// a pure function: the same difference gives the same findings, the gravest first, then by rule,
// path and line. The lines of both sides are compared as sets with counts and not by a diff
// algorithm, so a line that only moves is no change.
func Guard(l Look) []Finding {
	g := &guard{Look: l, diffs: make([]lineDiff, len(l.Changes))}
	for i, c := range l.Changes {
		if !c.Unread {
			g.diffs[i] = differ(c.Old, c.New)
		}
	}
	g.files()
	g.suppressions()
	g.secrets()
	slices.SortStableFunc(g.found, func(a, b Finding) int {
		return cmp.Or(-cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return bound(slices.Compact(g.found))
}

// guard is one look as it goes on.
type guard struct {
	Look
	diffs []lineDiff
	found []Finding
}

func (g *guard) add(w Weight, rule, file string, line int, format string, args ...any) {
	g.found = append(g.found, Finding{rule, file, line, fmt.Sprintf(format, args...), w})
}

// bound keeps the first findings of every rule and counts the others.
func bound(all []Finding) []Finding {
	seen := map[string]int{}
	var kept []Finding
	for _, f := range all {
		if seen[f.Rule]++; seen[f.Rule] <= maxOfRule {
			kept = append(kept, f)
		}
	}
	for i := range kept {
		f := &kept[i]
		if more := seen[f.Rule] - maxOfRule; more > 0 &&
			(i+1 == len(kept) || kept[i+1].Rule != f.Rule) {
			f.Text += fmt.Sprintf(" (and %d more such findings)", more)
			seen[f.Rule] = 0
		}
	}
	return kept
}

// declared reports whether the plan means the phase to change a file: it is among its files, or its
// text names it.
func (g *guard) declared(file string) bool {
	return matchesAny(g.Declared, file) || named(g.Text, file)
}

// named reports whether a text contains a path, or its last part, as a separate word.
func named(text, file string) bool {
	base := file[strings.LastIndexByte(file, '/')+1:]
	for rest := text; ; {
		i := strings.Index(rest, base)
		if i < 0 {
			return false
		}
		end := i + len(base)
		if (i == 0 || !wordByte(rest[i-1])) && (end == len(rest) || !wordByte(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func wordByte(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' &&
		b <= 'Z' || b >= 0x80
}

// matchesAny reports whether a path is one of the patterns, matches one, or lies below one.
func matchesAny(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/")
		if p == file || p == "." || strings.HasPrefix(file, p+"/") {
			return true
		}
		return strings.ContainsAny(p, "*?<{…[") && wildcard(p).MatchString(file)
	})
}

// wildcard reads a plan's pattern generously: a star is anything, and so is what stands in
// brackets.
func wildcard(p string) *regexp.Regexp {
	p = regexp.QuoteMeta(p)
	p = brackets.ReplaceAllString(p, ".*")
	p = strings.NewReplacer(`\*`, `.*`, `\?`, `.`, "…", ".*").Replace(p)
	re, err := regexp.Compile("^" + p + "(?:/|$)")
	if err != nil {
		return regexp.MustCompile(`[^\s\S]`)
	}
	return re
}

var brackets = lazyregexp.New(`\\\{[^}]*\\\}|<[^>]*>|\\\[[^\]]*\\\]`)

// lineDiff is the difference of two texts, line by line, at any place: lines that only moved are in
// neither list.
type lineDiff struct {
	added   []textLine
	removed []string
}

// textLine is a line of the new side. Before is the line above it that is not empty, for rules that
// ask on what it depends.
type textLine struct {
	n            int
	text, before string
}

// differ compares texts by their lines, space at the ends left out.
func differ(before, after string) lineDiff {
	left := map[string]int{}
	for line := range strings.Lines(before) {
		left[strings.TrimSpace(line)]++
	}
	var d lineDiff
	n, above := 0, ""
	for line := range strings.Lines(after) {
		n++
		text := strings.TrimSpace(line)
		if left[text] > 0 {
			left[text]--
		} else if text != "" {
			d.added = append(d.added, textLine{n, text, above})
		}
		if text != "" {
			above = text
		}
	}
	for line := range strings.Lines(before) {
		if text := strings.TrimSpace(line); text != "" && left[text] > 0 {
			left[text]--
			d.removed = append(d.removed, text)
		}
	}
	return d
}

// quote is a line as a finding shows it: short, and without secrets.
func (g *guard) quote(s string) string {
	const most = 60
	for _, v := range g.Secrets {
		if len(v) >= secret.MinValue {
			s = strings.ReplaceAll(s, v, "***")
		}
	}
	for _, found := keyIn(s); found != ""; _, found = keyIn(s) {
		s = strings.ReplaceAll(s, found, "***")
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
