package report

import (
	"fmt"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/plan"
	"autobuild/render/ci"
)

// markProblems marks the mistakes of a plan for a runner that marks files.
func (w writer) markProblems(ps plan.Problems) {
	if w.Runner() == "" || w.CalledByAgent() {
		return
	}
	shown := filepath.ToSlash(w.planArg)
	if top := w.Below(filepath.Dir(w.Path(w.planArg))); top != "" {
		shown = top + "/" + filepath.Base(w.planArg)
	}
	_, _ = fmt.Fprint(w.Stderr, ci.ProblemMarks(shown, ps, w.Runner()))
}

// stepSummary adds a text to the page of a workflow's run.
func (w writer) stepSummary(text string) error {
	path := w.Environ.Get("GITHUB_STEP_SUMMARY")
	if w.Runner() != ci.GitHub || path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil &&
		(!info.Mode().IsRegular() || info.Size()+int64(len(text)) > ci.MaxStepSummary) {
		return fmt.Errorf("%s is full, or no file", path)
	}
	f, err := safefile.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}
