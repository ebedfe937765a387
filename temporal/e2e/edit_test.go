//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// A plan that is saved while the run goes on counts from the next decision on, whether the starter
// follows the run or is started again, and `reload` answers as on one machine.
func TestEdit(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	one, two := l.quick("1", ""), l.slow("2", "1", "go")
	l.repo("app", map[string]string{"plan.md": plan(one, two, l.quick("3", "2"))})
	l.worker("a", "app", "--slots=2")
	run := l.begin("app", "--allow-unverified")
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(run.out, l.ask("app", 0, "status"), execShell(l, "app", "cat .autobuild/events.jsonl"))
		}
	})
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	four := l.quick("4", "")
	l.write("app/plan.md", plan(one, two, four))
	l.await("phase 4, which is new", func() bool { return l.starts("4") == 1 })
	if out := l.ask("app", 0, "reload"); !strings.Contains(out, "the plan says what it said before") {
		t.Errorf("reload of what is saved already: %s", out)
	}
	l.write("app/plan.md", plan(one, "2: 7|true"))
	if out := l.ask("app", 2, "reload"); !strings.Contains(out, "7") {
		t.Errorf("reload of a plan with a mistake: %s", out)
	}
	_ = run.Process.Kill()
	<-run.done
	l.write("app/plan.md", plan(one, two, l.quick("5", "2"), l.quick("6", "5")))
	if out := l.ask("app", 0, "status"); !strings.Contains(out, "follows it here") {
		t.Errorf("status:\n%s", out)
	}
	l.await("the edit", func() bool {
		return strings.Contains(l.ask("app", 0, "status"), "part 6")
	})
	l.write("go", "")
	l.ask("app", 0, "wait")
	for _, id := range []string{"1", "2", "4", "5", "6"} {
		if n := l.starts(id); n != 1 {
			t.Errorf("phase %s was started %d times", id, n)
		}
		l.git("app", "show", "main:"+id+".num")
	}
	if n := l.starts("3"); n != 0 {
		t.Errorf("phase 3, which has left the plan, was started %d times", n)
	}
	l.noLeaks("app")
}
