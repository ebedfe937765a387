//go:build unix

package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/orchestrator/session/call"
	"autobuild/state"
	"autobuild/state/store"
)

// browser is a headless Chromium that is spoken to in the DevTools protocol over two pipes: no port
// is open, and every wait is for an answer.
type browser struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	session string // of the tab; empty: none yet
	asked   int
	errors  []string // complaints of the page
}

// openBrowser starts one with an empty tab. It ends with the test.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		t.Skip("no chromium, chromium-browser or google-chrome on PATH to open the page with")
	}
	itsIn, in := pipe(t)
	out, itsOut := pipe(t)
	// it outlives the test, to be closed in order
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 3*time.Minute)
	c := exec.CommandContext(ctx, program,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "about:blank")
	c.ExtraFiles = []*os.File{itsIn, itsOut} // it reads from 3 and writes to 4
	var said bytes.Buffer
	c.Stderr, c.WaitDelay = &said, 5*time.Second
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = itsIn.Close(), itsOut.Close() // they are the browser's now
	b := &browser{t: t, to: in, from: bufio.NewReader(out)}
	t.Cleanup(func() {
		defer cancel()
		_, _ = in.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_, _ = io.Copy(io.Discard, out)
		if err := c.Wait(); err != nil && t.Failed() {
			t.Logf("%s: %v\n%s", program, err, said.String())
		}
	})
	var tab struct{ TargetID, SessionID string }
	b.ask("Target.createTarget", map[string]any{"url": "about:blank"}, &tab)
	b.ask("Target.attachToTarget", map[string]any{"targetId": tab.TargetID, "flatten": true}, &tab)
	b.session = tab.SessionID
	b.ask("Runtime.enable", nil, nil)
	b.ask("Log.enable", nil, nil)
	return b
}

// pipe is an operating system's pipe that is closed when the test ends.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

// ask calls a method and waits for its answer. It checks the browser's messages meanwhile for
// complaints.
func (b *browser) ask(method string, params map[string]any, result any) {
	b.t.Helper()
	b.asked++
	call := map[string]any{"id": b.asked, "method": method}
	if params != nil {
		call["params"] = params
	}
	if b.session != "" {
		call["sessionId"] = b.session
	}
	text, err := json.Marshal(call)
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	for err == nil {
		var raw []byte
		if raw, err = b.from.ReadBytes(0); err != nil {
			break
		}
		var heard struct {
			ID     int
			Method string
			Params struct{ Entry struct{ Level, Text string } }
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err = json.Unmarshal(bytes.TrimSuffix(raw, []byte{0}), &heard); err != nil {
			break
		}
		switch {
		case heard.Method == "Runtime.exceptionThrown", heard.Method == "Log.entryAdded" && heard.Params.Entry.Level == "error":
			b.errors = append(b.errors, string(raw))
		case heard.ID != b.asked:
		case heard.Error != nil:
			b.t.Fatalf("%s: %s", method, heard.Error)
		case result == nil:
			return
		default:
			if err = json.Unmarshal(heard.Result, result); err == nil {
				return
			}
		}
	}
	b.t.Fatalf("%s: the browser does not answer: %v", method, err)
}

// open goes to an address.
func (b *browser) open(address string) {
	b.t.Helper()
	var gone struct{ ErrorText string }
	b.ask("Page.navigate", map[string]any{"url": address}, &gone)
	if gone.ErrorText != "" {
		b.t.Fatalf("%s: %s", address, gone.ErrorText)
	}
}

// eval is the value of an expression in the page, empty where it is no text; a promise is waited
// for.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	b.ask("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if thrown := answer.ExceptionDetails; thrown != nil {
		b.t.Fatal(thrown.Exception.Description)
	}
	text, _ := answer.Result.Value.(string)
	return text
}

// see waits until the text of an element has a word, however often the document changes until then,
// and returns it.
func (b *browser) see(selector, word string) string {
	b.t.Helper()
	call, err := json.Marshal([]string{selector, word})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.eval(`(([selector, word]) => new Promise((seen, missed) => {
		const text = () => document.querySelector(selector)?.textContent ?? ""
		const look = () => { if (text().includes(word)) seen(text()) }
		new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
		setTimeout(() => missed(new Error(word + " is not seen in " + text())), 120000)
		look()
	}))(` + string(call) + `)`)
}

// TestServeInBrowser: a browser that has the page open sees what the run does, without loading the
// page again.
func TestServeInBrowser(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	dir := t.TempDir()
	s := serveIn(t, dir)
	b.open(s.base + s.home)
	b.see("main", "no run yet")
	b.eval(`window.loaded = "once"`)

	held, err := store.Open(s.stateDir, "", store.Holder{PID: os.Getpid(), Plan: "plan.md"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := &state.Run{}
	tell := func(e state.Event) {
		t.Helper()
		e.V, e.Seq, e.Time, e.Run = state.EventVersion, run.Seq+1, time.Now(), "20260101-000000-abcd"
		if err := run.Apply(e); err != nil {
			t.Fatal(err)
		}
		if err := held.Event(e, run); err != nil {
			t.Fatal(err)
		}
	}
	tell(state.Event{Type: state.RunStarted, Phases: []state.Seed{{ID: "1", Label: "1", Name: "Schema", MaxAttempts: 2}, {ID: "2", Label: "2", Name: "Backend", DependsOn: []string{"1"}, MaxAttempts: 2}}, Config: &state.Config{
		RunID: "20260101-000000-abcd", Plan: "plan.md", PlanTitle: "A plan <b>that</b> is watched", CommitMode: state.CommitAuto, Agent: "script", Isolation: state.NoIsolation, Sessions: 1, Started: time.Now(),
	}})
	tell(state.Event{Type: state.PhaseStarted, Phase: "1", Attempt: 1, Attempts: 2, Agent: "script"})
	b.see("h1", "A plan <b>that</b> is watched")
	b.see("#scroll-table tbody tr:nth-child(1)", "running")
	b.see("#scroll-table tbody tr:nth-child(2)", "pending")

	// a command goes to the server, and its answer stays on the page
	b.eval(`(() => { const form = document.getElementById("steer"); form.phase.value = "9"; form.text.value = "x";
		form.querySelector("button[value=note]").click(); return ""; })()`)
	b.see("#answer", `the run has no phase "9"`)
	b.eval(`(() => { document.getElementById("steer").reset(); return ""; })()`)

	tell(state.Event{Type: state.AttemptFinished, Phase: "1", Attempt: 1, Result: &state.Attempt{N: 1, Verdict: state.Verified, Commit: &state.Commit{Message: "feat: add the users table", Delivered: true}}})
	b.see("#scroll-table tbody tr:nth-child(1)", "feat: add the users table")
	b.see(".verdict", "1 of 2 phases complete")
	tell(state.Event{Type: state.RunFinished, End: &state.End{Outcome: state.Interrupted, Exit: call.ExitInterrupt, Reason: "interrupted by SIGINT", Totals: run.Totals()}})
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	b.see(".verdict", "interrupted by SIGINT")
	b.see("main", "--resume")

	if loaded := b.eval("window.loaded"); loaded != "once" {
		t.Error("the page was loaded anew")
	}
	// the browser itself reports the status of the refused command
	if len(b.errors) > 1 || len(b.errors) == 1 && !strings.Contains(b.errors[0], "409 (Conflict)") {
		t.Errorf("the page complains: %s", b.errors)
	}
	if err := s.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	b.see("#live", "does not answer")
}
