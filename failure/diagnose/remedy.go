package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"autobuild/failure"

	"autobuild/internal/text"
)

// remedy is what to do about something that is not there. It comes before the advice for the type,
// which is about what went wrong for want of it.
func remedy(d failure.Diagnosis, lack absence) advice {
	switch {
	case lack.denied.Path != "":
		return remedyForDenied(lack.denied)
	case lack.variable != "":
		return advice{
			fmt.Sprintf("The environment variable %s is not set where the command runs. "+
				"Do not invent a value: use a default where the task allows one, else say that it is missing.", lack.variable),
			[]string{fmt.Sprintf("Set %s in the environment of autobuild, allow it under env.allow in autobuild.yaml where such a list is kept, and resume", lack.variable)},
		}
	case lack.file != "" || len(d.Near) > 0:
		return remedyForFile(d, cmp.Or(lack.file, first(text.JoinSome(d.Files, 3))))
	case lack.passes:
		return advice{
			fmt.Sprintf("Something that was needed could not be reached (%s). Try it again before you change any code.", lack.what),
			[]string{fmt.Sprintf("Find out why it could not be reached (%s): a service that is not started, a port, the network; then resume", lack.what)},
		}
	case lack.what != "" && noAccess.MatchString(lack.what):
		return advice{
			fmt.Sprintf("Access was refused (%s). Do not work around permissions; say what is needed.", lack.what),
			compact(
				unless(!lack.confined, "If the sandbox denies it, name the place under sandbox.write in autobuild.yaml, or run with --sandbox off"),
				fmt.Sprintf("Allow what was refused (%s): an owner, a mode, a login", lack.what),
			),
		}
	case lack.what != "":
		return advice{
			fmt.Sprintf("Something that the command needs is not there (%s). Provide it if it belongs to this phase, else say that it is missing.", lack.what),
			[]string{fmt.Sprintf("Provide what the command needs (%s)", lack.what)},
		}
	}
	return advice{}
}

// remedyForDenied names the place that the sandbox would have to allow.
func remedyForDenied(denied failure.DeniedWrite) advice {
	guidance := fmt.Sprintf("The sandbox denies writing %s. Write in the worktree, or below $TMPDIR.", denied.Path)
	if denied.Allow == "" {
		return advice{guidance, []string{"Keep the command from writing " + denied.Path + ", which belongs to the run and not to a phase"}}
	}
	return advice{guidance, []string{
		"Allow it in autobuild.yaml, `sandbox: {write: [" + denied.Allow + "]}`, where it exists, or run with --sandbox off",
	}}
}

// remedyForFile asks which file is meant before anybody creates one.
func remedyForFile(d failure.Diagnosis, missing string) advice {
	if len(d.Near) == 0 {
		return advice{
			missing + " does not exist. If this phase is to make it, make it. Else find out whether another phase does, or whether the path is wrong.",
			[]string{"Create " + missing + ", or correct its path where it is named"},
		}
	}
	meant := text.JoinSome(slices.Clone(d.Near), 3)
	return advice{
		fmt.Sprintf("%s does not exist; %s does, under a name that git or its spelling connects with it. Find out which one the step means before you create anything.", missing, meant),
		[]string{fmt.Sprintf("%s does not exist; did you mean %s? Correct the path where it is named, or create the file", missing, d.Near[0])},
	}
}
