package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/cmd/rewrite"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render/term"
)

func (a *app) importCommand() *cobra.Command {
	i := planImport{app: a}
	c := &cobra.Command{
		Use:   "import PLAN.md",
		Short: "Let an agent write a plan in the recommended format",
		Long: "Let an agent write a plan that is refused or warned about in the recommended format. " +
			"What it wrote is compared line by\nline: each box, id and line of order has to stand " +
			"in it exactly once, and no command may be new. Only then it is written to a\nnew " +
			"file; else the differences are listed beside the draft. Nothing is overwritten. It " +
			"spends one turn of the agent.",
		Example: "  autobuild import notes.md --agent claude\n  autobuild import " +
			"notes.md --agent codex --out plan.md",
		Args:              onePlan,
		ValidArgsFunction: completePlans,
		RunE: func(c *cobra.Command, args []string) error {
			return i.run(c.Context(), args[0])
		},
	}
	c.Flags().StringVar(&i.agent, "agent", "",
		"let this agent write: `NAME`, built in or from autobuild.yaml; script runs the plan's sh blocks")
	c.Flags().StringVar(&i.command, "agent-cmd", "",
		"let any `COMMAND` write that reads a prompt on stdin")
	c.Flags().StringVar(&i.model, "model", "", "use the agent's `MODEL`")
	c.Flags().StringVarP(&i.out, "out", "o", "",
		"write to a new `FILE` (default PLAN.autobuild.md)")
	c.Flags().DurationVar(&i.timeout, "timeout", 20*time.Minute, "stop the agent after `DURATION`")
	return c
}

// planImport is one call of import.
type planImport struct {
	*app
	agent, command, model, out string
	timeout                    time.Duration
}

func (i *planImport) run(ctx context.Context, shown string) error {
	src, err := safefile.ReadNamed(i.Path(shown), call.MaxPlan)
	if err != nil {
		return call.Usage("the plan "+shown+" cannot be read: "+safefile.Reason(err),
			"name a markdown file")
	}
	if p, unread := markdown.Parse(shown, src, markdown.Options{}); unread == nil &&
		len(p.Notes.Warnings()) == 0 {
		return call.Usage(fmt.Sprintf("%s is read as it is, as %s, with %s", shown, p.Reading,
			text.Count(p.Len(), "phase")),
			"run it: autobuild "+shown)
	}
	out := cmp.Or(i.out, strings.TrimSuffix(shown, ".md")+".autobuild.md")
	runner := &proc.Runner{Secrets: call.Secrets(i.Environ)}
	defer runner.Close()
	var o config.Options
	o.Bind(pflag.NewFlagSet("import", pflag.ContinueOnError))
	p, err := i.OpenProject(ctx, runner, &o)
	if err != nil {
		return err
	}
	chosen, name, err := i.choose(runner, p.Config.Agents)
	if err != nil {
		return err
	}
	for _, name := range []string{out, draftOf(out)} {
		if _, missing := os.Lstat(i.Path(name)); missing == nil {
			return call.Usage(name+" exists already",
				"name another file with --out: nothing is overwritten")
		}
	}
	i.Note("agent %s writes %s in the recommended format", name, shown)
	r, err := rewrite.Plan(ctx, rewrite.Job{
		Agent: chosen, Model: i.model, Source: src, Environ: i.ChildEnviron(p.Config.Env),
		Timeout: i.timeout,
	})
	if err != nil {
		return err
	}
	if r.Text == nil {
		return fmt.Errorf(
			"agent %s wrote no plan: %s; nothing was written, so try again or name another agent",
			name, howEnded(r.Agent, i.timeout))
	}
	if r.Refused == nil && len(r.Differences) == 0 {
		if err := i.create(out, r.Text); err != nil {
			return err
		}
		i.Print(fmt.Sprintf(
			"%s: %s; it has each box, id and dependency line of %s exactly once\nnext: "+
				"autobuild check %s\n",
			out, text.Count(r.Plan.Len(), "phase"), shown, out))
		return nil
	}
	return i.refuse(shown, out, r)
}

