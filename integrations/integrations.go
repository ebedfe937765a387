// Package integrations holds the command that coding agents offer for autobuild. It is one text,
// written for each agent in its own place and form. It writes no file, and does not know what a run
// is.
package integrations

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed command.md
var command string

// File is one file of an integration.
type File struct {
	Path string // below the project or, for a whole account, below the home directory; with slashes
	Text string
}

// about is what lists of commands say.
const about = "Run a markdown plan with autobuild: phases in parallel, each checked, resumable"

// host is a coding agent that can offer the command.
type host struct {
	name      string
	project   string // the file's path in a project
	home      string // its path below the home directory
	arguments string // what the agent replaces with what the user typed
	timeout   string // of one wait, below what a command may take there
	wait      string // how to make it wait that long
	form      func(host) string
	beside    []File // further files, beside the command's
	call      string // how a user calls it
}

var hosts = []host{
	{
		name: "claude", project: ".claude/skills/autobuild/SKILL.md",
		home:      ".claude/skills/autobuild/SKILL.md",
		arguments: "$ARGUMENTS", timeout: "9m",
		wait: "Run this with the command's timeout set to 600000 ms:", form: skill,
		call: "/autobuild plan.md",
	},
	{
		name: "codex", project: ".agents/skills/autobuild/SKILL.md",
		home:      ".agents/skills/autobuild/SKILL.md",
		arguments: "what follows `$autobuild` in the user's message", timeout: "9m",
		wait: "Run this with a timeout_ms of 600000:", form: skill,
		beside: []File{{"agents/openai.yaml", "policy:\n  allow_implicit_invocation: false\n"}},
		call:   "$autobuild plan.md",
	},
	{
		name: "gemini", project: ".gemini/commands/autobuild.toml",
		home:      ".gemini/commands/autobuild.toml",
		arguments: "{{args}}", timeout: "4m",
		wait: "A command here may be silent for five minutes, so wait in turns:", form: toml,
		call: "/autobuild plan.md",
	},
	{
		name: "opencode", project: ".opencode/commands/autobuild.md",
		home:      ".config/opencode/commands/autobuild.md",
		arguments: "$ARGUMENTS", timeout: "9m",
		wait: "Run this with the command's timeout set to 600000 ms:", form: prompt,
		call: "/autobuild plan.md",
	},
	{
		name: "cursor", project: ".cursor/commands/autobuild.md",
		home:      ".cursor/commands/autobuild.md",
		arguments: "what follows `/autobuild` in the user's message", timeout: "4m",
		wait: "Wait in turns:", form: plain,
		call: "/autobuild plan.md",
	},
	{
		name: "qwen", project: ".qwen/commands/autobuild.md", home: ".qwen/commands/autobuild.md",
		arguments: "what follows `/autobuild` in the user's message", timeout: "4m",
		wait: "Wait in turns:", form: prompt,
		call: "/autobuild plan.md",
	},
	{
		name: "copilot", project: ".github/skills/autobuild/SKILL.md",
		home:      ".copilot/skills/autobuild/SKILL.md",
		arguments: "what follows `/autobuild` in the user's message", timeout: "4m",
		wait: "Wait in turns:", form: skill,
		call: "/autobuild plan.md",
	},
	{
		name: "pi", project: ".pi/prompts/autobuild.md", home: ".pi/agent/prompts/autobuild.md",
		arguments: "$ARGUMENTS", timeout: "4m", wait: "Wait in turns:", form: prompt,
		call: "/autobuild plan.md",
	},
	{ // in a project it is codex's very file
		name: "amp", project: ".agents/skills/autobuild/SKILL.md",
		home:      ".config/agents/skills/autobuild/SKILL.md",
		arguments: "what follows `$autobuild` in the user's message", timeout: "9m",
		wait: "Run this with a timeout_ms of 600000:", form: skill,
		call: "use the skill autobuild with plan.md",
	},
	{
		name: "kimi", project: ".kimi-code/skills/autobuild/SKILL.md",
		home:      ".kimi-code/skills/autobuild/SKILL.md",
		arguments: "$ARGUMENTS", timeout: "4m", wait: "Wait in turns:", form: skill,
		call: "/skill:autobuild plan.md",
	},
}

// Names lists the agents that can offer the command.
func Names() []string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.name
	}
	return names
}

// Call is how a user calls the command in an agent; empty for an unknown one.
func Call(name string) string {
	h, _ := find(name)
	return h.call
}

// Files are what an agent needs to offer the command, in a project or, with account, for everything
// of one user. ok is false for an agent that is not known.
func Files(name string, account bool) (files []File, ok bool) {
	h, ok := find(name)
	if !ok {
		return nil, false
	}
	path := h.project
	if account {
		path = h.home
	}
	files = []File{{path, h.form(h)}}
	for _, f := range h.beside {
		files = append(files, File{path[:strings.LastIndexByte(path, '/')+1] + f.Path, f.Text})
	}
	return files, true
}

func find(name string) (host, bool) {
	for _, h := range hosts {
		if h.name == name {
			return h, true
		}
	}
	return host{}, false
}

// body is the text as one agent reads it. Where arguments have no placeholder, the start of the run
// shows one.
func (h host) body() string {
	shown := h.arguments
	if strings.ContainsRune(shown, ' ') {
		shown = "ARGUMENTS"
	}
	text := strings.Replace(command, "{{arguments}}", h.arguments, 1)
	return strings.NewReplacer("{{arguments}}", shown, "{{wait}}", h.wait, "{{timeout}}",
		h.timeout).Replace(text)
}

// skill is an Agent Skill, as Claude Code and Codex read it. It begins only when a user calls it,
// since it spends money.
func skill(h host) string {
	head := "name: autobuild\ndescription: " + quoted(about) + "\n"
	switch h.name {
	case "claude":
		head += "argument-hint: \"PLAN.md [--resume | --fresh] " +
			"[flags]\"\ndisable-model-invocation: true\nallowed-tools: Bash(autobuild:*)\n"
	case "kimi":
		head += "disable-model-invocation: true\n"
	}
	return "---\n" + head + "---\n\n" + h.body()
}

// prompt is a markdown command with a head.
func prompt(h host) string { return "---\ndescription: " + quoted(about) + "\n---\n\n" + h.body() }

// plain is a markdown command without one.
func plain(h host) string { return h.body() }

// toml is a command in TOML. Its literal string cannot hold three quotes in a row, which the text
// does not have.
func toml(h host) string {
	return fmt.Sprintf("description = %s\nprompt = '''\n%s'''\n", quoted(about), h.body())
}

func quoted(s string) string { return `"` + s + `"` }
