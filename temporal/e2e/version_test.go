//go:build linux

package e2e

import (
	"testing"
)

// A run that an earlier version has begun is taken to its end by a worker and a starter of this
// one, with every agent started once more at most. -old names a program of the earlier version.
func TestVersionChange(t *testing.T) {
	if *old == "" {
		t.Skip("needs a program of an earlier version: run with -old PATH")
	}
	l := newLab(t)
	current := l.program
	l.repo("app", map[string]string{
		"plan.md": plan(l.quick("1", ""), l.slow("2", "1", "go"), l.quick("3", "2")),
	})
	l.program = *old
	victim := l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	l.program = current
	_ = victim.Process.Kill()
	<-victim.done
	_ = run.Process.Kill()
	<-run.done
	l.worker("a", "app")
	l.await("phase 2 on the worker of this version", func() bool { return l.starts("2") == 2 })
	l.ask("app", 0, "note", "3", "from this version")
	l.write("go", "")
	l.ask("app", 0, "wait")
	for id, want := range map[string]int{"1": 1, "2": 2, "3": 1} {
		if n := l.starts(id); n != want {
			t.Errorf("phase %s was started %d times, not %d", id, n, want)
		}
	}
	l.git("app", "show", "main:3.num")
	l.noLeaks("app", "from this version")
}

// A worker of an earlier version and one of this version work on the same run of an earlier
// starter: starters are replaced last.
func TestVersionsSideBySide(t *testing.T) {
	if *old == "" {
		t.Skip("needs a program of an earlier version: run with -old PATH")
	}
	l := newLab(t)
	current := l.program
	l.repo("app", map[string]string{"plan.md": plan(
		l.quick("1", ""), l.quick("2", ""), l.quick("3", "1, 2"), l.quick("4", "3"), l.quick("5", "3"),
	)})
	l.program = *old
	l.worker("a", "app")
	l.program = current
	l.worker("b", "app")
	l.program = *old
	l.complete(l.begin("app", "--allow-unverified"), "app", "1", "2", "3", "4", "5")
}
