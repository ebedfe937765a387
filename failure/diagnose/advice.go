package diagnose

import (
	"slices"

	"autobuild/failure"
)

// adviceRow is one row of advice: templates over facts. An action that comes out empty is left out.
type adviceRow struct {
	on       failure.Type
	when     func(facts) bool // nil: always
	guidance string
	actions  []string
}

// Actions that several rows share.
const (
	otherAgent = "Go on with another agent or model: --agent, --model"
	install    = "{{with .FixCommand}}" + failure.Install + "what is missing: {{.}}{{end}}"
	inOrder    = "Put one phase after the other in the plan{{.Order}}"
	look       = "Look at {{.WhereOr `the difference`}} in {{.Place}}"
	saidBefore = "Read what it said: `" + failure.Logs + "`"
	smaller    = "Split the phase into smaller ones"
	brokeOff   = "The previous attempt broke off before it was done. Its work is still in " +
		"place: check it, and go on from there."
)

const objections = "Every gate passes, and the work cannot be taken with this in it. For each " +
	"finding:\n" +
	"Remove conflict markers, large files, links that lead out of the tree, and comments that " +
	"switch tools off.\n" +
	"Take a secret out of the files altogether, and read it from the environment.\n" +
	"Leave alone what the phase does not name. Where it truly needs the change, say why in the " +
	"result's error."

