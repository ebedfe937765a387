package markdown_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// TestDocumentedPlans reads every example of the page on plans, and the list of readings in it.
func TestDocumentedPlans(t *testing.T) {
	page := string(content(t, "../../docs/plan-format.md"))
	examples := 0
	for part := range strings.SplitSeq(page, "\n````") {
		example, found := strings.CutPrefix(part, "markdown\n")
		if !found {
			continue
		}
		examples++
		p, err := markdown.Parse("example.md", []byte(example), markdown.Options{})
		if err != nil {
			t.Errorf("%v\n%s", err, example)
			continue
		}
		if len(p.Notes.Warnings()) > 0 {
			t.Errorf("%v\n%s", p.Notes.Warnings(), example)
		}
	}
	if examples < 6 {
		t.Errorf("%d examples found", examples)
	}
	for _, name := range markdown.Readings() {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("the reading %s is not documented", name)
		}
	}
}

// TestRecommendedForm reads the first example in full: it must say all that the page says it does.
func TestRecommendedForm(t *testing.T) {
	_, example, _ := strings.Cut(string(content(t, "../../docs/plan-format.md")), "````markdown\n")
	example, _, _ = strings.Cut(example, "\n````")
	p := parse(t, "recommended.md", []byte(example))
	first := p.At(0)
	if p.Reading != "table" || len(first.Tasks) != 2 || len(first.Criteria) != 1 || len(first.Gates) != 2 ||
		len(first.Files.All()) != 3 || first.Commit != "feat(db): add invoices" || first.Estimate.Weight != 2 || !p.At(3).AllowEmpty {
		t.Errorf("%s", dump(p))
	}
}

func TestEveryCodeIsExplained(t *testing.T) {
	code := regexp.MustCompile(`"([EWI]-[A-Z][A-Z0-9-]+)"`)
	files := 0
	err := filepath.WalkDir("..", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		files++
		for _, m := range code.FindAllStringSubmatch(string(content(t, file)), -1) {
			if _, ok := markdown.Explain(m[1]); !ok {
				t.Errorf("%s: %s is not explained", file, m[1])
			}
		}
		return nil
	})
	if err != nil || files < 30 {
		t.Fatalf("%d files of source: %v", files, err)
	}
	for _, code := range markdown.Codes() {
		text, ok := markdown.Explain(strings.ToLower(code))
		if !ok || !strings.Contains(text, ".") {
			t.Errorf("%s: %q", code, text)
		}
	}
	if _, ok := markdown.Explain("E-NOTHING"); ok {
		t.Error("an unknown code is explained")
	}
}
