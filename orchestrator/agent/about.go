package agent

import (
	"maps"
	"slices"
)

// About is what a person has to know of a built-in agent before it can be used. Nothing of it is needed to drive one.
type About struct {
	Name     string
	Program  string   // what must be on PATH
	Tested   string   // the version it was driven with; empty: it never was, and what is known is from its documentation
	Install  string   // a command
	Login    string   // a command, or what to do
	Keys     []string // variables that log it in, any of them
	Files    []string // files below the home directory that a login leaves, any of them, with slashes
	Flags    []string // long flags that are passed to it, so that its help can be compared
	Help     []string // arguments that print the help with these flags
	Write    []string // directories below the home directory that it has to write to
	Own      string   // the value of a flag of its command line that asks for a sandbox of its own; empty: none does
	Bare     string   // what takes the place of Own within another sandbox, where none can be made
	Ability  string   // how its permissions are set, in a few words
	Sets     []string // variables that are set for it where nobody has said otherwise, NAME=VALUE, sorted
	Model    string   // the flag that stands before a model's name; empty: it takes none
	Homepage string
}

// AboutOf is what is known of the agent of that name, or false where there is none.
func AboutOf(name string) (About, bool) {
	i := slices.IndexFunc(abouts(), func(a About) bool { return a.Name == name })
	j := slices.IndexFunc(specs(), func(s spec) bool { return s.name == name })
	if i < 0 || j < 0 {
		return About{}, false
	}
	a, s := abouts()[i], specs()[j]
	a.Program, a.Flags, a.Model = s.argv[0], longFlags(CommandLine(name, nil)), s.model
	for _, variable := range slices.Sorted(maps.Keys(s.env)) {
		a.Sets = append(a.Sets, variable+"="+s.env[variable])
	}
	return a, true
}

// longFlags are the long flags of a command line, each once.
func longFlags(argv []string) []string {
	var flags []string
	for _, arg := range argv {
		if len(arg) > 2 && arg[:2] == "--" && !slices.Contains(flags, arg) {
			flags = append(flags, arg)
		}
	}
	return flags
}

// abouts are in the order of specs. Where logins are kept was seen on Linux; on other systems a key chain may hold them.
func abouts() []About {
	return []About{
		{
			Name: "claude", Tested: "2.1.329", Install: "npm install -g @anthropic-ai/claude-code", Login: "claude, then /login",
			Keys:  []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"},
			Files: []string{".claude/.credentials.json"}, Help: []string{"--help"}, Write: []string{".claude", ".cache/claude-cli-nodejs"},
			Ability: "edits and commands are allowed; everything else is denied rather than asked for", Homepage: "https://code.claude.com/docs",
		},
		{
			Name: "codex", Tested: "0.169.0", Install: "npm install -g @openai/codex", Login: "codex login",
			Keys: []string{"CODEX_API_KEY", "OPENAI_API_KEY"}, Files: []string{".codex/auth.json"}, Help: []string{"exec", "--help"}, Write: []string{".codex"},
			Own: "workspace-write", Bare: "danger-full-access",
			Ability: "its own sandbox lets it write in its worktree and in temporary directories, and use the network", Homepage: "https://developers.openai.com/codex",
		},
		{
			Name: "gemini", Tested: "0.61.0", Install: "npm install -g @google/gemini-cli", Login: "gemini, then choose how to log in",
			Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"}, Files: []string{".gemini/oauth_creds.json"},
			Help: []string{"--help"}, Write: []string{".gemini"},
			Ability: "edits and commands are allowed; what else it would ask for is not", Homepage: "https://github.com/google-gemini/gemini-cli",
		},
		{
			Name: "opencode", Tested: "1.18.33", Install: "npm install -g opencode-ai", Login: "opencode auth login",
			Keys:  []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT"},
			Files: []string{".local/share/opencode/auth.json", ".config/opencode/opencode.json"}, Help: []string{"run", "--help"},
			Write:   []string{".local/share/opencode", ".local/state/opencode", ".config/opencode", ".cache/opencode"},
			Ability: "edits, commands and the web are allowed by a configuration of its own; what it would ask for is refused", Homepage: "https://opencode.ai/docs",
		},
		{
			Name: "qwen", Tested: "0.24.4", Install: "npm install -g @qwen-code/qwen-code", Login: "qwen, then choose how to log in",
			Keys: []string{"OPENAI_API_KEY", "DASHSCOPE_API_KEY"}, Files: []string{".qwen/oauth_creds.json"}, Help: []string{"--help"}, Write: []string{".qwen"},
			Ability: "edits and commands are allowed; what else it would ask for is not", Homepage: "https://qwenlm.github.io/qwen-code-docs",
		},
		{
			Name: "copilot", Tested: "1.0.102", Install: "npm install -g @github/copilot", Login: "copilot login",
			Keys:  []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"},
			Files: []string{".copilot/config.json"}, Help: []string{"--help"}, Write: []string{".copilot", ".cache/copilot"},
			Ability: "all tools are allowed; files elsewhere and addresses on the network stay checked", Homepage: "https://docs.github.com/copilot/how-tos/copilot-cli",
		},
		{
			Name: "cursor", Install: "curl https://cursor.com/install -fsS | bash", Login: "cursor-agent login",
			Keys: []string{"CURSOR_API_KEY"}, Files: []string{".config/cursor/auth.json", ".cursor/cli-config.json"}, Help: []string{"--help"},
			Write:   []string{".cursor", ".config/cursor"},
			Ability: "as its own configuration says; without one it proposes changes and makes none", Homepage: "https://cursor.com/docs/cli",
		},
		{
			Name: "amp", Install: "npm install -g @sourcegraph/amp", Login: "amp login",
			Keys: []string{"AMP_API_KEY"}, Files: []string{".local/share/amp/secrets.json"}, Help: []string{"--help"},
			Write:   []string{".config/amp", ".local/share/amp", ".cache/amp"},
			Ability: "as the rules in its own settings say", Homepage: "https://ampcode.com/manual",
		},
		{
			Name: "pi", Tested: "0.73.1", Install: "npm install -g @mariozechner/pi-coding-agent", Login: "pi, then /login",
			Keys:  []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"},
			Files: []string{".pi/agent/auth.json", ".pi/agent/models.json"}, Help: []string{"--help"}, Write: []string{".pi/agent"},
			Ability: "it has no permissions of its own: everything is allowed", Homepage: "https://github.com/badlogic/pi-mono",
		},
	}
}
