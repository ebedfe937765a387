package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"autobuild/internal/fakemodel"
	"autobuild/orchestrator/session/call"
)

const (
	clisDir     = "../testdata/clis"
	clisTable   = clisDir + "/expected.tsv"
	clisLongest = 2 * time.Minute // of one run: the longest that is worth waiting for
)

// concluded is what autobuild makes of one scenario with one agent: of the plan's first phase, and
// of the run.
type concluded struct {
	cli, scenario string
	exit          int
	end           string // "complete", or the type of the failure
	attempts      int
	in, out       int64 // tokens of the phase
}

// String is a line of the table.
func (c concluded) String() string {
	return strings.Join([]string{
		c.cli, c.scenario, strconv.Itoa(c.exit), c.end, strconv.Itoa(c.attempts), strconv.FormatInt(c.in, 10), strconv.FormatInt(c.out, 10),
	}, "\t")
}

// unasked is the end of a row that is not run: the agent would ask again for minutes.
const unasked = "slow"

// readClisTable reads what is expected of every agent in every scenario, in its order.
func readClisTable(t *testing.T) []concluded {
	t.Helper()
	raw, err := os.ReadFile(clisTable)
	if err != nil {
		t.Fatal(err)
	}
	var rows []concluded
	for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		if i == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 7 {
			t.Fatalf("%s:%d: %d cells, not 7", clisTable, i+1, len(cells))
		}
		row := concluded{cli: cells[0], scenario: cells[1], end: cells[3]}
		row.exit, _ = strconv.Atoi(cells[2])
		row.attempts, _ = strconv.Atoi(cells[4])
		row.in, _ = strconv.ParseInt(cells[5], 10, 64)
		row.out, _ = strconv.ParseInt(cells[6], 10, 64)
		if row.String() != line {
			t.Fatalf("%s:%d: %q is not in the form of %q", clisTable, i+1, line, row)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s expects nothing", clisTable)
	}
	return rows
}

