package verify

import (
	"sync"
	"time"
)

// Suites knows which suites of gates run at the same time, and lets one run alone. The zero value
// is ready to use, and may be used concurrently.
type Suites struct {
	alone sync.RWMutex // held for writing by a suite that runs alone

	mu             sync.Mutex
	running, begun int
}

// begin waits until a suite may run. end must be called once, and reports whether another suite ran
// at some time meanwhile.
func (s *Suites) begin(alone bool) (end func() (beside bool)) {
	switch {
	case s == nil:
		return func() bool { return false }
	case alone:
		s.alone.Lock()
		return func() bool {
			s.alone.Unlock()
			return false
		}
	}
	s.alone.RLock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	s.begun++
	mine, crowded := s.begun, s.running > 1
	return func() bool {
		defer s.alone.RUnlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
		return crowded || s.begun > mine
	}
}

// GateJobs is how many suites may run at once on so many cores, where one suite took cpu within
// wall: as many as find a core. Without a measurement (wall 0) a suite counts for two cores.
func GateJobs(cores int, cpu, wall time.Duration) int {
	busy := 2.0
	if wall > 0 {
		busy = max(1, float64(cpu)/float64(wall))
	}
	return max(1, int(float64(cores)/busy+0.1))
}
