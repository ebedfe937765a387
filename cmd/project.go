package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	xterm "github.com/charmbracelet/x/term"
	"github.com/spf13/pflag"

	"autobuild/failure"
	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/secret"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
)

// project is where a call works: a repository or a plain directory, with its state and configuration.
type project struct {
	root     string          // absolute
	repo     *git.Repository // nil without git
	damaged  error           // why there is none although something of that name is there
	stateDir string
	lockDir  string
	config   config.Settings
}

// word is a short name that no other repository has, for what lies outside of it.
func (p *project) word() string {
	sum := sha256.Sum256([]byte(cmp.Or(p.lockDir, p.stateDir)))
	return hex.EncodeToString(sum[:6])
}

// maxPlan bounds a plan file, in bytes.
const maxPlan = 32 << 20

// openProject finds the repository around the working directory and reads its configuration into flags.
func (a *app) openProject(ctx context.Context, runner *proc.Runner, flags *pflag.FlagSet) (*project, error) {
	p := &project{root: a.dir}
	repo, err := worktree.Find(ctx, runner, a.environ, a.dir)
	switch {
	case errors.Is(err, git.ErrNoRepository):
		if _, damaged := errors.AsType[*git.UnusableError](err); damaged {
			p.damaged = err
		}
	case err != nil:
		return nil, err
	default:
		p.repo, p.root, p.lockDir = repo, repo.Top, repo.CommonDir
		a.dir = respelled(p.root, a.dir)
	}
	p.stateDir = filepath.Join(p.root, ".autobuild")
	if flags == nil {
		return p, nil
	}
	return p, a.configure(p, flags)
}

// configure reads the settings, and prints them for --verbose.
func (a *app) configure(p *project, flags *pflag.FlagSet) (err error) {
	from := config.Sources{
		Near: filepath.Join(p.root, config.Name), Shown: config.Name, User: config.UserFile(a.environ.Get), Environ: a.environ,
	}
	if a.configFile != "" {
		from.Near, from.Shown, from.Named = a.path(a.configFile), a.configFile, true
	}
	if p.config, err = config.Read(from, flags); err != nil || !a.verbose {
		return err
	}
	for _, l := range p.config.Lines(flags) {
		a.note("setting %s = %s (%s)", l.Name, text.Clean(l.Value, 200), l.Origin)
	}
	return nil
}

// shown is a path as a person types it from here.
func (a *app) shown(path string) string {
	if rel, err := filepath.Rel(a.dir, path); err == nil && !strings.HasPrefix(rel, ".."+string(filepath.Separator)+"..") {
		return rel
	}
	return path
}

// planName is how state names a plan: from the root and with slashes, whichever way leads to its directory; absolute when it lies outside.
func (p *project) planName(path string) string {
	rel, err := filepath.Rel(p.root, filepath.Join(physical(filepath.Dir(path)), filepath.Base(path)))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// planPath is the inverse of planName.
func (p *project) planPath(name string) string {
	path := filepath.FromSlash(name)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.root, path)
}

// readPlan reads and checks a plan, and orders phases that name the same file where that is asked for. Its mistakes, if
// any, have been shown when it returns.
func (a *app) readPlan(shown, dialect string, serialize bool) (*plan.Plan, error) {
	path := a.path(shown)
	src, err := safefile.ReadNamed(path, maxPlan)
	switch {
	case errors.Is(err, os.ErrNotExist):
		next := "name a markdown file, or write a first one with: autobuild init"
		if command := nearCommand(shown); command != "" {
			next = "did you mean: autobuild " + command
		} else if other := a.nearPlan(shown); other != "" {
			next = "did you mean " + text.Clean(other, 0) + "?"
		}
		return nil, usage("there is no plan at "+shown, next)
	case err != nil:
		return nil, usage("the plan "+shown+" cannot be read: "+safefile.Reason(err), "name a markdown file")
	}
	return a.parsePlan(shown, src, dialect, serialize)
}

