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

// conclude names an outcome in the words of the recordings' list of expectations: all that would be right.
func conclude(out Outcome) []string {
	switch {
	case out.Kind == UsageLimit:
		return []string{"usage_limit"}
	case out.Kind == Transient:
		return []string{"rate_limit", "overloaded", "network", "timeout"} // a wait that is too long is not waited for
	case out.Kind == Unusable:
		return []string{"agent_auth", "agent_billing", "agent_model", "agent_config"}
	case out.Kind == ContextOverflow:
		return []string{"agent_context"}
	case out.Kind == ParseError:
		return []string{"parse_error"}
	case out.TimedOut:
		return []string{"timeout"}
	case out.ExitCode != 0 || out.Message != "":
		return []string{"agent_limit", "parse_error"} // ended badly, and says why
	}
	return claimed(out.Final)
}

// claimed reads the claim in a final message.
func claimed(final string) []string {
	var block struct {
		Phase  string `json:"phase_id"`
		Status string `json:"status"`
		Tasks  *struct{}
		Error  *struct{ Type string }
	}
	if strings.HasPrefix(final, "{") {
		return []string{"complete"} // of runs whose answer had to fit a schema, which ours never has
	}
	start := strings.LastIndex(final, "```json\n")
	if start < 0 {
		return []string{"parse_error"}
	}
	body, _, closed := strings.Cut(final[start+len("```json\n"):], "\n```")
	if !closed || json.Unmarshal([]byte(body), &block) != nil || block.Phase == "" || block.Tasks == nil {
		return []string{"parse_error"}
	}
	switch {
	case block.Status == "complete":
		return []string{"complete", "verification_mismatch"} // which, is not for an agent to say
	case block.Error != nil:
		return []string{block.Error.Type}
	}
	return []string{"task_incomplete"}
}

// TestRecordings replays what real agents printed, where the recordings are at hand, and prints what is made of each.
func TestRecordings(t *testing.T) {
	const dir = "../../../shared/transcripts"
	list, err := os.ReadFile(filepath.Join(dir, "EXPECTED.tsv"))
	if err != nil {
		t.Skipf("the recordings of real agents are not here: %v", err)
	}
	read, wrong := 0, 0
	for _, row := range strings.Split(string(list), "\n")[1:] {
		cells := strings.Split(row, "\t")
		if len(cells) < 3 {
			continue
		}
		cli, name, want := cells[0], cells[1], cells[2]
		base := filepath.Join(dir, cli, name)
		stdout, err := os.ReadFile(base + ".out")
		if err != nil {
			continue // not all runs that were made are kept
		}
		stderr, _ := os.ReadFile(base + ".err")
		code, _ := os.ReadFile(base + ".code")
		if strings.HasPrefix(string(code), "spawn:") {
			continue // its prompt was an argument, which ours never is
		}
		read++
		out := replay(specNamed(t, cli), string(stdout), recorded(string(code), string(stderr)), 32<<10)
		got := conclude(out)
		t.Logf("%-9s %-34s %-22s %-16s until=%v tokens=%d/%d $%.4f denied=%v %s", cli, name, want, out.Kind, !out.Until.IsZero(), out.InputTokens, out.OutputTokens, out.CostUSD, out.Denied, out.Message)
		if want != "interrupted" && !slices.Contains(got, want) {
			wrong++
			t.Errorf("%s %s: %s, not %s\n  %+v", cli, name, got, want, abridged(out))
		}
		if again := replay(specNamed(t, cli), string(stdout), recorded(string(code), string(stderr)), 7); fmt.Sprint(again) != fmt.Sprint(out) {
			t.Errorf("%s %s: it matters how the stream is cut", cli, name)
		}
	}
	if read == 0 {
		t.Fatal("there is a list of expectations, and not one recording")
	}
	t.Logf("%d of %d as expected", read-wrong, read)
}

func abridged(out Outcome) string {
	out.Final, out.Tail = proc.Clean(out.Final, 100), proc.Clean(out.Tail, 300)
	return fmt.Sprintf("%+v", out)
}
