package autobuild_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
)

var (
	soakRuns = flag.Int("soak-runs", 200, "`n` random runs")
	soakTime = flag.Duration("soak", 0, "random runs for as long as this, instead of a number of them; go test's own -timeout must allow it")
	soakSeed = flag.Uint64("soak-seed", 0, "of the first run; 0: by the clock. A run is made again by its seed and -soak-runs 1")
)

// TestSoak makes random runs of random plans, with the real loop and the real state directory, and
// with everything around them faked: agents that fail, hang and breach, a git that lands or has
// died, clocks that jump, disks that are full, sinks that break, panics, cancellations, and power
// cuts at any step. After some disturbed sessions an undisturbed one must come to the end that the
// run would have come to: nothing lost, nothing doubled, no retry spent.
func TestSoak(t *testing.T) {
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	enough := func(n uint64) bool { return n >= uint64(*soakRuns) }
	if *soakTime > 0 {
		begun, limit := time.Now(), *soakTime
		if deadline, ok := t.Deadline(); ok && time.Until(deadline) < limit+time.Minute {
			limit = time.Until(deadline) - time.Minute
			t.Logf("go test's -timeout ends this after %v; add -timeout 0", limit.Round(time.Second))
		}
		enough = func(uint64) bool { return time.Since(begun) > limit }
	}
	var next, made atomic.Uint64
	var total tally
	t.Run("runs", func(t *testing.T) {
		for range runtime.GOMAXPROCS(0) {
			t.Run("worker", func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; !enough(n) && !t.Failed(); n = next.Add(1) - 1 {
					soak(t, seed+n, &total)
					made.Add(1)
				}
			})
		}
	})
	t.Logf("%d runs, %s", made.Load(), &total)
}

// tally counts what has happened, so that nobody takes a soak for one that has met nothing.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = make(map[string]int)
	}
	c.n[what]++
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var words []string
	for _, what := range slices.Sorted(maps.Keys(c.n)) {
		words = append(words, fmt.Sprintf("%s %d", what, c.n[what]))
	}
	return strings.Join(words, ", ")
}

// soak is one run: some disturbed sessions, and one that is not.
func soak(t *testing.T, seed uint64, total *tally) {
	dir, err := os.MkdirTemp(memory(), "soak-") //nolint:usetesting // where syncs cost nothing
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	synctest.Test(t, func(t *testing.T) {
		w := newSoaked(t, seed, dir, total)
		for range 1 + w.random.IntN(3) {
			w.session(w.disturb())
		}
		for i, p := range w.load().Phases {
			w.before[i] = p.Status
		}
		w.calls = make([]int, w.plan.Len())
		w.opts.KeepGoing = true
		w.session(nothing)
		w.check()
		if t.Failed() {
			t.Logf("again: go test . -run TestSoak -soak-runs 1 -soak-seed %d\n%s", seed, strings.Join(w.story, "\n"))
		}
	})
}

// memory is a directory that is on no disk, where there is one.
func memory() string {
	const shared = "/dev/shm"
	if f, err := os.CreateTemp(shared, "soak-"); err == nil {
		_ = errors.Join(f.Close(), os.Remove(f.Name()))
		return shared
	}
	return os.TempDir()
}

// nature is what becomes of a phase whenever it is tried.
type nature string

const (
	works     nature = "works"
	failsOnce nature = "fails once"
	hangsOnce nature = "hangs once"
	clashes   nature = "conflicts once"
	fails     nature = "fails"
	hangs     nature = "hangs"
	breaches  nature = "breaches"
)

// tries is how many attempts an undisturbed session makes at it.
func (n nature) tries() int {
	if n == works || n == breaches {
		return 1
	}
	return 2
}

// ends is what becomes of it.
func (n nature) ends() state.Status {
	if n == fails || n == hangs || n == breaches {
		return state.Failed
	}
	return state.Complete
}

// retryOnce is a policy as small as can be said, with a delay.
type retryOnce struct{}

func (retryOnce) Attempts() int { return 2 }

