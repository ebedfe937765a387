package diagnose

import (
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
)

// Messages are the texts in which failed commands, tests and the agent say why, each bounded.
func Messages(e failure.Evidence) []string { return complaints(e) }

// denied returns the first write that the sandbox denied, as the missing prerequisite.
func denied(e failure.Evidence) (sign.Found, bool) {
	if len(e.Denied) == 0 {
		return sign.Found{}, false
	}
	return sign.Found{
		Sign:  sign.Sign{Name: sign.DeniedWrite, Category: failure.Prerequisite},
		Words: e.Denied[0].Path,
	}, true
}

// nameDenied adds a denied path to the message, in place of the words of the tool where these name
// it.
func nameDenied(d *failure.Diagnosis, path string) {
	said := "the sandbox denies writing " + path
	if before, rest, _ := strings.Cut(d.Message, ": "); strings.Contains(rest, path) {
		d.Message = before + ": " + said
		return
	}
	d.Message += "; " + said
}

// allowWrite is the advice for a denied write: it names the entry for sandbox.write. It never
// proposes paths that belong to the run.
func allowWrite(write failure.DeniedWrite) advice {
	guidance := fmt.Sprintf(
		"The sandbox denies writing %s. Write in the worktree, or below $TMPDIR.", write.Path)
	if write.Allow == "" {
		return advice{
			guidance,
			[]string{"Keep the command from writing " + write.Path +
				", which belongs to the run and not to a phase"},
		}
	}
	return advice{guidance, []string{
		"Allow it in autobuild.yaml, `sandbox: {write: [" + write.Allow +
			"]}`, where it exists, or run with --sandbox off",
	}}
}

// perhapsDenied is the advice where access was refused to a confined command, and no output names
// the path.
const perhapsDenied = "If the sandbox denies it, name the place under sandbox.write in " +
	"autobuild.yaml, or run with --sandbox off"
