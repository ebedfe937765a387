package agent

import "testing"

// The same step again and again ends a run, unless it changes files.
func TestCircles(t *testing.T) {
	for _, works := range []bool{false, true} {
		var out Outcome
		stopped, files := false, uint64(0)
		s := &story{out: &out, stop: func() { stopped = true }}
		s.files = func() uint64 {
			if works {
				files++
			}
			return files
		}
		for range 5 * maxStale {
			s.step("bash: ./next.sh")
		}
		if stopped == works || (out.Kind == Loop) == works {
			t.Errorf("works %t: stopped %t, %+v", works, stopped, out)
		}
	}
}
