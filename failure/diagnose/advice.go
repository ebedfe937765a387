package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"autobuild/failure"

	"autobuild/internal/text"
)

// advice is what to tell the agent before its next attempt, and the user when there is none.
type advice struct {
	guidance string
	actions  []string
}

// adviceFor is the advice for a diagnosis. A mismatch has two parts: that a claim was wrong,
// and what the check found.
func adviceFor(d failure.Diagnosis, e failure.Evidence) advice {
	a := adviceOn(d.Type, d, e)
	if d.Cause != "" && !d.Together {
		b := adviceOn(d.Cause, d, e)
		a.guidance = join(a.guidance, b.guidance)
		a.actions = append(b.actions, a.actions...)
	}
	if d.Type == failure.ParseError && d.Gate != "" && len(e.Gates) > 0 {
		b := adviceOn(gateType(e.Gates[0].Kind), d, e)
		a.guidance = join(a.guidance, b.guidance)
	}
	return a
}

func adviceOn(t failure.Type, d failure.Diagnosis, e failure.Evidence) advice {
	switch t {
	case failure.TestFailure, failure.LintError, failure.TypecheckError, failure.FormatError, failure.GateFailure:
		return adviceOnGate(t, d, e)
	case failure.TaskIncomplete, failure.VerificationMismatch, failure.Timeout, failure.ParseError:
		return adviceOnClaim(t, d, e)
	case failure.RefereeChanged, failure.ProofMissing:
		return adviceOnReferee(t, d)
	case failure.AgentError, failure.AgentLoop, failure.UsageLimit, failure.TransportError, failure.AgentUnusable, failure.Refusal, failure.ContextOverflow, failure.BudgetExhausted:
		return adviceOnAgent(t, d, e)
	}
	return adviceOnPlace(t, d, e)
}

func adviceOnGate(t failure.Type, d failure.Diagnosis, e failure.Evidence) advice {
	repair := ""
	if d.FixCommand != "" {
		repair = " `" + d.FixCommand + "` mends most of them by itself: begin with it."
	}
	see := fmt.Sprintf("`%s` lists what is left.", d.Command)
	switch t {
	case failure.TestFailure:
		return advice{
			fmt.Sprintf("Make the failing tests pass: %s.\n"+
				"Decide for each whether the code or the test is wrong. Look first for an expectation that is wrong, a mock that is missing, and "+
				"something that is not awaited.\n"+
				"Run `%s` until it passes; do not delete, skip or weaken a test.", failing(d), d.Command),
			[]string{
				fix(d, "the failing tests"),
				"Run `" + d.Command + "` twice in " + place(e) + ": a test that passes once is flaky",
				"Compare what the tests take for granted with what the code does",
			},
		}
	case failure.LintError:
		return advice{
			"Mend what the linter finds" + rules(d) + "." + repair + " " + see + "\nDo not disable a rule to pass.",
			compact(cmp.Or(fixOnly(d), fix(d, "the lint errors")),
				"Ask whether the rules"+rules(d)+" suit this project, and turn off those that do not",
				"Look for two configurations of the linter that disagree"),
		}
	case failure.TypecheckError:
		return advice{
			"Resolve the type errors in " + where(d, "the code") + ". " + see + "\nCompare each signature with its callers: change the one that is wrong, and do not cast the difference away.",
			[]string{
				fix(d, "the type errors"),
				"Look at the types themselves, and whether " + typings(d) + " are missing",
				"Look at " + typeConfig(d),
			},
		}
	case failure.FormatError:
		if repair != "" {
			repair = " Run `" + d.FixCommand + "` as the last step, after every other edit."
		}
		return advice{
			fmt.Sprintf("Format the code: `%s` must pass.%s", d.Command, repair),
			compact(cmp.Or(fixOnly(d), "Format "+where(d, "the code")),
				"Check that editor, formatter and linter agree on one configuration"),
		}
	}
	return advice{
		fmt.Sprintf("The check %s must pass: `%s` must exit with 0.%s\nFix what it reports; do not change the check.", d.Gate, d.Command, repair),
		compact(cmp.Or(fixOnly(d), "Run `"+d.Command+"` and fix what it reports"),
			"Check that the command is right for this repository: autobuild.yaml, gates."+d.Gate+logged(e)),
	}
}

