package term

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Status is a table of a run: its state, then a row a phase, and where no session works on it, the
// next commands. Alive means that a session does, now is needed for running phases, and of the
// ending are used Program and Resume. A run of more than many phases gets at most height lines: its
// most interesting phases, and how many more there are. Height 0 is no limit.
func Status(
	run *state.Run, e render.Ending, alive bool, now time.Time, s render.Style, height int,
) string {
	d := render.NewOverview(run, alive)
	head, commands := statusHead(d, s), ""
	if !alive {
		commands = pasteableCommands(d, e, s)
	}
	if height == 0 || len(run.Phases) <= many {
		return text.DisarmLines(head + statusTable(d, now, s, nil) + commands)
	}
	room := height - strings.Count(head+commands, "\n")
	table := fitting(d, now, s, max(room, fewest), ": autobuild status --all")
	return text.DisarmLines(head + table + commands)
}

const (
	many   = 40 // phases
	fewest = 10 // lines of a table
)

// statusHead is the part above the table of phases.
func statusHead(d render.Overview, s render.Style) string {
	run := d.Run
	var out strings.Builder
	para := func(i render.Ink, content string) {
		for _, row := range text.Wrap(s.Show(content, 600), s.Columns()) {
			out.WriteString(paint(s, i, row) + "\n")
		}
	}
	stands := d.StatusWord()
	para(render.Strong, fmt.Sprintf("run %s of %s, %s", run.Config.RunID, run.Config.Plan,
		strings.ReplaceAll(stands, "_", " ")))
	switch {
	case stands == render.StandsCutOff:
		para(render.Warn,
			"It was cut off: no process is running it, and nothing that was recorded is lost.")
	case d.Paused():
		para(render.Warn, "It is paused: nothing starts until: autobuild resume")
	case run.End != nil && run.End.Reason != "" && !d.Part():
		para(render.PlainInk, d.Reason())
	}
	para(render.PlainInk, d.Tally())
	if proofs := d.Proofs(); proofs != "" {
		para(render.PlainInk, "Proof: "+proofs)
	}
	if reviews := d.Reviews(); reviews != "" {
		para(render.PlainInk, "Review: "+reviews)
	}
	if gates := d.End().Final; len(gates) > 0 {
		para(render.PlainInk, "Final gates: "+strings.Join(render.FinalGateLines(gates), ", "))
	}
	for _, q := range d.End().Requests {
		para(render.PlainInk, "Sent to the remote: "+cmp.Or(q.URL, q.Branch))
		if q.Why != "" {
			para(render.Warn, "Not done: "+q.Why)
		}
	}
	if d.Part() {
		para(render.PlainInk, render.OthersLeft)
	}
	return out.String() + "\n"
}

// statusTable is the table of phases, or of those that shown has; nil shows all.
func statusTable(d render.Overview, now time.Time, s render.Style, shown []bool) string {
	run := d.Run
	rows := make([]row, 0, len(run.Phases))
	g := s.Marks()
	for i := range run.Phases {
		if shown != nil && !shown[i] {
			continue
		}
		p := &run.Phases[i]
		word, mark, in := d.Word(p, g)
		rows = append(rows, row{
			mark: mark, label: s.Show(p.Label, min(16, s.Columns()/5)),
			name: s.Show(p.Name, max(12, s.Columns()/4)), word: word, ink: in,
			facts: [3]string{
				render.Tries(p), render.Elapsed(p, d.Live, now),
				render.Cost(p.Spent),
			},
			remark: s.Show(render.Remark(d, p, s, now), 3*render.MaxLine),
			whole: in == render.Bad || p.Status == state.Waiting || len(p.Contested()) > 0 ||
				p.AcceptedWhy != "",
		})
	}
	return drawTable(s, rows)
}
