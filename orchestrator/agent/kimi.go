package agent

// kimi is Kimi Code as a server of the Agent Client Protocol: its own prompt mode takes the prompt
// as an argument, which has a limit and can be read by every user of the machine.
func kimi() spec {
	return spec{
		name: "kimi", argv: []string{"kimi", "acp"},
		env:   map[string]string{"KIMI_CODE_NO_AUTO_UPDATE": "1"},
		talks: &ACPOptions{},
		about: About{
			Tested:   "2.1.0",
			Install:  "npm install -g @moonshot-ai/kimi-code",
			Login:    "kimi login",
			Keys:     []string{"KIMI_API_KEY"},
			Files:    []string{".kimi-code/config.toml"},
			Help:     []string{"acp", "--help"},
			Confined: true,
			Write:    []string{".kimi-code"},
			Ability: "what it asks for is allowed within its worktree, and refused outside; in " +
				"its own modes yolo and auto it does not ask",
			Homepage: "https://moonshotai.github.io/kimi-code/",
			Homes:    []Home{{".kimi-code", "KIMI_CODE_HOME", ""}},
		},
	}
}
