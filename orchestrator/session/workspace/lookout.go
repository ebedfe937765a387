package workspace

import (
	"context"
	"errors"
	"slices"

	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// lookout is a tamper.Lookout as attempts see it.
type lookout struct{ *tamper.Lookout }

// Breaches are those of the Lookout.
func (l lookout) Breaches(
	ctx context.Context, phase string, commands []string,
) (attempt.Breaches, error) {
	found, err := l.Lookout.Breaches(ctx, phase, commands)
	return attempt.Breaches(found), err
}

// aroundGates compares the environment before gates run, because an agent may have changed it, and
// after them, because gates run agents' code. An attempt compares by itself after its last gate.
type aroundGates struct {
	attempt.Verifier
	l      lookout
	single bool     // it serves one attempt, which runs one thing after the other
	looked []string // commands whose environment was compared since the last child of the attempt
}

// Setup runs commands that may change the environment.
func (v *aroundGates) Setup(
	ctx context.Context, dir, prefix string, commands []string,
) (*state.Gate, error) {
	if v.single {
		v.looked = nil
	}
	return v.Verifier.Setup(ctx, dir, prefix, commands) //nolint:wrapcheck // it adds nothing
}

// Judge runs gates in the environment of the run's start.
func (v *aroundGates) Judge(
	ctx context.Context, at referee.Shown, prefix string, specs []state.GateSpec,
	each func(state.Gate),
) (referee.Outcome, error) {
	commands := make([]string, len(specs))
	for i, spec := range specs {
		commands[i] = spec.Command
	}
	if slices.ContainsFunc(commands, func(c string) bool { return !slices.Contains(v.looked, c) }) {
		if err := v.l.Around(commands); err != nil {
			return referee.Outcome{}, err
		}
	}
	seen, err := v.Verifier.Judge(ctx, at, prefix, specs, each)
	if v.single {
		v.looked = append(v.looked, commands...)
		return seen, err //nolint:wrapcheck // it adds nothing
	}
	return seen, errors.Join(err, v.l.Around(commands))
}
