// Package worker is a machine's part in runs of one repository: it looks for work at a Temporal
// server, in the queues of its labels, and makes attempts side by side in its slots. It dials out
// only. It does not know which runs there are.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"autobuild/internal/environ"
	"github.com/gofrs/flock"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	sdkworkflow "go.temporal.io/sdk/workflow"

	"autobuild/temporal/activities"
	"autobuild/temporal/client"
	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
	"autobuild/temporal/workflow"
)

// Grace is how long running attempts have to hand over when the worker is asked to end.
const Grace = 30 * time.Second

// mostWorkers bounds the workers of one repository and user on one machine.
const mostWorkers = 64

// Options say what a worker does. Repo is required.
type Options struct {
	Repo    string           // URL or path of the git remote
	Dir     string           // absolute; empty: below the user's cache directory
	Slots   int              // attempts at once; 0 is 1
	Labels  []string         // what its machine has
	Idle    time.Duration    // ends after this long without work; 0: never
	Beat    time.Duration    // between heartbeats; 0 is activities.DefaultBeat
	Environ environ.Environ  // of the process
	Now     func() time.Time // the machine's clock; nil is time.Now
	Out     io.Writer        // a line for what an operator should know
}

// Run works until the context ends or there has been no work for long enough.
func Run(ctx context.Context, o Options) error {
	o.Slots, o.Labels = max(1, o.Slots), wire.Labels(strings.Join(o.Labels, ","))
	if o.Beat <= 0 {
		o.Beat = activities.DefaultBeat
	}
	dir, unlock, err := o.place()
	if err != nil {
		return err
	}
	defer unlock()
	if err = activities.Sweep(dir); err != nil {
		return fmt.Errorf("removing what an earlier worker left: %w", err)
	}
	own := o.children()
	mirror, err := dataplane.OpenMirror(ctx, filepath.Join(dir, "mirror", dataplane.RepositoryName(o.Repo)), o.Repo,
		own)
	if err != nil {
		return fmt.Errorf("reading %s: %w", o.Repo, err)
	}
	identity, err := mirror.Identity(ctx, "refs/remotes/head")
	if err != nil {
		return fmt.Errorf("reading %s: %w", o.Repo, err)
	}
	options, err := client.Options(o.Environ)
	if err != nil {
		return err
	}
	host, _ := os.Hostname() // unknown: the number of the process tells workers apart
	options.Identity = fmt.Sprintf("%s-%d", host, os.Getpid())
	conn, err := sdk.Dial(options)
	if err != nil {
		return fmt.Errorf("no Temporal server answers at %s: %w; start one, or set "+
			"TEMPORAL_ADDRESS", options.HostPort, err)
	}
	defer conn.Close()
	w := &activities.Worker{
		Mirror: mirror, Name: options.Identity, Dir: dir, Environ: own, Out: o.Out, Beat: o.Beat,
		Busy: new(atomic.Int64), Slots: o.Slots, Now: o.Now,
	}
	return o.serve(ctx, conn, w, client.Queue(identity))
}

// serve starts a worker for each queue, with the same slots, and waits for the end.
func (o Options) serve(
	ctx context.Context, conn sdk.Client, w *activities.Worker, queue string,
) error {
	slots := newSlots(o.Slots)
	broken := make(chan error, 1)
	var started []worker.Worker
	defer func() {
		for _, s := range started {
			s.Stop()
		}
	}()
	for _, name := range wire.Queues(queue, o.Labels) {
		tuner, err := Tuner(slots)
		if err != nil {
			return err
		}
		s := worker.New(conn, name, worker.Options{
			Tuner: tuner, WorkerStopTimeout: Grace,
			MaxHeartbeatThrottleInterval:     o.Beat / 2,
			DefaultHeartbeatThrottleInterval: o.Beat / 2,
			DisableWorkflowWorker:            name != queue,
			OnFatalError: func(err error) {
				select {
				case broken <- err:
				default:
				}
			},
		})
		if name == queue {
			RegisterWorkflow(s)
		}
		Register(s, w)
		if err = s.Start(); err != nil {
			return fmt.Errorf("looking for work in %s: %w", name, err)
		}
		started = append(started, s)
	}
	_, _ = fmt.Fprintf(o.Out, "autobuild-temporal: worker %s looks for work in %s: slots %d, labels %s\n",
		w.Name, queue, o.Slots, orNone(o.Labels))
	return o.wait(ctx, w, broken)
}

