package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// workspace is where the phases of a run work, and what becomes of it all at the end.
type workspace interface {
	attempt.Workspace
	Past(ctx context.Context) (orchestrator.Past, error)
	Arrived(ctx context.Context) (bool, error) // whether nothing is left to deliver
	Finish(ctx context.Context, complete bool, message string) (worktree.Delivery, error)
	Leave(ctx context.Context) error
	Script(ctx context.Context) ([]worktree.File, error)
	Notes() []string
	Content(ctx context.Context, commit string) (string, error)                       // names what a commit holds; empty: what the phases start from
	close() error                                                                     // gives back what judging took
	edits(ctx context.Context, t attempt.Tree, phase string) ([]worktree.Edit, error) // the phase's difference, with content
}

// openWorkspace starts or takes up again the place where this run works.
func (s *session) openWorkspace(ctx context.Context) (workspace, error) {
	common := space{
		marks: planMarks{plan: s.plan}, shown: s.shown, room: s.room, benches: &benches{limit: verify.NewLimit(s.o.gateJobs)},
	}
	if s.config.Isolation == state.NoIsolation {
		shared, err := s.openShared(ctx)
		if err != nil {
			return nil, err
		}
		env, err := s.environment(nil)
		if err != nil {
			return nil, err
		}
		return &sharedSpace{
			space: common, files: shared, root: s.project.root, run: s.config.RunID,
			lookout: lookout{line: shared.Line(), kept: s.keep(), env: env, plan: s.planChanged, knows: s.planted, shared: true},
		}, nil
	}
	line, err := s.project.repo.Begin(ctx, s.worktreeOptions())
	if err != nil {
		return nil, err
	}
	env, err := s.environment(line)
	if err != nil {
		return nil, err
	}
	common.benches.line = line
	return &lineSpace{space: common, lookout: lookout{line: line, kept: s.keep(), env: env, plan: s.planChanged, knows: s.planted}}, nil
}

func (s *session) openShared(ctx context.Context) (*worktree.Shared, error) {
	if s.project.repo == nil {
		return worktree.OpenShared(s.project.root, s.worktreeOptions()), nil
	}
	return s.project.repo.BeginShared(ctx, s.worktreeOptions())
}

func (s *session) worktreeOptions() worktree.Options {
	return worktree.Options{
		RunID: s.config.RunID, StateDir: s.project.stateDir, Mode: string(s.config.CommitMode), PlanPath: s.path,
		NoVerify: len(s.hooks) == 0,
		Aside:    s.knowledgeFile(s.project).path, Mark: planMarks{s.plan}.done,
		Output: s.outputs(), Checkouts: s.checkoutsDir(),
	}
}

// space translates between attempts and worktrees.
type space struct {
	marks planMarks
	shown func(path string) string // as it is typed from here
	room  func() error             // refuses where the disk is full

	benches *benches
}

func (p space) close() error { return p.benches.close() }

// fromTree words a tree for an attempt.
func (p space) fromTree(t worktree.Tree) attempt.Tree {
	out := attempt.Tree{Dir: t.Dir, Branch: t.Branch, Base: t.Base, Reused: t.Reused, Kept: t.Kept}
	if t.Kept != "" {
		out.Notes = append(out.Notes, "its earlier work was set aside and is kept on branch "+t.Kept)
	}
	if t.Realigned != "" {
		out.Notes = append(out.Notes, t.Realigned)
	}
	if t.Moved != "" {
		out.Notes = append(out.Notes, "its earlier work holds git repositories of its own; it was moved, and is kept in "+p.shown(t.Moved))
	}
	return out
}

// toTree is the inverse of fromTree for phase.
func toTree(phase string, t attempt.Tree) worktree.Tree {
	return worktree.Tree{Phase: phase, Dir: t.Dir, Branch: t.Branch, Base: t.Base, Reused: t.Reused}
}

func (space) changes(c worktree.Changes) (state.Changes, []string) {
	out := state.Changes{Created: c.Created, Modified: c.Modified, Deleted: c.Deleted}
	for _, r := range c.Renamed {
		out.Created = append(out.Created, r.To)
		out.Deleted = append(out.Deleted, r.From)
	}
	slices.Sort(out.Created)
	slices.Sort(out.Deleted)
	var notes []string
	if c.PlanTouched {
		notes = append(notes, "it edited the plan; that edit is not taken")
	}
	if c.AsideTouched {
		notes = append(notes, "it edited "+knowledgeName+"; that edit is not taken")
	}
	return out, notes
}

