package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"autobuild/internal/forge"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/preflight"
	"autobuild/render"
	"autobuild/state"
)

// publishTime bounds the delivery to a remote, which the user's cancellation does not reach; that
// of one command bounds a server that does not answer.
const (
	publishTime = 5 * time.Minute
	askTime     = time.Minute
)

// maxAnswer bounds what is read of a forge's command line, in bytes.
const maxAnswer = 1 << 20

// deliverTo settles where the work goes. A run keeps to what it began with.
func (s *session) deliverTo(ctx context.Context, stored *state.Run) (state.Deliver, error) {
	c := s.spec.Config
	asked := c.Deliver
	if stored != nil {
		if old := stored.Config.Deliver; s.o.Line["deliver"] && asked != old {
			return "", call.Usage(fmt.Sprintf("this run was started with %s and cannot change to %s",
				deliverFlag(old), deliverFlag(asked)), "leave --deliver out, or start again with --fresh")
		}
		return stored.Config.Deliver, nil
	}
	switch {
	case asked == "":
		return "", nil
	case c.Isolation != state.Worktree:
		return "", call.Usage(deliverFlag(asked)+" needs a worktree a phase, and --isolation is none",
			"leave one of them out")
	case c.CommitMode != state.CommitAuto:
		return "", call.Usage(fmt.Sprintf("%s needs a commit a phase, and --commit is %s",
			deliverFlag(asked), c.CommitMode), "use --commit=auto, or leave --deliver out")
	}
	_, address, err := s.project.Repo.Remote(ctx, s.project.Repo.Branch)
	switch {
	case errors.Is(err, git.ErrNoRemote):
		return "", call.Usage(deliverFlag(asked)+" needs a remote, and the repository has none",
			"add one with: git remote add origin URL")
	case err != nil:
		return "", err
	case asked == state.DeliverBranch:
		return asked, nil
	case s.project.Repo.Branch == "":
		return "", call.Usage(deliverFlag(asked)+" needs a branch to go to, and HEAD is detached",
			"switch to a branch, or use --deliver branch")
	}
	f, ok := forge.At(address, nil)
	switch {
	case !ok:
		return "", call.Usage(fmt.Sprintf("%s needs GitHub or GitLab, and the remote is %s",
			deliverFlag(asked), text.Clean(shownAddress(address), 200)), "use --deliver branch")
	case !s.LookPath(f.Program):
		return "", call.Usage(fmt.Sprintf("%s needs %s, which is not on PATH", deliverFlag(asked),
			f.Program), "install it and log in with: "+f.Program+" auth login")
	}
	return asked, nil
}

func deliverFlag(d state.Deliver) string {
	if d == "" {
		return "no --deliver"
	}
	return "--deliver " + string(d)
}

// publish pushes what has landed and makes or updates its pull requests. What fails is recorded
// with the command that does it, and the run's outcome stays.
func (s *session) publish(ctx context.Context, end *state.End) {
	c := s.spec.Config
	var done []*state.Phase // in the order of their landing
	for i := range s.run.Phases {
		if p := &s.run.Phases[i]; p.Status == state.Complete && p.Commit != nil && p.Commit.SHA != "" {
			done = append(done, p)
		}
	}
	if c.Deliver == "" || len(done) == 0 {
		return
	}
	slices.SortStableFunc(done, func(a, b *state.Phase) int { return a.Finished.Compare(b.Finished) })
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTime)
	defer cancel()
	prefix := "autobuild/" + c.RunID + "/"
	if c.Deliver != state.DeliverStack {
		last := done[len(done)-1]
		r := s.push(ctx, state.PullRequest{Branch: prefix + "all"}, last.Commit.SHA)
		if c.Deliver == state.DeliverPR {
			r = s.request(ctx, r, git.ShortRef(c.Branch), render.RequestTitle(s.run), done)
		}
		end.Requests = append(end.Requests, r)
		return
	}
	base := git.ShortRef(c.Branch)
	for _, p := range done {
		r := s.push(ctx, state.PullRequest{Phase: p.ID, Branch: prefix + p.ID}, p.Commit.SHA)
		pushed := r.Why == ""
		title, _, _ := strings.Cut(p.Commit.Message, "\n")
		r = s.request(ctx, r, base, text.CleanLine(p.Label+": "+title, 120), []*state.Phase{p})
		end.Requests = append(end.Requests, r)
		if pushed { // else the remote may not have the branch
			base = r.Branch
		}
	}
}

// shownAddress is the address of a remote without a login in it.
func shownAddress(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	return address
}

// push makes the request's branch of the remote lead to a commit.
func (s *session) push(
	ctx context.Context, r state.PullRequest, commit string,
) state.PullRequest {
	repo := s.project.Repo
	remote, _, err := repo.Remote(ctx, s.spec.Config.Branch)
	if err == nil {
		err = repo.Push(ctx, remote, map[string]string{r.Branch: commit})
	}
	if err != nil {
		r.Why = text.Clean("not pushed: "+err.Error(), 300)
		r.Next = append(append(s.Program(), s.planArg()), "--resume")
	}
	return r
}

// request makes or updates the pull request of a branch that was pushed.
func (s *session) request(
	ctx context.Context, r state.PullRequest, base, title string, phases []*state.Phase,
) state.PullRequest {
	if r.Why != "" {
		return r
	}
	_, address, err := s.project.Repo.Remote(ctx, s.spec.Config.Branch)
	f, ok := forge.At(address, s.runForge)
	if err != nil || !ok {
		r.Why = "the remote is no forge any more"
		return r
	}
	r.URL, err = f.Put(ctx, forge.Request{
		Branch: r.Branch, Base: base, Title: title, Draft: !s.run.Finished(),
		Body: render.RequestBody(s.run, phases, r.Branch),
	})
	if err != nil {
		r.Why = text.Clean(f.Program+": "+err.Error(), 300)
		r.Next = append(append(s.Program(), s.planArg()), "--resume")
	}
	return r
}

// runForge runs a forge's program with the user's environment, outside of the repository.
func (s *session) runForge(ctx context.Context, argv []string, stdin string) (string, error) {
	run := &proc.Runner{Secrets: call.Secrets(s.Environ), Kill: s.runner.Kill}
	defer run.Close()
	out, exit, err := run.Output(ctx, proc.Command{
		Argv: argv, Dir: preflight.Temporary(), Stdin: strings.NewReader(stdin), Timeout: askTime,
		Env: proc.Environ(s.Environ, map[string]string{
			"GH_PROMPT_DISABLED": "1", "NO_PROMPT": "1", "NO_COLOR": "1", "GLAB_NO_PROMPT": "1",
		}),
	}, maxAnswer)
	switch {
	case err != nil:
		return "", err
	case exit.Ended == proc.Timeout:
		return "", fmt.Errorf("no answer within %s", text.Duration(askTime))
	case !exit.OK():
		return "", fmt.Errorf("exit code %d: %s", exit.Code,
			cmp.Or(text.OneLine(strings.TrimSpace(exit.Tail)), "no output"))
	}
	return string(out), nil
}
