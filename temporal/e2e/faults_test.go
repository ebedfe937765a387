//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slow is a phase that notes its starts in a file of the lab and works until a file is there.
func (l *lab) slow(label, needs, file string) string {
	return fmt.Sprintf("%s: %s|echo %s >> %s/starts; while [ ! -e %s ]; do sleep 0.1; done; echo %s > %s.num",
		label, needs, label, l.dir, filepath.Join(l.dir, file), label, label)
}

// quick is a phase that notes its start and is done.
func (l *lab) quick(label, needs string) string {
	return fmt.Sprintf("%s: %s|echo %s >> %s/starts; echo %s > %s.num", label, needs, label, l.dir, label, label)
}

// starts is how often a phase was started.
func (l *lab) starts(label string) int {
	raw, _ := os.ReadFile(filepath.Join(l.dir, "starts"))
	n := 0
	for line := range strings.Lines(string(raw)) {
		if strings.TrimSpace(line) == label {
			n++
		}
	}
	return n
}

// complete checks that a run is complete with one commit a phase.
func (l *lab) complete(p *process, repo string, phases ...string) {
	l.t.Helper()
	if code := p.code(l.t); code != 0 && code != 5 {
		l.t.Fatalf("exit code %d:\n%s", code, p.out)
	}
	log := l.git(repo, "log", "--format=%(trailers:key=Autobuild-Phase,valueonly)", "main")
	for _, id := range phases {
		if n := strings.Count("\n"+log+"\n", "\n"+id+"\n"); n != 1 {
			l.t.Errorf("phase %s has %d commits:\n%s\n%s", id, n, log, p.out)
		}
	}
}

// A worker that is killed in the middle loses nothing but time: its phase moves within seconds, no
// attempt is spent, and nothing is done twice.
func TestKilledWorker(t *testing.T) {
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.quick("1", ""), l.slow("2", "1", "go"), l.quick("3", "2"))})
	victim := l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	l.worker("b", "app")
	killed := time.Now()
	l.await("phase 2 on the other worker", func() bool { return l.starts("2") == 2 })
	moved := time.Since(killed)
	l.write("go", "")
	l.complete(run, "app", "1", "2", "3")
	for id, want := range map[string]int{"1": 1, "2": 2, "3": 1} {
		if n := l.starts(id); n != want {
			t.Errorf("phase %s was started %d times, not %d", id, n, want)
		}
	}
	t.Logf("the phase moved %s after the other worker was there", moved.Round(100*time.Millisecond))
	l.noLeaks("app")
	left, _ := filepath.Glob(filepath.Join(l.dir, "machines", "a", "cache", "autobuild-temporal", "*", "work", "*"))
	if len(left) == 0 {
		t.Error("the killed worker left nothing, so that nothing is shown about sweeping")
	}
	swept := l.worker("a", "app")
	left, _ = filepath.Glob(filepath.Join(l.dir, "machines", "a", "cache", "autobuild-temporal", "*", "work", "*"))
	if len(left) > 0 {
		t.Errorf("the next worker has not removed %v", left)
	}
	_ = swept
}

// A worker that is asked to end hands its phase over at once, and the attempt is not spent.
func TestWorkerEnds(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.slow("1", "", "go"), l.quick("2", "1"))})
	leaving := l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 1", func() bool { return l.starts("1") == 1 })
	l.worker("b", "app")
	asked := time.Now()
	_ = leaving.Process.Signal(syscall.SIGTERM)
	l.await("phase 1 elsewhere", func() bool { return l.starts("1") == 2 })
	t.Logf("the phase moved after %s", time.Since(asked).Round(100*time.Millisecond))
	l.write("go", "")
	l.complete(run, "app", "1", "2")
	if !strings.Contains(run.out.String(), "attempt 1/2") || strings.Contains(run.out.String(), "attempt 2/2") {
		t.Errorf("an attempt was spent:\n%s", run.out)
	}
}