// landing translates; the returned flag tells afterwards whether the plan was marked with the work.
func (p space) landing(l attempt.Landing) (worktree.Landing, *bool) {
	marked := new(bool)
	mark := p.marks.done(l.Phase)
	out := worktree.Landing{
		Phase: l.Phase, Key: l.Key, Verdict: string(l.Verdict), Message: l.Message, AllowEmpty: l.AllowEmpty, Judged: l.Judged, Contested: l.Contested,
		Mark: func(src []byte) ([]byte, error) {
			*marked = true
			return mark(src)
		},
	}
	if l.Verify != nil {
		out.Verify = func(ctx context.Context, c worktree.Candidate) error { return l.Verify(ctx, attempt.Candidate(c)) }
	}
	return out, marked
}

func landed(l worktree.Landed, marked bool) attempt.Landed {
	out := attempt.Landed{Commit: l.Commit, Delivered: l.Delivered, Undelivered: l.Undelivered, PlanMarked: marked}
	for _, o := range l.Overlap {
		if o.CaseOnly != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("%s and %s, which landed before, differ in case alone: where case is folded they are one file",
				render.Clean(o.Path, 200), render.Clean(o.CaseOnly, 200)))
			continue
		}
		out.Overlap = append(out.Overlap, o.Path)
	}
	return out
}

