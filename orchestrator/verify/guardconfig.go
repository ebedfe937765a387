package verify

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"autobuild/state"
)

var (
	// gateOnly are files that do nothing but say how a gate works.
	gateOnly = regexp.MustCompile(`(?:^|/)(?:\.golangci\.(?:ya?ml|toml|json)|\.eslintrc[^/]*|eslint\.config\.\w+|\.eslintignore|biome\.jsonc?|\.prettierrc[^/]*|prettier\.config\.\w+|\.prettierignore|jest\.config\.\w+|vitest\.(?:config|workspace)\.\w+|playwright\.config\.\w+|cypress\.config\.\w+|karma\.conf\.\w+|\.mocharc[^/]*|pytest\.ini|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.pylintrc|pyrightconfig\.json|\.coveragerc|noxfile\.py|\.?clippy\.toml|\.?rustfmt\.toml|\.rubocop(?:_todo)?\.yml|\.rspec|phpunit\.xml(?:\.dist)?|phpstan(?:-baseline)?\.neon(?:\.dist)?|psalm\.xml|checkstyle\.xml|detekt\.ya?ml|\.?codecov\.ya?ml|\.nycrc[^/]*|\.c8rc[^/]*|nextest\.toml|\.pre-commit-config\.ya?ml)$`)
	// mixed are files that also say how a gate works: only what is known to weaken one counts.
	mixed = regexp.MustCompile(`(?:^|/)(?:tsconfig[^/]*\.json|jsconfig\.json|conftest\.py|vite\.config\.\w+|setup\.cfg|tox\.ini|Cargo\.toml|build\.gradle(?:\.kts)?|pom\.xml)$`)
	// ciFile are workflows and hooks: they run elsewhere, with rights of their own.
	ciFile = regexp.MustCompile(`^(?:\.github/(?:workflows|actions)/|\.circleci/|\.gitlab-ci\.ya?ml$|\.gitlab/ci/|azure-pipelines[^/]*\.ya?ml$|Jenkinsfile$|\.travis\.ya?ml$|\.buildkite/|\.woodpecker|\.drone\.ya?ml$|bitbucket-pipelines\.ya?ml$|\.husky/|\.githooks/|git-?hooks/|\.?lefthook\.ya?ml$)`)

	weakening  = regexp.MustCompile(`(?i)"?(?:strict\w*|noImplicit\w+|noUnchecked\w+|noUnused\w+|noFallthrough\w+|checkJs)"?\s*[:=]\s*"?false|pass-?WithNoTests|\|\|\s*(?:true|:)(?:\s|"|$)|;\s*true\s*"?$|^exit 0\b|continue-on-error:\s*true|allow_failure:\s*true|if:\s*(?:false|\$\{\{ false)|testPathIgnorePatterns|--ignore[= ]|--deselect|-k\s*["']?not |collect_ignore|pytest_collection_modifyitems|ignore_errors\s*=\s*true|disable-all:\s*true|issues-exit-code:\s*0|["']off["']|per-file-ignores|-D?skipTests|testFailureIgnore|ignoreFailures\s*=\s*true|^test\s*=\s*false|^(?:warnings|unsafe_code)\s*=\s*"allow"|--no-verify|exclude-?rules`)
	strictness = regexp.MustCompile(`"(?:strict\w*|noImplicit\w+|noUnchecked\w+|noUnused\w+)"\s*:\s*true|^strict\s*=\s*[Tt]rue`)
	threshold  = regexp.MustCompile(`(?i)["']?\b(fail_under|fail-under|--cov-fail-under|branches|functions|lines|statements|threshold|minimum_coverage|minimum|min_coverage|target)\b["']?\s*[:= ]\s*["']?(\d+(?:\.\d+)?)`)
	gateTable  = regexp.MustCompile(`^tool\.(?:pytest|ruff|mypy|coverage|pylint|flake8|black|isort|pyright|tox|nox)\b`)
	gateWord   = regexp.MustCompile(`^(?:tests?|lint|format|fmt|type-?check|types|check|verify|ci|coverage)(?:[:_-].*)?$`)
)

