package orchestrator

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"autobuild/state"
)

// judgeWhole runs the gates that the plan states for the whole, once every phase is complete. One that fails halts the run like a
// phase that fails, and a resume runs them again.
func (l *loop) judgeWhole() {
	if l.Final == nil || l.broken != nil || l.mute || l.ctx.Err() != nil || l.end == nil || l.end.Kind != Finish || !l.run.Finished() {
		return
	}
	type word struct {
		gates []state.Gate
		err   error
	}
	told, done := make(chan state.Event), make(chan word, 1)
	l.group.Go(func() error {
		var w word
		defer func() {
			if p := recover(); p != nil {
				w.err = &PanicError{Value: p, Stack: debug.Stack()}
			}
			done <- w
		}()
		w.gates, w.err = l.Final(l.ctx, func(e state.Event) { told <- e })
		return nil
	})
	for {
		select {
		case e := <-told:
			l.tell(e)
		case <-l.beat.C:
			l.tell(state.Event{Type: state.Heartbeat})
		case w := <-done:
			l.whole = w.gates
			switch {
			case l.ctx.Err() != nil:
				l.end, l.whole = nil, nil
			case w.err != nil:
				l.trouble(w.err)
			}
			return
		}
	}
}

// unmet names the final gates that did not pass.
func unmet(gates []state.Gate) []string {
	var names []string
	for _, g := range gates {
		if g.Status != state.GatePassed {
			names = append(names, g.Name)
		}
	}
	return names
}

// wholeReason words why a run with complete phases halts.
func wholeReason(names []string) string {
	const most = 3
	if n := len(names); n > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	if len(names) == 1 {
		return "all phases are complete, and final gate " + names[0] + " failed"
	}
	return "all phases are complete, and final gates " + strings.Join(names, ", ") + " failed"
}

// FinalGates runs the gates that the plan states for the whole, and tells of each. A failed gate is a result; an error is
// autobuild's own, or the context's.
type FinalGates func(ctx context.Context, tell func(state.Event)) ([]state.Gate, error)
