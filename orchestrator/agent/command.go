package agent

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
)

// promptFile, within an argument of a command, is replaced by the path of a file that holds the
// prompt. Stdin is then empty.
const promptFile = "{prompt_file}"

// CommandOptions say how to listen to a command. The zero value expects plain text with a result
// block in it.
type CommandOptions struct {
	// "exit": it has no result block, and its exit code is its claim; else "block"
	Result string
	Env    map[string]string // set in its environment
	// the flag that stands before a model's name; empty: it takes none
	Model string
	// "text", or where the final message is: "json PATH", "jsonl PATH"; see Check
	Output string
	// where the rest is: cost, input_tokens, output_tokens, session, model, error → PATH
	Fields map[string]string
}

// Check is an error where Output or Fields are wrong. A PATH is names with dots between them, and
// numbers in arrays, from the end where they are negative: usage.input, choices.-1.text. Of several
// lines the last that has it counts; with + before the PATH all do, numbers added and texts joined.
// "where NAME=VALUE" behind it leaves out lines that say otherwise.
func (o CommandOptions) Check() error {
	_, err := o.form()
	return err
}

// command is any program that reads a prompt.
type command struct {
	run  *proc.Runner
	name string
	argv []string
	opts CommandOptions
}

// Command is an agent made of any program: the prompt arrives on its stdin, which is then closed,
// or in a file where an argument holds {prompt_file}; the end of its stdout is its final message.
func Command(run *proc.Runner, name string, argv []string, opts CommandOptions) Agent {
	return command{run, name, argv, opts}
}

// Name is the name that the agent was given.
func (c command) Name() string { return c.name }

// Run runs the program once.
func (c command) Run(ctx context.Context, job Job) (Outcome, error) {
	out := Outcome{Claims: c.opts.Result != "exit", Model: job.Model}
	f, err := c.opts.form()
	if err != nil {
		out.ExitCode, out.Err = -1, err.Error()
		return out, nil
	}
	p, err := c.prepare(job)
	if err != nil {
		return out, err
	}
	v := voice{show: job.Activity}
	s := &story{
		out: &out, show: v.say, spent: job.Spent, final: ending{limit: maxFinal},
		stop: func() {}, now: func() time.Time { return now(c.run) },
	}
	write, end := f.listen(s)
	var mu sync.Mutex // its output is looked at while the command runs
	p.Stdout = func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		write(b)
	}
	if out.Claims && job.Done != nil {
		p.Done = func() bool {
			mu.Lock()
			text := s.final.String()
			mu.Unlock()
			return job.Done(text)
		}
	}
	p.Activity, p.Quiet = v.say, v.quiet
	if f.kind == jsonLines { // their messages are shown instead
		p.Activity = nil
	}
	before := proc.Stamp(job.Dir)
	exit, err := start(ctx, c.run, p, &out)
	if f.kind != jsonLines {
		out.Last = exit.Last
	}
	end(exit)
	if s.exit = exit; f.kind == plainText || s.events == 0 && exit.Code != 0 {
		s.plainly(exit, job.Done != nil && job.Done(out.Final),
			func() bool { return proc.Stamp(job.Dir) == before })
	}
	out.Remedy = remedy(c.argv[0], out)
	return out, err
}

// prepare fits the command to the job.
func (c command) prepare(job Job) (proc.Command, error) {
	p := proc.Command{
		Argv: slices.Clone(c.argv), Dir: job.Dir, Env: with(job.Env, c.opts.Env),
		Stdin: strings.NewReader(job.Prompt),
		Log:   job.Log, Timeout: job.Timeout, Idle: job.Idle, Files: job.Dir,
	}
	if c.opts.Model != "" && job.Model != "" {
		p.Argv = append(p.Argv, c.opts.Model, job.Model)
	}
	path := filepath.Join(job.Scratch, "prompt.md")
	for i, arg := range p.Argv {
		if i == 0 || !strings.Contains(arg, promptFile) {
			continue
		}
		p.Argv[i] = strings.ReplaceAll(arg, promptFile, path)
		p.Stdin = nil
	}
	if p.Stdin == nil {
		if err := safefile.Write(path, []byte(job.Prompt), 0o600); err != nil {
			return p, fmt.Errorf("writing the prompt of agent %s: %w", c.name, err)
		}
	}
	return p, nil
}

// with is env with more variables set. proc.Environ is not for this: it would take out what
// autobuild has put in.
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
