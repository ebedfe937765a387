package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"autobuild/internal/proc"
	"autobuild/internal/sandbox"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/worktree"
	"autobuild/render"
	"autobuild/state"
)

// The words of --sandbox beside the means.
const (
	sandboxFlag = "sandbox"
	sandboxOff  = "off"
	sandboxAuto = "auto"
)

func sandboxWords() []string {
	words := []string{sandboxOff, sandboxAuto}
	for _, m := range sandbox.All() {
		words = append(words, string(m))
	}
	return words
}

// bindSandbox declares the flag.
func (o *options) bindSandbox(f *pflag.FlagSet) {
	o.sandbox = choice{sandboxOff, sandboxWords()}
	f.Var(&o.sandbox, sandboxFlag, "where agents, gates and setup may write: anywhere, or by these means their worktree, temporary files and caches alone (Linux)")
	_ = f.SetAnnotation(sandboxFlag, configurable, []string{"true"})
}

// What a shell says of a program that is there and cannot be started, so that nobody takes it for the program's own word.
const exitNotStarted = 126

// becomeConfined makes this process the program that a sandbox was asked for, if it was started for that, and then does not return.
func becomeConfined() {
	if !sandbox.Confined(os.Args) {
		return
	}
	err := sandbox.Enter(os.Args, os.Environ())
	fmt.Fprintf(os.Stderr, "autobuild: %v\n", err)
	syscall.Exit(exitNotStarted)
}

// sandbox reads a word, or {mode, write}.
func (r *configReader) sandbox(key, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.flag(key, n)
		return
	}
	r.once(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		inner, value := n.Content[i], n.Content[i+1]
		switch inner.Value {
		case "mode":
			r.flag(key, value)
		case "write":
			r.strings(value, &r.c.write)
		default:
			r.bad(inner, didYouMean(inner.Value, []string{"mode", "write"}), "unknown key %q in %s", inner.Value, sandboxFlag)
		}
	}
}

// confine settles what keeps agents, gates and setup from writing where they should not. A run remembers that it was asked for.
func (s *session) confine(stored *state.Run) error {
	word := s.o.sandbox.value
	if stored != nil {
		word = s.o.remembered(sandboxFlag, word, stored.Config.Sandbox)
	}
	if word == sandboxOff {
		return nil
	}
	s.config.Sandbox = word
	means, why := s.means(word)
	if means == "" {
		if word != sandboxAuto {
			return fmt.Errorf("--sandbox %s is not possible here: %w; or run without it: --sandbox off", word, why)
		}
		text := render.Clean(strings.ReplaceAll(why.Error(), "\n", "; "), 0)
		s.begin.Notices = append(s.begin.Notices, "no sandbox is possible here, so agents and gates can write wherever you can ("+text+")")
		return nil
	}
	b := &box{session: s, means: means}
	if err := b.furnish(); err != nil {
		return err
	}
	s.runner.Confine = b.command
	s.tellNested()
	s.begin.Notices = append(s.begin.Notices, fmt.Sprintf(
		"sandbox: agents, gates and setup can write their worktree, temporary files, caches and what sandbox.write names, nothing else (%s)", means))
	return nil
}

// tellNested tells of an agent whose own sandbox cannot be made within this one, and is left out: see nested.
func (s *session) tellNested() {
	for _, name := range agent.Names() {
		about, _ := agent.AboutOf(name)
		if about.Own != "" && s.works(name) {
			s.begin.Notices = append(s.begin.Notices, fmt.Sprintf(
				"%s cannot make a sandbox of its own within this one, so it is called with %s in place of %s", name, about.Bare, about.Own))
		}
	}
}

// works reports whether the agent of that name may do a part of the run.
func (s *session) works(name string) bool {
	for _, c := range s.choices {
		if c.agent.name == name {
			return true
		}
	}
	return s.agent.name == name || slices.Contains(s.fallbacks(), name) ||
		slices.ContainsFunc(s.tiers, func(t attempt.Tier) bool { return t.Uses == name })
}

// means is the one that the word asks for, or the first that is possible; none: the error says why.
func (s *session) means(word string) (sandbox.Means, error) {
	var why []error
	for _, f := range sandbox.Possible(s.try(s.runner)) {
		switch {
		case word != sandboxAuto && word != string(f.Means):
		case f.Err == nil:
			return f.Means, nil
		default:
			why = append(why, f.Err)
		}
	}
	return "", errors.Join(why...)
}

// try runs a short command, to see whether it can be.
func (a *app) try(runner *proc.Runner) func(argv []string) error {
	return func(argv []string) error {
		_, exit, err := runner.Output(context.Background(), proc.Command{
			Argv: argv, Dir: a.dir, Env: proc.Environ(a.environ, nil), Timeout: patience,
		}, 1<<16)
		if start, ok := errors.AsType[*proc.StartError](err); ok {
			return start.Err
		}
		if err == nil && !exit.OK() {
			return errors.New(firstWords(exit.Tail))
		}
		return err
	}
}

// box is the sandbox of a run.
type box struct {
	*session
	means  sandbox.Means
	shared []string // caches, and what the configuration names
}

