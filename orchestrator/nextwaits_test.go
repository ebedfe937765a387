package orchestrator

import (
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

func TestNextWaits(t *testing.T) {
	three := []string{"1", "2", "3"}
	const hour = time.Hour
	for _, c := range []nextCase{
		{law: "a delayed retry is waited for", plan: []string{"1"}, said: map[string]word{"1": failed(1, hour)}, want: "sleep 1h0m0s"},
		{law: "… until exactly then", plan: []string{"1"}, said: map[string]word{"1": failed(1, 0)}, want: "start 1#2"},
		{
			law: "the earliest of several delays wakes", plan: three,
			said: map[string]word{"1": failed(1, 3*hour), "2": failed(1, hour), "3": failed(1, 2*hour)}, want: "sleep 1h0m0s",
		},
		{
			law: "others do not wait for a delay", plan: three,
			said: map[string]word{"1": failed(1, hour), "2": failed(1, 0), "3": complete}, want: "start 2#2 | sleep 1h0m0s",
		},
		{law: "a delay ends while others run", plan: three, said: map[string]word{"1": failed(1, hour), "2": is(state.Running, 2), "3": complete}, want: "sleep 1h0m0s"},
		{law: "at a usage limit the whole account waits", plan: three, said: map[string]word{"1": waits(hour)}, want: "sleep 1h0m0s"},
		{law: "… until the last reset", plan: three, said: map[string]word{"1": waits(2 * hour), "2": waits(3 * hour), "3": waits(hour)}, want: "sleep 3h0m0s"},
		{law: "… which no delay comes before", plan: three, said: map[string]word{"1": waits(2 * hour), "2": failed(1, hour)}, want: "sleep 2h0m0s"},
		{law: "… and also while others run", plan: three, said: map[string]word{"1": waits(2 * hour), "2": running}, want: "sleep 2h0m0s"},
		{law: "… in the eager schedule too", plan: three, opts: Options{Schedule: Eager}, said: map[string]word{"1": waits(hour)}, want: "sleep 1h0m0s"},
		{law: "after its reset the same attempt starts again", plan: []string{"1"}, said: map[string]word{"1": waits(0)}, want: "start 1#1"},
		{law: "… alone at first", plan: three, said: map[string]word{"1": waits(-hour)}, want: "start 1#1 | sleep 2m0s"},
		{
			law: "what waits has begun, and goes on after a failure elsewhere", plan: three,
			said: map[string]word{"1": waits(0), "2": lost(1, failure.Fail, failure.FileConflict)}, want: "start 1#1",
		},
		{
			law: "stop-at-limit ends the run instead", plan: three, opts: Options{StopLimit: true}, said: map[string]word{"1": waits(hour)},
			want: "stop usage_limit: the usage limit was met; it resets at 2026-11-21 13:00 UTC",
		},
		{
			law: "… but not where it is only the way to the model that is disturbed", plan: three, opts: Options{StopLimit: true}, said: map[string]word{"1": disturbed(hour)},
			want: "sleep 1h0m0s",
		},
		{law: "… but not after its reset", plan: []string{"1"}, opts: Options{StopLimit: true}, said: map[string]word{"1": waits(0)}, want: "start 1#1"},
		{
			law: "… and while others run", plan: three, opts: Options{StopLimit: true}, said: map[string]word{"1": waits(hour), "2": running},
			want: "stop usage_limit: the usage limit was met; it resets at 2026-11-21 13:00 UTC",
		},
		{
			law: "… and a failure is the better reason", plan: three, opts: Options{StopLimit: true},
			said: map[string]word{"1": waits(hour), "2": lost(2, failure.Fail, failure.TestFailure)}, want: "halt: Phase 2 failed after retry",
		},
		{
			law: "… unless the run would go on", plan: three, opts: Options{StopLimit: true, KeepGoing: true},
			said: map[string]word{"1": waits(hour), "2": lost(2, failure.Fail, failure.TestFailure)},
			want: "stop usage_limit: the usage limit was met; it resets at 2026-11-21 13:00 UTC",
		},
	} {
		c.check(t)
	}
}
