package text_test

import (
	"testing"

	"autobuild/internal/text"
)

func TestQuoteSome(t *testing.T) {
	got := text.QuoteSome([]string{"a.go", "with blank", "line\nbreak", `quo"te`, "ä", "f", "g"})
	if want := `a.go, "with blank", "line\nbreak", "quo\"te", ä and 2 more`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