// writeClisTable writes the rows below the head that the table has.
func writeClisTable(t *testing.T, rows []concluded) {
	t.Helper()
	var b strings.Builder
	b.WriteString("cli\tscenario\texit\tend\tattempts\tin\tout\n")
	for _, r := range rows {
		b.WriteString(r.String() + "\n")
	}
	if err := os.WriteFile(clisTable, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

var nthCLI = flag.Int("clis", 1, "run each `n`th scenario of a coding agent")

// TestCLIs runs autobuild with the real coding agents, each against a provider that follows a
// script, and compares what it concludes with the table. AUTOBUILD_TEST_CLIS names the folder where
// they are installed.
func TestCLIs(t *testing.T) {
	bin := agentsBin(t)
	rows := readClisTable(t)
	var mu sync.Mutex
	ran := 0
	t.Run("run", func(t *testing.T) {
		for i, want := range rows {
			if want.end == unasked || i%*nthCLI != 0 {
				continue
			}
			t.Run(want.cli+"/"+want.scenario, func(t *testing.T) {
				t.Parallel()
				if _, err := os.Stat(filepath.Join(bin, program(want.cli))); err != nil {
					t.Skipf("%s is not installed: %v", want.cli, err)
				}
				begun := time.Now()
				got := runCLI(t, bin, want)
				// agents have clocks of their own, and a busy machine is late: an unexpected
				// result is checked once more
				if got != want && !*update {
					t.Logf("not as expected, so once more: %s", got)
					got = runCLI(t, bin, want)
				}
				t.Logf("%s after %s", got, time.Since(begun).Round(100*time.Millisecond))
				mu.Lock()
				defer mu.Unlock()
				ran++
				if *update {
					rows[i] = got
					writeClisTable(t, rows)
				} else if got != want {
					t.Errorf("\n got %s\nwant %s", got, want)
				}
			})
		}
	})
	if ran == 0 {
		t.Errorf("no agent is installed in %s", bin)
	}
}

// agentsBin is where the real agents are. Without them there is nothing to try, and .ci/run says
// where it has put them.
func agentsBin(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("AUTOBUILD_TEST_CLIS")
	if folder == "" {
		t.Skip("AUTOBUILD_TEST_CLIS does not name a folder with coding agents; .ci/run installs them")
	}
	return filepath.Join(folder, "node_modules", ".bin")
}

// startModel starts a model provider that follows a script until the test ends.
func startModel(t *testing.T, scenario *fakemodel.Scenario) *fakemodel.Server {
	t.Helper()
	server, err := fakemodel.Start(scenario, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// runCLI runs one scenario with one agent.
func runCLI(t *testing.T, bin string, want concluded) concluded {
	t.Helper()
	got, _ := runCLIBilled(t, bin, want)
	return got
}

// runCLIBilled is runCLI that also counts the answers of the provider about the plan's first phase.
func runCLIBilled(t *testing.T, bin string, want concluded) (got concluded, answers int) {
	t.Helper()
	scenario, err := fakemodel.Load(filepath.Join(clisDir, "scenarios", want.scenario+".json"))
	if err != nil {
		t.Fatal(err)
	}
	server := startModel(t, scenario)
	c := newClient(t, want, bin, server.URL)
	if *update {
		c.watch(t, bin)
	}
	args := []string{
		"plan.md", "--agent", want.cli, "--on-limit", "stop", "--commit", "auto", "--progress", "plain",
		"--timeout", c.timeout().String(), "--max-wall", clisLongest.String(),
	}
	if c.model != "" {
		args = append(args, "--model", c.model)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*clisLongest)
	defer cancel()
	run := exec.CommandContext(ctx, "autobuild", args...)
	run.Dir, run.Env = c.repo, c.env
	// it may have ended just now
	output := waitingWriter{stop: func() { _ = run.Process.Signal(syscall.SIGTERM) }}
	run.Stdout, run.Stderr = &output, &output
	err = run.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	got = c.conclude(t, want, output.String())
	if t.Failed() || got != want || testing.Verbose() {
		t.Logf("%s\nasked for:\n%s", output.String(), asked(server.Requests()))
	}
	checkRequests(t, server.Requests())
	c.checkLeftovers(t)
	if *update {
		c.record(t, got)
	}
	for _, r := range server.Requests() {
		if r.Phase == "1" {
			answers++
		}
	}
	return got, answers
}

// waitingWriter keeps what a run prints, and stops the run when it begins to wait for something
// that passes: all is known then.
type waitingWriter struct {
	buf  bytes.Buffer
	stop func()
	once sync.Once
}

func (w *waitingWriter) Write(p []byte) (int, error) {
	n, err := w.buf.Write(p)
	if bytes.Contains(w.buf.Bytes(), []byte("no way to its model")) {
		w.once.Do(w.stop)
	}
	return n, err
}

// String is what was printed.
func (w *waitingWriter) String() string { return w.buf.String() }

// conclude reads what a run has left behind.
func (c *client) conclude(t *testing.T, want concluded, output string) concluded {
	t.Helper()
	var result struct {
		Exit   int `json:"exit_code"`
		Phases []struct {
			Status   string `json:"status"`
			Attempts int    `json:"attempts"`
			Error    *struct {
				Type string `json:"type"`
			} `json:"error"`
		} `json:"phases"`
	}
	var phase struct {
		Spent  tokens `json:"spent"` // by all attempts
		Limits []struct {
			Type string `json:"type"`
		} `json:"limits"`
	}
	c.left(t, "result.json", &result, output)
	c.left(t, "phases/phase-1.json", &phase, output)
	if len(result.Phases) != 2 {
		t.Fatalf("the result has %d phases\n%s", len(result.Phases), output)
	}
	first := result.Phases[0]
	got := concluded{
		cli: want.cli, scenario: want.scenario, exit: result.Exit, end: first.Status, attempts: first.Attempts,
		in: phase.Spent.In, out: phase.Spent.Out,
	}
	switch {
	case first.Status == "complete":
		c.checkNotes(t, got, output)
	case first.Error != nil:
		got.end = first.Error.Type
	case first.Status == "waiting" && len(phase.Limits) > 0:
		got.end = phase.Limits[0].Type
	}
	// the usage reported before the end varies
	if got.end == "timeout" || got.end == "transport_error" {
		got.in, got.out = 0, 0
	}
	return got
}

// tokens are what something has used.
type tokens struct {
	In  int64 `json:"input_tokens"`
	Out int64 `json:"output_tokens"`
}

// checkNotes proves that what is called complete is there.
func (c *client) checkNotes(t *testing.T, got concluded, output string) {
	t.Helper()
	for _, note := range []string{"note-1.txt", "note-2.txt"} {
		if _, err := os.Stat(filepath.Join(c.repo, note)); err != nil && got.exit == call.ExitOK {
			t.Errorf("complete, and %s is not there: %v\n%s", note, err, output)
		}
	}
}

// left reads a file of the state directory.
func (c *client) left(t *testing.T, name string, into any, output string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.repo, ".autobuild", filepath.FromSlash(name)))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}

// asked lists requests for a reader.
func asked(all []fakemodel.Request) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "  %-9s %-40s phase %q attempt %d turn %d: %s\n", r.Dialect, r.Path, r.Phase, r.Attempt, r.Turn, r.Answer)
	}
	return b.String()
}

// checkRequests proves that the agent worked with the provider that it was given.
func checkRequests(t *testing.T, all []fakemodel.Request) {
	t.Helper()
	if !slices.ContainsFunc(all, func(r fakemodel.Request) bool { return r.Dialect != "" }) {
		t.Errorf("the agent asked its model for nothing:\n%s", asked(all))
	}
	for _, r := range all {
		if r.Answer == "unread" {
			t.Errorf("a request to %s was not understood", r.Path)
		}
	}
}

// checkLeftovers proves that no process of the run is left: all of them have its home, which no
// other process has. It waits up to a second for processes that end at end of input.
func (c *client) checkLeftovers(t *testing.T) {
	t.Helper()
	var left []string
	for range 50 {
		environs, err := filepath.Glob("/proc/[0-9]*/environ") // none where there is no such place
		if err != nil {
			t.Fatal(err)
		}
		left = nil
		for _, path := range environs {
			environ, err := os.ReadFile(path)
			if err == nil && bytes.Contains(environ, []byte("\x00HOME="+c.home+"\x00")) {
				command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
				left = append(left, string(bytes.ReplaceAll(command, []byte{0}, []byte(" "))))
			}
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("still there: %q", left)
}
