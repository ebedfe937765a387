package delivery

import (
	"strings"
	"testing"
	"unicode/utf8"

	"autobuild/orchestrator/git"
)

// The law: any last output of a killed git, or of one in another version, yields one bounded line.
func FuzzRefusal(f *testing.F) {
	f.Add("error: Entry 'x' not uptodate. Cannot merge.\n")
	f.Add("error: Untracked working tree file 'a'b' would be overwritten by merge.\n")
	f.Add("fatal: Unable to create '/x/.git/index.lock': File exists.")
	f.Add("\xff'\n'")
	f.Fuzz(func(t *testing.T, tail string) {
		got := refusalIn(&git.ExitError{Tail: tail})
		if facts := got.Path + got.Detail; facts == "" || strings.Contains(facts, "\n") || !utf8.ValidString(facts) {
			t.Errorf("%q", facts)
		}
	})
}
