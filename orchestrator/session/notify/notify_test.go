package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/internal/proc"
	"autobuild/state"
)

// ear is a way that records its notices.
type ear struct {
	mu   sync.Mutex
	told []Notice
	err  error
}

func (*ear) name() string { return "ear" }

func (h *ear) events() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var events []string
	for _, t := range h.told {
		events = append(events, t.Event)
	}
	slices.Sort(events)
	return events
}

func (h *ear) send(_ context.Context, t Notice) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, t)
	return h.err
}

func newNotifier(ways []way, on ...string) (n *Notifier, notes *[]string) {
	notes = new([]string)
	return &Notifier{
		ways: ways, on: on, now: time.Now, limits: make(map[string]time.Time),
		mask: (&proc.Runner{Secrets: []string{"correct-horse-battery-staple"}}).Mask,
		next: func() string { return "autobuild plan.md --resume" },
		note: func(format string, args ...any) { *notes = append(*notes, fmt.Sprintf(format, args...)) },
		base: Notice{Run: "r1", Plan: "plan.md", Dir: "/src"},
	}, notes
}

// halted is the end of a run whose phase 2A failed for a reason that names a secret and moves a
// cursor.
func halted() (state.Event, *state.Run) {
	run := &state.Run{Phases: []state.Phase{
		{ID: "1", Label: "1", Status: state.Complete},
		{ID: "2a", Label: "2A", Name: "Left", Status: state.Failed, Attempts: []state.Attempt{{N: 1, Failure: &failure.Diagnosis{
			Type: failure.TestFailure, Message: "login with correct-horse-battery-staple \x1b[2Jfailed\n" + strings.Repeat("x", 2000),
		}}}},
	}}
	end := state.End{Outcome: state.Halted, Exit: 1, Reason: "phase 2A failed", Totals: run.Totals()}
	return state.Event{Type: state.RunFinished, End: &end}, run
}

func TestWebhookIsTold(t *testing.T) {
	t.Parallel()
	got := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s, %s", r.Method, r.Header.Get("Content-Type"))
		}
		got <- body
	}))
	defer server.Close()
	n, notes := newNotifier([]way{webhook{url: server.URL + "/hook/s3cr3t", timeout: time.Minute}})
	e, run := halted()
	if err := n.Event(e, run); err != nil {
		t.Fatal(err)
	}
	n.Finish(nil, nil)
	if len(*notes) > 0 {
		t.Fatal(*notes)
	}
	var told map[string]any
	body := <-got
	if err := json.Unmarshal(body, &told); err != nil {
		t.Fatal(err)
	}
	failed, _ := told["failed"].([]any)
	if told["event"] != "halt" || told["exit_code"] != 1.0 || told["next"] != "autobuild plan.md --resume" || len(failed) != 1 {
		t.Errorf("it was told %s", body)
	}
	if s := string(body); strings.Contains(s, "correct-horse") || strings.Contains(s, `\u001b`) || len(s) > 3000 {
		t.Errorf("it was told %s", body)
	}
}