func (retryOnce) Decide(d failure.Diagnosis, h failure.History) failure.Decision {
	if d.Retryable && len(h.Failures) == 0 {
		return failure.Decision{Action: failure.Retry, Attempts: 2, Delay: 30 * time.Second, Rationale: "first failure"}
	}
	return failure.Decision{Action: failure.Fail, Attempts: 2, Rationale: "no try left"}
}

// fault is what happens to a session.
type fault struct {
	kind string
	at   int           // the step, event or attempt at which it happens
	then time.Duration // … or the time after which
}

var (
	nothing    = fault{kind: "nothing"}
	errPower   = errors.New("the power is cut")
	errSink    = errors.New("the screen is gone")
	errMachine = errors.New("git is broken")
)

// soaked is the world of one run.
type soaked struct {
	t      *testing.T
	seed   uint64
	random *rand.Rand
	dir    string
	total  *tally
	plan   *plan.Plan
	does   []nature
	opts   orchestrator.Options
	before []state.Status // at the beginning of the last session
	story  []string

	mu      sync.Mutex
	commits []state.Commit // what has landed, and by which key
	keys    []string
	calls   []int // attempts that were let run, by phase, in this session
	jump    time.Duration
	fault   fault
	dead    bool // the power is cut: nothing has any effect any more
	key     int
	tried   int // attempts in this session
	steps   int // … of the state directory
}

func newSoaked(t *testing.T, seed uint64, dir string, total *tally) *soaked {
	random := rand.New(rand.NewPCG(seed, 2))
	w := &soaked{t: t, seed: seed, random: random, dir: filepath.Join(dir, "state"), total: total}
	var draft plan.Draft
	for i := range 1 + random.IntN(9) {
		p := plan.DraftPhase{Phase: plan.Phase{Label: strconv.Itoa(i + 1), Name: "phase", Text: strconv.Itoa(i), Pos: plan.Pos{Line: i + 1, Col: 1}}}
		var needs []string
		for j := range i {
			if random.IntN(4) == 0 {
				needs = append(needs, strconv.Itoa(j+1))
			}
		}
		if len(needs) == 0 {
			needs = []string{"none"}
		}
		p.Needs = []plan.Ref{{Text: strings.Join(needs, ", "), Pos: p.Pos}}
		draft.Phases = append(draft.Phases, p)
		natures := []nature{works, works, works, works, works, failsOnce, hangsOnce, clashes, fails, hangs, breaches}
		w.does = append(w.does, natures[random.IntN(len(natures))])
	}
	var err error
	if w.plan, err = plan.New(draft); err != nil {
		t.Fatal(err)
	}
	w.before, w.calls = make([]state.Status, w.plan.Len()), make([]int, w.plan.Len())
	w.opts = orchestrator.Options{
		Jobs: 1 + random.IntN(4), Schedule: []orchestrator.Schedule{orchestrator.Batch, orchestrator.Eager}[random.IntN(2)], KeepGoing: random.IntN(2) == 0,
	}
	return w
}

// disturb draws a fault.
func (w *soaked) disturb() fault {
	kinds := []string{"power cut", "power cut", "full disk", "sink", "panic", "broken machinery", "cancelled", "cancelled", "clock"}
	f := fault{kind: kinds[w.random.IntN(len(kinds))], at: 1 + w.random.IntN(60), then: time.Duration(w.random.IntN(90)) * time.Minute}
	if f.kind == "panic" || f.kind == "broken machinery" {
		f.at = 1 + f.at%4
	}
	return f
}

// now is a clock that may have been set.
func (w *soaked) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.jump)
}

// step is told of everything that the state directory does.
func (w *soaked) step(what string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps++
	switch {
	case w.fault.kind == "power cut" && w.steps >= w.fault.at:
		w.dead = true
		return errPower
	case w.fault.kind == "full disk" && w.steps >= w.fault.at && w.steps < w.fault.at+5 && strings.HasPrefix(what, "before write"):
		return syscall.ENOSPC
	}
	return nil
}
