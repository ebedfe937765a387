package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// --resume may stand alone, be turned off, or name what runs again besides.
func TestResume(t *testing.T) {
	for value, want := range map[string]string{
		"--resume": "true", "--resume=false": "false", "--resume=changed": "changed", "--resume=edited,changed": "changed,edited",
		"--resume=maybe": "",
	} {
		var o Options
		f := pflag.NewFlagSet("run", pflag.ContinueOnError)
		o.Bind(f)
		err := f.Parse(strings.Fields(value))
		if want == "" {
			flag := f.Lookup("resume")
			if got := FlagProblem(flag, "maybe", err); err == nil || got != `resume must be one or more of changed, edited, with commas, not "maybe"` {
				t.Errorf("%s: %v, %s", value, err, got)
			}
			continue
		}
		if got := f.Lookup("resume").Value.String(); err != nil || got != want {
			t.Errorf("%s: %s, %v", value, got, err)
		}
	}
}

// Given fills in Line, and repeats what a stored run does not remember.
func TestGiven(t *testing.T) {
	var o Options
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	o.Bind(f)
	if err := f.Parse(strings.Fields("--agent script --jobs 2 --only 1,2 --keep-going --resume")); err != nil {
		t.Fatal(err)
	}
	got := o.Given()
	want := []string{"--jobs=2", "--keep-going", "--only=1,2"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("given %q, want %q", got, want)
	}
	if !o.Line["agent"] || !o.Line["resume"] || o.Line["model"] {
		t.Errorf("on the command line: %v", o.Line)
	}
}
