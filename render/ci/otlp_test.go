package ci

import (
	"encoding/json"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestOTLP: every span has its parent in the document, and an id of its own; none ends before it
// begins; the agent's span is the one that its TRACEPARENT names.
func TestOTLP(t *testing.T) {
	x := rendertest.Begin(t, rendertest.FeaturePlan(t), nil)
	x.Start("0")
	x.Tell(state.Event{Type: state.AgentFinished, Phase: "0"})
	gate := &state.Gate{Name: "test", Status: state.GatePassed}
	x.Tell(state.Event{Type: state.GateStarted, Phase: "0", Gate: &state.Gate{Name: "test"}})
	x.Tell(state.Event{Type: state.GateFinished, Phase: "0", Gate: gate})
	x.Finish("0", state.Attempt{
		Agent: "claude", Model: "opus", Verdict: state.Verified,
		Usage:  state.Usage{InputTokens: 5, OutputTokens: 7},
		Commit: &state.Commit{SHA: "abc", Message: "done"},
	})
	x.Start("1")
	x.Fail("1", failure.Fail)
	x.Start("2a") // the machine is switched off
	place := NewTraceContext("r1", "00-"+strings.Repeat("a", 32)+"-"+strings.Repeat("b", 16)+"-01")
	documents, err := OTLP(place, "1.0", func(yield func(state.Event, error) bool) {
		for _, e := range x.Events {
			if e.Type == state.PhaseStarted {
				e.Key = "key of " + e.Phase
			}
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil || len(documents) != 1 {
		t.Fatal(len(documents), err)
	}
	var got struct {
		Resource []struct {
			Scope []struct {
				Spans []span `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	if err = json.Unmarshal(documents[0], &got); err != nil {
		t.Fatal(err)
	}
	spans := got.Resource[0].Scope[0].Spans
	names := map[string]string{strings.Repeat("b", 16): "the caller"}
	for _, s := range spans {
		if names[s.ID] != "" || len(s.ID) != 16 || s.Trace != strings.Repeat("a", 32) {
			t.Errorf("%s has the id %q, as %q has", s.Name, s.ID, names[s.ID])
		}
		names[s.ID] = s.Name
	}
	tree := make(map[string]string)
	for _, s := range spans {
		if s.Start > s.End || names[s.Parent] == "" {
			t.Errorf("%s from %s to %s below %q", s.Name, s.Start, s.End, s.Parent)
		}
		tree[s.Name] = names[s.Parent]
	}
	for child, parent := range map[string]string{
		"autobuild run": "the caller", "phase 0": "autobuild run", "attempt 1": "phase 2A",
		"invoke_agent claude": "attempt 1", "gate test": "attempt 1", "landing": "attempt 1",
	} {
		if tree[child] != parent {
			t.Errorf("%s lies below %q, want %q", child, tree[child], parent)
		}
	}
	id := strings.Split(place.Agent("key of 0"), "-")[2]
	if !strings.HasPrefix(names[id], "invoke_agent") || !strings.Contains(string(documents[0]), `"gen_ai.usage.output_tokens","value":{"intValue":"7"}`) {
		t.Errorf("TRACEPARENT names %q in\n%s", names[id], documents[0])
	}
}
