package agent

// qwen is Qwen Code, which has Gemini's flags and prints Claude Code's stream.
func qwen() spec {
	yolo := []string{"-y", "--yolo"}
	return spec{
		name: "qwen", argv: []string{"qwen"},
		options: []option{
			{args: []string{"-o", "stream-json"}, rival: []string{"--output-format"}},
			{args: []string{"--approval-mode", "auto-edit"}, rival: yolo},
			{
				args:  []string{"--allowed-tools=run_shell_command"},
				rival: append(yolo, "--allowed-tools", "--approval-mode"),
			},
		},
		model:  "-m",
		spool:  true,
		reader: func() reader { return &messages{within: true} }, journal: qwenJournal,
		about: About{
			Tested:   "0.24.4",
			Install:  "npm install -g @qwen-code/qwen-code",
			Login:    "qwen, then choose how to log in",
			Keys:     []string{"OPENAI_API_KEY", "DASHSCOPE_API_KEY"},
			Files:    []string{".qwen/oauth_creds.json"},
			Help:     []string{"--help"},
			Confined: true,
			Write:    []string{".qwen"},
			Ability:  "edits and commands are allowed; what else it would ask for is not",
			Homepage: "https://qwenlm.github.io/qwen-code-docs",
			Homes:    []Home{{".qwen", "QWEN_HOME", ""}},
			Marks:    []string{"QWEN_CODE"},
		},
	}
}
