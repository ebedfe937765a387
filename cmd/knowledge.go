package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autobuild/failure"
	"autobuild/failure/knowledge"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/knowledgefile"
)

func (a *app) knowledgeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "knowledge",
		Short: "Show and edit what earlier failures taught",
		Long: `knowledge works on ` + knowledge.FileName + `, beside autobuild.yaml: which errors were met, what helped, and how often. Runs add to it
by themselves; what they add is a proposal, which is matched and told to agents as data, and whose commands never run before
you accept it. Commit the file to share it.`,
		Example: `  autobuild knowledge list
  autobuild knowledge add --trigger "Cannot find name 'describe'" --fix 'install @types/jest' --tag jest
  autobuild knowledge accept cannot-find-name-describe --prevent 'npm install -D @types/jest'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			var known []string
			for _, sub := range c.Commands() {
				known = append(known, sub.Name())
			}
			return call.Usage(fmt.Sprintf("knowledge has no command %q", args[0]),
				text.Suggest(args[0], known, config.SeeHelp))
		},
	}
	c.AddCommand(a.knowledgeList(), a.knowledgeShow(), a.knowledgeAdd(), a.knowledgeAccept(),
		a.knowledgeReject(), a.knowledgeRemove())
	return c
}

// knows finds the file of the project around here.
func (a *app) knows(ctx context.Context) (knowledgefile.File, error) {
	p, err := a.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return knowledgefile.File{}, err
	}
	return knowledgefile.Of(a.Call, p), nil
}

// knowsToAccept is knows; where something is accepted, no run may be going on here.
func (a *app) knowsToAccept(ctx context.Context, accepts bool) (knowledgefile.File, error) {
	p, err := a.OpenProject(ctx, &proc.Runner{}, nil)
	if err == nil && accepts {
		err = knowledgefile.MayAccept(a.Call, p)
	}
	if err != nil {
		return knowledgefile.File{}, err
	}
	return knowledgefile.Of(a.Call, p), nil
}

func (a *app) knowledgeList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "Print every entry in two lines",
		Example: "  autobuild knowledge list\n  autobuild knowledge list --json",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := a.knows(c.Context())
			if err != nil {
				return err
			}
			book, err := f.Load()
			switch {
			case err != nil:
				return err
			case asJSON:
				a.Print(string(book.JSON()))
			default:
				a.Print(knowledgeLines(book.Entries(), f.Shown))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the book as JSON, as the file has it")
	return c
}

// knowledgeLines words a whole book. Terminals wrap it, and nothing of it is cut but long errors.
func knowledgeLines(entries []knowledge.Entry, shown string) string {
	const errorWidth = 200
	if len(entries) == 0 {
		return "nothing is known yet: " + shown +
			" has no entries\nruns fill it, and so do you: autobuild knowledge add --help\n"
	}
	var b strings.Builder
	proposals := 0
	for _, e := range entries {
		fmt.Fprintf(&b, "%s  %s\n  %s\n", e.Name, strings.Join(standing(e), ", "),
			text.Clean(cmp.Or(e.Trigger, "/"+e.Match+"/"), errorWidth))
		if e.Status == knowledge.Proposal {
			proposals++
		}
	}
	if proposals > 0 {
		fmt.Fprintf(
			&b, "\nto decide about a proposal:\n  autobuild knowledge show NAME\n  autobuild "+
				"knowledge accept NAME\n  autobuild knowledge reject NAME\n")
	}
	return b.String()
}

// standing says in a few words what an entry is worth.
func standing(e knowledge.Entry) []string {
	words := []string{string(e.Status)}
	if e.Helped+e.Failed > 0 {
		words = append(words, fmt.Sprintf("helped %d of %d times", e.Helped, e.Helped+e.Failed))
	}
	if e.Status != knowledge.Rejected && e.Fix == "" {
		words = append(words, "no fix known")
	}
	if e.Prevent != "" && e.Status == knowledge.Accepted {
		words = append(words, "runs a command")
	}
	return append(words, e.Tags...)
}

func (a *app) knowledgeShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Print one entry in full",
		Example:           "  autobuild knowledge show cannot-find-name-describe",
		Args:              oneEntry,
		ValidArgsFunction: a.completeEntries,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := a.knows(c.Context())
			if err != nil {
				return err
			}
			book, err := f.Load()
			if err != nil {
				return err
			}
			e, err := findEntry(book, args[0])
			if err != nil {
				return err
			}
			a.Print(knowledgeEntry(e))
			return nil
		},
	}
}

// knowledgeEntry words one entry, and what can be done with it.
func knowledgeEntry(e knowledge.Entry) string {
	var b strings.Builder
	row := func(name, said string) {
		for i, line := range strings.Split(said, "\n") {
			if i > 0 {
				name = ""
			}
			if said != "" {
				fmt.Fprintf(&b, "  %-9s %s\n", name, text.Clean(line, 0))
			}
		}
	}
	b.WriteString(e.Name + "\n")
	row("status", strings.Join(standing(e), ", "))
	row("trigger", e.Trigger)
	row("match", e.Match)
	row("fix", e.Fix)
	row("prevent", e.Prevent)
	row("failure", strings.Join(slices.DeleteFunc([]string{string(e.Type), e.Gate, e.Code},
		func(s string) bool { return s == "" }), " "))
	row("source", e.Source)
	if e.Learned != "" {
		row("seen", fmt.Sprintf("first on %s, last on %s, attempts lost to it: %d", e.Learned,
			cmp.Or(e.LastSeen, e.Learned), e.Cost))
	}
	if e.Status == knowledge.Proposal {
		fix := ""
		if e.Fix == "" {
			fix = " --fix 'WHAT HELPS'"
		}
		fmt.Fprintf(
			&b, "\nnext:\n  autobuild knowledge accept %s%s\n  autobuild knowledge reject %s\n",
			e.Name, fix, e.Name)
	}
	return b.String()
}

func (a *app) knowledgeAdd() *cobra.Command {
	var e knowledge.Entry
	var typ string
	c := &cobra.Command{
		Use:   "add",
		Short: "Write an entry by hand",
		Long: `add writes an entry that counts as accepted. --trigger is part of the error as it is printed, word for word; --match is a regular
