// Package verify finds out by itself whether a phase's work holds: it runs the gates and reads
// their output. A gate is a shell command that must exit with 0; everything else, counts, names and
// places, is read from its log afterwards and can only explain a verdict, never change it. The
// package has no notion of agents or claims.
package verify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"autobuild/internal/proc"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/verify/output"
	"autobuild/orchestrator/verify/referee"
	gatefiles "autobuild/orchestrator/verify/referee/gate"
	"autobuild/state"
)

// DefaultTimeout is how long a gate may run where nothing says otherwise.
const DefaultTimeout = 10 * time.Minute

// Verifier runs gates. Run and Env must be set; it keeps no state and may be used concurrently.
type Verifier struct {
	Run  *proc.Runner
	Env  []string // the whole environment of every gate, as proc.Environ makes it
	Root string   // the user's checkout, whose path in Env becomes the directory's; empty: none
	// the source of the setup if not autobuild.yaml; the zero value: none
	Declared prepare.Declared
	Timeout  time.Duration // of a gate that has none of its own; 0: DefaultTimeout
	Shell    Shell         // of gates with pipelines
	// stop a gate at the first failure in its output
	Brief bool
	// verdicts of the session, reused where they hold; nil: every gate runs
	Verdicts *Verdicts
	// suites of the session; nil: that others run at the same time is not known
	Suites *Suites

	// Log opens a log for reading and writing, and says how state refers to it. Nil: no logs, and
	// only the end of a gate's output is read.
	Log func(name string) (*os.File, string, error)
}

// Gates runs every gate in dir, one after the other: lint, format, typecheck, test, then the others
// as given. A failed gate does not stop the next, because a retry should learn everything at once.
// Output goes to the log prefix.NAME.log, and each, which may be nil, sees each gate when it starts
// (Status empty) and when it has ended. A gate that is not available is reported and not run.
//
// The error says that the machinery failed or that ctx ended; the gates that ran are returned with
// it.
func (v *Verifier) Gates(
	ctx context.Context, dir, prefix string, specs []state.GateSpec, each func(state.Gate),
) ([]state.Gate, error) {
	o, err := v.Judge(ctx, referee.Shown{Dir: dir}, prefix, specs, each)
	return o.Gates, err
}

// Judge is Gates, and says which tests were seen by name. Where the same gates have ended on the
// same content before, it returns that outcome: each sees the end of every gate, with Reused.
func (v *Verifier) Judge(
	ctx context.Context, at referee.Shown, prefix string, specs []state.GateSpec,
	each func(state.Gate),
) (o referee.Outcome, err error) {
	if each == nil {
		each = func(state.Gate) {}
	}
	specs = Order(specs)
	key := suiteKey(at.Content, specs, v.Timeout)
	if known, ok := v.Verdicts.reuse(key, specs); ok {
		for _, g := range known.Gates {
			each(g)
		}
		return known, nil
	}
	end := v.Suites.begin(at.Alone)
	o, err = v.judge(ctx, at.Dir, prefix, specs, each)
	o.Beside = end()
	if err == nil {
		v.Verdicts.keep(key, prefix, o)
	}
	return o, err
}

// judge runs every gate, in the order given.
func (v *Verifier) judge(
	ctx context.Context, dir, prefix string, specs []state.GateSpec, each func(state.Gate),
) (o referee.Outcome, err error) {
	o.Passed = true
	for _, spec := range specs {
		if err := context.Cause(ctx); err != nil {
			return o, fmt.Errorf("before gate %s: %w", spec.Name, err)
		}
		g := state.Gate{
			Name: spec.Name, Kind: spec.Kind, Command: spec.Command,
			Fix: spec.FixCommand,
		}
		if !spec.Available {
			g.Status, g.Missing = state.GateNotAvailable, spec.Tool
			each(g)
			o.Gates = append(o.Gates, g)
			continue
		}
		each(g)
		seen, cpu, err := v.gate(ctx, dir, prefix, spec, &g)
		if err != nil {
			return o, err
		}
		o.CPU += cpu
		each(g)
		o.Gates, o.Passed = append(o.Gates, g), o.Passed && g.Status == state.GatePassed
		seen.Into(&o, g)
	}
	o.Ran = true
	return o, nil
}

const kindSetup = "setup"

