//go:build linux

package e2e

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A run that is open is not started a second time: neither from another clone, nor from the start,
// nor by the engine of this machine. What was terminated on the server is over.
func TestSecondStart(t *testing.T) {
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.quick("1", ""), l.slow("2", "1", "go"), l.quick("3", "2"))})
	l.git(".", "clone", "-q", "app.git", "other")
	if out := l.ask("other", 3, "status"); strings.Contains(out, "is open") {
		t.Errorf("before it began:\n%s", out)
	}
	l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	id := slices.Collect(maps.Keys(l.histories()))[0]
	open := []string{
		"is open on the Temporal server", "plan.md", "started ", filepath.Join(l.dir, "app"), "temporal workflow terminate -w " + id,
	}
	says := func(name string, code int, want []string, dir string, args ...string) {
		t.Helper()
		out := l.ask(dir, code, args...)
		for _, w := range want {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), w) {
				t.Errorf("%s: no %q in:\n%s", name, w, out)
			}
		}
	}
	flagged := append([]string{"plan.md", "--allow-unverified"}, strings.Fields(flags)...)
	says("status in a second clone", 3, open, "other", "status")
	says("start in a second clone", 2, open, "other", flagged...)
	says("resume in a second clone", 2, open, "other", append(flagged, "--resume")...)
	_ = run.Process.Kill()
	<-run.done
	open[2], open[3] = "started from here at", "end it"
	says("local", 2, open, "app", append(flagged, "--resume", "--engine=local")...)
	says("fresh", 2, open, "app", append(flagged, "--fresh")...)
	if err := l.conn.TerminateWorkflow(t.Context(), id, "", "enough"); err != nil {
		t.Fatal(err)
	}
	says("status after its end", 0, []string{"was ended on the Temporal server at", "(terminated)"}, "app", "status")
	says("status of the clone after its end", 3, []string{"no run here"}, "other", "status")
	l.write("go", "")
	l.complete(l.begin("app", "--allow-unverified", "--resume"), "app", "1", "2", "3")
	if n := l.starts("1"); n != 1 {
		t.Errorf("phase 1 was started %d times", n)
	}
}
