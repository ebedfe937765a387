package failure_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"autobuild/failure"
)

var (
	tracedFile = regexp.MustCompile("`((?:failure|cmd|orchestrator|plan)/[\\w/]+\\.go)`(?:: ((?:`(?:[A-Z]\\w*\\.)?\\w+`(?:, )?)+))?")
	tracedTest = regexp.MustCompile("`(Test\\w+)`")
	quoted     = regexp.MustCompile("`(?:\\w+\\.)?(\\w+)`")
)

// What README.md says of where a rule is kept, and of what holds it, is so.
func TestRulesAreWhereTheDocumentSays(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		tests.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files, held := tracedFile.FindAllStringSubmatch(string(raw), -1), tracedTest.FindAllStringSubmatch(string(raw), -1)
	if len(files) < 40 || len(held) < 60 {
		t.Fatalf("only %d places and %d tests are named: the patterns are wrong", len(files), len(held))
	}
	for _, m := range held {
		if !strings.Contains(tests.String(), "func "+m[1]+"(") {
			t.Errorf("there is no test %s", m[1])
		}
	}
	for _, m := range files {
		source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m[1])))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range quoted.FindAllStringSubmatch(m[2], -1) {
			declared := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |\t)` + name[1] + `\b`)
			if !declared.Match(source) {
				t.Errorf("%s declares no %s", m[1], name[1])
			}
		}
	}
}

// rulesInCode are the names of all rules: of decisions, as the sources write them, of types and
// of categories.
func rulesInCode(t *testing.T) map[string]bool {
	t.Helper()
	decided := regexp.MustCompile(`"((?:guard|limit|single|adaptive|known-fix|escalate)\.[a-z-]+)"`)
	indicator := regexp.MustCompile(`(?m)^\t\{"([a-z]+)", \d, (?:true|false), `)
	rules := map[string]bool{}
	files, err := filepath.Glob("policy/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range decided.FindAllStringSubmatch(string(source), -1) {
			rules[m[1]] = true
		}
		if filepath.Base(file) == "indicator.go" {
			for _, m := range indicator.FindAllStringSubmatch(string(source), -1) {
				rules["adaptive."+m[1]] = true
			}
		}
	}
	for _, c := range []failure.Category{failure.Prerequisite, failure.Execution, failure.UnexpectedResult, failure.Misalignment, failure.Ambiguity} {
		rules[string(c)], rules["escalate."+string(c)] = true, true
	}
	for _, typ := range append(failure.Types(), failure.RefereeChanged, failure.ProofMissing) {
		rules[string(typ)] = true
	}
	for _, class := range []failure.Class{failure.Transient, failure.LocalLogic, failure.LocalDesign, failure.StoryLevel, failure.Architectural, failure.Conflicting} {
		rules[string(class)] = true
	}
	return rules
}

// spelling matches a rule in a test: its name, or the identifier of its type.
func spelling(rule string) *regexp.Regexp {
	classes := map[string]string{"F1": "Transient", "F2": "LocalLogic", "F3": "LocalDesign", "F4": "StoryLevel", "F5": "Architectural", "F6": "Conflicting"}
	camel := classes[rule]
	if camel != "" {
		return regexp.MustCompile(`\b` + rule + `\b|\bfailure\.` + camel + `\b`)
	}
	for word := range strings.SplitSeq(rule, "_") {
		camel += strings.ToUpper(word[:1]) + word[1:]
	}
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(rule) + `\b|\bfailure\.` + regexp.QuoteMeta(camel) + `\b`)
}

// Every rule of the code has a row in the table of README.md, every row is about a rule of
// the code, and the test that it names exists and names the rule.
func TestEveryRuleHasATest(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(raw), "## What provokes each rule\n")
	table, _, _ = strings.Cut(table, "\n## ")
	tests := map[string]string{} // by name: the file that declares it
	err = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] += string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	code, rows := rulesInCode(t), map[string]bool{}
	name := regexp.MustCompile("`([^`]+)`")
	ruleName := regexp.MustCompile(`^(?:[a-z-]+\.)?[a-z_-]+$|^F[1-6]$`)
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		if len(cells) != 4 || strings.Contains(cells[0], "---") || strings.TrimSpace(cells[0]) == "rule" {
			continue
		}
		test := name.FindStringSubmatch(cells[3])
		if test == nil {
			t.Errorf("no test in %s", row)
			continue
		}
		text := tests[test[1]]
		if script, err := os.ReadFile(filepath.Join("..", "testdata", "scripts", test[1]+".txtar")); err == nil {
			text = string(script)
		}
		if text == "" {
			t.Errorf("there is no test %s", test[1])
		}
		for _, m := range name.FindAllStringSubmatch(cells[0], -1) {
			rows[m[1]] = true
			if !ruleName.MatchString(m[1]) || !code[m[1]] {
				t.Errorf("the code has no rule %s", m[1])
			}
			if !spelling(m[1]).MatchString(text) {
				t.Errorf("%s does not name %s", test[1], m[1])
			}
		}
	}
	for rule := range code {
		if !rows[rule] {
			t.Errorf("rule %s has no row", rule)
		}
	}
}
