package workflow

import (
	"fmt"
	"slices"

	"go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
)

// work is verified work on its way to the line.
type work struct {
	errand  wire.Errand
	outcome wire.Outcome
	err     error
	given   int // how often workers gave it up
	done    bool
}

// integrate has work added to the line: with what is ready beside it, in one activity, because the
// way through the server costs more than a quick integration. Whose turn it is leads the row.
func (d *driver) integrate(ctx workflow.Context, e wire.Errand) (wire.Outcome, error) {
	own := &work{errand: e}
	d.row = append(d.row, own)
	defer func() {
		d.row = slices.DeleteFunc(d.row, func(w *work) bool { return w == own })
	}()
	for !own.done {
		if err := d.turn.Lock(ctx); err != nil {
			return own.outcome, err
		}
		if !own.done {
			d.integrateRow(ctx)
		}
		d.turn.Unlock()
	}
	return own.outcome, own.err
}

// integrateRow has the first works of the row integrated: as many as the worker does in a second,
// and at least one. An error is that of the first.
func (d *driver) integrateRow(ctx workflow.Context) {
	row := slices.Clone(d.row[:min(len(d.row), wire.MaxRow)])
	errands := make([]wire.Errand, len(row))
	for i, w := range row {
		errands[i] = w.errand
	}
	first := row[0].errand
	summary := fmt.Sprintf("integrate %s %s", first.Label, first.Name)
	if len(row) > 1 {
		summary += fmt.Sprintf(" and up to %d more", len(row)-1)
	}
	of := workflow.WithActivityOptions(ctx, d.activity(d.in.Queue, summary))
	var outcomes []wire.Outcome
	err := workflow.ExecuteActivity(of, wire.Row, errands).Get(ctx, &outcomes)
	if err == nil && len(outcomes) == 0 {
		err = errBroken
	}
	if err != nil {
		row[0].err, row[0].done = err, true
	}
	for i, out := range outcomes[:min(len(outcomes), len(row))] {
		w := row[i]
		w.outcome = out
		if out.Interrupted && ctx.Err() == nil && w.given < givenUp {
			w.given++ // its worker had lost the way to the server, say
			continue
		}
		w.done = true
	}
	d.row = slices.DeleteFunc(d.row, func(w *work) bool { return w.done })
}
