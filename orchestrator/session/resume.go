package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/internal/call"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/repair"
	"autobuild/state/store"
)

// stored loads the run that is to go on; nil when a new one starts.
func (s *session) stored() (*state.Run, error) {
	if !store.Exists(s.project.StateDir) {
		if s.o.Resume {
			s.Note("nothing to resume here; starting")
		}
		return nil, nil
	}
	if s.o.Fresh {
		return nil, nil
	}
	run, notes, err := s.dir.Load(orchestrator.Seeds(s.plan, policy.Single{}.Attempts()))
	if errors.Is(err, store.ErrNoRun) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	moved := run.Config.Plan != s.name && run.Config.PlanTitle == s.plan.Title && s.plan.Title != "" && !fileExists(s.project.PlanPath(run.Config.Plan))
	if moved {
		s.Note("the plan has moved from %s to %s", run.Config.Plan, s.name)
	}
	if !moved && !call.SamePlan(run.Config, s.name, s.plan.Hash) {
		return nil, &otherPlanError{
			have: run.Config.Plan, want: s.name, goOn: s.ResumeCall(s.project, run), afresh: append(s.Program(), s.planArg(), "--fresh"),
		}
	}
	for _, n := range notes {
		s.Note("%s", text.Clean(n.String(), 400))
	}
	if !s.o.Resume && !run.Finished() {
		s.Note("resuming the unfinished run %s of %s (--fresh starts again)", run.Config.RunID, s.name)
	}
	return run, nil
}

// historyKept is how many runs stay in history.
const historyKept = 10

// setAside makes room for a fresh start, once it is known that there can be one.
func (s *session) setAside() error {
	if !s.o.Fresh || !store.Exists(s.project.StateDir) {
		return nil
	}
	s.finished = s.workDone()
	archived, err := s.dir.Fresh(historyKept)
	if err != nil {
		return err
	}
	s.Note("starting again; the old run is kept in %s (commits that it made stay; a phase whose work is there already, and passes its gates, is complete)",
		s.Shown(filepath.Join(s.project.StateDir, archived)))
	return nil
}

// workDone returns the files of each phase that the stored run has completed and whose text is
// unchanged since, by id. An unreadable run counts as none: its work is done again.
func (s *session) workDone() map[string][]string {
	run, _, err := s.dir.Load(orchestrator.Seeds(s.plan, policy.Single{}.Attempts()))
	if err != nil || run.Config.Plan != s.name {
		return nil
	}
	done := make(map[string][]string)
	for i := range run.Phases {
		p := &run.Phases[i]
		phase, known := s.plan.Find(p.ID)
		last, tried := p.Last()
		if p.Status == state.Complete && known && tried && p.Fingerprint == phase.Fingerprint && last.Verdict.Passed() {
			done[p.ID] = slices.Concat(last.Changes.Created, last.Changes.Modified, last.Changes.Standing)
		}
	}
	return done
}

// told returns a function that looks up in the diary the commit that completed a phase; the diary
// is read on first use.
func (s *session) told() func(phase string) (state.Commit, bool) {
	diary := sync.OnceValue(func() *repair.Diary { return repair.ReadDiary(store.DiaryLines(s.project.StateDir)) })
	return func(phase string) (state.Commit, bool) { return diary().Completed(phase) }
}

// otherPlanError says that the state here belongs to another plan.
type otherPlanError struct {
	have, want   string
	goOn, afresh []string // the calls for the one and for the other
}

// Error names both plans and both ways out.
func (e *otherPlanError) Error() string {
	return fmt.Sprintf("the state in .autobuild belongs to another plan, %s, not %s; go on with it: %s; or set it aside: %s",
		e.have, e.want, render.Command(e.goOn), render.Command(e.afresh))
}