expression (RE2) for errors that vary. --fix is told to agents, in words. --prevent is a command that runs before every attempt of every run.`,
		Example: `  autobuild knowledge add --trigger 'ECONNREFUSED 127.0.0.1:5432' --fix 'the tests need the database: make db' --tag postgres
  autobuild knowledge add --name jest-types --match 'TS2582|TS2304.*describe' --prevent 'npm install -D @types/jest'`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			e.Type, e.Learned = failure.Type(typ), time.Now().UTC().Format(time.DateOnly)
			if e.Trigger == "" && e.Match == "" {
				return call.Usage("add needs what the entry is found by",
					"give --trigger with part of the error, or --match with a regular expression")
			}
			f, err := a.knowsToAccept(c.Context(), e.Prevent != "")
			if err != nil {
				return err
			}
			var added knowledge.Entry
			_, err = f.Update(func(b *knowledge.Book) (*knowledge.Book, error) {
				next, entry, bad := b.Add(e)
				added = entry
				return next, wrong(bad)
			})
			if err == nil {
				err = f.Accept(added, a.Now())
			}
			if err != nil {
				return err
			}
			a.Print("added " + added.Name + " to " + f.Shown + "\n" + runsSince(added))
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&e.Name, "name", "", "`NAME` of the entry (default: made from the trigger)")
	f.StringVar(&e.Trigger, "trigger", "", "`TEXT` that stands in the error, word for word")
	f.StringVar(&e.Match, "match", "", "regular expression `RE` that fits the error")
	f.StringVar(&e.Fix, "fix", "", "what helps, in `WORDS`; agents are told, nothing runs")
	f.StringVar(&e.Prevent, "prevent", "", "`COMMAND` to run before every attempt")
	f.StringArrayVar(&e.Tags, "tag", nil,
		"a `WORD` that phases use which should hear of it; flaky marks what comes and goes (may "+
			"be repeated)")
	f.StringVar(&typ, "type", "", "only for failures of this `TYPE`, such as test_failure")
	return c
}

// runsSince says what an accepted entry will run.
func runsSince(e knowledge.Entry) string {
	if e.Status != knowledge.Accepted || e.Prevent == "" {
		return ""
	}
	return "before every attempt runs: " + text.Clean(e.Prevent, 0) + "\n"
}

func (a *app) knowledgeAccept() *cobra.Command {
	var fix, prevent string
	c := &cobra.Command{
		Use:   "accept NAME",
		Short: "Accept a proposal, with its command",
		Example: `  autobuild knowledge accept cannot-find-module-pg
  autobuild knowledge accept cannot-find-module-pg --fix 'pg is a dependency of the api' --prevent 'npm ci'
  autobuild knowledge accept cannot-find-module-pg --prevent ''`,
		Args:              oneEntry,
		ValidArgsFunction: a.completeEntries,
		RunE: func(c *cobra.Command, args []string) error {
			return a.decide(c.Context(), args[0], knowledge.Accepted, func(e *knowledge.Entry) {
				if c.Flags().Changed("fix") {
					e.Fix = fix
				}
				if c.Flags().Changed("prevent") {
					e.Prevent = prevent
				}
			})
		},
	}
	c.Flags().StringVar(&fix, "fix", "", "what helps, in other `WORDS`")
	c.Flags().StringVar(&prevent, "prevent", "",
		"another `COMMAND` to run before every attempt; an empty one for none")
	return c
}

func (a *app) knowledgeReject() *cobra.Command {
	return &cobra.Command{
		Use:               "reject NAME",
		Short:             "Keep an entry only so that it is not learned again",
		Example:           "  autobuild knowledge reject cannot-find-module-pg",
		Args:              oneEntry,
		ValidArgsFunction: a.completeEntries,
		RunE: func(c *cobra.Command, args []string) error {
			return a.decide(c.Context(), args[0], knowledge.Rejected, func(*knowledge.Entry) {})
		},
	}
}

// decide writes down what a person thinks of an entry.
func (a *app) decide(
	ctx context.Context, name string, status knowledge.Status, edit func(*knowledge.Entry),
) error {
	f, err := a.knowsToAccept(ctx, status == knowledge.Accepted)
	if err != nil {
		return err
	}
	var decided knowledge.Entry
	_, err = f.Update(func(b *knowledge.Book) (*knowledge.Book, error) {
		e, unknown := findEntry(b, name)
		if unknown != nil {
			return b, unknown
		}
		edit(&e)
		e.Status = status
		decided = e
		next, bad := b.Decide(e, status)
		return next, wrong(bad)
	})
	if err == nil {
		err = f.Accept(decided, a.Now())
	}
	if err != nil {
		return err
	}
	a.Print(string(status) + " " + decided.Name + "\n" + runsSince(decided))
	return nil
}

func (a *app) knowledgeRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME...",
		Short: "Forget entries; what happens again is learned again",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return oneEntry(c, args)
			}
			return nil
		},
		Example:           "  autobuild knowledge rm cannot-find-module-pg",
		ValidArgsFunction: a.completeEntries,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := a.knows(c.Context())
			if err != nil {
				return err
			}
			_, err = f.Update(func(b *knowledge.Book) (*knowledge.Book, error) {
				for _, name := range args {
					e, unknown := findEntry(b, name)
					if unknown != nil {
						return b, unknown
					}
					b = b.Remove(e.Name)
				}
				return b, nil
			})
			if err == nil {
				a.Print("removed " + strings.Join(args, ", ") + "\n")
			}
			return err
		},
	}
}

// wrong makes a mistake in an entry one of the call.
func wrong(err error) error {
	if err == nil {
		return nil
	}
	return call.Usage(err.Error(), "")
}

// oneEntry wants exactly one argument.
func oneEntry(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return call.Usage(fmt.Sprintf("%s takes one entry, not %d arguments", c.CommandPath(),
			len(args)), "see autobuild knowledge list")
	}
	return nil
}

// findEntry resolves what a person typed.
func findEntry(b *knowledge.Book, name string) (knowledge.Entry, error) {
	if e, ok := b.Find(name); ok {
		return e, nil
	}
	var names []string
	for _, e := range b.Entries() {
		names = append(names, e.Name)
	}
	next := "nothing is known yet"
	if len(names) > 0 {
		next = text.Suggest(name, names, "see autobuild knowledge list")
	}
	return knowledge.Entry{}, call.Usage(fmt.Sprintf("there is no entry %q", name), next)
}

// completeEntries completes names of entries.
func (a *app) completeEntries(
	c *cobra.Command, _ []string, _ string,
) ([]string, cobra.ShellCompDirective) {
	f, err := a.knows(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	book, err := f.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, e := range book.Entries() {
		names = append(names, e.Name+"\t"+text.Clean(e.Trigger, 60))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