// adviceOnReferee says what to restore, or how to explain it.
func adviceOnReferee(t failure.Type, d failure.Diagnosis) advice {
	if t == failure.ProofMissing {
		return advice{
			"Add a test that fails on the code as it was before this phase and passes on the work.",
			[]string{
				"Add a test that fails without the phase's change",
				"Or ask for less: set `proof: auto` in autobuild.yaml, for all or below `phases:` for this phase alone; " +
					"`proof=auto` on the phase's **Autobuild:** line in the plan; or --proof auto",
			},
		}
	}
	restore := "Restore " + where(d, "the tests and gates")
	if len(d.Files) == 0 { // none of them was changed: new files are what made them pass
		restore = "Make the code pass the tests that were there before, without the phase's new test files and settings"
	}
	return advice{
		"Existing tests and gates judge this phase. For each change above: restore it and change the code instead.\n" +
			"Where the change is truly needed, keep it and name it in the result block: " +
			"\"referee_changes\": [{\"file\": \"…\", \"test\": \"…\", \"why\": \"…\"}]. A person decides then.",
		[]string{
			restore,
			"If the change is right, say in the phase's section which test changes and how",
			"Or let the agent give its reason in `referee_changes` of its result: the phase then lands contested, and a person decides",
		},
	}
}

// askedFor is what an agent that was to diagnose wants of a person.
func askedFor(e failure.Evidence) string {
	if e.Claim == nil || !e.Claim.Blocked || e.Claim.Error == "" {
		return ""
	}
	return "Do what is asked for: " + failure.Line(e.Claim.Error, failure.MaxMessage)
}

func adviceOnHalfWork(d failure.Diagnosis, e failure.Evidence) advice {
	if d.Category == failure.Ambiguity && leavesOpen(e) {
		return advice{
			"The previous attempt left open: " + failure.Line(e.Claim.Error, failure.MaxMessage) + "\n" +
				"Look whether the phase's text answers it by now. Where it does not, say in the result's error what is missing.",
			[]string{
				"Read what the agent leaves open: " + failure.Line(e.Claim.Error, failure.MaxMessage),
				"Write the decision into the phase's text, or put its work right by hand in " + place(e),
				"Resume: the phase gets its attempts again",
			},
		}
	}
	guide := "The previous attempt did not finish."
	if e.Tasks.Total > 0 {
		guide = fmt.Sprintf("The previous attempt finished %d of %d tasks.", max(e.Tasks.Done, 0), e.Tasks.Total)
	}
	guide += " Its work is still in place: go on from there, and complete every task of the phase."
	if len(d.Files) > 0 {
		guide += "\nThese files were claimed and do not exist: " + text.JoinSome(d.Files, 3) +
			". Create each one that the phase asks for, and claim none that is not there."
	}
	if e.NoChange {
		guide += "\nNo file was changed. Write the changes to the working directory; a description of them does not count."
	}
	return advice{guide, compact(
		askedFor(e),
		"Read the agent's log for what stopped it: `"+failure.Logs+"`",
		"Cut the phase into smaller ones, or say more precisely what its unfinished tasks are",
		unless(!e.NoChange, "If nothing is left to change, resume with --allow-empty, or write `no changes expected` in the phase"),
	)}
}

func adviceOnClaim(t failure.Type, d failure.Diagnosis, e failure.Evidence) advice {
	switch t {
	case failure.TaskIncomplete:
		return adviceOnHalfWork(d, e)
	case failure.VerificationMismatch:
		return advice{
			"The previous attempt said that it was done, and a check of its work found otherwise.\n" +
				"Run every quality gate yourself after the last edit, however small: what passed before it proves nothing.",
			compact(
				unless(d.Cause == failure.TaskIncomplete, "Compare the agent's log with what the check found: `"+failure.Logs+"`"),
				unless(d.Gate == "", "Look for race conditions, and for tests that depend on the machine or on their order"),
				unless(d.Gate == "", "Ask what changed outside between the agent's run and the check: a service, a database, a clock"),
			),
		}
	case failure.Timeout:
		if d.Gate != "" {
			return advice{
				fmt.Sprintf("`%s` did not end within %s. Look for endless loops, servers left running, watch modes and "+
					"questions on standard input in what you changed.", d.Command, span(d.After)),
				[]string{
					"Run `" + d.Command + "` by hand and see where it hangs",
					fmt.Sprintf("Allow the gate more time if it is only slow: autobuild.yaml, gates.%s.timeout", d.Gate),
				},
			}
		}
		return advice{
			"The previous attempt ran out of time" + ranFor(d) + ". Do what the tasks ask for and nothing besides, the most important first.\n" +
				"While you work run only the tests that concern the change; start nothing that does not end by itself." + lastSeen(d),
			[]string{
				"Allow more time where the work is worth it: " + longer(e),
				"Cut the phase into smaller ones",
				"Look for something that never ends: a loop, a server, a prompt" + lastSeenShort(d),
			},
		}
	}
	return advice{
		"The previous attempt ended without a valid result (" + failure.Line(with("reason", e.ParseNote), failure.MaxField) + ").\n" +
			"End the final message with exactly one fenced json block, as described, with this attempt's nonce; nothing may follow it.",
		[]string{
			"Read the end of the agent's log, for it may have stopped early: `" + failure.Logs + "`",
			"Try another model or agent: --model, --agent",
			"For a program that knows no result block, declare `result: exit` for it in autobuild.yaml",
		},
	}
}

