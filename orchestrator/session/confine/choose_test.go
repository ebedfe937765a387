package confine

import (
	"errors"
	"strings"
	"testing"

	"autobuild/internal/sandbox"
	"autobuild/orchestrator/session/config"
)

// Without a word in the settings Landlock confines agents that were driven in it, and nothing else.
func TestChooseByDefault(t *testing.T) {
	t.Parallel()
	landlock := sandbox.Possible(nil)[0]
	for _, c := range []struct {
		workers  []Worker
		confined bool
		untried  string
	}{
		{[]Worker{{"claude", "claude"}}, true, ""},
		{[]Worker{{"claude", "claude"}, {"codex", "codex"}}, true, ""},
		{[]Worker{{"mine", "/opt/bin/claude"}}, true, ""},
		{[]Worker{{"mine", "my-agent"}}, false, "mine"},
		{[]Worker{{"claude", "claude"}, {"cursor", "cursor-agent"}}, false, "cursor"},
		{[]Worker{{"script", ""}}, false, ""},
		{[]Worker{{"claude", "claude"}, {"script", ""}}, false, "script"},
	} {
		got, err := Choose("", c.workers, func([]string) error { t.Error("bubblewrap is tried"); return nil })
		if err != nil || !got.ByDefault {
			t.Fatalf("%v: %+v, %v", c.workers, got, err)
		}
		switch {
		case len(c.workers) == 1 && c.workers[0].Program == "":
			if got.Notice() != "" {
				t.Errorf("%v: %s", c.workers, got.Notice())
			}
		case !landlock.Rename:
			if got.Means != "" || got.Reason == "" {
				t.Errorf("%v: confined, or without a reason: %+v", c.workers, got)
			}
		case c.confined != (got.Means == sandbox.Landlock) || strings.Join(got.Unknown, " ") != c.untried || got.Notice() == "":
			t.Errorf("%v: %+v, want confined %t, untried %q", c.workers, got, c.confined, c.untried)
		}
	}
}

// A means that is named and not possible is an error; auto goes on without, and says why.
func TestChooseByWord(t *testing.T) {
	t.Parallel()
	no := func([]string) error { return errors.New("setting up uid map: Permission denied") }
	if c, err := Choose(config.SandboxOff, []Worker{{"claude", "claude"}}, no); err != nil || c.Means != "" || c.Notice() != "" {
		t.Errorf("off: %+v, %v", c, err)
	}
	if _, err := Choose(string(sandbox.Bwrap), nil, no); err == nil || !strings.Contains(err.Error(), "--sandbox off") {
		t.Errorf("bwrap: %v", err)
	}
	c, err := Choose(config.SandboxAuto, []Worker{{"mine", "my-agent"}}, no)
	if err != nil || c.ByDefault || (c.Means == "") != (c.Reason != "") || len(c.Unknown) > 0 || c.Notice() == "" {
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
