//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The branch of --deliver reaches the remote and the checkout stays as it is; the reviewer of
// autobuild.yaml works on the workers, and a worker delivers nothing of its own.
func TestDeliver(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.repo("app", map[string]string{
		"plan.md": plan(l.quick("1", ""), l.quick("2", "1")),
		"autobuild.yaml": "deliver: branch\ngates:\n  test: test -e 1.num\n" +
			"review:\n  agent: script\n  run: sh review.sh\n",
		"review.sh": "echo $AUTOBUILD_PHASE_ID >> " + l.dir + "/reviews\n" +
			`echo "{\"nonce\": \"$AUTOBUILD_NONCE\", \"phase_id\": \"$AUTOBUILD_PHASE_ID\", ` +
			`\"status\": \"complete\", \"findings\": []}" > $AUTOBUILD_RESULT_FILE` + "\n",
	})
	l.worker("a", "app")
	before := l.git("app", "rev-parse", "main")
	if code, out := l.many("app", "--baseline=off"); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	if now := l.git("app", "rev-parse", "main"); now != before {
		t.Errorf("the checkout went from %s to %s", before, now)
	}
	heads := map[string]string{}
	for h := range strings.Lines(l.git("app.git", "for-each-ref",
		"--format=%(refname) %(objectname)", "refs/heads/autobuild")) {
		ref, id, _ := strings.Cut(strings.TrimSpace(h), " ")
		heads[ref[strings.LastIndexByte(ref, '/')+1:]] = id
	}
	if len(heads) != 2 || heads["all"] == "" || heads["all"] != heads["integration"] {
		t.Errorf("the remote has %v", heads)
	}
	reviews, err := os.ReadFile(filepath.Join(l.dir, "reviews"))
	if err != nil || string(reviews) != "1\n2\n" {
		t.Errorf("reviewed: %q, %v", reviews, err)
	}
	l.noLeaks("app")
}

// The pull request of --deliver pr is made where the run was started: by the starter, or by the
// process that follows the run again because of status or wait.
func TestPullRequest(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	l.write("bin/gh", `#!/bin/sh
echo "$*" >> `+l.dir+`/gh.log
case "$1 $2" in
"pr list") echo '[]' ;;
"pr create") cat > `+l.dir+`/body; echo https://github.test/owner/name/pull/7 ;;
esac
`)
	execShell(l, ".", "chmod 755 bin/gh")
	l.env[0] = "PATH=" + l.dir + "/bin:" + strings.TrimPrefix(l.env[0], "PATH=")
	l.repo("app", map[string]string{"plan.md": plan(l.quick("1", ""), l.slow("2", "1", "go"))})
	l.git("app", "config", "remote.origin.pushurl", "https://github.test/owner/name.git")
	l.git("app", "config", "url."+l.dir+"/app.git.insteadOf", "https://github.test/owner/name.git")
	l.worker("a", "app")
	run := l.begin("app", "--allow-unverified", "--deliver=pr")
	l.await("phase 2", func() bool { return l.starts("2") == 1 })
	_ = run.Process.Kill()
	<-run.done
	l.ask("app", 0, "status")
	l.write("go", "")
	out := l.ask("app", 0, "wait")
	made, err := os.ReadFile(filepath.Join(l.dir, "gh.log"))
	if err != nil || strings.Count(string(made), "pr create --repo github.test/owner/name --head autobuild/") != 1 {
		t.Errorf("gh was asked: %s, %v\n%s", made, err, out)
	}
	body, err := os.ReadFile(filepath.Join(l.dir, "body"))
	if err != nil || !strings.Contains(string(body), "2 of 2 phases complete") {
		t.Errorf("the text of the pull request: %s, %v", body, err)
	}
	if out = l.ask("app", 0, "status"); !strings.Contains(out, "https://github.test/owner/name/pull/7") {
		t.Errorf("status does not name the pull request:\n%s", out)
	}
	l.noLeaks("app")
}
