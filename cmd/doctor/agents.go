package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/config"
	"autobuild/render"
)

// Deadlines. A doctor that probes asks for the version, and gives the task only to an agent that
// answers: it ends within 60 seconds, with proc.DefaultGrace for an agent that ignores a signal.
const (
	patience      = 30 * time.Second // of an agent's version or help
	quickPatience = 12 * time.Second // of its version before a probe
	probePatience = 40 * time.Second // of the task of a probe
)

// UnknownAgentError is the name of an agent that is neither built in nor configured.
type UnknownAgentError struct {
	Name  string
	Known []string
}

// Error names the agent.
func (e *UnknownAgentError) Error() string { return fmt.Sprintf("there is no agent %q", e.Name) }

// oneAgent looks at a single agent, and lets it work when asked to.
func (d *Doctor) oneAgent(ctx context.Context, name string, probe bool) error {
	var own map[string]config.Agent
	if d.project != nil {
		own = d.project.Settings.Agents
	}
	topic := "agent " + name
	program := agent.Program(name)
	defined := own[name]
	switch {
	case len(defined.Command) > 0:
		d.definition(name, defined, render.Fatal)
	case name == "script":
		d.say(topic, render.Fine, "",
			"built in: it runs the sh blocks of a plan and needs nothing but sh")
		return nil
	case program == "":
		known := append(append(agent.Names(), "script"), slices.Collect(maps.Keys(own))...)
		return &UnknownAgentError{Name: name, Known: known}
	case !d.found(program):
		about, _ := agent.AboutOf(name)
		d.say(topic, render.Fatal, about.Install, "%s is not on PATH", program)
		return nil
	default:
		d.builtin(ctx, name, probe)
	}
	if probe && !slices.ContainsFunc(d.findings,
		func(f render.Finding) bool { return f.Topic == topic && f.Level == render.Fatal }) {
		return d.probe(ctx, name, defined)
	}
	return ctx.Err()
}

// builtin looks at an installed agent: its version, its login, its flags. A probe that follows
// proves the flags, so its help is not asked for then.
func (d *Doctor) builtin(ctx context.Context, name string, probe bool) {
	topic := "agent " + name
	about, _ := agent.AboutOf(name)
	limit := patience
	if probe {
		limit = quickPatience
	}
	said, err := d.ask(ctx, limit, about.Program, "--version")
	if err != nil {
		d.say(topic, render.Fatal, about.Install, "%s --version: %v", about.Program, err)
		return
	}
	version := versionIn(said)
	switch {
	case version == "":
		d.say(topic, render.Caution, "", "%s does not say its version: %s", about.Program,
			firstWords(said))
	case about.Tested == "":
		d.say(topic, render.Caution, "",
			"%s %s: driven as its documentation says; it was never tried", about.Program, version)
	case newer(version, about.Tested):
		d.say(topic, render.Caution, "",
			"%s %s is newer than %s, with which it was tried; what it prints may have changed",
			about.Program, version, about.Tested)
	case newer(about.Tested, version):
		d.say(topic, render.Caution, about.Install,
			"%s %s is older than %s, with which it was tried", about.Program, version, about.Tested)
	default:
		d.say(topic, render.Fine, "", "%s %s, the version that it was tried with", about.Program,
			version)
	}
	d.login(topic, about)
	d.permissions(topic, about)
	if probe {
		return
	}
	help, err := d.ask(ctx, patience, about.Program, about.Help...)
	if err != nil {
		d.say(topic, render.Caution, "", "%s %s: %v", about.Program, strings.Join(about.Help, " "),
			err)
		return
	}
	var unknown []string
	for _, flag := range about.Flags {
		if !strings.Contains(help, strings.SplitN(flag, "=", 2)[0]) {
			unknown = append(unknown, flag)
		}
	}
	if len(unknown) > 0 {
		d.say(topic, render.Aside, "", "its help does not name %s, which it is called with",
			strings.Join(unknown, ", "))
	}
}

