package session

import (
	"testing"
	"time"
)

// While the machine is awake its sleep does not grow.
func TestSlept(t *testing.T) {
	first := slept()
	if again := slept(); first < 0 || again-first > time.Second || first-again > time.Second {
		t.Errorf("slept %s, and then %s", first, again)
	}
}