// config looks for gates that were made to demand less, and for what runs elsewhere.
func (g *guard) config() {
	for i, c := range g.Changes {
		switch d := g.diffs[i]; {
		case ciFile.MatchString(c.Path):
			if !g.declared(c.Path) {
				g.add(Objection, RuleCI, c.Path, 0, "it runs in CI or as a hook, and the plan does not name it")
			}
			g.weakened(c.Path, d)
		case c.OldMode == "": // what is new demands something for the first time
		case gateOnly.MatchString(c.Path), g.runs(c.Path):
			g.reconfigured(c, d, g.declared(c.Path), "what a gate checks was changed")
		case mixed.MatchString(c.Path):
			g.weakened(c.Path, d)
		default:
			g.parts(c)
		}
	}
}

// runs reports whether a gate's command names the file, which is then a part of the gate. A test that is named is still a test.
func (g *guard) runs(file string) bool {
	return !isTest(file) && slices.ContainsFunc(g.Gates, func(s state.GateSpec) bool {
		return slices.ContainsFunc(strings.FieldsFunc(s.Command, shellBreak), func(w string) bool { return strings.TrimPrefix(w, "./") == file })
	})
}

func shellBreak(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"`=", r) }

// reconfigured tells how a gate was weakened, or where that cannot be seen and the plan does not mean it, that it was changed.
func (g *guard) reconfigured(c Change, d lineDiff, meant bool, what string) {
	if c.NewMode == "" {
		if !matchesAny(g.Deleted, c.Path) {
			g.add(Objection, RuleGates, c.Path, 0, "what a gate checks was deleted")
		}
		return
	}
	if !g.weakened(c.Path, d) && !meant {
		g.add(Objection, RuleGates, c.Path, firstLine(d), "%s", what)
	}
}

func firstLine(d lineDiff) int {
	if len(d.added) == 0 {
		return 0
	}
	return d.added[0].n
}

// weakened finds lines that are known to make a gate demand less.
func (g *guard) weakened(file string, d lineDiff) bool {
	found := len(g.found)
	was := map[string]float64{}
	for _, line := range d.removed {
		if m := threshold.FindStringSubmatch(line); m != nil {
			was[m[1]], _ = strconv.ParseFloat(m[2], 64) // digits
		}
	}
	for _, l := range d.added {
		if commented(l.text) {
			continue
		}
		if m := threshold.FindStringSubmatch(l.text); m != nil {
			if now, err := strconv.ParseFloat(m[2], 64); err == nil && now < was[m[1]] {
				g.add(Objection, RuleGates, file, l.n, "%s went from %v to %v", m[1], was[m[1]], now)
			}
		}
		if weakening.MatchString(l.text) {
			g.add(Objection, RuleGates, file, l.n, "a gate demands less: %s", g.quote(l.text))
		}
	}
	for _, line := range d.removed {
		said := strings.TrimSuffix(line, ",")
		if strictness.MatchString(line) && len(g.found) == found && !slices.ContainsFunc(d.added, func(l textLine) bool { return strings.TrimSuffix(l.text, ",") == said }) {
			g.add(Objection, RuleGates, file, 0, "a gate demands less: %s is gone", g.quote(line))
		}
	}
	return len(g.found) > found
}

func commented(line string) bool {
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "* ")
}

// parts looks at those parts of other files that are gates: scripts, targets, sections.
func (g *guard) parts(c Change) {
	read := partsOf(c.Path)
	if read == nil || c.Unread {
		return
	}
	before, after := read(c.Old), read(c.New)
	names := make([]string, 0, len(before))
	for name := range before {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		was, is := before[name], after[name]
		if was == is || !g.isGate(name) {
			continue
		}
		_, left := after[name]
		if !left {
			g.add(Objection, RuleGates, c.Path, 0, "%s is gone, and a gate may run it", name)
			continue
		}
		if !g.weakened(c.Path, differ(was, is)) && !named(g.Text, name) {
			g.add(Objection, RuleGates, c.Path, 0, "%s was changed, and a gate may run it", name)
		}
	}
}

