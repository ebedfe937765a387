package state_test

import (
	"testing"
	"time"

	"autobuild/state"
)

// TestBlamed: three cut-offs in a row are blamed on a phase only if each of them is evidence
// against it.
func TestBlamed(t *testing.T) {
	at := func(place string, after time.Duration) state.CutOff { return state.CutOff{Place: place, After: after} }
	memory := state.CutOff{Memory: true}
	for name, c := range map[string]struct {
		cuts []state.CutOff
		want bool
	}{
		"nothing known":            {make([]state.CutOff, 3), false},
		"for memory":               {[]state.CutOff{memory, memory, memory}, true},
		"for memory, twice":        {[]state.CutOff{memory, memory}, false},
		"one from outside":         {[]state.CutOff{memory, {}, memory}, false},
		"the first from outside":   {[]state.CutOff{{}, memory, memory, memory}, true},
		"one place, one minute":    {[]state.CutOff{at("a", time.Second), at("a", 59*time.Second), at("a", 2*time.Second)}, true},
		"one place, other minutes": {[]state.CutOff{at("a", time.Second), at("a", 61*time.Second), at("a", 122*time.Second)}, false},
		"other places":             {[]state.CutOff{at("a", 1), at("b", 1), at("c", 1)}, false},
		"one other place":          {[]state.CutOff{at("a", 1), at("a", 1), at("c", 1)}, false},
		"a place and memory":       {[]state.CutOff{at("a", 1), memory, at("a", 1)}, true},
	} {
		last := len(c.cuts) - 1
		p := state.Phase{Status: state.Running, CutOff: len(c.cuts), Cuts: c.cuts[max(0, last-state.MaxCutOff+1):last], Cut: c.cuts[last]}
		if p.Stuck() != c.want {
			t.Errorf("%s: stuck is %t", name, p.Stuck())
		}
	}
}

// TestMemoryKills: counts are compared within one boot.
func TestMemoryKills(t *testing.T) {
	now := state.MemoryKills{Boot: "b", Count: 3}
	for earlier, want := range map[state.MemoryKills]bool{
		{}: false, {Boot: "b", Count: 3}: false, {Boot: "b", Count: 2}: true, {Boot: "a", Count: 2}: false,
	} {
		if now.Since(earlier) != want {
			t.Errorf("since %+v: %t", earlier, !want)
		}
	}
}
