package cmd

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"autobuild/internal/safefile"
	"autobuild/plan/markdown"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) explainCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain PHASE|CODE",
		Short: "Say why a phase failed and what to do, or what a finding about a plan means",
		Long: `explain tells of a phase what happened, on what evidence, what was decided by which rule, what happened before that looks
like it, and what to do now. Of a phase that has not failed it says how it stands. A code such as E-CYCLE is explained too.`,
		Example:           "  autobuild explain 2A\n  autobuild explain 2A --json\n  autobuild explain E-CYCLE",
		Args:              onePhase,
		ValidArgsFunction: a.completePhases,
		RunE: func(c *cobra.Command, args []string) error {
			if text, ok := markdown.Explain(strings.ToUpper(args[0])); ok {
				a.print(a.style(a.stdout).Spelled(strings.TrimRight(text, "\n") + "\n"))
				return nil
			}
			if code := strings.ToUpper(args[0]); (strings.HasPrefix(code, "E-") || strings.HasPrefix(code, "W-")) && !strings.ContainsAny(code, "0123456789") {
				return usage("there is no finding "+code, strings.Replace(didYouMean(code, markdown.Codes()), "see autobuild run --help", "autobuild check PLAN.md shows those of a plan", 1))
			}
			p, run, _, err := a.loadRun(c.Context())
			if err != nil {
				return err
			}
			phase, err := findPhase(run, args[0])
			if err != nil {
				return err
			}
			e := a.explanation(p, run, phase)
			if !asJSON {
				a.print(render.Explain(e, a.style(a.stdout)))
				return nil
			}
			out, err := render.ExplainJSON(e)
			if err != nil {
				return err
			}
			a.print(string(out))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print diagnosis, decision and past as JSON")
	return c
}

// explanation is what there is to tell of a phase, with the commands as they are typed from here.
func (a *app) explanation(p *project, run *state.Run, phase *state.Phase) render.Explanation {
	e := render.Explanation{
		Run: run, Phase: phase, Alive: store.Working(p.stateDir, p.lockDir), Dir: a.shown(p.stateDir), Program: a.program(), Resume: a.resumeCall(p, run),
		Read: func(name string) string { return readLog(p.stateDir, name) },
	}
	if proposed(p.stateDir, phase) {
		e.Proposal = render.ProposalName(phase.ID)
	}
	return e
}

// program is how autobuild is called from here.
func (a *app) program() []string {
	if a.changed {
		return []string{"autobuild", "-C", a.dir}
	}
	return []string{"autobuild"}
}

// resumeCall is the call that goes on with a stored run as its last session was called.
func (a *app) resumeCall(p *project, run *state.Run) []string {
	s := a.past(p, run, store.Holder{})
	return slices.Concat(s.program(), []string{s.planArg()}, s.left(s.done()), []string{"--resume"})
}

// stands is what a look at a stored run says of how to go on with it. While it goes on nobody asks.
func (a *app) stands(p *project, run *state.Run, alive bool) render.Ending {
	if alive {
		return render.Ending{}
	}
	return render.Ending{Program: a.program(), Resume: a.resumeCall(p, run)}
}

// maxShown bounds what is read of a log in order to find the lines that matter, in bytes.
const maxShown = 16 << 20

// readLog reads the beginning of a file of the state directory, as much as is shown; what cannot be read is empty.
func readLog(stateDir, name string) string {
	return readStored(stateDir, name, func(f *os.File, _ int64) io.Reader { return io.LimitReader(f, maxShown) })
}

// readStored reads a part of a file of the state directory, of which it is told the size; what cannot be read is empty. The name comes
// from a file that may have been edited, so it does not lead out of the directory.
func readStored(stateDir, name string, part func(f *os.File, size int64) io.Reader) string {
	root, err := os.OpenRoot(stateDir)
	if err != nil {
		return ""
	}
	defer root.Close() //nolint:errcheck // opened for reading
	name = filepath.FromSlash(name)
	f, err := safefile.OpenIn(root, name, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // opened for reading
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(part(f, info.Size()))
	if err != nil {
		return ""
	}
	return string(text)
}
