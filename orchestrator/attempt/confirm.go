package attempt

import (
	"context"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/state"
)

// confirm runs tests that failed once more on the same content, where their word would end the
// phase or become knowledge. What passes now is flaky, in both of its runs, and does not refuse the
// work. Nothing runs again where another gate refuses in any case: linters, formatters and type
// checkers do not waver. A timeout counts as it is, because another run would take as long.
func (t *try) confirm(
	ctx context.Context, tree, prefix string, gates []state.Gate, landing bool,
) ([]state.Gate, error) {
	if !t.task.Last && !t.Discover && (!t.Doubt || t.task.Attempt < 2) {
		return nil, nil
	}
	var doubtful []state.GateSpec
	for _, g := range gates {
		switch {
		case !t.refuses(g):
		case g.Status != state.GateFailed || !mayWaver(g.Kind):
			return nil, nil
		default:
			i := slices.IndexFunc(t.gates, func(s state.GateSpec) bool { return s.Name == g.Name })
			if i < 0 {
				return nil, nil
			}
			doubtful = append(doubtful, t.gates[i])
		}
	}
	if len(doubtful) == 0 {
		return nil, nil
	}
	t.report(state.Event{
		Type: state.Notice,
		Text: "run once more on the same content, because failures may be chance: " +
			specNames(doubtful),
	})
	at, err := t.show(ctx, tree, prefix+".confirm")
	if err != nil {
		return nil, err
	}
	// without its name, so that no verdict is reused
	at.Content = ""
	seen, err := t.ask(ctx, at, tree, prefix+".confirm", doubtful, landing)
	again := seen.Gates
	for i := range again {
		if again[i].Status != state.GatePassed && again[i].Before != state.NotWorse {
			continue
		}
		again[i].Flaky = true
		t.seen.Flaky = append(t.seen.Flaky, again[i].Name)
		first := slices.IndexFunc(gates, func(g state.Gate) bool { return g.Name == again[i].Name })
		gates[first].Flaky = true
		t.record.Warnings = append(t.record.Warnings, flakyNote(gates[first]))
	}
	return again, err
}

// wavered names the gates that failed and passed on the same content in earlier attempts at the
// phase.
func wavered(earlier []state.Attempt) []string {
	var names []string
	for _, a := range earlier {
		for _, g := range a.Gates {
			if g.Flaky && !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	return names
}

// mayWaver reports whether gates of this kind may fail by chance: those that run the program, and
// those of the user's own.
func mayWaver(kind string) bool {
	switch kind {
	case "lint", "format", "typecheck":
		return false
	}
	return true
}

// flakyNote says which gate wavered, and which of its tests.
func flakyNote(g state.Gate) string {
	const named = 3
	note := g.Name + " failed once and passed on the same content: flaky"
	var tests []string
	for _, test := range g.Tests[:min(len(g.Tests), named)] {
		tests = append(tests, text.OneLine(text.Truncate(test.Name, 200)))
	}
	if len(tests) > 0 {
		note += " (" + strings.Join(tests, ", ") + ")"
	}
	return note
}

func specNames(specs []state.GateSpec) string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}
