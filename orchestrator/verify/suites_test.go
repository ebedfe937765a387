package verify

import (
	"testing"
	"time"
)

// Suites that run at the same time know it, whichever began first. One that runs alone has the
// lock that all others share.
func TestSuites(t *testing.T) {
	var s Suites
	if s.begin(false)() {
		t.Error("the first ran beside others")
	}
	first, second := s.begin(false), s.begin(false)
	if s.alone.TryLock() {
		t.Fatal("another one may run alone beside them")
	}
	if !first() || !second() {
		t.Error("two that ran beside each other do not know it")
	}
	end := s.begin(true)
	if s.alone.TryRLock() {
		t.Fatal("another one may run beside the one that runs alone")
	}
	if end() || s.begin(false)() {
		t.Error("one that ran alone ran beside others")
	}
	if (*Suites)(nil).begin(false)() {
		t.Error("nothing is known, and yet something ran")
	}
}

// The cores are shared by suites as busy as the one that was measured.
func TestGateJobs(t *testing.T) {
	for _, c := range []struct {
		cores     int
		cpu, wall time.Duration
		want      int
	}{
		{8, 0, 0, 4},
		{1, 0, 0, 1},
		{2, 0, time.Second, 2},
		{2, time.Second, time.Second, 2},
		{2, 2 * time.Second, time.Second, 1},
		{8, 16 * time.Second, 8 * time.Second, 4},
		{8, 20 * time.Second, 2 * time.Second, 1},
		{64, time.Millisecond, time.Second, 64},
	} {
		if got := GateJobs(c.cores, c.cpu, c.wall); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
