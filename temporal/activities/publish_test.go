package activities_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.temporal.io/sdk/testsuite"

	"autobuild/temporal/activities"
	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// Branches are published once and again, in the place of those of attempts; a branch with commits
// of others keeps them.
func TestPublish(t *testing.T) {
	dir := t.TempDir()
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t",
	}
	remote := dataplane.Git{Dir: filepath.Join(dir, "remote.git"), Env: env}
	git := func(args ...string) string {
		t.Helper()
		out, err := remote.Run(t.Context(), args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if err := os.Mkdir(remote.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "--bare", "-b", "main")
	tree, err := remote.RunInput(t.Context(), nil, "mktree")
	if err != nil {
		t.Fatal(err)
	}
	first := git("commit-tree", tree, "-m", "start")
	second := git("commit-tree", tree, "-m", "phase 1", "-p", first)
	other := git("commit-tree", tree, "-m", "another's", "-p", first)
	git("update-ref", "refs/heads/main", first)
	git("update-ref", dataplane.Line("r"), second)
	git("update-ref", "refs/heads/autobuild/r/1/1-abc", other)
	git("update-ref", "refs/heads/autobuild/r/2/1-abc", other)
	mirror, err := dataplane.OpenMirror(t.Context(), filepath.Join(dir, "mirror"), remote.Dir, env)
	if err != nil {
		t.Fatal(err)
	}
	w := &activities.Worker{
		Mirror: mirror, Name: "w", Dir: dir, Environ: env, Out: io.Discard,
		Busy: new(atomic.Int64),
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quietLog{})
	play := suite.NewTestActivityEnvironment()
	play.RegisterActivity(w.Publish)
	e := wire.Errand{Run: "r", Heads: map[string]string{
		"autobuild/r/1": second, "autobuild/r/all": "",
	}}
	const want = "all one, 1 one, 2/1-abc other"
	heads := func() string {
		return strings.Join([]string{
			"all " + name(git, "all", second, other), "1 " + name(git, "1", second, other),
			"2/1-abc " + name(git, "2/1-abc", second, other),
		}, ", ")
	}
	for range 2 {
		if _, err = play.ExecuteActivity(w.Publish, e); err != nil {
			t.Fatal(err)
		}
		if got := heads(); got != want {
			t.Errorf("the remote has %s, not %s", got, want)
		}
	}
	git("update-ref", "refs/heads/autobuild/r/1", other)
	if _, err = play.ExecuteActivity(w.Publish, e); err != nil {
		t.Fatal(err)
	}
	if got := heads(); got != "all one, 1 other, 2/1-abc other" {
		t.Errorf("a branch with commits of others: %s", got)
	}
}

// quietLog drops what the test environment reports of its steps.
type quietLog struct{}

func (quietLog) Debug(string, ...any) {}
func (quietLog) Info(string, ...any)  {}
func (quietLog) Warn(string, ...any)  {}
func (quietLog) Error(string, ...any) {}

// name is which of two commits a branch of run r leads to.
func name(git func(...string) string, branch, one, other string) string {
	switch id := git("for-each-ref", "--format=%(objectname)", "refs/heads/autobuild/r/"+branch); id {
	case one:
		return "one"
	case other:
		return "other"
	default:
		return id
	}
}