// adviceRows are all rows. The first that fits a type decides.
var adviceRows = slices.Concat(unusableRows, []adviceRow{
	{
		on: failure.TestFailure,
		guidance: "Make the failing tests pass: {{.Failing}}.\n" +
			"Decide for each whether the code or the test is wrong. Look first for an " +
			"expectation that is wrong, " +
			"a mock that is missing, and something that is not awaited.\n" +
			"Run `{{.Command}}` until it passes; do not delete, skip or weaken a test.",
		actions: []string{
			"{{.Fix `the failing tests`}}",
			"Compare what the tests take for granted with what the code does",
		},
	},
	{
		on: failure.LintError,
		guidance: "Fix what the linter reports{{.Rules}}." +
			"{{with .FixCommand}} `{{.}}` fixes most of them by itself: begin with it.{{end}} " +
			"`{{.Command}}` lists what is left.\nDo not disable a rule to pass.",
		actions: []string{
			"{{.FixFirst `the lint errors`}}",
			"Ask whether the rules{{.Rules}} suit this project, and turn off those that do not",
			"Look for two configurations of the linter that disagree",
		},
	},
	{
		on: failure.TypecheckError,
		guidance: "Resolve the type errors in {{.FoundOr `the code`}}. `{{.Command}}` lists " +
			"what is left.\n" +
			"Compare each signature with its callers: change the one that is wrong, and do not " +
			"cast the difference away.",
		actions: []string{
			"{{.Fix `the type errors`}}",
			"Look at the types themselves, and whether {{.TypePackages}} are missing",
			"Look at {{.TypeConfig}}",
		},
	},
	{
		on: failure.FormatError,
		guidance: "Format the code: `{{.Command}}` must pass." +
			"{{with .FixCommand}} Run `{{.}}` as the last step, after every other edit.{{end}}",
		actions: []string{
			"{{if .FixCommand}}{{.FixFirst ``}}{{else}}Format {{.FoundOr `the code`}}{{end}}",
			"Check that editor, formatter and linter agree on one configuration",
		},
	},
	{
		on: failure.GateFailure,
		guidance: "The check {{.Gate}} must pass: `{{.Command}}` must exit with 0." +
			"{{with .FixCommand}} `{{.}}` fixes most of them by itself: begin with it.{{end}}\n" +
			"Fix what it reports; do not change the check.",
		actions: []string{
			"{{if .FixCommand}}{{.FixFirst ``}}{{else}}Run `{{.Command}}` and fix what it " +
				"reports{{end}}",
			"Check that the command of gate {{.Gate}}, in the plan or in autobuild.yaml, is right for " +
				"this repository{{with .Log}}; its output is in {{.}}{{end}}",
		},
	},
	{
		on: failure.TaskIncomplete,
		when: func(f facts) bool {
			return f.Category == failure.Ambiguity && leavesDecision(f.Evidence)
		},
		guidance: "The previous attempt left open: {{.Account}}\n" +
			"Look whether the phase's text answers it by now. Where it does not, say in the " +
			"result's error what is missing.",
		actions: []string{
			"Read what the agent leaves open: {{.Account}}",
			"Write the decision into the phase's text, or correct its work by hand in {{.Place}}",
			"Resume: the phase gets its attempts again",
		},
	},
	{
		on: failure.TaskIncomplete,
		guidance: "The previous attempt {{if .Tasks.Total}}finished {{.Tasks.Done}} of " +
			"{{.Tasks.Total}} tasks{{else}}did not finish{{end}}." +
			" Its work is still in place: go on from there, and complete every task of the phase." +
			"{{with .Where}}\nThese files were claimed and do not exist: {{.}}. " +
			"Create each one that the phase asks for, and claim none that is not there.{{end}}" +
			"{{if .NoChange}}\nNo file was changed. Write the changes to the working directory; " +
			"a description of them does not count.{{end}}",
		actions: []string{
			"{{with .Asked}}Do what is asked for: {{.}}{{end}}",
			"Read the agent's log for what stopped it: `" + failure.Logs + "`",
			smaller + ", or say more precisely what its unfinished tasks are",
			"{{if .NoChange}}If nothing is left to change, resume with `allow-empty: true` in autobuild.yaml, " +
				"or write `no changes expected` in the phase{{end}}",
		},
	},
	{
		on: failure.VerificationMismatch,
		guidance: "The previous attempt said that it was done, and a check of its work found " +
			"otherwise.\n" +
			"Run every quality gate yourself after the last edit, however small: what passed " +
			"before it proves nothing.",
		actions: []string{
			"{{if ne .Cause `task_incomplete`}}Compare the agent's log with what the check found: `" + failure.Logs + "`{{end}}",
			"{{if .Gate}}Look for race conditions, and for tests that depend on the machine or " +
				"on their order{{end}}",
			"{{if .Gate}}Ask what changed outside between the agent's run and the check: a " +
				"service, a database, a clock{{end}}",
		},
	},
	{
		on:   failure.Timeout,
		when: func(f facts) bool { return f.Gate != "" },
		guidance: "`{{.Command}}` did not end within {{.Span}}. Look for endless loops, servers " +
			"left running, " +
			"watch modes and questions on standard input in what you changed.",
		actions: []string{
			"Run `{{.Command}}` by hand and see where it hangs",
			"Allow the gate more time if it is only slow: autobuild.yaml, gates.{{.Gate}}.timeout",
		},
	},
	{
		on: failure.Timeout,
		guidance: "The previous attempt ran out of time{{if .After}} after {{.Span}}{{end}}. " +
			"Do what the tasks ask for and nothing besides, the most important first.\n" +
			"While you work run only the tests that concern the change; " +
			"start nothing that does not end by itself.{{.LastSeen}}",
		actions: []string{
			"Allow more time where the work is worth it: {{if " +
				".Idle}}--idle-timeout{{else}}--timeout{{end}}",
			smaller,
			"Look for something that never ends: a loop, a server, a prompt{{with .LastStep}}, " +
				"beginning with: {{.}}{{end}}",
		},
	},
	{
		on: failure.ParseError,
		guidance: "The previous attempt ended without a valid result (reason{{with .Note}}: " +
			"{{.}}{{end}}).\n" +
			"End the final message with exactly one fenced json block, as described, with this " +
			"attempt's nonce; nothing may follow it.",
		actions: []string{
			"Read the end of the agent's log, for it may have stopped early: `" + failure.Logs +
				"`",
			"Try another model or agent: --model, --agent",
			"For a program that knows no result block, declare `result: exit` for it in " +
				"autobuild.yaml",
		},
	},
	{
		on: failure.ProofMissing,
		guidance: "Add a test that fails on the code as it was before this phase and passes on " +
			"the work.",
		actions: []string{
			"Add a test that fails without the phase's change",
			"Or ask for less: set `proof: auto` in autobuild.yaml, for all or below `phases:` " +
				"for this phase alone; " +
				"`proof=auto` on the phase's **Autobuild:** line in the plan",
		},
	},
	{
		on: failure.RefereeChanged,
		guidance: "Existing tests and gates judge this phase. For each change above: restore it " +
			"and change the code instead.\n" +
			"Where the change is truly needed, keep it and name it in the result block: " +
			`"referee_changes": [{"file": "…", "test": "…", "why": "…"}]. A person decides then.`,
		actions: []string{
			"{{with .Where}}Restore {{.}}{{else}}Make the code pass the tests that were there " +
				"before, " +
				"without the phase's new test files and settings{{end}}",
			"If the change is right, say in the phase's section which test changes and how",
			"Or let the agent give its reason in `referee_changes` of its result: " +
				"the phase then lands contested, and a person decides",
		},
	},
	{
		on: failure.UsageLimit,
		actions: []string{
			"Wait until {{if .Until.IsZero}}the limit resets{{else}}{{.Until.Format `2006-01-02 " +
				"15:04 MST`}}{{end}}, then resume",
			otherAgent,
		},
	},
	{
		on: failure.TransportError,
		actions: []string{
			"Check whether the network and the provider of {{.Agent}} work, then resume",
			otherAgent,
		},
	},
	{
		on: failure.Refusal,
		actions: []string{
			"Read what its provider said: `" + failure.Logs + "`",
			otherAgent + "; a list of agents goes on by itself",
			"Say in the phase's text what the work is for, where that was misread",
		},
	},
	{
		on: failure.AgentLoop,
		guidance: "The previous attempt repeated itself until it was stopped{{.LastSeen}}.\n" +
			"What it did last does not lead on: look at what is there, and go another way.",
		actions: []string{
			"Read where it repeats itself: `" + failure.Logs + "`", otherAgent,
			smaller,
		},
	},
	{
		on: failure.ContextOverflow,
		actions: []string{
			smaller,
			"Shorten what its text quotes, and name files instead",
			"Use a model with a larger context: --model",
		},
	},
	{
		on: failure.BudgetExhausted,
		actions: []string{"Raise the phase's max-cost or max-tokens, in the plan or under " +
			"phases in autobuild.yaml, and resume"},
	},
	{
		on:   failure.AgentError,
		when: func(f facts) bool { return f.Work != "" },
		guidance: "What the previous attempt left cannot be taken as it is: {{.Work}}.\n" +
			"Correct that first, keep the rest, and go on from there.",
		actions: []string{
			"Correct what is wrong with the work: {{.Work}}",
			"Read what {{.Agent}} did: `" + failure.Logs + "`",
			"Reset the phase, if nothing of its work is to be kept: `" + failure.Reset + "`",
		},
	},
	{
		on:       failure.AgentError,
		when:     func(f facts) bool { return f.Agent == "script" },
		guidance: brokeOff,
		actions: []string{
			"Read where the phase's sh block ended: `" + failure.Logs + "`",
			"Correct the block in the plan, or what it needs; try it by hand in {{.Place}}",
		},
	},
	{
		on:       failure.AgentError,
		guidance: brokeOff,
		actions: []string{
			"Read the end of the agent's log: `" + failure.Logs + "`",
			"Run {{.Agent}} by hand in {{.Place}}, to see whether it works by itself",
			"Go on with another agent: --agent",
		},
	},
	{
		on: failure.DependencyMissing,
		actions: []string{
			install + "{{if not .FixCommand}}" + failure.Install +
				"{{with .Package}}{{.}}{{else}}what is missing{{end}}{{with .RequiredBy}}; " +
				"{{.}} needs it{{end}}{{end}}",
			"{{if and .FixCommand (not .Shared)}}If worktrees lack it, name the command under " +
				"`setup` in autobuild.yaml{{end}}",
		},
	},
	{
		on: failure.SetupFailure,
		actions: []string{
			install,
			"Run `{{.Command}}` in {{.Place}} and make it pass",
			"{{if not .Shared}}Name ignored files that it needs in .worktreeinclude{{end}}",
		},
	},
	{
		on:   failure.FileConflict,
		when: func(f facts) bool { return len(f.Conflicts) == 0 },
		actions: []string{
			"Resolve {{.WhereOr `the files`}} in the worktree: `{{.FixCommand}}`",
			"Where a file is right as it is, stage it with git add, in that worktree",
		},
	},
	{
		on:   failure.FileConflict,
		when: func(f facts) bool { return f.Together },
		actions: []string{
			"Look at both sides: each passes `{{.Command}}` alone, and they fail together",
			inOrder,
			"Say in one phase's text what it has to take from the other",
		},
	},
	{
		on: failure.ReviewRejected,
		guidance: "A reviewer found this, and autobuild has seen each of it on your work: run the " +
			"call or the test above, and repair the code.\n" +
			"Where a finding is wrong, because the plan asks for what it complains of, leave the " +
			"code and answer it in the result block: " +
			`"referee_changes": [{"file": "the place's file", "test": "review", "why": "…"}]. ` +
			"A person decides then.",
		actions: []string{
			"Look at {{.WhereOr `the place`}} and at what shows the finding: `" + failure.Logs + "`",
			"If the plan means what the code does, say so in the phase's section, and resume",
			"Or go on without a second opinion: `review=off` on the phase's **Autobuild:** line, " +
				"or `on: off` below `review:` in autobuild.yaml",
		},
	},
	{
		on: failure.FileConflict,
		actions: []string{
			"{{if .FixCommand}}Merge {{.WhereOr `the files`}} by hand: `{{.FixCommand}}`, and " +
				"edit there; no commit is needed" +
				"{{else}}Merge {{.WhereOr `the file`}} by hand{{end}}",
			inOrder,
			"Divide {{.WhereOr `the file`}}, so that each phase has a part of its own",
		},
	},
	{
		on:       failure.GuardViolation,
		when:     func(f facts) bool { return f.all(ruleConstraint) },
		guidance: objections,
		actions: []string{
			look,
			"If the change is meant, name the file in the phase's text, or change the " +
				"constraint in the plan",
			"Else divide the work otherwise, so that it needs no such change, and resume",
		},
	},
	{
		on:       failure.GuardViolation,
		guidance: objections,
		actions: []string{
			look,
			"{{if not .AllSecrets}}If it is meant, name the file in the phase's text, or set " +
				"`guard: warn` in autobuild.yaml{{end}}",
			"{{if .SomeSecret}}Replace a secret that has been in a file, also where it never " +
				"landed{{end}}",
			"{{if .SomeSecret}}If it is no secret, set `guard: off` in autobuild.yaml{{end}}",
		},
	},
	{
		on: failure.SiblingWorkRemoved,
		guidance: "The work takes away what other phases of this run have landed, and this " +
			"phase's text does not ask for that:\n" +
			"{{.Details}}\nRestore it from HEAD (`git checkout HEAD -- FILE`) and make this " +
			"phase's changes on top of it.",
		actions: []string{
			look,
			"If the removal is meant, say so in the phase's text, with the file's name",
			"If two phases write the same file, put one after the other, or divide it",
		},
	},
	{
		on: failure.NestedRepository,
		guidance: "There is a git repository inside the work: {{.Where}}. Git would take none " +
			"of its files.\n" +
			"If the files belong to this phase, remove the .git in there and keep them. If not, " +
			"remove the directory.\n" +
			"Run neither `git init` nor `git clone` inside the work; fetch what is only looked " +
			"at into $TMPDIR.",
		actions: []string{
			"Look at {{.WhereOr `the repository`}} in {{.Place}}",
			"If its files belong to the work, remove the .git in there, and resume",
			"If they do not, name the directory in .gitignore, or make it a submodule yourself",
		},
	},
	{
		on: failure.CircularDependency,
		actions: []string{
			"Take one of these edges out of the plan's \"Depends On\" column: " +
				"{{with .Cycle}}{{.}}{{else}}the graph must not lead back to where it began{{end}}",
		},
	},
	{
		on:      failure.PlanInvalid,
		actions: []string{"Correct the plan; `autobuild check` lists every mistake with its line"},
	},
	{
		on: failure.IsolationBreach,
		guidance: "{{if .Unattributed}}While several phases were at work, something outside " +
			"their places was changed:\n{{.Where}}\n" +
			"Leave alone what is outside of your directory: git's configuration, hooks, stashes " +
			"and branches above all.{{end}}",
		actions: []string{
			"{{with .Where}}Look at what changed: {{.}}{{end}}",
			"Undo what the phase should not have done, or accept it and resume",
			"Say in the phase's text what it must leave alone",
		},
	},
})
