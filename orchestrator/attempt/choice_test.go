package attempt

import (
	"testing"
	"time"
)

// What is chosen for a phase holds for that phase alone, and what is not chosen stays.
func TestChoice(t *testing.T) {
	run, own := &Runner{Name: "claude", Model: "opus", Strong: true, Timeout: time.Hour, Idle: time.Minute}, &fakeAgent{}
	run.For = func(phase, agent string) Choice {
		switch phase + agent {
		case "2a":
			return Choice{Agent: own, Name: "mine", Clean: true, Timeout: time.Second}
		case "2acodex":
			return Choice{Agent: own, Name: "codex"}
		case "2b":
			return Choice{Idle: time.Second}
		}
		return Choice{}
	}
	if r := run.chosen("2a", ""); r.Agent != Agent(own) || r.Name != "mine" || r.Model != "" || !r.Clean || r.Strong || r.Timeout != time.Second || r.Idle != time.Minute {
		t.Errorf("2a: %+v", r)
	}
	if r := run.chosen("2a", "codex"); r.Name != "codex" || r.Clean || r.Timeout != time.Hour {
		t.Errorf("2a by another agent: %+v", r)
	}
	if r := run.chosen("2b", ""); r.Name != "claude" || r.Model != "opus" || !r.Strong || r.Timeout != time.Hour || r.Idle != time.Second {
		t.Errorf("2b: %+v", r)
	}
	if r := run.chosen("3", ""); r.Name != "claude" || r.Timeout != time.Hour {
		t.Errorf("3: %+v", r)
	}
	if r := (&Runner{Name: "x"}).chosen("2a", ""); r.Name != "x" {
		t.Errorf("without choices: %+v", r)
	}
}
