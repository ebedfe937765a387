//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
)

// agentOfNotes works until a file of the lab is there and puts its prompt into the work.
const agentOfNotes = `id=$AUTOBUILD_PHASE_ID
echo $id >> LAB/starts
cat > prompt-$id.txt
echo "at work on $id"
while [ ! -e LAB/go-$id ]; do sleep 0.1; done
echo "{\"nonce\": \"$AUTOBUILD_NONCE\", \"phase_id\": \"$id\", \"status\": \"complete\", \"tasks\": {\"total\": 1, \"completed\": 1}}" > $AUTOBUILD_RESULT_FILE
`

// ask runs a command of autobuild-temporal in a repository and returns what it printed.
func (l *lab) ask(repo string, want int, args ...string) string {
	l.t.Helper()
	p := l.start(repo, nil, args...)
	if code := p.code(l.t); code != want {
		l.t.Fatalf("%v: exit code %d:\n%s", args, code, p.out)
	}
	return p.out.String()
}

// A run on workers takes the commands of a user as one on this machine does, and the words of a
// note reach the agent without the server having seen them. A starter that was killed is replaced
// by the next command.
func TestSteering(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	phases := plan("1:|true", "2: 1|true", "3: 1|true", "4: 2, 3|true")
	l.repo("app", map[string]string{
		"plan.md":  phases,
		"agent.sh": strings.ReplaceAll(agentOfNotes, "LAB", l.dir),
	})
	l.worker("a", "app", "--slots=2")
	run := l.start("app", nil, "plan.md", "--agent-cmd=sh agent.sh", "--commit=auto",
		"--progress=plain", "--sandbox=off", "--allow-unverified", "--referee=off")
	l.await("phase 1", func() bool { return l.starts("1") == 1 })

	l.ask("app", 0, "pause", "--now")
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(run.out, l.ask("app", 0, "status", "--json"))
		}
	})
	l.await("the end of the attempt", func() bool {
		return strings.Contains(l.ask("app", 0, "status", "--json"), `"interrupted": true`)
	})
	l.await("the pause in the list", func() bool {
		listed := l.ask("app", 0, "list")
		return strings.Contains(listed, "  app  ") && strings.Contains(listed, "  plan.md  ") &&
			strings.Contains(listed, "  paused  ")
	})
	l.ask("app", 0, "note", "2", "mind the", "secret-note-word")
	l.ask("app", 2, "note", "2", strings.Repeat("x", 4001))
	l.ask("app", 0, "skip", "3", "--because", "secret-note-word")
	if n := l.starts("1"); n != 1 {
		t.Errorf("phase 1 was started %d times in the pause", n)
	}
	_ = run.Process.Kill()
	<-run.done
	out := l.ask("app", 0, "resume")
	if !strings.Contains(out, "follows it here") || !strings.Contains(out, "the run goes on") {
		t.Errorf("resume after the starter was killed:\n%s", out)
	}
	l.await("phase 1 again", func() bool { return l.starts("1") == 2 })
	log := filepath.Join(l.dir, "app", ".autobuild", "logs", "phase-1.1.log")
	l.await("the log while it grows", func() bool {
		text, _ := os.ReadFile(log)
		return strings.Contains(string(text), "at work on 1")
	})
	l.write("go-1", "")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	l.ask("app", 0, "skip", "2")
	l.ask("app", 0, "retry", "2")
	l.await("phase 2 again", func() bool { return l.starts("2") == 2 })
	for _, id := range []string{"2", "4"} {
		l.write("go-"+id, "")
	}
	l.ask("app", 0, "wait")
	l.await("the end in the list", func() bool {
		return strings.Contains(l.ask("app", 0, "list"), "  complete  ")
	})
	found, err := l.conn.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
		Query: "AutobuildState = 'complete' AND AutobuildRepository = 'app' AND AutobuildPlan = 'plan.md'",
	})
	if err != nil || len(found.GetExecutions()) != 1 {
		t.Errorf("the run cannot be searched for: %v, %v", found, err)
	}
	if got := l.git("app", "show", "main:prompt-2.txt"); !strings.Contains(got, "mind the secret-note-word") {
		t.Errorf("the note is not in the prompt of phase 2:\n%s", got)
	}
	if n := l.starts("3"); n != 0 {
		t.Errorf("phase 3 was started %d times", n)
	}
	if left := l.git("app.git", "for-each-ref", "refs/autobuild/*/tail"); left != "" {
		t.Errorf("ends of logs are left on the remote: %s", left)
	}
	l.noLeaks("app", "secret-note-word", "at work on")
}

// What the starter has not seen because it was killed is there after status and wait.
func TestStarterReplaced(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{"plan.md": plan(l.quick("1", ""), l.slow("2", "1", "go"))})
	l.worker("a", "app")
	run := l.begin("app", "--allow-unverified")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	_ = run.Process.Signal(syscall.SIGKILL)
	<-run.done
	if out := l.ask("app", 0, "status"); !strings.Contains(out, "follows it here") {
		t.Errorf("status:\n%s", out)
	}
	l.write("go", "")
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(execShell(l, "app", "ls -lR --time-style=full-iso .autobuild; for f in .autobuild/logs/*; do tail -n 50 $f; done"))
		}
	})
	if out := l.ask("app", 0, "wait"); !strings.Contains(out, "2") {
		t.Errorf("wait:\n%s", out)
	}
	l.git("app", "show", "main:2.num")
}