func adviceOnAgent(t failure.Type, d failure.Diagnosis, e failure.Evidence) advice {
	who := "the agent"
	// any program, which has another name of its own
	if e.Agent != nil && e.Agent.Name != "command" {
		who = name(*e.Agent)
	}
	switch t {
	case failure.UsageLimit:
		until := "Wait until the limit resets"
		if !d.Until.IsZero() {
			until = "Wait until " + d.Until.Format("2006-01-02 15:04 MST")
		}
		return advice{"", []string{until + ", then resume", "Go on with another agent or model: --agent, --model"}}
	case failure.TransportError:
		return advice{"", []string{
			"See whether the network and the provider of " + who + " are well, then resume",
			"Go on with another agent or model: --agent, --model",
		}}
	case failure.AgentUnusable:
		return advice{"", []string{
			"Run " + who + " by hand: log in, check billing, the model's name and the flags",
			"Read what it said: `" + failure.Logs + "`",
			"Go on with another agent: --agent",
		}}
	case failure.Refusal, failure.AgentLoop:
		return adviceOnCircles(t, d)
	case failure.ContextOverflow:
		return advice{"", []string{
			"Split the phase into smaller ones",
			"Shorten what its text quotes, and name files instead",
			"Use a model with a larger context: --model",
		}}
	case failure.BudgetExhausted:
		return advice{"", []string{"Raise the phase's max-cost or max-tokens, in the plan or under phases in autobuild.yaml, and resume"}}
	}
	if e.Work != "" {
		reason := failure.Line(e.Work, failure.MaxField)
		return advice{
			"What the previous attempt left cannot be taken as it is: " + reason + ".\nPut that right first, keep the rest, and go on from there.",
			[]string{
				"Put right what is wrong with the work: " + reason,
				"Read what " + who + " did: `" + failure.Logs + "`",
				"Begin the phase anew, if nothing of its work is to be kept: `" + failure.Reset + "`",
			},
		}
	}
	if who == "script" { // built in: it is the plan that is run
		return advice{
			"The previous attempt broke off before it was done. Its work is still in place: check it, and go on from there.",
			compact(
				"Read where the phase's sh block ended: `"+failure.Logs+"`",
				"Mend the block in the plan, or what it needs; try it by hand in "+place(e),
			),
		}
	}
	return advice{
		"The previous attempt broke off before it was done. Its work is still in place: check it, and go on from there.",
		[]string{
			"Read the end of the agent's log: `" + failure.Logs + "`",
			"Run " + who + " by hand in " + place(e) + ", to see whether it works by itself",
			"Go on with another agent: --agent",
		},
	}
}

// adviceOnCircles is for a model that refuses, and for an agent that repeats itself.
func adviceOnCircles(t failure.Type, d failure.Diagnosis) advice {
	if t == failure.Refusal {
		return advice{"", []string{
			"Read what its provider said: `" + failure.Logs + "`",
			"Go on with another agent or model: --agent, --model; a list of agents goes on by itself",
			"Say in the phase's text what the work is for, where that was misread",
		}}
	}
	return advice{
		"The previous attempt repeated itself until it was stopped" + lastSeen(d) + ".\n" +
			"What it did last does not lead on: look at what is there, and go another way.",
		[]string{
			"Read where it repeats itself: `" + failure.Logs + "`",
			"Go on with another agent or model: --agent, --model",
			"Cut the phase into smaller ones",
		},
	}
}