// resume decides what becomes of each phase's past, and says it.
func (s *session) resume(ctx context.Context) error {
	past, err := s.space.Past(ctx)
	if err != nil {
		return err
	}
	past.Rerun = s.o.Rerun
	past.Skip = s.begin.Skip
	past.Diary = s.told()
	past.Thaws = func(p *state.Phase) string { return s.thaws(ctx, p) }
	call.LookUpCutOffs(s.project.StateDir, s.run)
	decisions := orchestrator.Resume(s.plan, s.run, past)
	var shown []term.Decision
	again, held := false, []string(nil)
	for _, d := range decisions {
		if d.Verb == orchestrator.Stuck {
			held = append(held, d.Label)
		}
		again = again || d.Verb != orchestrator.Keep
		p, _ := s.plan.Find(d.Phase)
		shown = append(shown, term.Decision{Label: d.Label, Name: p.Name, Verb: string(d.Verb), Reason: d.Reason})
	}
	if len(held) > 0 {
		which, it, its := "phase "+held[0]+" was", "is not started again by itself", "its log"
		if len(held) > 1 {
			which, it, its = "phases "+strings.Join(held, ", ")+" were each", "are not started again by themselves", "their logs"
		}
		return fmt.Errorf("%s cut off %d times in a row in the same place or for lack of memory, and %s; look at %s, then: %s",
			which, state.MaxCutOff, it, its, render.Command(slices.Concat(s.Program(), []string{"reset"}, held)))
	}
	// A run that was cut off, or interrupted, when all its phases were complete still lacks its
	// end.
	open := s.run.End == nil || s.run.End.Merge != "" || s.run.End.Outcome != state.Done
	if !again && !open {
		s.nothing = true
		return nil
	}
	// the final gates are still to pass
	unjudged := len(s.plan.Final) > 0 && s.run.End != nil && s.run.End.Outcome != state.Done
	if !again && s.run.End != nil && !unjudged {
		if s.nothing, err = s.space.Arrived(ctx); err != nil {
			return err
		}
		s.arrived = s.nothing
	}
	if err = s.unseenFix(decisions); err != nil {
		return err
	}
	s.begin.Decisions = decisions
	if s.nothing {
		return nil
	}
	_, _ = io.WriteString(s.Stderr, term.Decisions(shown, s.Style(s.Stderr)))
	return nil
}

// committer knows whether a person has committed something since an attempt began.
type committer interface {
	Committed(ctx context.Context, since string) (bool, error)
}

// unconstrained reports whether an attempt failed at a constraint that the plan does not state
// any more.
func (s *session) unconstrained(last state.Attempt) bool {
	if last.Failure == nil || last.Failure.Class.Class != failure.Architectural {
		return false
	}
	class := last.Failure.Class
	return !slices.ContainsFunc(s.plan.Constraints, func(c plan.Constraint) bool { return class.Contradicts(c.Text) })
}

// thaws says why a frozen phase is tried again; empty where it stays frozen.
func (s *session) thaws(ctx context.Context, p *state.Phase) string {
	last, _ := p.Last()
	line, ok := s.space.(committer)
	decides := s.policyOf(p.ID)
	if limited, is := decides.(policy.Limited); is {
		decides = limited.Policy
	}
	if _, simple := decides.(policy.Single); simple {
		return "policy single freezes nothing"
	}
	switch {
	case s.o.Thaw:
		return "--resume=frozen asks for another try"
	case s.unconstrained(last):
		return "the plan does not state the constraint any more that it contradicted"
	case !ok || last.Base == "":
		return ""
	}
	if committed, err := line.Committed(ctx, last.Base); err != nil || !committed {
		return ""
	}
	return "you have committed something since"
}

// policyOf is the policy that decides about a phase.
func (s *session) policyOf(phase string) failure.Policy {
	if own, ok := s.Policies[phase]; ok {
		return own
	}
	return s.Policy
}

