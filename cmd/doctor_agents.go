package cmd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/verify"
	"autobuild/render"
)

// How long an agent may take to say who it is, or to do the task of a probe.
const (
	patience      = 30 * time.Second
	probePatience = 3 * time.Minute
)

// oneAgent looks at a single agent, and lets it work when asked to.
func (d *doctor) oneAgent(ctx context.Context, name string, probe bool) error {
	var own map[string]agentConfig
	if d.project != nil {
		own = d.project.config.agents
	}
	topic := "agent " + name
	program := agent.Program(name)
	defined := own[name]
	switch {
	case len(defined.Command) > 0:
		d.definition(name, defined, render.Fatal)
	case name == "script":
		d.say(topic, render.Fine, "", "built in: it runs the sh blocks of a plan and needs nothing but sh")
		return nil
	case program == "":
		return usage(fmt.Sprintf("there is no agent %q", name), didYouMean(name, append(append(agent.Names(), "script"), slices.Collect(maps.Keys(own))...)))
	case !d.lookPath(program):
		about, _ := agent.AboutOf(name)
		d.say(topic, render.Fatal, about.Install, "%s is not on PATH", program)
		return nil
	default:
		d.builtin(ctx, name)
	}
	if probe && !slices.ContainsFunc(d.findings, func(f render.Finding) bool { return f.Topic == topic && f.Level == render.Fatal }) {
		return d.probe(ctx, name, defined)
	}
	return ctx.Err()
}

// builtin looks at an installed agent: its version, its login, its flags.
func (d *doctor) builtin(ctx context.Context, name string) {
	topic := "agent " + name
	about, _ := agent.AboutOf(name)
	said, err := d.ask(ctx, about.Program, "--version")
	if err != nil {
		d.say(topic, render.Fatal, about.Install, "%s --version: %v", about.Program, err)
		return
	}
	version := versionIn(said)
	switch {
	case version == "":
		d.say(topic, render.Caution, "", "%s does not say its version: %s", about.Program, firstWords(said))
	case about.Tested == "":
		d.say(topic, render.Caution, "", "%s %s: driven as its documentation says; it was never tried", about.Program, version)
	case newer(version, about.Tested):
		d.say(topic, render.Caution, "", "%s %s is newer than %s, with which it was tried; what it prints may have changed", about.Program, version, about.Tested)
	case newer(about.Tested, version):
		d.say(topic, render.Caution, about.Install, "%s %s is older than %s, with which it was tried", about.Program, version, about.Tested)
	default:
		d.say(topic, render.Fine, "", "%s %s, the version that it was tried with", about.Program, version)
	}
	d.login(topic, about)
	d.permissions(topic, about)
	help, err := d.ask(ctx, about.Program, about.Help...)
	if err != nil {
		d.say(topic, render.Caution, "", "%s %s: %v", about.Program, strings.Join(about.Help, " "), err)
		return
	}
	var unknown []string
	for _, flag := range about.Flags {
		if !strings.Contains(help, strings.SplitN(flag, "=", 2)[0]) {
			unknown = append(unknown, flag)
		}
	}
	if len(unknown) > 0 {
		d.say(topic, render.Aside, "", "its help does not name %s, which it is called with", strings.Join(unknown, ", "))
	}
}

// leastLogin is the least size of a file that can hold a login, in bytes: some agents make an empty one, {}, when they are asked
// for their version.
const leastLogin = 8

// login tells as far as that can be told without spending anything. Values are never read.
func (d *doctor) login(topic string, about agent.About) {
	for _, name := range about.Keys {
		if d.getenv(name) != "" {
			d.say(topic, render.Fine, "", "a login is there: $%s", name)
			return
		}
	}
	home := d.home()
	for _, name := range about.Files {
		if info, err := os.Stat(filepath.Join(home, filepath.FromSlash(name))); home != "" && err == nil && info.Size() >= leastLogin {
			d.say(topic, render.Fine, "", "a login is there: ~/%s", name)
			return
		}
	}
	d.say(topic, render.Caution, about.Login, "no login was found (looked for $%s and ~/%s)", strings.Join(about.Keys, ", $"), strings.Join(about.Files, ", ~/"))
}

// permissions tells what a built-in agent may do, before a night finds out.
func (d *doctor) permissions(topic string, about agent.About) {
	var args []string
	if d.project != nil {
		args = d.project.config.agents[about.Name].Args
	}
	switch risky := agent.Bypasses(args); {
	case len(risky) > 0:
		d.say(topic, render.Caution, "", "permissions: its own checks are taken away by %s, which its args in %s pass", strings.Join(risky, " "), configName)
	case len(args) > 0:
		d.say(topic, render.Aside, "", "permissions: %s; unless its args in %s say otherwise", about.Ability, configName)
	default:
		d.say(topic, render.Aside, "", "permissions: %s", about.Ability)
	}
}

