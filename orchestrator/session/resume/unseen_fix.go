package resume

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// unseenFix refuses a resume that would pay for an attempt which cannot see the user's fix: a
// file that concerns a failed phase was changed in the checkout after its last attempt and is not
// committed. resume is the call that resumes the run.
func (r Request) unseenFix(
	run *state.Run, decisions []orchestrator.Decision, dirty, resume []string,
) error {
	if len(dirty) == 0 {
		return nil
	}
	for _, d := range decisions {
		old, known := run.Find(d.Phase)
		if d.Verb != orchestrator.Again || !known || old.Status != state.Failed {
			continue
		}
		phase, _ := r.Plan.Find(d.Phase)
		if fixed := r.changedSince(old, phase, dirty); len(fixed) > 0 {
			return &unseenFixError{
				phase: d.Label, files: fixed,
				commit: "git add -- " + render.Command(fixed) + " && git commit -m fix",
				resume: render.Command(resume),
			}
		}
	}
	return nil
}

// changedSince are those of the files that concern a failed phase and were changed after its last
// attempt. A file that is gone has no time, and counts.
func (r Request) changedSince(old *state.Phase, phase plan.Phase, dirty []string) []string {
	last, ok := old.Last()
	if !ok || last.Failure == nil || last.Ended.IsZero() {
		return nil
	}
	var concern []string
	for _, t := range last.Failure.Tests {
		concern = append(concern, t.File)
	}
	for _, p := range last.Failure.Places {
		concern = append(concern, p.File)
	}
	concern = slices.Concat(concern, last.Failure.Files, last.Changes.Paths(), phase.Files.All())
	return slices.DeleteFunc(slices.Clone(dirty), func(file string) bool {
		named := slices.ContainsFunc(concern, func(c string) bool {
			return c == file || strings.HasSuffix(file, "/"+c) && c != ""
		})
		info, err := os.Lstat(filepath.Join(r.Project.Root, filepath.FromSlash(file)))
		return !named || err == nil && info.ModTime().Before(last.Ended)
	})
}

// unseenFixError says that a fix is not committed.
type unseenFixError struct {
	phase          string
	files          []string
	commit, resume string
}

// Error names the files, and the commands that commit them, or put them aside, and resume.
func (e *unseenFixError) Error() string {
	const named = 5
	list := strings.Join(e.files[:min(len(e.files), named)], ", ")
	if more := len(e.files) - named; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf(
		"phase %s failed, and what you have changed since is not committed, so no phase would "+
			"see it: %s; commit it: %s, or put it aside: git stash; then: %s",
		e.phase, list, e.commit, e.resume)
}