// refuse keeps the draft and lists what is wrong with it.
func (i *planImport) refuse(shown, out string, r rewrite.Result) error {
	draft := draftOf(out)
	if err := i.create(draft, r.Text); err != nil {
		return err
	}
	if problems, ok := errors.AsType[plan.Problems](r.Refused); ok {
		for k := range problems {
			if problems[k].Code == "E-NO-PHASES" {
				problems[k].Hint = "" // it offers what has just been tried
			}
		}
		_, _ = io.WriteString(i.Stderr, term.Problems(draft, problems, i.Style(i.Stderr)))
		return call.Usage("what the agent wrote is no plan that can be run",
			"the draft is "+draft+": correct it by hand, or try again")
	}
	if r.Refused != nil {
		return call.Usage("what the agent wrote is no plan that can be run: "+r.Refused.Error(),
			"the draft is "+draft)
	}
	for _, d := range r.Differences {
		file := shown
		if d.Added {
			file = draft
		}
		_, _ = fmt.Fprintf(i.Stderr, "%s:%d: %s\n    %s\n", file, d.Line, text.Clean(d.Why, 200),
			text.Clean(d.Text, 200))
	}
	return call.Usage("what the agent wrote is not what "+shown+" says: "+
		text.Count(len(r.Differences), "difference"),
		"the draft is "+draft+": correct it by hand and check it, or try again")
}

// choose makes the agent that the flags name; own are the agents of autobuild.yaml.
func (i *planImport) choose(
	runner *proc.Runner, own map[string]config.Agent,
) (agent.Agent, string, error) {
	if i.command != "" {
		argv, err := agent.Split(i.command)
		if err != nil {
			return nil, "", call.Usage("--agent-cmd: "+err.Error(), "")
		}
		if strings.ContainsAny(argv[0], `/\`) {
			argv[0] = i.Path(argv[0]) // the agent works elsewhere
		}
		return agent.Command(runner, "command", argv, agent.CommandOptions{Result: "exit"}),
			"command", nil
	}
	if i.agent == "script" {
		return agent.Script(runner), "script", nil
	}
	if i.agent == "" {
		return nil, "", call.Usage("import needs an agent that can write",
			"name it: --agent NAME, or --agent-cmd COMMAND; autobuild doctor lists those that "+
				"are installed")
	}
	defined, err := own[i.agent].Resolve(i.agent, i.Environ.Get)
	if err != nil {
		return nil, "", call.Usage(err.Error(), "")
	}
	i.model = cmp.Or(i.model, defined.Model)
	if len(defined.Command) > 0 {
		made, err := defined.Define(runner, i.agent)
		if err != nil {
			return nil, "", call.Usage(err.Error(), "")
		}
		return made, i.agent, nil
	}
	made, ok := agent.Builtin(runner, i.agent, defined.Args, defined.Env)
	if !ok {
		known := slices.AppendSeq(agent.Names(), maps.Keys(own))
		return nil, "", call.Usage(fmt.Sprintf("there is no agent %q", i.agent),
			text.Suggest(i.agent, known, config.SeeHelp))
	}
	if program := agent.Program(i.agent); !i.LookPath(program) {
		return nil, "", fmt.Errorf(
			"agent %s cannot be used: there is no program %s; install it, or name another with "+
				"--agent",
			i.agent, program)
	}
	return made, i.agent, nil
}

// draftOf is where a rewritten plan is kept that is not complete.
func draftOf(out string) string { return strings.TrimSuffix(out, ".md") + ".draft.md" }

// howEnded is how an agent ended, in words.
func howEnded(out agent.Outcome, timeout time.Duration) string {
	switch {
	case out.Err != "":
		return out.Err
	case out.TimedOut:
		return "no end within " + timeout.String()
	case out.Message != "" || out.Kind != "":
		return strings.TrimSpace(out.Kind + " " + text.Clean(out.Message, 300))
	}
	return fmt.Sprintf("it ended with exit code %d (%s)", out.ExitCode,
		text.Clean(cmp.Or(text.FirstLine(out.Final), text.FirstLine(out.Tail), "without a word"),
			300))
}

// create writes a file that is not there yet.
func (a *app) create(name string, content []byte) error {
	f, err := safefile.OpenFile(a.Path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return call.Usage(name+" exists already", "name another file: nothing is overwritten")
	}
	if err != nil {
		return call.Usage(name+" cannot be written: "+safefile.Reason(err), "name another file")
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
