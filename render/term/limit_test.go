package term

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// A limit's line names its account, when it resets in the reader's own time, how long that is, and
// the phases that it keeps waiting; a heartbeat repeats it with the remaining time.
func TestLimitLines(t *testing.T) {
	var out strings.Builder
	run := state.Run{Phases: []state.Phase{{ID: "1", Label: "1", Status: state.Waiting}}}
	sink := &Plain{W: &out, Style: render.Style{Zone: time.FixedZone("CET", 3600)}}
	met := &failure.Diagnosis{Type: failure.UsageLimit, Message: "5-hour limit reached", Until: rendertest.Midnight.Add(130 * time.Minute)}
	wait := func(f *failure.Diagnosis, d failure.Decision) *state.Attempt {
		d.Action = failure.Wait
		return &state.Attempt{N: 1, Failure: f, Decision: &d}
	}
	unknown := &failure.Diagnosis{Type: failure.UsageLimit, Message: "quota"}
	for _, e := range []state.Event{
		{Type: state.AttemptFinished, Phase: "1", Account: "claude", Until: met.Until, Waiting: 3, Result: wait(met, failure.Decision{Until: met.Until})},
		{Type: state.AttemptFinished, Phase: "1", Account: "claude", Until: rendertest.Midnight.Add(15 * time.Minute), Result: wait(unknown, failure.Decision{})},
		{Type: state.AttemptFinished, Phase: "1", Result: wait(&failure.Diagnosis{Type: failure.AgentUnusable, Message: "not logged in"}, failure.Decision{})},
		{Type: state.Heartbeat, Account: "claude", Until: rendertest.Midnight.Add(48 * time.Hour), Waiting: 1},
		{Type: state.Heartbeat},
	} {
		e.Time = rendertest.Midnight
		rendertest.Check(t, sink.Event(e, &run))
	}
	at := rendertest.Midnight.Format(time.TimeOnly)
	clock := func(d time.Duration, layout string) string {
		return rendertest.Midnight.Add(d).In(time.FixedZone("CET", 3600)).Format(layout)
	}
	want := at + " 1   waiting  claude: usage limit, resets " + clock(130*time.Minute, "15:04 MST") + " (in 2h10m); 3 phases wait: 5-hour limit reached\n" +
		at + " 1   waiting  claude: usage limit, tried again " + clock(15*time.Minute, "15:04 MST") + " (in 15m00s): quota\n" +
		at + " 1   next     another agent, spends no attempt: agent_unusable: not logged in\n" +
		at + " ..  waiting  claude: waited for until " + clock(48*time.Hour, "2006-01-02 15:04 MST") + " (in 48h00m); 1 phase waits\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Another agent than the run's own is named where it works.
func TestAnotherAgent(t *testing.T) {
	text := told(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		x.Run.Config.Agent, x.Run.Config.Fallbacks = "claude", []string{"codex"}
		x.Tell(state.Event{Type: state.PhaseStarted, Phase: "0", Attempt: 1, Attempts: 2, Agent: "claude"})
		x.Tell(state.Event{Type: state.PhaseInterrupted, Phase: "0"})
		x.Tell(state.Event{Type: state.PhaseStarted, Phase: "0", Attempt: 1, Attempts: 2, Agent: "codex"})
	})
	rendertest.Has(t, text, "Bootstrap (attempt 1/2)\n", "Bootstrap (attempt 1/2), by codex\n")
	run := state.Run{Config: state.Config{Agent: "claude", Model: "opus", Fallbacks: []string{"codex", "gemini"}}}
	rendertest.Has(t, DryRun(rendertest.FeaturePlan(t), &run, render.Style{Width: 120}), "claude, model opus, else codex, else gemini\n")
}

// Every screen shows for which account a phase waits.
func TestWaitingPhase(t *testing.T) {
	run := state.Run{Config: state.Config{RunID: "r", Plan: "plan.md"}, Phases: []state.Phase{
		{ID: "1", Label: "1", Name: "One", Status: state.Waiting, Until: rendertest.Midnight.Add(time.Hour), Account: "claude"},
	}}
	rendertest.Has(t, Status(&run, render.Ending{}, true, rendertest.Midnight, render.Style{Width: 120}, 0), "until "+rendertest.Midnight.Add(time.Hour).Format("15:04")+" UTC (in 1h00m), for the usage limit of claude")
	raw, err := render.StatusJSON(&run, true)
	rendertest.Check(t, err)
	rendertest.Has(t, string(raw), `"account": "claude"`)
}

// The remaining time of a limit is visible in any width, for all names of phases and accounts, and
// beside rows that are wider.
func TestCountdownIsSeen(t *testing.T) {
	run := rendertest.Going(t).Run
	run.Phases[0].Name = strings.Repeat("a long name ", 20)
	p := &run.Phases[3]
	p.Status, p.Until, p.Account = state.Waiting, rendertest.Midnight.Add(26*time.Hour+10*time.Minute), "claude"
	rapid.Check(t, func(rt *rapid.T) {
		s := anyStyle(rt, 24)
		p.Name = rapid.SampledFrom([]string{"Frontend", run.Phases[0].Name}).Draw(rt, "name")
		p.Account = rapid.SampledFrom([]string{"claude", strings.Repeat("account ", 200)}).Draw(rt, "account")
		for _, text := range []string{Status(&run, render.Ending{}, true, rendertest.Midnight, s, 0), Watch(&run, true, rendertest.Midnight, s, 200)} {
			words := strings.Join(strings.Fields(rendertest.SGR.ReplaceAllString(text, "")), " ")
			if !strings.Contains(words, "until 2026-11-22 04:27 UTC (in 26h10m), for the usage limit of "+p.Account[:6]) {
				rt.Fatalf("in %d columns:\n%s", s.Width, text)
			}
		}
	})
}
