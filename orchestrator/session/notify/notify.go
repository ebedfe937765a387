// Package notify sends notices of a run to people who are away: by a command or a webhook. A
// Notifier is a sink of events that starts each way beside the run and never waits for one before
// Finish. It does not know how a run is made or where its settings are from.
package notify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/failure"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Config is the run of a Notifier, and its settings.
type Config struct {
	Settings Settings
	Base     Notice                    // Run, Plan, Title, Dir and Host of every notice
	Environ  []string                  // of the programs that are run
	Getenv   func(name string) string  // finds the variable that holds an address
	Secrets  []string                  // values that no notice may hold
	Kill     <-chan struct{}           // closed: running programs are killed
	Found    func(program string) bool // whether a program can be run
	Resume   func() string             // the command that resumes the run
	// prints a line for the user; only called by Event and Finish
	Note  func(format string, args ...any)
	Agent string // the User-Agent of webhooks
	Now   func() time.Time
}

// Notifier is a sink that sends notices. Its ways run in goroutines of their own, and their errors
// do not change the run.
type Notifier struct {
	ways []way
	on   []string // events; empty: all
	mask func(string) string
	next func() string // the command that goes on
	note func(format string, args ...any)
	now  func() time.Time
	base Notice // the fields that all notices share

	mu      sync.Mutex
	totals  state.Totals         // after the last event: Spends does not own the run
	limits  map[string]time.Time // account → the reset of the last limit that was sent
	sent    sync.WaitGroup
	pending int      // ways that have neither ended nor failed
	lost    []string // errors that were not printed yet
}

// way is one way to send a notice. Its error is shown to the user and must hold no secret.
type way interface {
	name() string
	send(ctx context.Context, t Notice) error
}

// New makes the Notifier of a run. missing has a line for each configured way that cannot work.
func New(c Config) (n *Notifier, missing []string) {
	mask := (&proc.Runner{Secrets: slices.Concat(c.Secrets, c.Settings.secrets(c.Getenv))}).Mask
	base := c.Base
	base.Plan, base.Title = text.Clean(mask(base.Plan), maxText),
		text.Clean(mask(base.Title), maxText)
	n = &Notifier{
		on: c.Settings.On, mask: mask, note: c.Note, now: c.Now, limits: make(map[string]time.Time),
		next: c.Resume, base: base,
	}
	n.ways, missing = c.ways()
	return n, missing
}

// ways are the ways that the settings name, and a line for each that cannot work.
func (c *Config) ways() (ways []way, missing []string) {
	s := &c.Settings
	runner := &proc.Runner{Secrets: slices.Concat(c.Secrets, s.secrets(c.Getenv)), Kill: c.Kill}
	command := program{
		runner: runner, dir: c.Base.Dir, env: proc.Environ(c.Environ, nil), timeout: s.deadline(),
		what: "the command",
	}
	if len(s.Command) > 0 {
		w := command
		w.argv = func(Notice) []string { return s.Command }
		ways = append(ways, w)
		if !c.Found(s.Command[0]) {
			missing = append(missing, fmt.Sprintf(
				"notify: %s is not installed; install it, or correct notify in autobuild.yaml",
				text.Clean(s.Command[0], 200)))
		}
	}
	if s.Webhook != "" {
		url := s.url(c.Getenv)
		if url == "" {
			missing = append(missing,
				fmt.Sprintf("notify: %s is not set: no notice goes to the webhook",
					text.Clean(s.Webhook, 200)))
		} else if err := CheckAddress(url); err != nil {
			missing = append(missing, fmt.Sprintf("notify: %v: no notice goes there", err))
		} else {
			ways = append(ways, webhook{url: url, agent: c.Agent, timeout: s.deadline()})
		}
	}
	return ways, missing
}

// Event sends a notice of an end and of a usage limit. It also prints the errors of earlier
// notices, because only the caller's goroutine may write.
func (n *Notifier) Event(e state.Event, r *state.Run) error {
	n.complain()
	if !e.Type.Lifecycle() {
		return nil
	}
	n.mu.Lock()
	n.totals = r.Totals()
	n.mu.Unlock()
	switch {
	case e.Type == state.RunFinished && e.End != nil:
		n.ended(e, r)
	case e.Type == state.AttemptFinished && !e.Until.IsZero() && limited(e.Result):
		n.limit(e)
	}
	return nil
}

// limited reports whether a usage limit ended the attempt.
func limited(a *state.Attempt) bool {
	return a != nil && a.Failure != nil && a.Failure.Type == failure.UsageLimit
}

