package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/failure"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/render"
	"autobuild/state"
)

// What people are told of.
const (
	notifyHalt     = "halt"     // every end before the plan is complete, whatever its reason
	notifyComplete = "complete" // the end of a complete plan, or of the part that was asked for
	notifyLimit    = "limit"    // a usage limit is waited for
	notifyBudget   = "budget"   // most of the run's budget is used up
)

var notifyEvents = []string{notifyHalt, notifyComplete, notifyLimit, notifyBudget}

// notificationVersion is the version of what notifiers are told.
const notificationVersion = 1

// Bounds of what a notifier may take and is given.
const (
	defaultNotifyTimeout = 10 * time.Second
	maxNotifyTimeout     = time.Minute
	maxNotifyText        = 500 // characters of a text that somebody else wrote
	maxNotifyPhases      = 20
)

// notification is what a notifier is told, as JSON.
type notification struct {
	V        int           `json:"v"`
	Event    string        `json:"event"`
	Text     string        `json:"text"` // one line for people
	Time     time.Time     `json:"time"`
	Run      string        `json:"run"`
	Plan     string        `json:"plan"`
	Title    string        `json:"title,omitzero"` // of the plan
	Dir      string        `json:"dir"`
	Host     string        `json:"host,omitzero"`
	Outcome  state.Outcome `json:"outcome,omitzero"`
	ExitCode *int          `json:"exit_code,omitempty"`
	Reason   string        `json:"reason,omitzero"`
	Totals   state.Totals  `json:"totals"`
	Failed   []failedPhase `json:"failed,omitempty"`

	Contested []contestedPhase `json:"contested,omitempty"` // that a person has to decide about

	Account string    `json:"account,omitzero"` // whose usage limit is waited for
	Until   time.Time `json:"until,omitzero"`
	Waiting int       `json:"waiting,omitzero"` // phases that nothing else keeps from starting
	Next    string    `json:"next,omitzero"`    // the command that goes on
}

// failedPhase is one of the phases that an end is told with.
type failedPhase struct {
	ID      string       `json:"phase_id"`
	Label   string       `json:"phase_label"`
	Name    string       `json:"phase_name,omitzero"`
	Type    failure.Type `json:"type,omitzero"`
	Message string       `json:"message,omitzero"`
}

// contestedPhase is one of the complete phases that changed their own tests or gates unasked.
type contestedPhase struct {
	ID      string   `json:"phase_id"`
	Label   string   `json:"phase_label"`
	Name    string   `json:"phase_name,omitzero"`
	Changes []string `json:"changes"` // a line a cause
}

// contested are the phases that a person has to decide about.
func (n *notifier) contested(r *state.Run) []contestedPhase {
	var out []contestedPhase
	for i := range r.Phases {
		p := &r.Phases[i]
		lines := render.ContestedLines(p)
		if len(lines) == 0 || len(out) == maxNotifyPhases {
			continue
		}
		c := contestedPhase{ID: p.ID, Label: p.Label, Name: n.clean(p.Name)}
		for _, line := range lines[:min(len(lines), maxNotifyPhases)] {
			c.Changes = append(c.Changes, n.clean(line))
		}
		out = append(out, c)
	}
	return out
}

// notifier is a sink that tells people who are not there: by a command, a webhook, the desktop. It never waits while the run goes on, and
// whatever becomes of what it sends, the run does not notice.
type notifier struct {
	ways []way
	on   []string // events; empty: all
	mask func(string) string
	next func() string // the command that goes on
	note func(format string, args ...any)
	now  func() time.Time
	base notification // what is the same in all of them

	mu     sync.Mutex
	totals state.Totals // after the last event: who tells of the budget does not own the run
	told   map[string]time.Time
	sent   sync.WaitGroup
	untold int      // of what was sent, how many have neither arrived nor failed
	lost   []string // what went wrong and has not been said yet
}

// way is one way to tell people. The error is for people too: it names no secret.
type way interface {
	name() string
	tell(ctx context.Context, t notification) error
}

// Event tells of ends, and of limits that are waited for. What could not be told before is said now, by the one goroutine that writes.
func (n *notifier) Event(e state.Event, r *state.Run) error {
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
	case e.Type == state.AttemptFinished && !e.Until.IsZero() && e.Result != nil && e.Result.Failure != nil && e.Result.Failure.Type == failure.UsageLimit:
		n.limited(e)
	}
	return nil
}

