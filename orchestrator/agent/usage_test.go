package agent

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// told replays a transcript and returns the usage that was reported while it ran.
func told(s spec, stdout string) (all []spending) {
	out := new(Outcome)
	st := &story{out: out, final: ending{limit: maxFinal}, stop: func() {}}
	st.now = func() time.Time { return noon }
	st.spent = func(cost float64, in, out int64) { all = append(all, spending{cost, in, out}) }
	r := s.reader()
	stream := lines{limit: maxLine, each: func(line []byte) { st.line(r, line) }, dropped: st.tooLong}
	stream.write([]byte(stdout))
	stream.close()
	return all
}

// TestUsageWhileRunning: the usage that real agents report while they run only grows, never exceeds
// the final figures, and is not reported with the event that ends their stream. The agents that
// report any are those in the documentation.
func TestUsageWhileRunning(t *testing.T) {
	telling := make(map[string]bool)
	for _, r := range transcripts(t) {
		if r.talks() {
			continue
		}
		end := r.outcome(t, 32<<10)
		var before spending
		for _, now := range told(specNamed(t, r.agent), r.stdout) {
			telling[r.agent] = true
			if now.in < before.in || now.out < before.out || now.cost < before.cost {
				t.Errorf("%s %s: %+v after %+v", r.agent, r.scenario, now, before)
			}
			if now.in > end.InputTokens || now.out > end.OutputTokens || now.cost > end.CostUSD {
				t.Errorf("%s %s: %+v while it ran, %d in, %d out and $%g in the end", r.agent, r.scenario, now, end.InputTokens, end.OutputTokens, end.CostUSD)
			}
			before = now
		}
	}
	for name, want := range map[string]bool{"claude": true, "opencode": true, "pi": true, "qwen": true, "codex": false, "gemini": false, "copilot": false} {
		if telling[name] != want {
			t.Errorf("%s tells while it runs: %t", name, telling[name])
		}
	}
}

// The figures that agents are documented to report are those in their transcripts.
func TestTells(t *testing.T) {
	cost, tokens := make(map[string]bool), make(map[string]bool)
	for _, r := range transcripts(t) {
		out := r.outcome(t, 32<<10)
		cost[r.agent] = cost[r.agent] || out.CostUSD > 0
		tokens[r.agent] = tokens[r.agent] || out.InputTokens > 0
	}
	for _, name := range Names() {
		if about, _ := AboutOf(name); about.Tested == "" || !slices.Contains(printing(), name) {
			continue // it was never seen to run, or prints nothing
		}
		tokens[name] = tokens[name] || specNamed(t, name).usage != "" // it writes them into a file
		if ReportsCost(name) != cost[name] || ReportsTokens(name) != tokens[name] {
			t.Errorf("%s told cost: %t, tokens: %t", name, cost[name], tokens[name])
		}
	}
}

// The cap is passed to agents that have one, unless the user has set another. A cap below the
// smallest amount that can be passed is still more than nothing.
func TestCap(t *testing.T) {
	argv := func(name string, usd float64, args ...string) string {
		return strings.Join(cli{spec: specNamed(t, name), args: args}.argv(Job{MaxCost: usd}), " ")
	}
	for _, c := range []struct{ got, has string }{
		{argv("claude", 1.5), " --max-budget-usd 1.5000"},
		{argv("claude", 0.00001), " --max-budget-usd 0.0001"},
		{argv("claude", 1.5, "--max-budget-usd", "9"), " --max-budget-usd 9"},
		{argv("claude", 1.5, "--max-budget-usd=9"), " --max-budget-usd=9"},
	} {
		if !strings.Contains(c.got, c.has) || strings.Count(c.got, "--max-budget-usd") != 1 {
			t.Errorf("%q lacks %q", c.got, c.has)
		}
	}
	if argv("claude", 0) != argv("claude", -1) || strings.Contains(argv("claude", 0), "budget") || argv("codex", 1) != argv("codex", 0) {
		t.Error("a cap without need")
	}
}

// Stopped at the cap that was passed is a spent budget; at one of the user's own it is that agent's
// limit, as ever.
func TestCapReached(t *testing.T) {
	const result = `{"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":1.2}` + "\n"
	for _, c := range []struct {
		args []string
		max  float64
		kind string
	}{{nil, 1, BudgetExhausted}, {[]string{"--max-budget-usd", "1"}, 1, ""}, {nil, 0, ""}} {
		s := newStage(t, "claude", "FAKE_STDOUT="+result, "FAKE_CODE=1")
		s.job.MaxCost = c.max
		a, _ := Builtin(s.run, "claude", c.args, nil)
		out := s.do(a)
		if out.Kind != c.kind || out.CostUSD != 1.2 || !strings.Contains(out.Message, "error_max_budget_usd") {
			t.Errorf("%v and %g: %s %q, $%g", c.args, c.max, out.Kind, out.Message, out.CostUSD)
		}
	}
}