// Setup runs the commands that make a fresh worktree usable, in order, and stops at the first that
// fails. That one is returned; it is the phase's fault, and err is the machinery's.
func (v *Verifier) Setup(
	ctx context.Context, dir, prefix string, commands []string,
) (*state.Gate, error) {
	for i, command := range commands {
		name := "setup"
		if len(commands) > 1 {
			name = fmt.Sprintf("setup-%d", i+1)
		}
		spec := state.GateSpec{Name: name, Kind: kindSetup, Command: command, Available: true}
		g := state.Gate{Name: name, Kind: spec.Kind, Command: command}
		if _, _, err := v.gate(ctx, dir, prefix, spec, &g); err != nil {
			return nil, err
		}
		if g.Status != state.GatePassed {
			return &g, nil
		}
	}
	return nil, nil
}

// gate runs one command and fills in how it ended. cpu is what it took of processors.
func (v *Verifier) gate(
	ctx context.Context, dir, prefix string, spec state.GateSpec, g *state.Gate,
) (seen *output.Names, cpu time.Duration, err error) {
	var file *os.File
	var from int64
	if v.Log != nil {
		file, g.Log, err = v.Log(prefix + "." + fileName(spec.Name) + ".log")
		if err != nil {
			return nil, 0, fmt.Errorf("open the log of gate %s: %w", spec.Name, err)
		}
		defer func() {
			if cerr := file.Close(); cerr != nil {
				err = errors.Join(err, fmt.Errorf("close the log of gate %s: %w", spec.Name, cerr))
			}
		}()
		if from, err = file.Seek(0, io.SeekEnd); err != nil {
			return nil, 0, fmt.Errorf("find the end of the log of gate %s: %w", spec.Name, err)
		}
	}
	var before map[string]time.Time
	if spec.Kind == state.KindTest {
		before = output.ReportTimes(dir)
	}
	env := v.Env
	if v.Root != "" {
		env = prepare.Env(env, v.Root, dir)
		if spec.Kind == kindSetup {
			env = proc.Environ(env, v.Declared.Vars(v.Root, dir))
		}
	}
	line := spec.Command
	if spec.Kind == state.KindTest || spec.Kind == state.KindCustom {
		line = gatefiles.Naming(line)
	}
	command := proc.Command{
		Dir:     dir,
		Env:     env,
		Log:     file,
		Timeout: cmp.Or(spec.Timeout, v.Timeout, DefaultTimeout),
	}
	if v.Root != dir && spec.Kind != kindSetup {
		command.Hide = v.Root
	}
	if v.Brief && file != nil {
		command.Gone = watchFailure(file, from)
	}
	exit, err := v.run(ctx, line, command)
	if err != nil {
		return nil, 0, fmt.Errorf("gate %s: %w", spec.Name, err)
	}
	g.Duration, g.Exit = exit.Duration, exit.Code
	switch {
	case exit.OK():
		g.Status = state.GatePassed
	case exit.Ended == proc.Timeout:
		g.Status = state.GateTimeout
	case exit.Ended == proc.Stopped || exit.Ended == proc.Killed:
		return nil, 0, stopped(ctx, spec.Name)
	default:
		g.Status = state.GateFailed
	}
	where := output.NewPlace(dir)
	seen = output.NewNames(where)
	if spec.Kind == state.KindTest {
		where.TakeReports(dir, before, seen)
	}
	output.Read(where, logged(file, from, exit.Tail), exit.Tail, g, seen)
	finish(g)
	return seen, exit.CPU, nil
}

// stopped is why a gate did not get to its end.
func stopped(ctx context.Context, name string) error {
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("during gate %s: %w", name, err)
	}
	return fmt.Errorf("gate %s was killed: %w", name, context.Canceled)
}

// logged is what a gate printed: its log, where that can be read again.
func logged(file *os.File, from int64, tail string) io.Reader {
	if file == nil {
		return strings.NewReader(tail)
	}
	info, err := file.Stat()
	if err != nil || info.Size() <= from {
		return strings.NewReader(tail)
	}
	r := io.NewSectionReader(file, from, info.Size()-from)
	if _, err := r.ReadAt(make([]byte, 1), 0); err != nil { // opened for writing only
		return strings.NewReader(tail)
	}
	return r
}

// maxName is how long a gate's name may be as a part of a file name, in bytes.
const maxName = 60

// fileName makes a gate's name, which the user may choose, safe as a part of a file name. Different
// names stay different, also where letters differ in case alone or the ends are cut off: a hash
// replaces the lost part.
func fileName(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	if safe == name && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s-%x", safe[:min(len(safe), maxName-9)], sum[:4])
}