// A webhook never reveals its address, and never takes longer than its limit.
func TestWebhookFails(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/s3cr3t/hang", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/s3cr3t/refuse", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	mux.HandleFunc("/s3cr3t/elsewhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/s3cr3t/trap", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/s3cr3t/trap", func(http.ResponseWriter, *http.Request) { t.Error("it was sent on to where nobody meant it to go") })
	server := httptest.NewServer(mux)
	defer server.Close()
	defer close(release)
	for what, want := range map[string]string{
		server.URL + "/s3cr3t/hang":      "it had not answered after 50ms",
		server.URL + "/s3cr3t/refuse":    "it answered 403 Forbidden",
		server.URL + "/s3cr3t/elsewhere": "it answered 307 Temporary Redirect",
		"http://127.0.0.1:1/s3cr3t":      "connection refused",
	} {
		hook := webhook{url: what, timeout: time.Minute}
		if strings.HasSuffix(what, "/hang") {
			hook.timeout = 50 * time.Millisecond
		}
		n, notes := newNotifier([]way{hook})
		e, run := halted()
		_ = n.Event(e, run)
		n.Finish(nil, nil)
		if len(*notes) != 1 || !strings.Contains((*notes)[0], want) || !strings.Contains((*notes)[0], "/…") || strings.Contains((*notes)[0], "s3cr3t") {
			t.Errorf("%s: %q", what, *notes)
		}
	}
}

// A limit is notified once for each reset, however many phases meet it; an overload is not
// notified.
func TestLimitIsToldOnce(t *testing.T) {
	t.Parallel()
	h := &ear{}
	n, _ := newNotifier([]way{h})
	met := func(kind failure.Type, account string, until time.Time) {
		r := &state.Attempt{Failure: &failure.Diagnosis{Type: kind}}
		_ = n.Event(state.Event{Type: state.AttemptFinished, Status: state.Waiting, Result: r, Account: account, Until: until, Waiting: 3}, &state.Run{})
	}
	reset := time.Date(2026, 5, 1, 14, 30, 0, 0, time.UTC)
	met(failure.TransportError, "claude", reset)
	met(failure.UsageLimit, "claude", reset)
	met(failure.UsageLimit, "claude", reset.Add(2*time.Second))
	met(failure.UsageLimit, "codex", reset)
	met(failure.UsageLimit, "claude", reset.Add(time.Hour))
	n.Finish(nil, nil)
	if diff := cmp.Diff([]string{"limit", "limit", "limit"}, h.events()); diff != "" {
		t.Error(diff)
	}
	if got := h.told[0]; !strings.Contains(got.Text, "plan.md waits: the usage limit of c") || got.Waiting != 3 || got.Until.Before(reset) {
		t.Errorf("%+v", got)
	}
}

// Only the chosen events are notified, and the goroutine that writes reports failed notices, once.
func TestNotifierChooses(t *testing.T) {
	t.Parallel()
	h := &ear{err: errors.New("correct-horse-battery-staple is wrong")}
	n, notes := newNotifier([]way{h}, Budget)
	e, run := halted()
	_ = n.Event(e, run)
	n.Spends("90 %")
	n.sent.Wait()
	if len(*notes) > 0 {
		t.Error("it was said by another goroutine than the loop's")
	}
	_ = n.Event(state.Event{Type: state.Heartbeat}, run)
	n.Finish(nil, nil)
	if diff := cmp.Diff([]string{"budget"}, h.events()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`nobody was told of "budget" by ear: *** is wrong`}, *notes); diff != "" {
		t.Error(diff)
	}
	if h.told[0].Totals.Failed != 1 {
		t.Errorf("it does not say how the run stands: %+v", h.told[0])
	}
}

// A signal after the end, the first or the second, ends the waiting, and a note says so.
func TestNotifierIsGivenUp(t *testing.T) {
	t.Parallel()
	stroke := make(chan struct{})
	close(stroke)
	for name, finish := range map[string]func(*Notifier){
		"the first": func(n *Notifier) { n.Finish(stroke, nil) }, "the second": func(n *Notifier) { n.Finish(nil, stroke) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := make(deaf)
			n, notes := newNotifier([]way{w})
			n.send(Notice{Event: Halt})
			finish(n)
			close(w)
			want := []string{"notify has not ended and is not waited for any longer; it may have told nobody"}
			if diff := cmp.Diff(want, *notes); diff != "" {
				t.Error(diff)
			}
			n.Finish(nil, nil)
			if diff := cmp.Diff(want, *notes); diff != "" {
				t.Error("when it has ended: " + diff)
			}
		})
	}
}

// deaf is a way that does not end before it is closed.
type deaf chan struct{}

func (deaf) name() string { return "the deaf" }

func (d deaf) send(context.Context, Notice) error {
	<-d
	return nil
}
