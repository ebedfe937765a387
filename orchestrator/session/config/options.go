package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Options are the flags of a run.
type Options struct {
	Resume, Fresh, Rerun bool
	Edited               bool // an edit of the plan that an agent could have made is the user's
	Commit               Choice
	Deliver              Choice
	Agent, Model         string
	AgentCmd             string
	Jobs                 int
	Schedule             Choice
	RetryPolicy          Choice
	KeepGoing            bool
	Only, Skip           []string
	From                 string
	Timeout, Idle        time.Duration
	GateTimeout, MaxWall time.Duration
	MaxCost              float64
	MaxTokens, MaxFile   int64 // MaxFile in MB
	OnLimit              Choice
	DryRun               bool
	Isolation            Choice
	Engine               Choice
	Sandbox              Choice
	Progress             Choice
	Knowledge            Choice
	Guard                Choice
	Baseline             Choice
	Reading              Choice // of the plan
	Referee, Proof       Choice
	AllowUnverified      bool
	AllowContested       bool
	AllowEmpty           bool
	Detach, Detached     bool
	JUnit, Report        string // files; empty: none

	Line map[string]bool // by name: the flags that stand on the command line

	flags *pflag.FlagSet // they are bound to
}

// Settings are all settings of a run by their names, those that are no flags too. Options must have
// been bound.
func (o *Options) Settings() *pflag.FlagSet { return o.flags }

// resumption is the value of --resume: true, false, or which phases run again besides.
type resumption struct{ o *Options }

// String is what was asked for.
func (r resumption) String() string {
	var words []string
	switch {
	case r.o == nil || !r.o.Resume:
		return "false"
	case !r.o.Rerun && !r.o.Edited:
		return "true"
	}
	if r.o.Rerun {
		words = append(words, ResumeChanged)
	}
	if r.o.Edited {
		words = append(words, ResumeEdited)
	}
	return strings.Join(words, ",")
}

// Type is left out of help: the value may be.
func (resumption) Type() string { return "bool" }

// Set takes true, false, or a list of the words.
func (r resumption) Set(value string) error {
	if on, err := strconv.ParseBool(value); err == nil {
		r.o.Resume = on
		return nil
	}
	for word := range strings.SplitSeq(value, ",") {
		switch word {
		case ResumeChanged:
			r.o.Rerun = true
		case ResumeEdited:
			r.o.Edited = true
		default:
			return fmt.Errorf("must be one or more of %s, %s, with commas", ResumeChanged,
				ResumeEdited)
		}
	}
	r.o.Resume = true
	return nil
}

// Agents are the names in --agent: the first works, and each next one while those before it cannot.
func (o *Options) Agents() []string {
	var names []string
	for name := range strings.SplitSeq(o.Agent, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// ReportFiles are the flags that name files which are written at every end of the call.
func (o *Options) ReportFiles() map[string]*string {
	return map[string]*string{"junit": &o.JUnit, "report": &o.Report}
}

// Parse reads settings, also those that are no flags, as a command line would have them. Those
// that are named in unset keep their defaults.
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
