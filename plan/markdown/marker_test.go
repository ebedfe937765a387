package markdown_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// All marks of a Marker at once are those of Mark one after the other, in every dialect, and from
// any of the texts in between.
func TestMarkerEveryDialect(t *testing.T) {
	for _, file := range inputs(t, "plans") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src := content(t, file)
			p, m, err := markdown.ParseMarked(file, src, markdown.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			texts := [][]byte{src}
			for _, phase := range p.Phases() {
				marked, err := markdown.Mark(texts[len(texts)-1], p, phase.ID, plan.StatusDone)
				if err != nil {
					t.Fatal(err)
				}
				ids, texts = append(ids, phase.ID), append(texts, marked)
			}
			last := texts[len(texts)-1]
			for i, text := range texts {
				got, err := m.Done(text, ids...)
				if err != nil || !bytes.Equal(got, last) {
					t.Fatalf("with %d marks: %v\n%s", i, err, got)
				}
				if !m.Knows(text) {
					t.Errorf("the text with %d marks is not recognised", i)
				}
			}
		})
	}
}

// A text that was changed elsewhere is read again; a phase that it lost is an error, and the others
// are marked.
func TestMarkerForeignText(t *testing.T) {
	src := []byte("## Phase 1: A\n\n- [ ] a\n\n## Phase 2: B\n\n- [ ] b\n")
	_, m, err := markdown.ParseMarked("foreign", src, markdown.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Knows(src) {
		t.Error("the text of the start is not recognised")
	}
	other := bytes.Replace(src, []byte("## Phase 1: A\n\n- [ ] a"), []byte("An introduction."), 1)
	if m.Knows(other) {
		t.Error("a text without phase 1 is recognised")
	}
	got, err := m.Done(other, "1", "2")
	if err == nil || !strings.Contains(err.Error(), "phase 1 is no longer in foreign") {
		t.Error(err)
	}
	if want := strings.Replace(string(other), "[ ] b", "[x] b", 1); string(got) != want {
		t.Errorf("%s", got)
	}
	if m.Knows(other) {
		t.Error("the changed text counts as that of the start")
	}
}
