//go:build linux

package e2e

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// seed makes the faults of TestStorm, which prints it.
const seed = 20261123

// completed is the number of phases that a run has reported as complete.
func (p *process) completed() int { return strings.Count(p.out.String(), " done ") }

// Agents that lie, crash and fail for good, on three workers, while workers and the server are
// killed and stand still at random: each phase ends as on one machine.
func TestStorm(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	const phases, width = 60, 10
	var lines []string
	for i := 1; i <= phases; i++ {
		needs, id := "", strconv.Itoa(i)
		if i > width {
			needs = strconv.Itoa(i - width)
		}
		shell := fmt.Sprintf("sleep 0.5; echo %s > %s.num", id, id)
		switch {
		case i == 29: // for good; it blocks 39, 49 and 59
			shell = "exit 1"
		case i%7 == 0: // a liar at its first attempt
			shell = "[ $AUTOBUILD_ATTEMPT -gt 1 ] || exit 0; " + shell
		case i%11 == 0: // a crash
			shell = "[ $AUTOBUILD_ATTEMPT -gt 1 ] || kill -9 $$; " + shell
		}
		lines = append(lines, fmt.Sprintf("%s: %s|%s", id, needs, shell))
	}
	files := map[string]string{"plan.md": plan(lines...)}
	l.repo("one", files)
	l.repo("many", files)
	args := []string{"--allow-unverified", "--jobs=6", "--schedule=eager", "--keep-going"}
	begun := time.Now()
	code, out := l.local("one", args...)
	local := time.Since(begun)
	workers := make([]*process, 3)
	for i := range workers {
		workers[i] = l.worker(fmt.Sprint("w", i), "many", "--slots=2")
	}
	begun = time.Now()
	run := l.begin("many", args...)
	faults := l.storm(rand.New(rand.NewPCG(seed, 0)), run, workers, phases-4)
	other := run.code(t)
	t.Logf("seed %d: %d phases, %s on one machine, %s on three workers with %v", seed, phases,
		local.Round(time.Second), time.Since(begun).Round(time.Second), faults)
	if code != other {
		t.Errorf("exit codes %d and %d:\n%s\n%s", code, other, out, run.out)
	}
	one, many := story(t, filepath.Join(l.dir, "one")), story(t, filepath.Join(l.dir, "many"))
	if one != many {
		t.Errorf("one machine:\n%smany:\n%s", one, many)
	}
	if a, b := strings.ReplaceAll(l.commits("one"), "one", "many"), l.commits("many"); a != b {
		t.Errorf("commits\n%s\nand\n%s", a, b)
	}
	l.noLeaks("many")
}

// storm breaks workers and the server each time some more phases are complete, until most are. It
// returns how often it did what.
func (l *lab) storm(
	chance *rand.Rand, run *process, workers []*process, most int,
) map[string]int {
	l.t.Helper()
	faults := map[string]int{}
	for at := 4; at < most; at += 4 + chance.IntN(4) {
		l.awaitLong(fmt.Sprint(at, " phases"), func() bool {
			select {
			case <-run.done:
				return true
			default:
			}
			return run.completed() >= at
		})
		i := chance.IntN(len(workers))
		switch kind := chance.IntN(6); {
		case kind < 3:
			faults["workers killed"]++
			_ = workers[i].Process.Kill()
			<-workers[i].done
			workers[i] = l.worker(fmt.Sprint("w", i), "many", "--slots=2")
		case kind < 5:
			faults["workers that stood still"]++
			frozen := workers[i].Process
			_ = frozen.Signal(syscall.SIGSTOP)
			// for longer than the lease, which is 6 s
			time.AfterFunc(9*time.Second, func() { _ = frozen.Signal(syscall.SIGCONT) })
		default:
			faults["servers killed"]++
			_ = l.server.Process.Kill()
			_ = l.server.Wait()
			l.startServer()
		}
	}
	return faults
}

// 150 phases on two workers, of which one is killed three times, are 150 commits.
func TestManyPhases(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	const phases, width = 150, 15
	var lines, ids []string
	for i := 1; i <= phases; i++ {
		needs, id := "", strconv.Itoa(i)
		if i > width {
			needs = strconv.Itoa(i - width)
		}
		lines = append(lines, fmt.Sprintf("%s: %s|echo %s > %s.num", id, needs, id, id))
		ids = append(ids, id)
	}
	l.repo("app", map[string]string{"plan.md": plan(lines...)})
	l.worker("a", "app", "--slots=2")
	victim := l.worker("b", "app", "--slots=2")
	begun := time.Now()
	run := l.begin("app", "--allow-unverified", "--jobs=4", "--schedule=eager")
	for _, at := range []int{30, 75, 120} {
		l.awaitLong(fmt.Sprint(at, " phases"), func() bool { return run.completed() >= at })
		_ = victim.Process.Kill()
		<-victim.done
		victim = l.worker("b", "app", "--slots=2")
	}
	l.complete(run, "app", ids...)
	t.Logf("%d phases on two workers of two slots took %s", phases,
		time.Since(begun).Round(time.Second))
	l.noLeaks("app")
}
