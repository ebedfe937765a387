package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/session"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// visit makes a clone of the line's tip, and a session in it that does one thing. said is the
// record of an attempt whose work is to be judged again, by the tip to which the line has moved
// since; nil: an agent works.
func (w *Worker) visit(
	ctx context.Context, e wire.Errand, b *beat, said *dataplane.Record,
) (wire.Outcome, error) {
	var none wire.Outcome
	if err := w.Mirror.Fetch(ctx, e.Spec); err != nil {
		return none, err
	}
	s, err := dataplane.ReadSpec(ctx, w.Mirror.Git, e.Spec)
	if err != nil {
		return none, err
	}
	tip, err := w.Mirror.Ref(ctx, dataplane.Line(e.Run))
	if err != nil {
		return none, err
	}
	if tip == "" {
		return none, fmt.Errorf("the remote has no %s", dataplane.Line(e.Run))
	}
	v := &visit{Worker: w, errand: e, spec: s, tip: tip, from: tip, beat: b, said: said, now: w.clock(ctx)}
	if said != nil {
		if v.from, err = w.Mirror.Run(ctx, "rev-parse", e.Work+"^"); err != nil {
			return none, err
		}
	}
	home, err := w.home()
	if err != nil {
		return none, err
	}
	defer os.RemoveAll(home) //nolint:errcheck // the next start of the worker sweeps
	if err = v.session(ctx, home); err != nil {
		return none, err
	}
	return v.leave(ctx)
}

// home makes the directory of a visit: the first that is free. What sessions keep elsewhere is
// named after their repositories, so that few names leave little, and the next one of the name
// sweeps it.
func (w *Worker) home() (string, error) {
	work := filepath.Join(w.Dir, "work")
	err := os.MkdirAll(work, 0o700)
	for n := 0; err == nil; n++ {
		dir := filepath.Join(work, strconv.Itoa(n))
		err = os.Mkdir(dir, 0o700)
		if err == nil {
			return dir, nil
		}
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return "", err
}

// session makes the session of the errand in a directory and lets it end.
func (v *visit) session(ctx context.Context, home string) error {
	v.repo = dataplane.Git{
		Dir: filepath.Join(home, filepath.Base(v.Mirror.URL)), Env: v.Environ,
	}
	if err := v.clone(ctx); err != nil {
		return err
	}
	configFile := ""
	if v.spec.Config != "" {
		configFile = filepath.Join(home, config.Name)
		if err := safefile.Write(configFile, []byte(v.spec.Config), 0o600); err != nil {
			return err
		}
	}
	planPath, err := v.putPlan(home)
	if err != nil {
		return err
	}
	// what is delivered is the whole line, see Publish
	o, err := config.Parse(v.spec.Args, "deliver")
	if err != nil {
		return err
	}
	err = session.Run(ctx, v.caller(v.repo.Dir, configFile, v), o, planPath, v)
	if shown, ok := errors.AsType[*call.ShownError](err); ok {
		err = shown.Err
	}
	if !v.began && err != nil && ctx.Err() == nil {
		// before the attempt: a login, an agent or a gate's program is missing here
		if activity.GetInfo(ctx).Attempt <= declines {
			v.note("%s: %v", phaseOf(v.errand), err)
			return temporal.NewApplicationError("this worker cannot begin it", wire.Declined)
		}
		v.err, err = err, nil
	}
	return err
}

// clone makes the repository in which the session works: a clone that borrows the mirror's objects,
// with the run's line where the session begins.
func (v *visit) clone(ctx context.Context) error {
	m, dir := v.Mirror, v.repo.Dir
	if _, err := m.Run(ctx, "clone", "-q", "--shared", "--no-checkout", "--no-tags", "-c", "gc.auto=0",
		"-c", "uploadpack.allowAnySHA1InWant=true", m.Dir, dir); err != nil {
		return err
	}
	branch := v.spec.Branch
	if !strings.HasPrefix(branch, "refs/heads/") {
		branch = "refs/heads/main"
	}
	hidden := "refs/autobuild/" + v.errand.Run + "/"
	steps := [][]string{
		{"config", "user.name", cmp.Or(v.spec.Name, "autobuild")},
		{"config", "user.email", cmp.Or(v.spec.Email, "autobuild@localhost")},
		{"update-ref", branch, v.from},
		{"symbolic-ref", "HEAD", branch},
		{"reset", "-q", "--hard"},
	}
	refs := []git.RefUpdate{
		{Ref: hidden + "base", New: v.spec.Base},
		{Ref: hidden + "head", New: v.from},
		{Ref: hidden + "delivered", New: v.from},
		{Ref: dataplane.Line(v.errand.Run), New: v.from},
	}
	if v.errand.Work != "" {
		if err := m.Fetch(ctx, v.errand.Work); err != nil {
			return err
		}
		refs = append(refs, git.RefUpdate{Ref: hidden + "work/" + v.errand.Phase, New: v.errand.Work})
	}
	for _, args := range steps {
		if _, err := v.repo.Run(ctx, args...); err != nil {
			return err
		}
	}
	// the repository of the run has the objects of the work, and its refs
	state := filepath.Join(dir, ".autobuild")
	own := git.OwnRefs{Dir: filepath.Join(state, git.Folder)}
	borrowed := filepath.Join(dir, ".git", "objects", "info", "alternates")
	from, err := safefile.ReadPlain(borrowed, safefile.Small)
	if err == nil {
		err = safefile.Write(borrowed, append(from, filepath.Join(own.Dir, "objects")+"\n"...), 0o600)
	}
	if err == nil {
		err = os.MkdirAll(own.Dir, 0o700)
	}
	if err == nil {
		err = own.UpdateRefs(ctx, refs...)
	}
	if err != nil || len(v.spec.Baseline) == 0 {
		return err
	}
	return safefile.Write(filepath.Join(state, "baseline.json"), []byte(v.spec.Baseline), 0o600)
}

// putPlan writes the plan as the starter read it, and returns its path.
func (v *visit) putPlan(home string) (string, error) {
	path := filepath.FromSlash(v.spec.Plan)
	if filepath.IsAbs(path) {
		path = filepath.Join(home, filepath.Base(path))
	} else {
		path = filepath.Join(v.repo.Dir, path)
	}
	if have, err := safefile.Read(path, call.MaxPlan); err == nil && string(have) == v.spec.Text {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, safefile.Write(path, []byte(v.spec.Text), 0o600)
}
