package call

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/failure/diagnose"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/secret"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/worktree"
	"autobuild/orchestrator/worktree/delivery"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render/term"
	"autobuild/state"
)

// Project is where a call works: a repository or a plain directory, with its state and
// configuration.
type Project struct {
	Root     string          // absolute
	Repo     *git.Repository // nil without git
	Damaged  error           // why there is none although something of that name is there
	StateDir string
	LockDir  string
	Config   config.Settings
}

// Word is a short name that no other repository has, for what lies outside of it.
func (p *Project) Word() string {
	sum := sha256.Sum256([]byte(cmp.Or(p.LockDir, p.StateDir)))
	return hex.EncodeToString(sum[:6])
}

// MaxPlan bounds a plan file, in bytes.
const MaxPlan = 32 << 20

// OpenProject finds the repository around the working directory and reads its configuration into o;
// nil: it is not read.
func (c *Call) OpenProject(
	ctx context.Context, runner *proc.Runner, o *config.Options,
) (*Project, error) {
	p := &Project{Root: c.Dir}
	repo, err := worktree.Find(ctx, runner, c.Environ, c.Dir)
	switch {
	case errors.Is(err, git.ErrNoRepository):
		if _, damaged := errors.AsType[*git.UnusableError](err); damaged {
			p.Damaged = err
		}
	case err != nil:
		return nil, err
	default:
		p.Repo, p.Root, p.LockDir = repo, repo.Top, repo.CommonDir
		c.Dir = Respelled(p.Root, c.Dir)
	}
	p.StateDir = filepath.Join(p.Root, ".autobuild")
	if o == nil {
		return p, nil
	}
	return p, c.configure(p, o)
}

// configure reads the settings, and prints them for --verbose.
func (c *Call) configure(p *Project, o *config.Options) (err error) {
	from := config.Sources{
		Near: filepath.Join(p.Root, config.Name), Shown: config.Name,
		User: config.UserFile(c.Environ.Get), Environ: c.Environ,
	}
	if c.ConfigFile != "" {
		from.Near, from.Shown, from.Named = c.Path(c.ConfigFile), c.ConfigFile, true
	}
	if p.Config, err = config.Read(from, o); err != nil || !c.Verbose {
		return err
	}
	for _, l := range p.Config.Lines(o) {
		c.Note("setting %s = %s (%s)", l.Name, text.Clean(l.Value, 200), l.Origin)
	}
	return nil
}

// Shown is a path as a person types it from here.
func (c *Call) Shown(path string) string {
	if rel, err := filepath.Rel(c.Dir, path); err == nil &&
		!strings.HasPrefix(rel, ".."+string(filepath.Separator)+"..") {
		return rel
	}
	return path
}

// PlanName is how state names a plan: from the root and with slashes, whichever way leads to its
// directory; absolute when it lies outside.
func (p *Project) PlanName(path string) string {
	rel, err := filepath.Rel(p.Root, filepath.Join(Physical(filepath.Dir(path)),
		filepath.Base(path)))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// PlanPath is the inverse of planName.
func (p *Project) PlanPath(name string) string {
	path := filepath.FromSlash(name)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.Root, path)
}

// ReadPlan reads and checks a plan, in the reading that is named or the first that applies. Its mistakes, if any, have been shown when it returns.
func (c *Call) ReadPlan(shown, reading string) (*plan.Plan, error) {
	src, err := c.planText(shown)
	if err != nil {
		return nil, err
	}
	p, _, err := c.ParsePlan(shown, reading, src)
	return p, err
}

// planText is the text of the file that shown names.
func (c *Call) planText(shown string) ([]byte, error) {
	src, err := safefile.ReadNamed(c.Path(shown), MaxPlan)
	switch {
	case errors.Is(err, os.ErrNotExist):
		next := "name a markdown file, or write a first one with: autobuild init"
		if instead := config.Gone(shown); instead != "" {
			return nil, Usage("there is no command "+shown, instead)
		}
		if command := c.NearCommand(shown); command != "" {
			next = "did you mean: autobuild " + command
		} else if other := c.nearPlan(shown); other != "" {
			next = "did you mean " + text.Clean(other, 0) + "?"
		}
		return nil, Usage("there is no plan at "+shown, next)
	case err != nil:
		return nil, Usage("the plan "+shown+" cannot be read: "+safefile.Reason(err),
			"name a markdown file")
	}
	return src, nil
}

// RunnableText returns the text of a plan for a run. Where a delivery was interrupted while it
// replaced the plan, it returns the text that the delivery was writing.
func (c *Call) RunnableText(ctx context.Context, p *Project, shown string) ([]byte, error) {
	if p.Repo != nil {
		src, err := delivery.Interrupted(ctx, p.Repo, p.StateDir, Respelled(p.Root, c.Path(shown)))
		if err != nil || src != nil {
			return src, err
		}
	}
	return c.planText(shown)
}

// ParsePlan checks the text of a plan. Its mistakes, if any, have been shown when it returns. The
// Marker marks the text that was checked.
func (c *Call) ParsePlan(
	shown, reading string, src []byte,
) (*plan.Plan, *markdown.Marker, error) {
	p, marker, err := markdown.ParseMarked(shown, src, markdown.Options{Reading: reading})
	if problems, ok := errors.AsType[plan.Problems](err); ok {
		_, _ = io.WriteString(c.Stderr, term.Problems(shown, problems, c.Style(c.Stderr)))
		d := refusal(problems)
		c.Note("%s, which a retry cannot fix: %s", d.Type, text.Clean(d.Message, 300))
		for _, action := range d.Actions {
			c.Note("next: %s", text.Clean(action, 300))
		}
		return nil, nil, &ShownError{err}
	}
	if err != nil {
		return nil, nil, Usage(err.Error(), "")
	}
	return p, marker, nil
}

// StoredPlan is the plan of a stored run; nil when it cannot be read any more.
func (p *Project) StoredPlan(c state.Config) *plan.Plan {
	src, err := safefile.ReadNamed(p.PlanPath(c.Plan), MaxPlan)
	if err != nil {
		return nil
	}
	parsed, err := markdown.Parse(c.Plan, src, markdown.Options{Reading: c.Reading})
	if err != nil {
		return nil
	}
	return parsed
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
	return diagnose.From(e)
}

// Secrets are the values of an environment that must not be shown.
func Secrets(environ []string) []string { return secret.Values(environ) }

// RunID is a name for a run that sorts by time.
func RunID(now time.Time, random string) string {
	return now.UTC().Format("20060102-150405") + "-" + random[:4]
}

// SamePlan reports whether stored state belongs to this plan: the same file, or the same text under
// another name.
func SamePlan(c state.Config, name, hash string) bool {
	return c.Plan == name || c.PlanHash == hash
}
