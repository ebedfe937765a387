package markdown_test

import (
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// TestOwnSentences: a sentence in a section says what the phase waits for, in the user's language;
// one that names no phase says nothing.
func TestOwnSentences(t *testing.T) {
	for name, tt := range map[string]struct{ kind, sentence, want string }{
		"it":              {"Phase", "It depends on phase 1.", "1"},
		"no subject":      {"Phase", "Depends on Phase 1.", "1"},
		"this phase":      {"Phase", "This phase requires phase 1 and phase 2.", "1, 2"},
		"French":          {"Étape", "Dépend de l'étape 1.", "1"},
		"French, several": {"Étape", "Après les étapes 1 et 2.", "1, 2"},
		"German":          {"Schritt", "Benötigt Schritt 1.", "1"},
		"a number":        {"Phase", "Requires 1 server.", "2"},
		"another subject": {"Phase", "The server depends on phase 1.", "2"},
		"a task":          {"Phase", "- [ ] it depends on phase 1", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			src := "# P\n\n"
			for _, n := range []string{"1", "2", "3"} {
				src += "## " + tt.kind + " " + n + ": Name" + n + "\n\n"
				if n == "3" {
					src += tt.sentence + "\n\n"
				}
				src += "- [ ] do " + n + "\n\n"
			}
			p, err := markdown.Parse("plan.md", []byte(src), markdown.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, need := range p.Needs(2) {
				got = append(got, p.At(need).Label)
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("phase 3 waits for %q, want %q", got, tt.want)
			}
		})
	}
}

// TestStatedBeside: an estimate before it, another spelling of the label, and a language that joins
// words do not hide what a phase waits for.
func TestStatedBeside(t *testing.T) {
	for name, tt := range map[string]struct{ src, want, estimate string }{
		"an estimate first": {"# P\n\n**Phase 1 — A** (2 days)\n- [ ] a\n\n**Phase 2 — B** (3 days, after Phase 1)\n- [ ] b\n\n**Phase 3 — C** (3 days, after Phase 1; parallel with Phase 2)\n- [ ] c\n", "1", "3 days"},
		"prereq":            {"# P\n\n## Step 1: A\n- [ ] a\n\n## Step 2: B\nPrereq: step 1\n- [ ] b\n\n## Step 3: C\nPrereqs: step 1\n- [ ] c\n", "1", ""},
		"Japanese and":      {"# P\n\n## フェーズ1: A\n- [ ] a\n\n## フェーズ2: B\n依存: なし\n- [ ] b\n\n## フェーズ3: C\nフェーズ1とフェーズ2の後に行う。\n- [ ] c\n", "1, 2", ""},
		"boxes with .0":     {"# P\n\n- [ ] 1.0 A\n  - [ ] 1.1 a\n- [ ] 2.0 B\n  - [ ] 2.1 b\n- [ ] 3.0 C (depends on 1.0)\n", "1.0", ""},
		"boxes, by number":  {"# P\n\n- [ ] 1.0 A\n- [ ] 2.0 B\n- [ ] 3.0 C (depends on task 1)\n", "1.0", ""},
		"a numbered box":    {"# P\n\n1. [ ] A\n2. [ ] B (any time)\n3. [ ] C (depends on 1)\n", "1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := markdown.Parse("plan.md", []byte(tt.src), markdown.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, need := range p.Needs(2) {
				got = append(got, p.At(need).Label)
			}
			if strings.Join(got, ", ") != tt.want || p.At(2).Estimate.Text != tt.estimate {
				t.Errorf("phase 3 waits for %q and takes %q, want %q and %q", got, p.At(2).Estimate.Text, tt.want, tt.estimate)
			}
		})
	}
}
