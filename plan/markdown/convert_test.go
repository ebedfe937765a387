package markdown_test

import (
	"path/filepath"
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// TestConvert writes every plan in the recommended format. What cannot be written is refused, and
// that is only so where a plan speaks of other documents.
func TestConvert(t *testing.T) {
	refused := 0
	for _, file := range inputs(t, "plans") {
		p, err := markdown.Parse(filepath.Base(file), content(t, file), markdown.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := markdown.Convert(p)
		if err != nil {
			refused++
			t.Logf("%s: %v", file, err)
			continue
		}
		again, err := markdown.Parse(file, []byte(text), markdown.Options{})
		if err != nil || again.Len() != p.Len() || !strings.HasPrefix(again.Dialect, "superplan") {
			t.Errorf("%s is not read again as it was: %v\n%s", file, err, text)
		}
	}
	if all := len(inputs(t, "plans")); refused*5 > all {
		t.Errorf("%d of %d plans cannot be converted", refused, all)
	}
}
