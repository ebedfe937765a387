package agent

// qwen is Qwen Code, which has Gemini's flags and speaks as Claude Code does.
func qwen() spec {
	yolo := []string{"-y", "--yolo"}
	return spec{
		name: "qwen", argv: []string{"qwen"},
		options: []option{
			{args: []string{"-o", "stream-json"}, rival: []string{"--output-format"}},
			{args: []string{"--approval-mode", "auto-edit"}, rival: yolo},
			{args: []string{"--allowed-tools=run_shell_command"}, rival: append(yolo, "--allowed-tools", "--approval-mode")},
		},
		model: "-m", sums: true, resume: func(id string) []string { return []string{"--resume", id} },
		reader: func() reader { return &messages{} },
	}
}
