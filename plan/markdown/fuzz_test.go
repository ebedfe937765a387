package markdown_test

import (
	"errors"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// FuzzParse holds the parser to its law: any bytes are either a valid plan or refused with problems
// that have a code, a message and a place within the document; and nothing panics.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"plans", "mistakes"} {
		for _, file := range inputs(f, dir) {
			f.Add(content(f, file), "")
		}
	}
	for _, name := range markdown.Readings() {
		f.Add([]byte("---\ntodos:\n  - id: a\n---\n## Phase 1: A\n- [ ] 1. b\n"), name)
	}
	f.Add([]byte("- [x] 2 \n- [ ] 2\n]e3"), "")
	f.Fuzz(func(t *testing.T, src []byte, dialect string) {
		p, err := markdown.Parse("fuzz.md", src, markdown.Options{Reading: dialect})
		if err != nil {
			problems, ok := errors.AsType[plan.Problems](err)
			if ok && len(problems.Errors()) == 0 {
				t.Fatalf("refused without an error: %v", problems)
			}
			wellFormed(t, problems)
			return
		}
		wellFormed(t, p.Notes)
		if len(p.Notes.Errors()) > 0 || p.Len() == 0 {
			t.Fatalf("accepted with errors, or without phases: %v", p.Notes)
		}
		for i, phase := range p.Phases() {
			if id, err := plan.NormalID(phase.Label); err != nil || id != phase.ID {
				t.Fatalf("phase %q has id %q, not %q", phase.Label, phase.ID, id)
			}
			for _, need := range p.Needs(i) {
				if p.Level(need) >= p.Level(i) {
					t.Fatalf("phase %s is not above what it needs", phase.ID)
				}
			}
			for _, path := range phase.Files.All() {
				if path == "" || path[0] == '/' || path[0] == '~' {
					t.Fatalf("phase %s names the file %q", phase.ID, path)
				}
			}
		}
	})
}

func wellFormed(t *testing.T, problems plan.Problems) {
	t.Helper()
	for _, p := range problems {
		if _, ok := markdown.Explain(p.Code); !ok || p.Message == "" {
			t.Fatalf("a problem that cannot be explained: %+v", p)
		}
		if p.Pos.Valid() && p.Line != "" && (p.Pos.Col < 1 || p.Pos.Col > len(p.Line)+1 || p.Pos.Col-1+p.Width > len(p.Line)+1) {
			t.Fatalf("the caret of %+v is outside its line", p)
		}
	}
}