// leastLogin is the least size of a file that can hold a login, in bytes: some agents make an empty
// one, {}, when they are asked for their version.
const leastLogin = 8

// login looks for variables and files of a login, without spending anything. Values are never read.
func (d *Doctor) login(topic string, about agent.About) {
	environment := d.children()
	for _, name := range about.Keys {
		if environment.Get(name) != "" {
			d.say(topic, render.Fine, "", "a login is there: $%s", name)
			return
		}
	}
	home := environment.Home()
	for _, name := range about.Files {
		if info, err := os.Stat(filepath.Join(home, filepath.FromSlash(name))); home != "" &&
			err == nil && info.Size() >= leastLogin {
			d.say(topic, render.Fine, "", "a login is there: ~/%s", name)
			return
		}
	}
	d.say(topic, render.Caution, about.Login, "no login was found (looked for $%s and ~/%s)",
		strings.Join(about.Keys, ", $"), strings.Join(about.Files, ", ~/"))
}

// permissions adds what a built-in agent may do.
func (d *Doctor) permissions(topic string, about agent.About) {
	var args []string
	if d.project != nil {
		args = d.project.Settings.Agents[about.Name].Args
	}
	switch risky := agent.Bypasses(args); {
	case len(risky) > 0:
		d.say(topic, render.Caution, "",
			"permissions: its own checks are taken away by %s, which its args in %s pass",
			strings.Join(risky, " "), config.Name)
	case len(args) > 0:
		d.say(topic, render.Aside, "", "permissions: %s; unless its args in %s say otherwise",
			about.Ability, config.Name)
	default:
		d.say(topic, render.Aside, "", "permissions: %s", about.Ability)
	}
}

// configured looks at the agents of the configuration, and names the usable ones. One that is
// absent keeps only those runs from starting that would take it.
func (d *Doctor) configured() []string {
	var usable []string
	own := d.project.Settings.Agents
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if len(own[name].Command) > 0 && d.definition(name, own[name], render.Caution) {
			usable = append(usable, name)
		}
	}
	return usable
}

// definition looks at an agent of the user's own, and reports whether it can be used. absent is how
// bad it is that its program is not there.
func (d *Doctor) definition(name string, c config.Agent, absent render.Level) bool {
	topic := "agent " + name
	if _, err := c.Define(d.Runner, name); err != nil {
		d.say(topic, render.Fatal, "", "%v", err)
		return false
	}
	if !d.found(c.Command[0]) {
		d.say(topic, absent, "install it, or correct the command of "+name+" in "+config.Name,
			"%s is not on PATH, and %s names it", c.Command[0], config.Name)
		return false
	}
	if _, err := c.Resolve(name, d.Environ.Get); err != nil {
		d.say(topic, absent, "", "%v", err)
		return false
	}
	d.say(topic, render.Fine, "", "%s, as %s says", strings.Join(c.Command, " "), config.Name)
	return true
}

// ask runs a program for its version or help: no stdin, a deadline, little output.
func (d *Doctor) ask(
	ctx context.Context, limit time.Duration, program string, args ...string,
) (string, error) {
	out, exit, err := d.Runner.Output(ctx, proc.Command{
		Argv: append([]string{program}, args...), Dir: d.Dir, Env: proc.Environ(d.children(), nil),
		Timeout: limit,
	}, 1<<20)
	switch {
	case err != nil:
		return "", err
	case exit.Ended == proc.Timeout:
		return "", fmt.Errorf("no answer within %s", limit)
	case exit.Code != 0:
		return "", fmt.Errorf("exit code %d: %s", exit.Code, firstWords(exit.Tail))
	}
	return string(out) + exit.Tail, nil
}

var versionWord = lazyregexp.New(`\d+(\.\d+)+`)

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

// firstWords is the first line of foreign text that is not blank, clean and short.
func firstWords(foreign string) string {
	return cmp.Or(text.Clean(text.FirstLine(foreign), 200), "it said nothing")
}