// Tokens have a price where the agent reports no cost, while it runs and in the end. A cost that it
// reports takes precedence.
func TestPriced(t *testing.T) {
	s := newStage(t, "mine", "FAKE_STDOUT="+`{"in":1000000,"out":200000}`+"\n"+`{"in":1000000,"out":200000,"text":"done"}`+"\n")
	var heard []string
	s.job.Spent = func(cost float64, in, out int64) { heard = append(heard, fmt.Sprintf("$%.2f %d %d", cost, in, out)) }
	a := Command(s.run, "mine", []string{"mine"}, CommandOptions{Output: "jsonl text", Fields: map[string]string{"input_tokens": "+in", "output_tokens": "+out"}})
	if out := s.do(a); out.CostUSD != 0 {
		t.Errorf("without prices it cost $%g", out.CostUSD)
	}
	heard = nil
	out := s.do(Priced(a, Prices{Input: 3, Output: 15}))
	if math.Abs(out.CostUSD-12) > 1e-9 || !slices.Equal(heard, []string{"$6.00 1000000 200000", "$12.00 2000000 400000"}) {
		t.Errorf("$%g; heard %q", out.CostUSD, heard)
	}
	p := priced{a, Prices{Input: 3, Output: 15}}
	if p.cost(0.5, 1e6, 1e6) != 0.5 {
		t.Error("what the agent says itself does not count")
	}
	if _, wrapped := Priced(a, Prices{}).(priced); wrapped {
		t.Error("no prices are a price")
	}
}

// TestSessionArguments: the session stands where each agent wants it, and a text that is no id is
// never passed.
func TestSessionArguments(t *testing.T) {
	for name, want := range map[string]string{
		"claude": " --resume s-1", "codex": " resume s-1 -", "gemini": " --resume s-1", "qwen": " --resume s-1",
		"opencode": " --session s-1", "copilot": " --resume=s-1", "pi": "", "amp": "", "cursor": "",
	} {
		c := cli{spec: specNamed(t, name)}
		bare := strings.Join(c.argv(Job{}), " ")
		got := strings.Join(c.argv(Job{Session: "s-1"}), " ")
		if !strings.HasSuffix(got, want) || got == bare != (want == "") || Continues(c) != (want != "") {
			t.Errorf("%s: %q", name, got)
		}
		for _, bad := range []string{"", "-s", "--dangerously-skip-permissions", "a b", "a/b", "../x", "a\nb", "a;b", "ä", "s.1", strings.Repeat("a", 101)} {
			if argv := strings.Join(c.argv(Job{Session: bad}), " "); argv != bare {
				t.Errorf("%s with session %q: %q", name, bad, argv)
			}
		}
	}
	if !Continues(Priced(cli{spec: claude()}, Prices{Input: 1})) || Continues(Script(nil)) {
		t.Error("who can go on")
	}
}

// TestSessionIsLost: each agent's own words for it, as they were seen.
func TestSessionIsLost(t *testing.T) {
	for _, c := range []struct {
		program, session, stdout, stderr string
		lost                             bool
	}{
		{"claude", "s1", `{"type":"result","subtype":"error_during_execution","is_error":true,"total_cost_usd":0,"usage":{"input_tokens":0}}`, "No conversation found with session ID: s1", true},
		{"codex", "s1", "", "Error: thread/resume: thread/resume failed: no rollout found for thread id s1 (code -32600)", true},
		{"gemini", "s1", "", "Error resuming session: No previous sessions found for this project.", true},
		{"qwen", "s1", "", "No saved session found with ID s1. Run `qwen --resume` without an ID to choose from existing sessions.", true},
		{"copilot", "s1", "", "Error: No session, task, or name matched 's1'.", true},
		{"opencode", "s1", "", "\x1b[91m\x1b[1mError: \x1b[0mSession not found", true},
		{"codex", "", "", "no rollout found", false},
		{"codex", "s1", "", "Error: invalid api key", false},
		{"claude", "--x", `{"type":"result","subtype":"success","is_error":false,"result":"done"}`, "", true},
		{"claude", "s1", `{"type":"result","subtype":"success","is_error":false,"result":"Session not found, says the test","usage":{"input_tokens":9}}`, "", false},
	} {
		s := newStage(t, c.program, "FAKE_STDOUT="+c.stdout+"\n", "FAKE_STDERR="+c.stderr, "FAKE_CODE=1")
		s.job.Session = c.session
		a, _ := Builtin(s.run, c.program, nil, nil)
		if out := s.do(a); out.Lost != c.lost {
			t.Errorf("%s with session %q and %q: lost %t", c.program, c.session, c.stderr, out.Lost)
		}
		if _, err := os.Stat(s.saw); (err == nil) != (c.session != "--x") {
			t.Errorf("%s with session %q: started: %t", c.program, c.session, err == nil)
		}
	}
}

// TestSessionSum: figures of a whole session are converted to the job's own, and no other figures
// are.
func TestSessionSum(t *testing.T) {
	const end = `{"type":"result","subtype":"success","is_error":false,"result":"done","total_cost_usd":0.5,"usage":{"input_tokens":100,"output_tokens":10}}`
	for name, c := range map[string]struct {
		session string
		past    int64
		finish  bool
		want    int64
	}{
		"goes on":            {"s1", 60, true, 40},
		"a new one":          {"", 60, true, 100},
		"counts its own":     {"s1", 160, true, 100},
		"stopped in between": {"s1", 0, false, 0},
	} {
		c2 := cli{spec: claude()}
		job := Job{Session: c.session}
		job.Past.Input, job.Past.CostUSD = c.past, 0.1
		var out Outcome
		st := &story{out: &out, final: ending{limit: maxFinal}, stop: func() {}, now: func() time.Time { return noon }}
		if c.finish {
			st.line(c2.spec.reader(), []byte(end))
		}
		st.settle(func(*story) {}, proc.Exit{})
		c2.subtract(job, st, &out)
		if out.InputTokens != c.want {
			t.Errorf("%s: %d tokens in, $%g", name, out.InputTokens, out.CostUSD)
		}
	}
}
