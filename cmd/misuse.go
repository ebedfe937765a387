package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
)

// flagError words what is wrong with a flag: which one may be meant, or what its value has to look
// like.
func flagError(c *cobra.Command, err error) error {
	help := "see " + c.CommandPath() + " --help"
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && e.GetSpecifiedShortnames() == "" {
		if instead := config.Gone(e.GetSpecifiedName()); instead != "" {
			return call.Usage("there is no --"+e.GetSpecifiedName(), instead)
		}
		if config.Find(e.GetSpecifiedName()).Name != "" {
			return call.Usage("there is no --"+e.GetSpecifiedName(), "it is a setting of "+config.Name+
				": "+e.GetSpecifiedName())
		}
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if name := nearFlag(e.GetSpecifiedName(), known); name != "" {
			return call.Usage("unknown flag: --"+e.GetSpecifiedName(), "did you mean --"+name+"?")
		}
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if words, ok := e.GetFlag().Value.(*config.Choice); ok {
			if meant := nearFlag(e.GetValue(), words.Words); meant != "" {
				help = "did you mean --" + e.GetFlag().Name + "=" + meant + "?"
			}
		}
		return call.Usage("--"+config.FlagProblem(e.GetFlag(), e.GetValue(), err), help)
	}
	return call.Usage(strings.ReplaceAll(err.Error(), "\n", " "), help)
}

// nearFlag is the flag, or the value of one, that a word is the beginning of, if it is of one
// alone, else one that is a letter or two away.
func nearFlag(word string, known []string) string {
	begun := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return word == "" || !strings.HasPrefix(k, word)
	})
	if len(begun) == 1 {
		return begun[0]
	}
	return text.Nearest(word, known, min(3, len(word)/2+1))
}

// noArguments refuses arguments of a command that takes none. An argument that looks like a plan is
// the usual slip.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	next := "see " + c.CommandPath() + " --help"
	if strings.Contains(args[0], ".") {
		next = "it needs no plan: " + c.CommandPath()
	}
	return call.Usage(fmt.Sprintf("%s takes no argument such as %q", c.CommandPath(), args[0]),
		next)
}

// onePlan wants exactly one argument.
func onePlan(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return call.Usage(fmt.Sprintf("%s takes one plan, not %d arguments", c.CommandPath(),
			len(args)), "for example: "+c.CommandPath()+" plan.md")
	}
	return nil
}
