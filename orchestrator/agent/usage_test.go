package agent

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
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