// own turns what a worktree says about a phase's own doing into what an attempt can judge.
func (p space) own(err error) error {
	if c, ok := errors.AsType[*worktree.ConflictError](err); ok {
		out := &attempt.ConflictError{}
		if c.Branch != "" {
			out.Merge = render.Command([]string{"git", "-C", p.shown(c.Dir), "merge", c.Branch})
		}
		for _, f := range c.Files {
			out.Files = append(out.Files, failure.Conflict{File: f.Path, Lines: f.Lines, Other: label(p.marks.plan, f.Other), OtherLines: f.OtherLines, Excerpt: f.Excerpt})
		}
		return out
	}
	if open, ok := errors.AsType[*worktree.UnresolvedError](err); ok {
		out := &attempt.ConflictError{Unresolved: true, Merge: render.Command([]string{"git", "-C", p.shown(open.Dir), "status"})}
		for _, path := range open.Paths {
			out.Files = append(out.Files, failure.Conflict{File: path})
		}
		return out
	}
	for _, mine := range []bool{
		isType[*worktree.GoneError](err), isType[*worktree.NestedError](err), isType[*worktree.ShutError](err), errors.Is(err, worktree.ErrNoChange),
	} {
		if mine {
			return workError(err)
		}
	}
	return err
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func label(p *plan.Plan, id string) string {
	if i, ok := p.Index(id); ok {
		return p.At(i).Label
	}
	return id
}

// lineSpace is a worktree a phase and one integration line.
type lineSpace struct {
	space
	lookout
}

func (l *lineSpace) Open(ctx context.Context, phase string, clean bool) (attempt.Tree, error) {
	if err := l.room(); err != nil {
		return attempt.Tree{}, err // no agent works where nothing of it could be kept
	}
	if err := l.enter(ctx, phase); err != nil {
		return attempt.Tree{}, err
	}
	t, err := l.line.Open(ctx, phase, clean)
	if err != nil {
		return attempt.Tree{}, l.own(err)
	}
	l.opened(phase, !t.Reused)
	out := l.fromTree(t)
	earlier, err := l.earlier(ctx, phase)
	out.Landed = earlier.ID != ""
	return out, err
}

// earlier is the phase's newest commit on the line, zero where it has none: a phase that a person has reset may find
// that there is nothing left to do.
func (l *lineSpace) earlier(ctx context.Context, phase string) (found worktree.Commit, err error) {
	commits, err := l.line.Commits(ctx)
	for _, c := range commits {
		if c.Phase == phase {
			found = c
		}
	}
	return found, err
}

// Untidy says what is half done in the worktree, and what changed around it since its attempt began. An agent that was called to mend
// a phase answers for both, also for what a person may have done meanwhile: nobody can tell the two apart.
func (l *lineSpace) Untidy(ctx context.Context, t attempt.Tree, phase string) ([]string, error) {
	found, err := l.line.Untidy(ctx, toTree(phase, t))
	if err != nil {
		return nil, l.own(err)
	}
	l.mu.Lock()
	before, known := l.outside[phase]
	l.mu.Unlock()
	if !known {
		return found, nil
	}
	after, err := l.line.Outside(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range bounded(before.Diff(after)) {
		found = append(found, "outside of it, while it ran: "+n)
	}
	return found, nil
}

// Rehearse stages the work as git commit would, for the hooks that are asked about it.
func (l *lineSpace) Rehearse(ctx context.Context, t attempt.Tree, phase, message string) (command, identity string, err error) {
	r, err := l.line.Rehearse(ctx, toTree(phase, t), message)
	if err != nil {
		return "", "", l.own(err)
	}
	return hookCommand(r), r.Tree, nil
}

// Worded is the message after the hooks have seen it.
func (l *lineSpace) Worded(phase string) string { return l.line.Worded(phase) }

// Renamed asks git's history where a file went.
func (l *lineSpace) Renamed(ctx context.Context, path string) (string, error) {
	return l.line.Renamed(ctx, path)
}

func (l *lineSpace) Changes(ctx context.Context, t attempt.Tree, phase string) (state.Changes, []string, error) {
	note, err := l.line.Realign(ctx, toTree(phase, t))
	if err != nil {
		return state.Changes{}, nil, l.own(err)
	}
	c, err := l.line.Changes(ctx, toTree(phase, t))
	changes, notes := l.changes(c)
	if note != "" {
		notes = append(notes, note)
	}
	return changes, append(notes, l.touched(ctx, phase)...), l.own(err)
}

// Between is what other phases, and the user, landed between a candidate's base and the tip below it.
func (l *lineSpace) Between(ctx context.Context, c attempt.Candidate, first []string) ([]failure.Conflict, error) {
	found, err := l.line.Between(ctx, c.Base, c.Tip, first)
	out := make([]failure.Conflict, len(found))
	for i, f := range found {
		out[i] = failure.Conflict{File: f.Path, Other: label(l.marks.plan, f.Other), OtherLines: f.OtherLines, Excerpt: f.Excerpt}
	}
	return out, err
}

// Removed names what the phase's difference takes away of other phases' work.
func (l *lineSpace) Removed(ctx context.Context, t attempt.Tree, phase string) ([]attempt.Removal, error) {
	found, err := l.line.Removed(ctx, toTree(phase, t))
	if err != nil {
		return nil, l.own(err)
	}
	out := make([]attempt.Removal, len(found))
	for i, r := range found {
		out[i] = attempt.Removal{Phase: label(l.marks.plan, r.Phase), File: r.Path, How: r.How, Names: r.Names}
	}
	return out, nil
}

func (l *lineSpace) Land(ctx context.Context, t attempt.Tree, how attempt.Landing) (attempt.Landed, error) {
	landing, _ := l.landing(how)
	if t.Landed {
		landing.AllowEmpty = false // no second commit where nothing is new
	}
	out, err := l.line.Land(ctx, toTree(how.Phase, t), landing)
	if errors.Is(err, worktree.ErrNoChange) && t.Landed {
		earlier, missing := l.earlier(ctx, how.Phase)
		return attempt.Landed{Commit: earlier.ID, Delivered: true, PlanMarked: true}, missing
	}
	return landed(out, out.Marked), l.own(err)
}

func (l *lineSpace) Done(ctx context.Context, t attempt.Tree, phase string) error {
	return l.line.Done(ctx, toTree(phase, t))
}

// Past asks git what of an earlier session landed.
func (l *lineSpace) Past(ctx context.Context) (orchestrator.Past, error) {
	commits, err := l.line.Commits(ctx)
	return past(commits), err
}

// past is what the commits of a run tell of it.
func past(commits []worktree.Commit) orchestrator.Past {
	byID := make(map[string]bool, len(commits))
	for _, c := range commits {
		byID[c.ID] = true
	}
	return orchestrator.Past{
		Landed: func(phase, key string) (orchestrator.Found, bool) {
			for _, c := range commits {
				if c.Phase == phase && c.Key == key && key != "" {
					return orchestrator.Found{
						Commit: state.Commit{SHA: c.ID, Message: c.Message, PlanMarked: c.PlanMarked}, Verdict: state.Verdict(c.Verdict),
						Contested: state.ContestedAt(c.Contested),
					}, true
				}
			}
			return orchestrator.Found{}, false
		},
		Present: func(c state.Commit) bool { return byID[c.SHA] },
	}
}

func (l *lineSpace) Finish(ctx context.Context, complete bool, message string) (worktree.Delivery, error) {
	if !complete {
		return l.line.Deliver(ctx)
	}
	return l.line.Finish(ctx, message)
}

func (l *lineSpace) Arrived(ctx context.Context) (bool, error) { return l.line.Arrived(ctx) }

func (l *lineSpace) Leave(ctx context.Context) error { return l.line.Leave(ctx) }

func (l *lineSpace) Script(ctx context.Context) ([]worktree.File, error) { return l.line.Script(ctx) }

func (l *lineSpace) Notes() []string { return l.line.Notes }

// Uncommitted are the files of the user's checkout that differ from its last commit, as they were
// when the line was opened.
func (l *lineSpace) Uncommitted() []string { return l.line.Uncommitted }

// Committed reports whether a person has committed something since.
func (l *lineSpace) Committed(ctx context.Context, since string) (bool, error) {
	return l.line.Committed(ctx, since)
}

func (l *lineSpace) Content(ctx context.Context, commit string) (string, error) {
	return l.line.Content(ctx, commit)
}

// workError is a reason why a phase's work cannot be taken, for its attempt.
func workError(err error) *attempt.WorkError {
	out := &attempt.WorkError{Reason: err.Error()}
	if nested, ok := errors.AsType[*worktree.NestedError](err); ok && !nested.Submodules {
		out.Nested = nested.Paths
	}
	return out
}
