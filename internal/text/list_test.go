package text_test

import (
	"testing"

	"autobuild/internal/text"
)

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 phase": text.Count(1, "phase"), "0 phases": text.Count(0, "phase"), "2 branches": text.Count(2, "branch"), "3 retries": text.Count(3, "retry"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFew(t *testing.T) {
	for want, words := range map[string][]string{
		"": nil, "a, b, c": {"a", "b", "c"}, "a, b, c and 2 more": {"a", "b", "c", "d", "e"},
	} {
		if got := text.JoinSome(words, 3); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