// isGate reports whether a part is a gate: by its name, or because a gate's command names it.
func (g *guard) isGate(name string) bool {
	return gateWord.MatchString(name) || gateTable.MatchString(name) || strings.HasPrefix(name, "config ") ||
		slices.ContainsFunc(g.Gates, func(s state.GateSpec) bool { return slices.Contains(strings.FieldsFunc(s.Command, shellBreak), name) })
}

// partsOf gives the reader of a kind of file: its parts by name; nil where it has none.
func partsOf(file string) func(text string) map[string]string {
	switch base := path.Base(file); {
	case base == "package.json", base == "composer.json":
		return jsonParts
	case base == "pyproject.toml":
		return sections
	case base == "Makefile", base == "makefile", base == "GNUmakefile", strings.EqualFold(base, "justfile"), strings.HasSuffix(base, ".mk"):
		return ruleTexts
	}
	return nil
}

// jsonParts are the scripts of a manifest, and what it configures its tools with. One that cannot be read has none.
func jsonParts(text string) map[string]string {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &m) != nil {
		return nil
	}
	parts := map[string]string{}
	for _, key := range []string{"jest", "vitest", "eslintConfig", "c8", "nyc", "mocha", "ava", "lint-staged", "prettier"} {
		if v, ok := m[key]; ok {
			parts["config "+key] = string(v)
		}
	}
	var scripts map[string]json.RawMessage
	if json.Unmarshal(m["scripts"], &scripts) == nil {
		for name, v := range scripts {
			parts[name] = string(v)
		}
	}
	return parts
}

// sections are the tables of a TOML file, by their names.
func sections(text string) map[string]string {
	parts := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if head := strings.TrimSpace(line); strings.HasPrefix(head, "[") && strings.HasSuffix(head, "]") {
			name = strings.Trim(head, "[]")
			continue
		}
		parts[name] += line
	}
	return parts
}

var target = regexp.MustCompile(`^@?([A-Za-z0-9_.-]+)[^:=]*:(?:[^=]|$)`)

// ruleTexts are the rules of a Makefile or justfile, each with its line and what is indented below it.
func ruleTexts(text string) map[string]string {
	parts := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if m := target.FindStringSubmatch(line); m != nil {
			name = m[1]
		} else if line = strings.TrimRight(line, " \t\r\n"); line != "" && line[0] != '\t' && line[0] != ' ' {
			name = ""
		}
		if name != "" && strings.TrimSpace(line) != "" {
			parts[name] += line + "\n"
		}
	}
	return parts
}

var (
	suppressing = regexp.MustCompile(`eslint-disable|@ts-(?:ignore|expect-error)|#\s*noqa\b|#\s*type:\s*ignore|#\s*pylint:\s*disable|//\s*nolint|^#\[allow\(|@SuppressWarnings|#\s*rubocop:disable|phpcs:ignore|@phpstan-ignore|#pragma warning disable|(?:istanbul|c8|v8) ignore|pragma: no cover|NOSONAR|biome-ignore|deno-lint-ignore|#\s*pyright:\s*ignore`)
	wholesale   = regexp.MustCompile(`^/\*\s*eslint-disable\s*\*/|@ts-nocheck|^#\s*(?:flake8|ruff):\s*noqa\s*$|^#\s*mypy:\s*ignore-errors|^#!\[allow\((?:warnings|clippy::all|unused)|^#\s*pylint:\s*(?:skip-file|disable=all)|biome-ignore-all|^/\*\s*istanbul ignore file|^//go:build ignore`)
)

// bulk is the number of new suppressions from which on they are no exceptions.
const bulk = 5

// suppressions counts comments that make tools look away, beyond those that were there, and names those that hold for a whole file.
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
				g.add(Objection, RuleSuppressed, c.Path, l.n, "a tool looks away from the whole file: %s", g.quote(l.text))
			case suppressing.MatchString(l.text):
				if total++; first.Path == "" {
					first = c
				}
			}
		}
	}
	if total >= bulk {
		g.add(Objection, RuleSuppressed, first.Path, 0, "%d more comments that make tools look away, in the phase's files together", total)
	}
}

func countLines(lines []string, re *regexp.Regexp) int {
	n := 0
	for _, l := range lines {
		if re.MatchString(l) {
			n++
		}
	}
	return n
}