// runnablePlan is readPlan for a run: where a delivery was cut off while it wrote the plan anew, what it was writing counts.
func (a *app) runnablePlan(ctx context.Context, p *project, shown string, o *config.Options) (*plan.Plan, error) {
	if p.repo != nil {
		src, err := worktree.Delivering(ctx, p.repo, respelled(p.root, a.path(shown)))
		if err != nil {
			return nil, err
		}
		if src != nil {
			return a.parsePlan(shown, src, o.Dialect, o.Serialize)
		}
	}
	return a.readPlan(shown, o.Dialect, o.Serialize)
}

// parsePlan checks a plan that has been read.
func (a *app) parsePlan(shown string, src []byte, dialect string, serialize bool) (*plan.Plan, error) {
	p, err := markdown.Parse(shown, src, markdown.Options{Dialect: dialect})
	if err == nil && serialize {
		p, err = plan.Serialize(p)
	}
	if problems, ok := errors.AsType[plan.Problems](err); ok {
		_, _ = io.WriteString(a.stderr, term.Problems(shown, problems, a.style(a.stderr)))
		d := refusal(problems)
		a.note("%s, which a retry cannot fix: %s", d.Type, text.Clean(d.Message, 300))
		for _, action := range d.Actions {
			a.note("next: %s", text.Clean(action, 300))
		}
		return nil, &shownError{err}
	}
	if err != nil {
		return nil, usage(err.Error(), "")
	}
	return p, nil
}

// refusal diagnoses a plan that cannot be run: circular_dependency where phases need each other,
// else plan_invalid.
func refusal(problems plan.Problems) failure.Diagnosis {
	var e failure.Evidence
	for _, p := range problems.Errors() {
		e.Plan = append(e.Plan, p.Message)
		if cycle, ok := errors.AsType[*plan.CycleError](p.Err); ok && e.Cycle == nil {
			e.Cycle = cycle.Path
		}
	}
	return failure.Diagnose(e)
}

// style is what a stream can show.
func (a *app) style(w io.Writer) render.Style {
	t := term.Terminal{NoColor: a.noColor, Getenv: a.environ.Get}
	if f, ok := w.(interface{ Fd() uintptr }); ok && xterm.IsTerminal(f.Fd()) {
		t.TTY, t.Legacy = true, legacy(f.Fd())
		if width, _, err := xterm.GetSize(f.Fd()); err == nil {
			t.Columns = width
		}
	}
	s := term.StyleFor(t)
	s.Zone = time.Local
	return s
}

// print writes what was asked for to stdout. A reader that went away is no error of ours; an answer that is cut short is one, at the
// end of the call.
func (a *app) print(text string) {
	if _, err := io.WriteString(answer{a.stdout}, text); err != nil && a.cut == nil && !readerGone(err) {
		a.cut = err
	}
}

// answer is stdout for what was asked for, which says what is to be done where it could not be written.
type answer struct{ to io.Writer }

// Write writes, and words the error.
func (w answer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		err = fmt.Errorf("the answer is not whole: %w; make room or send it elsewhere, then ask again", err)
	}
	return n, err
}

// tell writes to stdout where the exit code speaks of a run, and not of what was written.
func (a *app) tell(text string) {
	_, _ = io.WriteString(a.stdout, text)
}

// outputs are the files that this call's output goes to, where it was sent to files. Of a run that will leave its caller they are the
// caller's: what that says when it is left goes there too.
func (a *app) outputs() []fs.FileInfo {
	var files []fs.FileInfo
	for _, w := range []io.Writer{a.stdout, a.stderr} {
		if o, ok := w.(outlet); ok {
			w = o.Writer
		}
		if f, ok := w.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				files = append(files, info)
			}
		}
	}
	return files
}

// note writes one line to stderr.
func (a *app) note(format string, args ...any) {
	a.said.Add(1)
	_, _ = io.WriteString(a.stderr, a.style(a.stderr).Note(fmt.Sprintf("autobuild: "+format, args...))+"\n")
}

// secrets are the values of an environment that must not be shown.
func secrets(environ []string) []string { return secret.Values(environ) }

// runID is a name for a run that sorts by time.
func runID(now time.Time, random string) string {
	return now.UTC().Format("20060102-150405") + "-" + random[:4]
}

// samePlan reports whether stored state belongs to this plan: the same file, or the same text under another name.
func samePlan(c state.Config, name, hash string) bool {
	return c.Plan == name || c.PlanHash == hash
}