// RegisterWorkflow makes the workflow of runs known to a worker.
func RegisterWorkflow(s worker.Registry) {
	s.RegisterWorkflowWithOptions(workflow.Run, sdkworkflow.RegisterOptions{Name: wire.Workflow})
}

// Register makes what a workflow asks for known to a worker.
func Register(s worker.Registry, w *activities.Worker) {
	for name, do := range map[string]any{
		wire.Attempt: w.Attempt, wire.Integrate: w.Integrate, wire.Final: w.Final,
		wire.Publish: w.Publish, wire.Row: w.Row,
	} {
		s.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: name})
	}
}

// Tuner shares the slots for activities among the workers of several queues.
func Tuner(slots worker.SlotSupplier) (worker.WorkerTuner, error) {
	var o worker.CompositeTunerOptions
	o.ActivitySlotSupplier = slots
	for _, other := range []*worker.SlotSupplier{
		&o.WorkflowSlotSupplier, &o.LocalActivitySlotSupplier, &o.NexusSlotSupplier,
		&o.SessionActivitySlotSupplier,
	} {
		fixed, err := worker.NewFixedSizeSlotSupplier(100)
		if err != nil {
			return nil, err
		}
		*other = fixed
	}
	return worker.NewCompositeTuner(o)
}

// wait returns when the worker is to end: nil where it was asked to, or has been idle.
func (o Options) wait(ctx context.Context, w *activities.Worker, broken <-chan error) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			_, _ = fmt.Fprintf(o.Out, "autobuild-temporal: worker %s hands over and ends\n", w.Name)
			return nil
		case err := <-broken:
			return fmt.Errorf("looking for work: %w", err)
		case now := <-tick.C:
			if w.Busy.Load() > 0 || last.IsZero() {
				last = now
			}
			if o.Idle > 0 && now.Sub(last) >= o.Idle {
				_, _ = fmt.Fprintf(o.Out, "autobuild-temporal: worker %s had no work for %s and ends\n",
					w.Name, o.Idle)
				return nil
			}
		}
	}
}

// place is a directory that no other worker of this machine uses, locked until unlock.
func (o Options) place() (dir string, unlock func(), err error) {
	base := o.Dir
	if base == "" {
		if base = o.Environ.Get("XDG_CACHE_HOME"); base == "" {
			base = filepath.Join(o.Environ.Home(), ".cache")
		}
		base = filepath.Join(base, "autobuild-temporal")
	}
	for n := range mostWorkers {
		dir = filepath.Join(base, fmt.Sprintf("%s-%d", dataplane.RepositoryName(o.Repo), n))
		if err = os.MkdirAll(dir, 0o700); err != nil {
			return "", nil, err
		}
		lock := flock.New(filepath.Join(dir, "lock"))
		held, err := lock.TryLock()
		if err != nil {
			return "", nil, err
		}
		if held {
			return dir, func() { _ = lock.Close() }, nil
		}
	}
	return "", nil, errors.New("too many workers of this repository run on this machine; " +
		"give one of them more --slots instead")
}

// children is the environment of agents and gates: without what leads to the server, and without
// settings of autobuild's, which the run's starter has made.
func (o Options) children() environ.Environ {
	var env environ.Environ
	for _, entry := range o.Environ {
		if strings.HasPrefix(entry, "TEMPORAL_") || strings.HasPrefix(entry, "AUTOBUILD_") {
			continue
		}
		env = append(env, entry)
	}
	return env
}

func orNone(labels []string) string {
	if len(labels) == 0 {
		return "none"
	}
	return strings.Join(labels, ", ")
}
