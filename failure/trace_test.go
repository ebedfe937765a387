package failure_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	tracedFile = regexp.MustCompile("`((?:failure|cmd|orchestrator|plan)/[\\w/]+\\.go)`(?:: ((?:`(?:[A-Z]\\w*\\.)?\\w+`(?:, )?)+))?")
	tracedTest = regexp.MustCompile("`(Test\\w+)`")
	quoted     = regexp.MustCompile("`(?:\\w+\\.)?(\\w+)`")
)

// What docs/failures.md says of where a rule is kept, and of what holds it, is so.
func TestRulesAreWhereTheDocumentSays(t *testing.T) {
	raw, err := os.ReadFile("../docs/failures.md")
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
