package agent

import (
	"context"
	"maps"
	"slices"
	"strings"

	"autobuild/internal/proc"
)

// CommandOptions say how to listen to a command. The zero value expects a result block in plain text.
type CommandOptions struct {
	Result string            // "exit": it knows no result block, and its exit code is its claim; else "block"
	Env    map[string]string // set in its environment
	Model  string            // the flag that stands before a model's name; empty: the command is told of no model
}

// command is any program that reads a prompt.
type command struct {
	run  *proc.Runner
	name string
	argv []string
	opts CommandOptions
}

// Command is an agent made of any program: the prompt arrives on its stdin, which is then closed, and the end of its
// stdout is its final message.
func Command(run *proc.Runner, name string, argv []string, opts CommandOptions) Agent {
	return command{run, name, argv, opts}
}

// Name is the name that the agent was given.
func (c command) Name() string { return c.name }

// Run runs the program once.
func (c command) Run(ctx context.Context, job Job) (Outcome, error) {
	argv := slices.Clone(c.argv)
	if c.opts.Model != "" && job.Model != "" {
		argv = append(argv, c.opts.Model, job.Model)
	}
	out := Outcome{Claims: c.opts.Result != "exit", Model: job.Model}
	said := ending{limit: maxFinal}
	_, err := start(ctx, c.run, proc.Command{
		Argv: argv, Dir: job.Dir, Env: with(job.Env, c.opts.Env), Stdin: strings.NewReader(job.Prompt),
		Log: job.Log, Stdout: said.write, Activity: job.Activity, Timeout: job.Timeout, Idle: job.Idle,
	}, &out)
	out.Final = said.String()
	return out, err
}

// with is env with more variables set. proc.Environ is not for this: it would take out what autobuild has put in.
func with(env []string, more map[string]string) []string {
	if len(more) == 0 {
		return env
	}
	out := slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := more[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(more)) {
		out = append(out, name+"="+more[name])
	}
	return out
}
