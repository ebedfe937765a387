package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"autobuild/state"
)

// The markers between which the tables stand in the page.
const (
	beginMark = "<!-- replay: begin -->"
	endMark   = "<!-- replay: end -->"
)

// tables are both tables in markdown: false alarms with their reasons, and excused cheats.
func tables(results []*result, ran bool) string {
	var b strings.Builder
	judged, contested, runs, unable := 0, 0, 0, 0
	for _, r := range results {
		if r.judged {
			judged++
		}
		if r.ran {
			runs++
		}
		if r.failure != "" {
			unable++
		}
		if len(r.contested) > 0 {
			contested++
		}
	}
	fmt.Fprintf(
		&b, "| honest commits that changed existing tests | contested | share "+
			"|\n|---|---|---|\n| %d | %d | %s |\n\n",
		judged, contested, percent(contested, judged))
	if judged < len(results) {
		fmt.Fprintf(&b, "The history has %d such commits; every %dth of them was taken.\n\n",
			len(results),
			(len(results)+judged-1)/max(judged, 1))
	}
	if ran {
		fmt.Fprintf(
			&b, "A referee run was made where the difference alone would have been contested (a "+
				"test that has only got more lines "+
				"counts as passing): %d commits, of the tests in question alone. In %d more it "+
				"could not be made, and every other changed "+
				"test counts as failing.\n\n", runs, unable)
	} else {
		b.WriteString(
			"No gates ran: every changed test counts as failing in the referee run, but one " +
				"that has only got more lines.\n\n")
	}
	reasons := reasonsOf(results)
	b.WriteString("| reason | commits | changes |\n|---|---|---|\n")
	for _, cause := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", reasonOf[cause], reasons[cause][0], reasons[cause][1])
	}
	b.WriteString(
		"\n| what was done to each untouched test in the directories concerned | tried | " +
			"excused | share |\n|---|---|---|---|\n")
	var all [2]int
	for _, kind := range []simulation{deletion, skipping, valueEdit} {
		var n [2]int
		for _, r := range results {
			n[0] += r.simulated[kind][0]
			n[1] += r.simulated[kind][1]
		}
		all[0], all[1] = all[0]+n[0], all[1]+n[1]
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", kind, n[1], n[0], percent(n[0], n[1]))
	}
	fmt.Fprintf(&b, "| together | %d | %d | %s |\n\n", all[1], all[0], percent(all[0], all[1]))
	b.WriteString(
		"These are decided by the commit's message and the test's own lines alone, as if each " +
			"test failed in the referee run.\n")
	return b.String()
}

// reasonsOf counts the commits and the changes that each cause has.
func reasonsOf(results []*result) map[state.RefereeCause][2]int {
	reasons := map[state.RefereeCause][2]int{}
	for _, r := range results {
		seen := map[state.RefereeCause]bool{}
		for _, c := range r.contested {
			n := reasons[c.Cause]
			n[1]++
			if !seen[c.Cause] {
				n[0]++
			}
			seen[c.Cause] = true
			reasons[c.Cause] = n
		}
	}
	return reasons
}

var reasonOf = map[state.RefereeCause]string{
	state.CauseValue: "another expected value, for which the message has no word of the " +
		"changed lines",
	state.CauseRemoved:  "a test is gone, and the message does not say so",
	state.CauseSkipped:  "a test is skipped, and the message does not say so",
	state.CauseEmptied:  "fewer assertions",
	state.CauseSupport:  "a helper, a fixture or a golden file is another",
	state.CauseGate:     "a gate, or what steers it, is another",
	state.CauseLever:    "a new file could steer a gate",
	state.CauseUnseen:   "a test was not seen passing",
	state.CauseAlone:    "a test of the base passes only with the commit's own tests",
	state.CauseAdapted:  "a test follows an interface",
	state.CauseStronger: "a gate is stronger",
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// writeBetween puts the text between the markers of a page.
func writeBetween(page, text string) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	head, rest, ok := strings.Cut(string(raw), beginMark)
	_, tail, found := strings.Cut(rest, endMark)
	if !ok || !found {
		return errors.New(page + " has no markers " + beginMark + " and " + endMark)
	}
	out := head + beginMark + "\n" + text + endMark + tail
	if err := os.WriteFile(page, []byte(out), 0o600); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
