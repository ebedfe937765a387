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
