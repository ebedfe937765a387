package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// unrepeated are flags that a resume must not repeat: the stored run remembers them, or they are
// about the screen of one call.
var unrepeated = []string{
	"commit", "deliver", "agent", "agent-cmd", "model", "isolation", "retry-policy",
	"progress",
}

// parts are the flags that choose a part of the plan, and the configuration.
var parts = []string{"only", "from", "skip", "config"}

// Given fills in Line, and returns those flags of the command line, as words, that the resume of
// the run has to repeat. It comes before Read.
func (o *Options) Given() []string {
	o.Line = make(map[string]bool)
	var words []string
	// a flag knows that it was given, and not which set it was parsed in
	o.flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		o.Line[f.Name] = true
		value := strings.Trim(f.Value.String(), "[]")
		switch {
		case !slices.Contains(parts, f.Name) && f.Annotations[Configurable] == nil,
			slices.Contains(unrepeated, f.Name), f.Value.String() == f.DefValue:
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return words
}

// Parse reads settings, also those that are no flags, as a command line would have them. Those that are named in unset keep their defaults.
// The error is that of pflag.FlagSet.Parse.
func Parse(args []string, unset ...string) (*Options, error) {
	o := new(Options)
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	o.Bind(flags)
	for _, name := range unset {
		if f := flags.Lookup(name); f != nil {
			f.Changed = true
		}
	}
	return o, o.flags.Parse(args)
}
