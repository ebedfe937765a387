package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autobuild/internal/proc"
)

// noon is the present in tests.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// replay folds a recorded run, without a process. The stream arrives in pieces of the given size.
func replay(s spec, stdout string, exit proc.Exit, size int) Outcome {
	out := Outcome{
		Claims: true, ExitCode: exit.Code, Signal: exit.Signal, Tail: exit.Tail,
		TimedOut: exit.Ended == proc.Timeout || exit.Ended == proc.Idle, Idle: exit.Ended == proc.Idle,
	}
	r := s.reader()
	st := &story{out: &out, final: ending{limit: maxFinal}, now: func() time.Time { return noon }}
	st.stop = func() { out.TimedOut = false } // it would have been stopped here
	stream := lines{limit: maxLine, each: func(line []byte) { st.line(r, line) }, dropped: st.tooLong}
	for piece := range slices.Chunk([]byte(stdout), size) {
		stream.write(piece)
	}
	stream.close()
	st.settle(r.end, exit)
	return out
}

// specNamed is a built-in agent's spec.
func specNamed(t testing.TB, name string) spec {
	t.Helper()
	for _, s := range specs() {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("there is no agent %s", name)
	return spec{}
}

// recorded reads how a recorded process ended.
func recorded(code, stderr string) proc.Exit {
	e := proc.Exit{Ended: proc.Exited, Tail: proc.Escape(stderr[max(0, len(stderr)-proc.TailSize):])}
	code = strings.TrimSpace(code)
	switch {
	case strings.HasPrefix(code, "signal:"):
		e.Code, e.Signal = -1, strings.TrimPrefix(code, "signal:")
	case strings.HasPrefix(code, "harness-timeout"):
		e.Code, e.Ended = -1, proc.Timeout
	default:
		e.Code, _ = strconv.Atoi(code)
	}
	return e
}

// transcript is the output of a real agent in one scenario; cmd's tests of the real agents write
// them.
type transcript struct {
	agent, scenario string
	stdout          string
	exit            proc.Exit
	end             string // its result: "complete", or the type of the failure
}

// transcripts reads all that are kept. The last line of each says how the process ended.
func transcripts(t testing.TB) []transcript {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/transcripts/*/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there is no transcript of a real agent: %v", err)
	}
	all := make([]transcript, len(paths))
	for i, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSuffix(string(raw), "\n")
		at := strings.LastIndexByte(text, '\n') + 1
		var last struct {
			Recorded *struct {
				Exit    int
				Stopped bool
				End     string
			}
		}
		if err := json.Unmarshal([]byte(text[at:]), &last); err != nil || last.Recorded == nil {
			t.Fatalf("%s: its last line does not say how it ended: %v", path, err)
		}
		exit := proc.Exit{Code: last.Recorded.Exit, Ended: proc.Exited, Tail: proc.Escape(text[max(0, at-proc.TailSize):at])}
		if last.Recorded.Stopped {
			exit.Ended = proc.Timeout
		}
		all[i] = transcript{
			agent: filepath.Base(filepath.Dir(path)), scenario: strings.TrimSuffix(filepath.Base(path), ".jsonl"),
			stdout: text[:at], exit: exit, end: last.Recorded.End,
		}
	}
	return all
}

// talks reports whether the agent uses the Agent Client Protocol.
func (r transcript) talks() bool { return strings.HasSuffix(r.agent, "-acp") }

// outcome replays the transcript, arriving in pieces of a size.
func (r transcript) outcome(t testing.TB, size int) Outcome {
	t.Helper()
	mode := map[string]string{"gemini-acp": "autoEdit", "claude-agent-acp": "acceptEdits"}[r.agent]
	if !r.talks() {
		return replay(specNamed(t, r.agent), r.stdout, r.exit, size)
	}
	out := &Outcome{Claims: true, ExitCode: r.exit.Code, TimedOut: r.exit.Ended == proc.Timeout}
	// The directory and the mode are those of the recorded run: paths would lie outside, and
	// answers be to other requests.
	c := newTalk(ACPOptions{Mode: mode}, Job{Dir: "/repo/.autobuild/worktrees/1"}, &story{
		out: out, final: ending{limit: maxFinal}, stop: func() {}, now: func() time.Time { return noon },
	})
	stream := lines{limit: maxLine, each: c.hear, dropped: func() { t.Error("a line is too long") }}
	for piece := range slices.Chunk([]byte(r.stdout), size) {
		stream.write(piece)
	}
	stream.close()
	c.stopTimer()
	c.settle(r.exit)
	return *out
}

// conclude names an outcome as autobuild would, as far as an agent's reader decides: all that would
// be right.
func conclude(out Outcome) []string {
	switch {
	case out.Kind == Transient:
		return []string{"transport_error"}
	case out.Kind != "":
		return []string{out.Kind}
	case out.TimedOut:
		return []string{"timeout"}
	case out.ExitCode != 0 || out.Message != "":
		return []string{"agent_error"}
	}
	return claimed(out.Final)
}

// claimed reads the claim in a final message, that of a stranger aside. Whether it is true is not
// for an agent to say.
func claimed(final string) []string {
	end := "parse_error"
	for _, part := range strings.Split(final, "```json\n")[1:] {
		var block struct{ Nonce, Status string }
		body, _, closed := strings.Cut(part, "\n```")
		if closed && json.Unmarshal([]byte(body), &block) == nil && strings.Trim(block.Nonce, "0") != "" {
			end = block.Status
		}
	}
	if end == "complete" {
		return []string{"complete", "verification_mismatch", "task_incomplete"}
	}
	return []string{end}
}

// TestTranscripts replays the output of real agents: each result is the one that autobuild recorded
// then, however the stream is cut, and every field of it stands in the table.
func TestTranscripts(t *testing.T) {
	const path = "../../testdata/transcripts/outcomes.tsv"
	var b strings.Builder
	b.WriteString("agent\tscenario\tkind\tin\tout\tcost\tsession\tmodel\tlimit ends\tdenied\tmessage\n")
	agents := make(map[string]int)
	for _, r := range transcripts(t) {
		agents[r.agent]++
		out := r.outcome(t, 32<<10)
		if got := conclude(out); !slices.Contains(got, r.end) {
			t.Errorf("%s %s: %s, not %s\n  %s", r.agent, r.scenario, got, r.end, abridged(out))
		}
		if again := r.outcome(t, 7); fmt.Sprint(again) != fmt.Sprint(out) {
			t.Errorf("%s %s: it matters how the stream is cut", r.agent, r.scenario)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%d\t%.4f\t%t\t%s\t%t\t%s\t%s\n", r.agent, r.scenario, out.Kind, out.InputTokens, out.OutputTokens,
			out.CostUSD, out.Session != "", out.Model, !out.Until.IsZero(), strings.Join(out.Denied, ","), out.Message)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("outcomes (-want +got; -update rewrites them):\n%s", diff)
	}
	t.Logf("transcripts: %v", agents)
}

func abridged(out Outcome) string {
	out.Final, out.Tail = proc.Clean(out.Final, 100), proc.Clean(out.Tail, 300)
	return fmt.Sprintf("%+v", out)
}
