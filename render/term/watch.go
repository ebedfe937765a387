package term

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Watch is Status in at most so many lines, for a screen that is drawn again and again in its
// place. Where the phases do not fit, those that run, wait or have failed stay, then those that
// come next, and a last line counts the rest.
func Watch(run *state.Run, alive bool, now time.Time, s render.Style, height int) string {
	d := render.NewOverview(run, alive)
	head := strings.TrimRight(statusHead(d, s), "\n") + "\n"
	table := fitting(d, now, s, height-strings.Count(head, "\n"), "")
	if table != "" {
		return text.DisarmLines(head + table)
	}
	rows := strings.SplitAfter(head, "\n")
	return text.DisarmLines(strings.Join(rows[:min(len(rows), max(height, 1))], ""))
}

// fitting is the table of phases in at most room lines: all of them, or the most interesting and a
// line that counts the rest, which ends with hint. It is empty where not even that line fits.
func fitting(d render.Overview, now time.Time, s render.Style, room int, hint string) string {
	phases := len(d.Run.Phases)
	if phases <= room {
		if whole := statusTable(d, now, s, nil); strings.Count(whole, "\n") <= room {
			return whole
		}
	}
	order := byImportance(d)
	first := func(k int) string {
		shown := make([]bool, phases)
		for _, i := range order[:k] {
			shown[i] = true
		}
		return statusTable(d, now, s, shown) + fmt.Sprintf("  and %d more%s\n", phases-k, hint)
	}
	tooMany := sort.Search(min(phases, max(room, 0)),
		func(k int) bool { return strings.Count(first(k), "\n") > room })
	if tooMany == 0 {
		return ""
	}
	return first(tooMany - 1)
}

// byImportance lists the phases by their places, the most interesting to a viewer first.
func byImportance(d render.Overview) []int {
	var order []int
	contested := func(p *state.Phase) bool { return len(p.Contested()) > 0 }
	for i := range d.Run.Phases {
		if contested(&d.Run.Phases[i]) {
			order = append(order, i)
		}
	}
	for _, statuses := range [][]state.Status{
		{state.Running, state.Waiting, state.Failed},
		{state.Pending},
		{state.Blocked, state.Skipped},
	} {
		for i := range d.Run.Phases {
			if slices.Contains(statuses, d.Run.Phases[i].Status) {
				order = append(order, i)
			}
		}
	}
	for i := len(d.Run.Phases) - 1; i >= 0; i-- { // complete phases, latest first
		if p := &d.Run.Phases[i]; p.Status == state.Complete && !contested(p) {
			order = append(order, i)
		}
	}
	return order
}

// Redrawn is a screen as it replaces the one before it in its place, which had so many rows; it
// returns its own number of them. Row by row and without clearing the screen: terminals keep what
// they clear in their history.
func Redrawn(text string, before int) (drawn string, rows int) {
	var out bytes.Buffer
	out.WriteString(beginUpdate)
	rise(&out, before)
	for row := range strings.Lines(text) {
		out.WriteString("\r" + strings.TrimSuffix(row, "\n") + eraseRow + "\r\n")
		rows++
	}
	for range before - rows {
		out.WriteString(eraseRow + "\r\n")
	}
	rise(&out, before-rows)
	out.WriteString(endUpdate)
	return out.String(), rows
}

// Changes are the phases that stand otherwise than before, a line each, for places that nothing can
// be drawn again in.
func Changes(before, after *state.Run, alive bool, now time.Time, s render.Style) string {
	d := render.NewOverview(after, alive)
	shown, changed := make([]bool, len(after.Phases)), false
	for i := range after.Phases {
		p := &after.Phases[i]
		was, known := before.Find(p.ID)
		shown[i] = !known || was.Status != p.Status || len(was.Attempts) != len(p.Attempts) ||
			was.Retry != p.Retry
		changed = changed || shown[i]
	}
	if !changed {
		return ""
	}
	return text.DisarmLines(statusTable(d, now, s, shown))
}