// ended tells of the end of a session.
func (n *notifier) ended(e state.Event, r *state.Run) {
	t := notification{Event: notifyHalt, Outcome: e.End.Outcome, ExitCode: &e.End.Exit, Reason: n.clean(e.End.Reason), Totals: e.End.Totals}
	word := string(e.End.Outcome)
	switch e.End.Outcome {
	case state.Done:
		t.Event, t.Reason = notifyComplete, ""
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
	t.Text = n.base.Plan + " " + word + ": " + outOf(t.Totals)
	var failed []string
	for i := range r.Phases {
		p := &r.Phases[i]
		if p.Status != state.Failed || len(t.Failed) == maxNotifyPhases {
			continue
		}
		f := failedPhase{ID: p.ID, Label: p.Label, Name: n.clean(p.Name)}
		failed = append(failed, p.Label)
		if a, ok := p.Last(); ok && a.Failure != nil {
			f.Type, f.Message = a.Failure.Type, n.clean(a.Failure.Message)
		}
		t.Failed = append(t.Failed, f)
	}
	if len(failed) > 0 {
		t.Text += ", failed: " + strings.Join(failed, ", ")
	} else if t.Reason != "" {
		t.Text += " (" + t.Reason + ")"
	}
	if t.Event == notifyHalt {
		t.Next = n.next()
	}
	n.send(t)
}

// limited tells of a usage limit, once for each reset of an account: phases meet the same one within seconds.
func (n *notifier) limited(e state.Event) {
	if e.Until.Before(n.told[e.Account].Add(time.Minute)) {
		return
	}
	n.told[e.Account] = e.Until
	n.send(notification{
		Event: notifyLimit, Account: e.Account, Until: e.Until.UTC(), Waiting: e.Waiting,
		Text: fmt.Sprintf("%s waits: the usage limit of %s resets at %s", n.base.Plan, n.clean(e.Account), e.Until.Format("15:04 MST on 2 January")),
	})
}

// spends tells that most of the budget is used up. It may be called from any goroutine.
func (n *notifier) spends(what string) {
	n.send(notification{Event: notifyBudget, Text: n.base.Plan + " has used up " + what})
}

func (n *notifier) clean(s string) string { return render.Clean(n.mask(s), maxNotifyText) }

// send tells it in every way, at once and beside the run.
func (n *notifier) send(t notification) {
	if len(n.on) > 0 && !slices.Contains(n.on, t.Event) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	t.V, t.Time, t.Run, t.Plan, t.Title, t.Dir, t.Host = notificationVersion, n.now().UTC(), n.base.Run, n.base.Plan, n.base.Title, n.base.Dir, n.base.Host
	if t.Totals == (state.Totals{}) {
		t.Totals = n.totals
	}
	for _, w := range n.ways {
		n.untold++
		n.sent.Go(func() {
			// Not the run's context: its end is what there is to tell.
			err := w.tell(context.Background(), t)
			n.mu.Lock()
			defer n.mu.Unlock()
			n.untold--
			if err != nil {
				n.lost = append(n.lost, fmt.Sprintf("nobody was told of %q by %s: %s", t.Event, w.name(), n.clean(err.Error())))
			}
		})
	}
}

// complain says what went wrong since the last time, and returns how many are still being told.
func (n *notifier) complain() (untold int) {
	n.mu.Lock()
	lost, untold := n.lost, n.untold
	n.lost = nil
	n.mu.Unlock()
	for _, text := range lost {
		n.note("%s", text)
	}
	return untold
}

// finish waits until everything is told or has failed, which each way bounds, or until somebody has had enough of it.
func (n *notifier) finish(enough, kill <-chan struct{}) {
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

// openNotifier makes the session's notifier at its first call; nil where nobody wants to be told.
func (s *session) openNotifier() *notifier {
	c := s.project.config.notify
	if s.notifier != nil || c == nil || !c.any() {
		return s.notifier
	}
	host, _ := os.Hostname() // unknown: left out
	mask := (&proc.Runner{Secrets: append(secrets(s.environ), c.secrets(s.getenv)...)}).Mask
	s.notifier = &notifier{
		on: c.On, mask: mask, note: s.note, now: time.Now, told: make(map[string]time.Time),
		next: func() string { return render.Command(s.ending().Resume) },
		base: notification{Run: s.config.RunID, Plan: render.Clean(mask(s.name), maxNotifyText), Title: render.Clean(mask(s.plan.Title), maxNotifyText), Dir: s.project.root, Host: host},
	}
	var missing []string
	s.notifier.ways, missing = c.ways(s)
	s.begin.Notices = append(s.begin.Notices, missing...)
	return s.notifier
}

// ways are the ways of this configuration, and what is known beforehand not to work.
func (c *notifyConfig) ways(s *session) (ways []way, missing []string) {
	runner := &proc.Runner{Secrets: append(secrets(s.environ), c.secrets(s.getenv)...), Kill: s.runner.Kill}
	command := commandWay{runner: runner, dir: s.project.root, env: proc.Environ(s.environ, nil), timeout: c.deadline(), what: "the command"}
	if len(c.Command) > 0 {
		w := command
		w.argv = func(notification) []string { return c.Command }
		ways = append(ways, w)
		if !s.lookPath(c.Command[0]) {
			missing = append(missing, fmt.Sprintf("notify: %s is not there, so it will tell nobody; install it, or correct notify in %s", render.Clean(c.Command[0], 200), configName))
		}
	}
	if c.Webhook != "" {
		url := c.url(s.getenv)
		if url == "" {
			missing = append(missing, fmt.Sprintf("notify: the variable %s is not set, so its webhook is told nothing", render.Clean(c.Webhook, 200)))
		} else if err := checkWebhook(url); err != nil {
			missing = append(missing, fmt.Sprintf("notify: %v, so it is told nothing", err))
		} else {
			ways = append(ways, webhook{url: url, timeout: c.deadline()})
		}
	}
	if c.Desktop {
		w := command
		w.what = "the desktop"
		if w.argv = desktop(runtime.GOOS); w.argv == nil {
			missing = append(missing, "notify: there are no desktop notifications on this system")
		} else {
			ways = append(ways, w)
		}
	}
	return ways, missing
}

// encode is a notification as notifiers get it.
func (t notification) encode() ([]byte, error) {
	data, err := json.Marshal(t)
	return append(data, '\n'), err
}

var _ orchestrator.Sink = (*notifier)(nil)