// ended sends a notice of the end of a session.
func (n *Notifier) ended(e state.Event, r *state.Run) {
	t := Notice{
		Event: Halt, Outcome: e.End.Outcome, ExitCode: &e.End.Exit, Reason: n.clean(e.End.Reason),
		Totals: e.End.Totals,
	}
	word := string(e.End.Outcome)
	switch e.End.Outcome {
	case state.Done:
		t.Event, t.Reason = Complete, ""
		t.Contested = n.contested(r)
		if e.End.Totals.Contested > 0 {
			word += ", contested"
		}
		if e.End.Unproven() {
			word += ", unverified"
		}
	case state.Broken:
		word = "ended by an error"
	}
	t.Text = n.base.Plan + " " + word + ": " +
		fmt.Sprintf("%d of %s complete", t.Totals.Complete, text.Count(t.Totals.Phases, "phase"))
	t.Failed = n.failed(r)
	if len(t.Failed) > 0 {
		labels := make([]string, len(t.Failed))
		for i, f := range t.Failed {
			labels[i] = f.Label
		}
		t.Text += ", failed: " + strings.Join(labels, ", ")
	} else if t.Reason != "" {
		t.Text += " (" + t.Reason + ")"
	}
	if t.Event == Halt {
		t.Next = n.next()
	}
	n.send(t)
}

// failed are the failed phases, at most maxPhases.
func (n *Notifier) failed(r *state.Run) []FailedPhase {
	var out []FailedPhase
	for i := range r.Phases {
		p := &r.Phases[i]
		if p.Status != state.Failed || len(out) == maxPhases {
			continue
		}
		f := FailedPhase{ID: p.ID, Label: p.Label, Name: n.clean(p.Name)}
		if a, ok := p.Last(); ok && a.Failure != nil {
			f.Type, f.Message = a.Failure.Type, n.clean(a.Failure.Message)
		}
		out = append(out, f)
	}
	return out
}

// contested are the phases that a person has to decide about.
func (n *Notifier) contested(r *state.Run) []ContestedPhase {
	var out []ContestedPhase
	for i := range r.Phases {
		p := &r.Phases[i]
		lines := render.ContestLines(p.Contested())
		if len(lines) == 0 || len(out) == maxPhases {
			continue
		}
		c := ContestedPhase{ID: p.ID, Label: p.Label, Name: n.clean(p.Name)}
		for _, line := range lines[:min(len(lines), maxPhases)] {
			c.Changes = append(c.Changes, n.clean(line))
		}
		out = append(out, c)
	}
	return out
}

// limit sends a notice of a usage limit, once for each reset of an account: several phases meet the
// same limit within seconds.
func (n *Notifier) limit(e state.Event) {
	if e.Until.Before(n.limits[e.Account].Add(time.Minute)) {
		return
	}
	n.limits[e.Account] = e.Until
	n.send(Notice{
		Event: Limit, Account: e.Account, Until: e.Until.UTC(), Waiting: e.Waiting,
		Text: fmt.Sprintf("%s waits: the usage limit of %s resets at %s",
			n.base.Plan, n.clean(e.Account), e.Until.Format("15:04 MST on 2 January")),
	})
}

// Spends sends a notice that most of the budget is used up. Any goroutine may call it.
func (n *Notifier) Spends(what string) {
	n.send(Notice{Event: Budget, Text: n.base.Plan + " has used up " + what})
}

func (n *Notifier) clean(s string) string { return text.Clean(n.mask(s), maxText) }

// send starts every way with the notice, where the settings ask for its event.
func (n *Notifier) send(t Notice) {
	if len(n.on) > 0 && !slices.Contains(n.on, t.Event) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	t.V, t.Time = noticeVersion, n.now().UTC()
	t.Run, t.Plan, t.Title, t.Dir, t.Host = n.base.Run, n.base.Plan, n.base.Title, n.base.Dir,
		n.base.Host
	if t.Totals == (state.Totals{}) {
		t.Totals = n.totals
	}
	for _, w := range n.ways {
		n.pending++
		n.sent.Go(func() {
			// Not the run's context: a notice of its end has to outlive it.
			err := w.send(context.Background(), t)
			n.mu.Lock()
			defer n.mu.Unlock()
			n.pending--
			if err != nil {
				n.lost = append(n.lost, fmt.Sprintf("nobody was told of %q by %s: %s", t.Event,
					w.name(), n.clean(err.Error())))
			}
		})
	}
}

// complain prints the errors since the last call, and returns how many ways have not ended.
func (n *Notifier) complain() (pending int) {
	n.mu.Lock()
	lost, pending := n.lost, n.pending
	n.lost = nil
	n.mu.Unlock()
	for _, text := range lost {
		n.note("%s", text)
	}
	return pending
}

// Finish waits until every way has ended, which a deadline bounds, or until one of the channels is
// closed. A nil Notifier returns at once.
func (n *Notifier) Finish(enough, kill <-chan struct{}) {
	if n == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		n.sent.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-enough:
	case <-kill:
	}
	if n.complain() > 0 {
		n.note("notify has not ended and is not waited for any longer; it may have told nobody")
	}
}