func adviceOnPlace(t failure.Type, d failure.Diagnosis, e failure.Evidence) advice {
	switch t {
	case failure.DependencyMissing:
		if d.FixCommand == "" {
			return advice{"", []string{failure.Install + cmp.Or(d.Package, "what is missing") + forWhom(d)}}
		}
		return advice{"", compact(
			failure.Install+"what is missing: "+d.FixCommand,
			unless(e.Shared, "If worktrees lack it, name the command under `setup` in autobuild.yaml"),
		)}
	case failure.SetupFailure:
		return advice{"", compact(
			unless(d.FixCommand == "", "Install what is missing: "+d.FixCommand),
			"Run `"+d.Command+"` in "+place(e)+" and make it pass",
			unless(e.Shared, "Name ignored files that it needs in .worktreeinclude"),
		)}
	case failure.FileConflict:
		return adviceOnConflict(d)
	case failure.GuardViolation:
		return advice{
			"Every gate passes, and the work cannot be taken with this in it. For each finding:\n" +
				"Remove conflict markers, large files, links that lead out of the tree, and comments that switch tools off.\n" +
				"Take a secret out of the files altogether, and read it from the environment.\n" +
				"Leave alone what the phase does not name. Where it truly needs the change, say why in the result's error.",
			guardActions(d, e),
		}
	case failure.SiblingWorkRemoved:
		return adviceOnRemoval(d, e)
	case failure.NestedRepository:
		return adviceOnNested(d, e)
	case failure.CircularDependency:
		return advice{"", []string{
			"Take one of these edges out of the plan's \"Depends On\" column: " + cmp.Or(edges(e), "the graph must not lead back to where it began"),
		}}
	case failure.PlanInvalid:
		return advice{"", []string{"Correct the plan; `autobuild check` lists every mistake with its line"}}
	}
	guidance := ""
	if t == failure.IsolationBreach && d.Unattributed {
		guidance = "While several phases were at work, something outside their places was changed:\n" + text.JoinSome(d.Files, 3) +
			"\nLeave alone what is outside of your directory: git's configuration, hooks, stashes and branches above all."
	}
	return advice{guidance, compact(
		unless(len(d.Files) == 0, "Look at what changed: "+text.JoinSome(d.Files, 3)),
		"Undo what the phase should not have done, or accept it and resume",
		"Say in the phase's text what it must leave alone",
	)}
}

func adviceOnConflict(d failure.Diagnosis) advice {
	merge := "Merge " + where(d, "the file") + " by hand"
	if d.FixCommand != "" {
		merge = "Merge " + where(d, "the files") + " by hand: `" + d.FixCommand + "`, and edit there; no commit is needed"
	}
	if len(d.Conflicts) == 0 {
		return advice{"", []string{
			"Resolve " + where(d, "the files") + " in the worktree: `" + d.FixCommand + "`",
			"Tell git where a file is right as it is: git add, in that worktree",
		}}
	}
	if d.Together {
		return advice{"", []string{
			"Look at both sides: each passes `" + d.Command + "` alone, and they fail together",
			"Put one phase after the other in the plan" + order(d),
			"Say in one phase's text what it has to take from the other",
		}}
	}
	return advice{"", []string{
		merge,
		"Put one phase after the other in the plan" + order(d),
		"Divide " + where(d, "the file") + ", so that each phase has a part of its own",
	}}
}

func adviceOnRemoval(d failure.Diagnosis, e failure.Evidence) advice {
	return advice{
		"The work takes away what other phases of this run have landed, and this phase's text does not ask for that:\n" +
			d.Details + "\nRestore it from HEAD (`git checkout HEAD -- FILE`) and make this phase's changes on top of it.",
		[]string{
			"Look at " + where(d, "the difference") + " in " + place(e),
			"If the removal is meant, say so in the phase's text, with the file's name",
			"If two phases write the same file, put one after the other, or divide it",
		},
	}
}

func adviceOnNested(d failure.Diagnosis, e failure.Evidence) advice {
	return advice{
		"There is a git repository inside the work: " + text.JoinSome(d.Files, 3) + ". Git would take none of its files.\n" +
			"If the files belong to this phase, remove the .git in there and keep them. If not, remove the directory.\n" +
			"Run neither `git init` nor `git clone` inside the work; fetch what is only looked at into $TMPDIR.",
		[]string{
			"Look at " + where(d, "the repository") + " in " + place(e),
			"If its files belong to the work, remove the .git in there, and resume",
			"If they do not, name the directory in .gitignore, or make it a submodule yourself",
		},
	}
}

// place is where the phase's work lies.
func place(e failure.Evidence) string {
	if e.Shared {
		return "the directory that the phases share"
	}
	return "the phase's worktree"
}

// guardActions differ for secrets: what is one must be replaced, and only turning guards off lets
// one pass.
func guardActions(d failure.Diagnosis, e failure.Evidence) []string {
	isSecret := func(p failure.Place) bool { return p.Rule == "secret" }
	if !slices.ContainsFunc(d.Places, func(p failure.Place) bool { return p.Rule != ruleConstraint }) {
		return []string{
			"Look at " + where(d, "the difference") + " in " + place(e),
			"If the change is meant, name the file in the phase's text, or change the constraint in the plan",
			"Else divide the work otherwise, so that it needs no such change, and resume",
		}
	}
	some := slices.ContainsFunc(d.Places, isSecret)
	all := !slices.ContainsFunc(d.Places, func(p failure.Place) bool { return !isSecret(p) })
	return compact(
		"Look at "+where(d, "the difference")+" in "+place(e),
		unless(all, "If it is meant, name the file in the phase's text, or run again with --guard warn"),
		unless(!some, "Replace a secret that has been in a file, also where it never landed"),
		unless(!some, "If it is no secret, run again with --guard off"),
	)
}
