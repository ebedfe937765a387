package agent

// amp is Amp in execute mode, which by its help prints the stream of Claude Code. It was never seen
// here to run a job, since it does so only with its own service.
func amp() spec {
	return spec{
		name: "amp", argv: []string{"amp", "-x"},
		options: []option{
			{args: []string{"--stream-json"}},
			{args: []string{"--no-notifications"}},
			{args: []string{"--no-color"}},
			{args: []string{"--no-ide"}},
		},
		env:    map[string]string{"AMP_SKIP_UPDATE_CHECK": "1"},
		spool:  true,
		reader: func() reader { return &messages{} },
		about: About{
			Install:  "npm install -g @ampcode/cli",
			Login:    "amp login",
			Keys:     []string{"AMP_API_KEY"},
			Files:    []string{".local/share/amp/secrets.json"},
			Help:     []string{"--help"},
			Write:    []string{".config/amp", ".local/share/amp", ".cache/amp"},
			Ability:  "as the rules in its own settings say",
			Homepage: "https://ampcode.com/manual",
		},
	}
}