// furnish finds the places that everything confined may write. A cache that its tool would have made is made here, for the tool
// cannot any more.
func (b *box) furnish() error {
	for _, c := range caches() {
		tool := c.tool
		if strings.HasPrefix(tool, "./") {
			tool = filepath.Join(b.project.root, tool)
		}
		if tool != "" && !b.lookPath(tool) {
			continue
		}
		place := c.place(b.getenv)
		if place == "" {
			continue
		}
		if !c.file {
			_ = os.MkdirAll(place, 0o755) // where that is not possible the tool will say so better
		}
		b.shared = append(b.shared, place)
	}
	for _, w := range b.project.config.write {
		place := w
		if rest, ok := strings.CutPrefix(w, "~"); ok && (rest == "" || rest[0] == '/') {
			place = filepath.Join(b.getenv("HOME"), rest)
		}
		if !filepath.IsAbs(place) {
			place = filepath.Join(b.project.root, place)
		}
		if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sandbox.write names %s, which does not exist; make it, or take it out of %s", render.Clean(w, 200), configName)
		}
		b.shared = append(b.shared, place)
	}
	return nil
}

// command starts program confined: see proc.Runner.Confine.
func (b *box) command(program string, c proc.Command) ([]string, error) {
	env := func(name string) string { return (&app{environ: c.Env}).getenv(name) }
	places := slices.Concat(b.shared, []string{c.Dir}, b.temporary(env), agentPlaces(program, env))
	if b.project.repo != nil {
		places = append(places, worktree.Writable(b.project.repo.CommonDir, c.Dir)...)
	}
	return b.means.Command(program, nested(program, c.Argv), c.Dir, places)
}

// nested leaves out the sandbox that an agent would make of its own: the kernel lets nobody who is confined make one, and every
// command of the agent's would fail. It is said here, where the command is confined, and nowhere else, so that no agent is
// ever without both.
func nested(program string, argv []string) []string {
	out := slices.Clone(argv)
	for _, name := range agent.Names() {
		about, _ := agent.AboutOf(name)
		if about.Own == "" || about.Program != filepath.Base(program) {
			continue
		}
		for i, arg := range out {
			if arg == about.Own {
				out[i] = about.Bare
			}
		}
	}
	return out
}

// temporary are the places that belong to one attempt: not the system's own, which everybody shares.
func (b *box) temporary(env func(string) string) []string {
	var places []string
	for _, name := range []string{"TMPDIR", "TMP", "TEMP", "TEST_TMPDIR"} {
		if dir := env(name); filepath.IsAbs(dir) && dir != b.getenv(name) && dir != os.TempDir() {
			places = append(places, dir)
		}
	}
	if file := env("AUTOBUILD_RESULT_FILE"); filepath.IsAbs(file) {
		places = append(places, filepath.Dir(file))
	}
	return places
}

// homes are the variables that move what lies below the home directory; within: to a place of its own in theirs.
var homes = []struct{ below, variable, within string }{
	{".claude", "CLAUDE_CONFIG_DIR", ""},
	{".codex", "CODEX_HOME", ""},
	{".gemini", "GEMINI_CLI_HOME", ".gemini"},
	{".qwen", "QWEN_HOME", ""},
	{".copilot", "COPILOT_HOME", ""},
	{".cache/copilot", "COPILOT_CACHE_HOME", ""},
	{".pi/agent", "PI_CODING_AGENT_DIR", ""},
	{".config", "XDG_CONFIG_HOME", ""},
	{".cache", "XDG_CACHE_HOME", ""},
	{".local/share", "XDG_DATA_HOME", ""},
	{".local/state", "XDG_STATE_HOME", ""},
}

// agentPlaces are where the coding agent that is this program keeps its login and its sessions. What it would make at its first start
// is made here.
func agentPlaces(program string, env func(string) string) []string {
	var places []string
	for _, name := range agent.Names() {
		about, _ := agent.AboutOf(name)
		if about.Program != filepath.Base(program) {
			continue
		}
		for _, below := range about.Write {
			place := movedHome(below, env)
			if place == "" {
				continue
			}
			_ = os.MkdirAll(place, 0o700) // where that is not possible the agent will say so better
			places = append(places, place)
		}
	}
	return places
}

// movedHome is a place below the home directory, or where a variable has moved it.
func movedHome(below string, env func(string) string) string {
	for _, h := range homes {
		dir := env(h.variable)
		rest, ok := strings.CutPrefix(below, h.below)
		if ok && filepath.IsAbs(dir) && (rest == "" || rest[0] == '/') {
			return filepath.Join(dir, h.within, filepath.FromSlash(rest))
		}
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, filepath.FromSlash(below))
	}
	return ""
}

// sandbox says what could keep agents and gates in their place, and what does.
func (d *doctor) sandbox() {
	const topic = "sandbox"
	asked, possible := cmp.Or(d.asked, sandboxOff), ""
	for _, f := range sandbox.Possible(d.try(d.runner)) {
		wanted := asked == string(f.Means)
		switch {
		case f.Err == nil:
			d.say(topic, render.Fine, "", "%s is possible: %s", f.Means, f.Words)
			if possible == "" || wanted {
				possible = string(f.Means)
			}
		case wanted:
			d.say(topic, render.Fatal, f.Err.Next, "%s is to confine agents and gates, and cannot: %s", f.Means, f.Err.Why)
		default:
			d.say(topic, render.Aside, "", "%s is not possible: %s", f.Means, f.Err.Why)
		}
	}
	const open = "agents and gates can write wherever you can"
	switch {
	case asked == sandboxOff && possible != "":
		d.say(topic, render.Aside, "", "%s, which is the default: %s (--sandbox auto confines them)", asked, open)
	case asked == sandboxOff:
		d.say(topic, render.Aside, "", "%s, which is the default: %s", asked, open)
	case asked == sandboxAuto && possible == "":
		d.say(topic, render.Caution, "run autobuild in a container, or as another user", "%s is asked for, and nothing is possible: %s", asked, open)
	case asked == sandboxAuto || asked == possible:
		d.say(topic, render.Fine, "", "%s confines agents, gates and setup, as is asked for (%s)", possible, asked)
	}
}