// A worker that stands still for longer than its lease and goes on makes no second commit: who is
// first with the attempt's record is right.
func TestFrozenWorker(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.slow("1", "", "go"), l.quick("2", "1"))})
	frozen := l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 1", func() bool { return l.starts("1") == 1 })
	_ = frozen.Process.Signal(syscall.SIGSTOP)
	l.worker("b", "app")
	l.await("phase 1 elsewhere", func() bool { return l.starts("1") == 2 })
	_ = frozen.Process.Signal(syscall.SIGCONT)
	l.write("go", "")
	l.complete(run, "app", "1", "2")
}

// The server may be killed and started in the middle: every agent is started once.
func TestServerRestarts(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.slow("1", "", "go"), l.slow("2", "", "go"), l.quick("3", "1, 2"))})
	l.worker("a", "app", "--slots=2")
	run := l.begin("app", "--allow-unverified")
	l.await("both", func() bool { return l.starts("1") == 1 && l.starts("2") == 1 })
	_ = l.server.Process.Kill()
	_ = l.server.Wait()
	l.startServer()
	l.write("go", "")
	l.complete(run, "app", "1", "2", "3")
	for _, id := range []string{"1", "2", "3"} {
		if n := l.starts(id); n != 1 {
			t.Errorf("phase %s was started %d times", id, n)
		}
	}
}

// The remote may be away when an attempt ends: its work is pushed when it is back.
func TestRemoteAway(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.slow("1", "", "go"), l.quick("2", "1"))})
	l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 1", func() bool { return l.starts("1") == 1 })
	remote := filepath.Join(l.dir, "app.git")
	if err := os.Rename(remote, remote+".away"); err != nil {
		t.Fatal(err)
	}
	l.write("go", "")
	<-time.After(5 * time.Second) // the remote is away for so long: there is nothing to wait for
	if err := os.Rename(remote+".away", remote); err != nil {
		t.Fatal(err)
	}
	l.complete(run, "app", "1", "2")
}

// SIGTERM of the starter stops the run in order, without an attempt spent; --resume goes on.
func TestStopAndResume(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.quick("1", ""), l.slow("2", "1", "go"), l.quick("3", "2"))})
	l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	_ = run.Process.Signal(syscall.SIGTERM)
	if code := run.code(t); code != 143 {
		t.Fatalf("exit code %d, not 143:\n%s", code, run.out)
	}
	l.write("go", "")
	l.complete(l.begin("app", "--allow-unverified", "--resume"), "app", "1", "2", "3")
	if n := l.starts("1"); n != 1 {
		t.Errorf("phase 1 was started %d times", n)
	}
}

// A starter that is killed loses nothing: the run goes on, and --resume joins it.
func TestStarterKilled(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.quick("1", ""), l.slow("2", "1", "go"), l.quick("3", "2"))})
	l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	_ = run.Process.Kill()
	<-run.done
	l.write("go", "")
	l.await("phase 3", func() bool { return l.starts("3") == 1 })
	l.complete(l.begin("app", "--allow-unverified", "--resume"), "app", "1", "2", "3")
	for _, id := range []string{"1", "2", "3"} {
		if n := l.starts(id); n != 1 {
			t.Errorf("phase %s was started %d times", id, n)
		}
	}
}

// A run that was stopped goes on with the local engine, from the same state.
func TestTakenOverLocally(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.quick("1", ""), l.slow("2", "1", "go"), l.quick("3", "2"))})
	l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	_ = run.Process.Signal(syscall.SIGTERM)
	run.code(t)
	l.write("go", "")
	l.complete(l.begin("app", "--allow-unverified", "--resume", "--engine=local"), "app", "1", "2", "3")
}

// A phase runs on a worker with its labels, and nowhere else.
func TestLabels(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{
		"plan.md":        plan("1:|echo $HOME > 1.num", "2: 1|echo $HOME > 2.num"),
		"autobuild.yaml": "phases:\n  \"2\": {runs-on: gpu}\n",
	})
	l.worker("plain", "app")
	l.worker("gpu", "app", "--labels=linux,gpu")
	run := l.begin("app", "--allow-unverified")
	l.complete(run, "app", "1", "2")
	if home := l.git("app", "show", "main:2.num"); !strings.HasSuffix(home, "machines/gpu") {
		t.Errorf("phase 2 ran at %s", home)
	}
}

func needsLong(t *testing.T) {
	t.Helper()
	if !*long {
		t.Skip("takes too long for each change: run with -long")
	}
}