// choose turns --only, --from and --skip into positions; done reports whether a phase is complete
// already.
func (s *session) choose(done func(id string) bool) (err error) {
	defer s.leaveMarked()
	if len(s.o.Only) == 0 && s.o.From == "" && len(s.o.Skip) == 0 {
		return nil
	}
	part := orchestrator.Part{Only: s.o.Only, From: s.o.From, Skip: s.o.Skip}
	s.selected, s.begin.Skip, err = orchestrator.Select(s.plan, part, func(id string) bool { return done(id) || s.marked[id] != "" })
	if part, ok := errors.AsType[*orchestrator.PartError](err); ok {
		return call.Usage(part.What, part.Next)
	}
	return err
}

// kept reports which phases stay complete in this session.
func (s *session) kept() func(id string) bool {
	done := make(map[string]bool)
	for _, d := range s.begin.Decisions {
		done[d.Phase] = d.Verb == orchestrator.Keep || d.Verb == orchestrator.Mend || d.Verb == orchestrator.Adopt
	}
	return func(id string) bool { return done[id] }
}

// planArg is the plan as it is typed from here.
func (s *session) planArg() string { return s.Shown(s.path) }

// ending is what the summary has to know of the call.
func (s *session) ending() render.Ending {
	e := render.Ending{
		Program: s.Program(), Dir: s.Shown(s.project.StateDir), Nothing: s.nothing,
		Resume: s.goOn(s.done()),
		Fresh:  slices.Concat(s.again(), s.begun(), s.given, []string{"--fresh"}),
	}
	if files, err := os.ReadDir(filepath.Join(s.project.StateDir, store.PhasesDir)); err == nil {
		e.Files = len(files)
	}
	if s.space != nil && s.run.End != nil && s.run.End.Outcome == state.Halted {
		e.Notes = s.space.Notes() // a fix that is not committed is why a resume did not see it
	}
	for i := range s.run.Phases {
		if p := &s.run.Phases[i]; Proposed(s.project.StateDir, p) {
			e.Plans = append(e.Plans, p.ID)
		}
	}
	if s.config.CommitMode == state.CommitMessage {
		if script := filepath.Join(s.project.StateDir, "commits.sh"); fileExists(script) {
			e.Script = s.Shown(script)
		}
	}
	if s.o.Report != "" {
		e.Reports = append(e.Reports, s.Shown(s.Path(s.o.Report)))
	}
	return e
}

// again is what every call that goes on or starts anew begins with.
func (s *session) again() []string {
	return append(s.Program(), s.planArg(), "--commit="+string(s.config.CommitMode))
}

// goOn is the call that goes on behind the end of a session, which may have done all that it was
// asked for.
func (s *session) goOn(done bool) []string {
	return slices.Concat(s.again(), s.left(done), []string{"--resume"})
}

// done reports whether the last session did all that it was asked for.
func (s *session) done() bool { return s.run.End != nil && s.run.End.Outcome == state.Done }

// left are the flags that a resume has to repeat. A part that is complete leaves the rest of the
// plan.
func (s *session) left(done bool) []string {
	if !done {
		return s.raised(s.given)
	}
	return slices.DeleteFunc(slices.Clone(s.given), func(word string) bool {
		return strings.HasPrefix(word, "--only=") || strings.HasPrefix(word, "--from=")
	})
}

// begun are the flags that a fresh start has to repeat and a resume remembers.
func (s *session) begun() []string {
	var words []string
	switch {
	case s.config.AgentCmd != "":
		words = append(words, "--agent-cmd="+s.config.AgentCmd)
	// an earlier call may have named it, and the first one found may be another
	case s.o.Line["agent"], s.config.Sessions > 1:
		words = append(words, "--agent="+strings.Join(append([]string{s.config.Agent}, s.config.Fallbacks...), ","))
	}
	if s.o.Line["model"] {
		words = append(words, "--model="+s.config.Model)
	}
	if s.o.Line["retry-policy"] {
		words = append(words, "--retry-policy="+s.config.RetryPolicy)
	}
	if s.o.Line["isolation"] {
		words = append(words, "--isolation="+string(s.config.Isolation))
	}
	return words
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
