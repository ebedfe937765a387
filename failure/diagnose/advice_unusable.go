package diagnose

import "autobuild/failure"

// about is the condition of a row for an unusable agent: what a person has to see to.
func about(what string) func(facts) bool {
	return func(f facts) bool { return f.Evidence.Agent != nil && f.Evidence.Agent.About == what }
}

// unusableRows are the rows of advice for an agent that cannot be used.
var unusableRows = []adviceRow{
	{
		on:   failure.AgentUnusable,
		when: about("account"),
		actions: []string{
			"Pay for {{.Agent}}: top up its balance, or change the plan or the spending limit " +
				"of its account",
			saidBefore, otherAgent,
		},
	},
	{
		on:   failure.AgentUnusable,
		when: about("login"),
		actions: []string{
			"{{with .Remedy}}Log in again: {{.}}{{else}}Log {{.Agent}} in again, " +
				"or replace its key{{end}}",
			saidBefore, otherAgent,
		},
	},
	{
		on:   failure.AgentUnusable,
		when: about("model"),
		actions: []string{
			"Name a model that {{.Agent}} has, in --model or in autobuild.yaml, or ask for " +
				"access to this one",
			saidBefore, otherAgent,
		},
	},
	{
		on:   failure.AgentUnusable,
		when: about("flags"),
		actions: []string{
			"Correct the flags or the configuration of {{.Agent}}: `args` and `env` in " +
				"autobuild.yaml, and its own settings",
			saidBefore, otherAgent,
		},
	},
	{
		on:   failure.AgentUnusable,
		when: about("start"),
		actions: []string{
			"{{with or .FixCommand .Remedy}}" + failure.Install +
				"it: {{.}}{{else}}" + failure.Install + "{{or .Package `what is missing`}}, make it " +
				"executable, or correct the command of {{.Agent}}{{end}}",
			saidBefore, otherAgent,
		},
	},
	{
		on: failure.AgentUnusable,
		actions: []string{
			"Run {{.Agent}} by hand: log in, check billing, the model's name and the flags",
			saidBefore,
			"Go on with another agent: --agent",
		},
	},
}
