package cmd

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/render/term"
)

// topic is a heading of the help with the names below it, in the order in which a person meets
// them.
type topic struct {
	title string
	names []string
}

// commandTopics order the commands.
var commandTopics = []topic{
	{"Begin", []string{"init", "doctor", "check", "graph", "import"}},
	{"Run", []string{"run", "wait", "stop"}},
	{"Steer", []string{"pause", "resume", "note", "skip", "retry"}},
	{"Look", []string{"status", "logs", "explain", "report", "serve"}},
	{"Mend and learn", []string{"reset", "accept", "knowledge", "classify"}},
	{"For programs", []string{"completion", "version", "help"}},
}

// allFlag asks help for every flag of a run.
const allFlag = "all"

// help shows what a command says of itself.
func (a *app) help(c *cobra.Command, w io.Writer) {
	_, _ = io.WriteString(w, helpOf(c).Render(a.Style(w)))
}

// helpOf collects the help of a command, as --help prints it.
func helpOf(c *cobra.Command) term.Help {
	c.InitDefaultHelpFlag()
	h := term.Help{Text: c.Long, Usage: []string{c.UseLine()}, Examples: examples(c.Example)}
	if h.Text == "" {
		h.Text = c.Short + "."
	}
	if c.HasAvailableSubCommands() {
		if !c.Runnable() {
			h.Usage = nil
		}
		h.Usage = append(h.Usage, c.CommandPath()+" COMMAND")
		h.Groups = commandGroups(c)
		h.Last = "More on a command: " + c.CommandPath() + " COMMAND --help"
	}
	h.Groups = append(h.Groups, flagGroups(c)...)
	if all := c.Flags().Lookup(allFlag); c.Flags().Lookup("resume") != nil && !all.Changed {
		h.Last = "Every flag: " + c.CommandPath() + " --help --all. " + h.Last
	}
	return h
}

// examples reads the calls and, behind three blanks, what they do.
func examples(text string) []term.HelpRow {
	var rows []term.HelpRow
	for line := range strings.Lines(text) {
		call, about, _ := strings.Cut(strings.TrimSpace(line), "   ")
		if call != "" {
			rows = append(rows, term.HelpRow{Name: call, Text: strings.TrimSpace(about)})
		}
	}
	return rows
}

// commandGroups are the commands below one, under their topics at the root.
func commandGroups(c *cobra.Command) []term.HelpGroup {
	left := slices.DeleteFunc(slices.Clone(c.Commands()),
		func(sub *cobra.Command) bool { return !sub.IsAvailableCommand() && sub.Name() != "help" })
	var groups []term.HelpGroup
	if !c.HasParent() {
		for _, t := range commandTopics {
			g := term.HelpGroup{Title: t.title}
			for _, name := range t.names {
				if i := slices.IndexFunc(left,
					func(sub *cobra.Command) bool { return sub.Name() == name }); i >= 0 {
					g.Rows = append(g.Rows, term.HelpRow{Name: name, Text: left[i].Short})
					left = slices.Delete(left, i, i+1)
				}
			}
			groups = append(groups, g)
		}
	}
	rest := term.HelpGroup{Title: "Commands"}
	for _, sub := range left {
		rest.Rows = append(rest.Rows, term.HelpRow{Name: sub.Name(), Text: sub.Short})
	}
	return filled(append(groups, rest))
}

// flagGroups are the flags of a command under their topics, then the others, then those that every
// command has.
func flagGroups(c *cobra.Command) []term.HelpGroup {
	own, everywhere := c.LocalNonPersistentFlags(), c.InheritedFlags()
	all := own.Lookup(allFlag)
	if !c.HasParent() {
		everywhere = c.PersistentFlags()
	}
	seen := make(map[string]bool)
	var groups []term.HelpGroup
	if own.Lookup("resume") != nil { // a run has so many that they need an order
		for _, s := range config.Table() {
			f := own.Lookup(s.Name)
			if seen[s.Name] = true; f == nil || f.Hidden || !all.Changed && !s.Daily {
				continue
			}
			if n := len(groups); n == 0 || groups[n-1].Title != s.Topic {
				groups = append(groups, term.HelpGroup{Title: s.Topic})
			}
			last := &groups[len(groups)-1]
			last.Rows = append(last.Rows, flagRow(f))
		}
	}
	rest, common := term.HelpGroup{Title: "Flags"}, term.HelpGroup{Title: "Everywhere"}
	own.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || seen[f.Name]:
		case f.Name == "help" || f.Name == "version":
			common.Rows = append(common.Rows, flagRow(f))
		default:
			rest.Rows = append(rest.Rows, flagRow(f))
		}
	})
	everywhere.VisitAll(func(f *pflag.Flag) { common.Rows = append(common.Rows, flagRow(f)) })
	return filled(append(groups, rest, common))
}

func filled(groups []term.HelpGroup) []term.HelpGroup {
	return slices.DeleteFunc(groups, func(g term.HelpGroup) bool { return len(g.Rows) == 0 })
}

// flagRow is a flag as it is typed, and what it is for.
func flagRow(f *pflag.Flag) term.HelpRow {
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	if plain := f.DefValue; plain != "" && plain != "false" && plain != "0" && plain != "0s" &&
		plain != "[]" {
		if d, err := time.ParseDuration(plain); err == nil && f.Value.Type() == "duration" {
			plain = text.Duration(d)
		}
		usage += " (default " + plain + ")"
	}
	switch f.Name {
	case "help":
		usage = "show this"
	case "version":
		usage = "print the version"
	}
	return term.HelpRow{Name: name, Text: usage}
}

// helpCommand is `autobuild help COMMAND`, which many type before they try --help.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show help for a command",
		Example: "  autobuild help run",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 && c == root {
				word := strings.Join(args, " ")
				if near := a.NearCommand(word); near != "" {
					return call.Usage("there is no command "+word, "did you mean: autobuild help "+
						near)
				}
				return call.Usage("there is no command "+word, "see autobuild --help")
			}
			a.help(c, a.Stdout)
			return nil
		},
	}
}