// configured looks at the agents of the configuration, and names the usable ones. One that is absent keeps only those runs from
// starting that would take it.
func (d *doctor) configured() []string {
	var usable []string
	own := d.project.config.agents
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if len(own[name].Command) > 0 && d.definition(name, own[name], render.Caution) {
			usable = append(usable, name)
		}
	}
	return usable
}

// definition looks at an agent of the user's own, and reports whether it can be used. absent is how bad it is that its program
// is not there.
func (d *doctor) definition(name string, c agentConfig, absent render.Level) bool {
	topic := "agent " + name
	if _, err := c.define(d.runner, name); err != nil {
		d.say(topic, render.Fatal, "", "%v", err)
		return false
	}
	if !d.lookPath(c.Command[0]) {
		d.say(topic, absent, "install it, or correct the command of "+name+" in "+configName, "%s is not on PATH, and %s names it", c.Command[0], configName)
		return false
	}
	d.say(topic, render.Fine, "", "%s, as %s says", strings.Join(c.Command, " "), configName)
	return true
}

// ask runs a program for its version or help: no stdin, a deadline, little output.
func (d *doctor) ask(ctx context.Context, program string, args ...string) (string, error) {
	out, exit, err := d.runner.Output(ctx, proc.Command{
		Argv: append([]string{program}, args...), Dir: d.dir, Env: proc.Environ(d.environ, nil), Timeout: patience,
	}, 1<<20)
	switch {
	case err != nil:
		return "", err
	case exit.Ended == proc.Timeout:
		return "", fmt.Errorf("no answer within %s", patience)
	case exit.Code != 0:
		return "", fmt.Errorf("exit code %d: %s", exit.Code, firstWords(exit.Tail))
	}
	return string(out) + exit.Tail, nil
}

// probe lets the agent write one file in an empty directory.
func (d *doctor) probe(ctx context.Context, name string, c agentConfig) error {
	topic := "agent " + name
	d.note("the probe spends one small turn of %s", name)
	var made agent.Agent
	var err error
	if len(c.Command) > 0 {
		made, err = c.define(d.runner, name)
	} else {
		made, _ = agent.Builtin(d.runner, name, c.Args, c.Env)
	}
	if err != nil {
		return err
	}
	dir, remove, err := (&verify.Rooms{Owner: "doctor"}).Scratch()
	if err != nil {
		return err
	}
	defer remove()
	work := filepath.Join(dir, "work")
	if err = os.Mkdir(work, 0o700); err != nil {
		return err
	}
	word := random()
	out, err := made.Run(ctx, agent.Job{
		Prompt: "Write a file named answer.txt in the current directory that holds the one word " + word + " and nothing else. Then end.\n",
		Dir:    work, Scratch: dir, Env: proc.Environ(d.environ, nil), Timeout: probePatience, Model: c.Model,
	})
	if err != nil {
		return err
	}
	spent := fmt.Sprintf("%d tokens in, %d out", out.InputTokens, out.OutputTokens)
	if out.CostUSD > 0 {
		spent += fmt.Sprintf(", $%.4f", out.CostUSD)
	}
	byHand := "run " + name + " by hand: log in, check billing, the model's name and the flags"
	raw, err := safefile.ReadPlain(filepath.Join(work, "answer.txt"), safefile.Small)
	switch {
	case out.Err != "":
		d.say(topic, render.Fatal, byHand, "probe: it could not start: %s", out.Err)
	case out.Kind == agent.UsageLimit || out.Kind == agent.Transient:
		d.say(topic, render.Caution, "nothing: a run waits for that, or goes on with another: --agent "+name+",OTHER", "probe: %s: %s", out.Kind, firstWords(out.Message))
	case out.Kind != "":
		d.say(topic, render.Fatal, byHand, "probe: %s: %s", out.Kind, firstWords(out.Message))
	case out.TimedOut:
		d.say(topic, render.Fatal, byHand, "probe: no end within %s; last sign of life: %s", probePatience, firstWords(out.Last))
	case err != nil || strings.TrimSpace(string(raw)) != word:
		d.say(topic, render.Fatal, "allow it to write files; see the agent's page in docs/agents.md",
			"probe: it ended with exit code %d and did not write what it was asked to (%s): %s", out.ExitCode, spent, firstWords(cmp.Or(out.Final, out.Message, out.Tail)))
	default:
		d.say(topic, render.Fine, "", "probe: it wrote the file in %s (%s)", out.Duration.Round(time.Second), spent)
	}
	return nil
}

var versionWord = regexp.MustCompile(`\d+(\.\d+)+`)

// versionIn is the first version number in a text.
func versionIn(text string) string { return versionWord.FindString(text) }

// newer reports whether version a is above b, number by number.
func newer(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		m, n := part(x, i), part(y, i)
		if m != n {
			return m > n
		}
	}
	return false
}

func part(version []string, i int) int {
	if i >= len(version) {
		return 0
	}
	n, err := strconv.Atoi(version[i])
	if err != nil {
		return 0
	}
	return n
}

// firstWords is the first line of foreign text that says something, clean and short.
func firstWords(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			return render.Clean(line, 200)
		}
	}
	return "it said nothing"
}
