package confine

import (
	"errors"
	"strings"
	"testing"

	"autobuild/internal/sandbox"
	"autobuild/orchestrator/session/config"
)

// Without a word in the settings Landlock confines the run, and nothing else is tried.
func TestChooseByDefault(t *testing.T) {
	t.Parallel()
	landlock := sandbox.Possible(nil)[0]
	got, err := Choose("", func([]string) error { t.Error("bubblewrap is tried"); return nil })
	switch {
	case err != nil || !got.ByDefault:
		t.Fatalf("%+v, %v", got, err)
	case !landlock.Rename && (got.Means != "" || got.Reason == ""):
		t.Errorf("confined, or without a reason: %+v", got)
	case landlock.Rename && got.Means != sandbox.Landlock:
		t.Errorf("not confined: %+v", got)
	}
	mine, script := []Worker{{"mine", "my-agent"}}, []Worker{{"script", ""}}
	if len(got.Notices(mine)) != 1 || len(got.Notices(script)) != 0 {
		t.Errorf("an agent: %q; the plan's own commands: %q", got.Notices(mine), got.Notices(script))
	}
}

// A means that is named and not possible is an error; auto goes on without, and says why.
func TestChooseByWord(t *testing.T) {
	t.Parallel()
	no := func([]string) error { return errors.New("setting up uid map: Permission denied") }
	if c, err := Choose(config.SandboxOff, no); err != nil || c.Means != "" || !strings.HasPrefix(c.Notice(), "no sandbox") {
		t.Errorf("off: %+v, %v", c, err)
	}
	if _, err := Choose(string(sandbox.Bwrap), no); err == nil || !strings.Contains(err.Error(), "--sandbox off") {
		t.Errorf("bwrap: %v", err)
	}
	c, err := Choose(config.SandboxAuto, no)
	if err != nil || c.ByDefault || (c.Means == "") != (c.Reason != "") || c.Notice() == "" {
		t.Errorf("auto: %+v, %v", c, err)
	}
}

// A repository that Java builds gets the attempt's temporary directory by a variable of Java's.
func TestVars(t *testing.T) {
	t.Parallel()
	b := &Box{Root: t.TempDir()}
	if got := b.Vars(nil, "/tmp/x"); got != nil {
		t.Errorf("no Java build: %v", got)
	}
	b.Root = "testdata/java"
	for env, want := range map[string]string{
		"JAVA_TOOL_OPTIONS=":                       "-Djava.io.tmpdir=/tmp/x",
		"JAVA_TOOL_OPTIONS=-Xmx1g":                 "-Xmx1g -Djava.io.tmpdir=/tmp/x",
		"JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=/mine": "",
	} {
		if got := b.Vars([]string{env}, "/tmp/x")["JAVA_TOOL_OPTIONS"]; got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
}
