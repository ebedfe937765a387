package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/environ"
	"autobuild/internal/safefile"
	"autobuild/internal/secret"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/workspace"
	"autobuild/plan"
	"autobuild/state"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// DefaultLease is how long a worker may be silent until its attempt moves, in seconds.
const DefaultLease = 90

// maxInput bounds a run as a workflow begins with it, in bytes: Temporal takes 2 MB.
const maxInput = 1900 << 10

// Engine runs phases on the workers of a Temporal server.
type Engine struct {
	Environ environ.Environ // of the process

	conn client.Client // nil before it is needed
	link
}

// link is what a connection does not say of itself.
type link struct {
	converter converter.DataConverter
	namespace string
	sealed    bool // payloads are encrypted
}

// Away is true: agents run on the workers.
func (*Engine) Away() bool { return true }

// Configure leaves the configuration as it is.
func (*Engine) Configure(*state.Config) {}

// Accepts refuses secrets in what would be pushed.
func (*Engine) Accepts(p session.Parts) error {
	_, _, err := (&follower{Parts: p}).settings(p.Spec.Plan.Text)
	return err
}

// WorkflowID names the workflow of a session.
func WorkflowID(run string, session int) string {
	return "autobuild-" + run + "-" + strconv.Itoa(session)
}

// connect dials the server.
func (g *Engine) connect(ctx context.Context, env environ.Environ) error {
	if g.conn != nil {
		return nil
	}
	o, err := Options(env)
	if err != nil {
		return err
	}
	g.link = link{converterOf(o.DataConverter), o.Namespace, o.DataConverter != nil}
	if g.conn, err = client.DialContext(ctx, o); err != nil {
		return fmt.Errorf("no Temporal server answers at %s: %w; start one, or set "+
			"TEMPORAL_ADDRESS", o.HostPort, err)
	}
	return nil
}

// Run starts the workflow of a session, or joins it, and follows it to its end.
func (g *Engine) Run(ctx context.Context, p session.Parts) error {
	space, ok := p.Space.(*workspace.Worktrees)
	if !ok {
		return call.Usage("--engine temporal needs a git repository and worktrees",
			"leave --isolation out, or use --engine local")
	}
	env := p.Call.Environ
	if err := g.connect(ctx, env); err != nil {
		return err
	}
	defer g.conn.Close()
	f := &follower{
		Parts: p, conn: g.conn, link: g.link, space: space,
		git: dataplane.Git{Dir: p.Project.Root, Env: env},
	}
	var err error
	if f.remote, err = remoteOf(ctx, f.git); err != nil {
		return err
	}
	return p.Local.Follow(ctx, p.Run, p.Session, f)
}

// remoteOf is the remote from which workers get their work.
func remoteOf(ctx context.Context, g dataplane.Git) (*dataplane.Mirror, error) {
	name := cmp.Or(environ.Environ(g.Env).Get("TEMPORAL_AUTOBUILD_REMOTE"), "origin")
	url, err := g.Run(ctx, "remote", "get-url", name)
	if err != nil {
		return nil, fmt.Errorf("workers get their work from a git remote, and there is no %q here; "+
			"add one (git remote add origin URL), or name another in TEMPORAL_AUTOBUILD_REMOTE", name)
	}
	return dataplane.Remote(g, url), nil
}

// follower mirrors one run.
type follower struct {
	session.Parts
	link
	conn   client.Client
	git    dataplane.Git
	remote *dataplane.Mirror // the starter's own repository, with the remote's URL
	space  *workspace.Worktrees

	id       string
	current  string // spec by which new attempts go; empty: not known yet
	compared bool   // the saved plan with it, where the run was joined
	emit     func(state.Event) bool
	asking   context.Context // of commands on their way to the workflow
	next     int             // number of the next event

	heard  time.Time // when the workflow answered last
	warned bool      // … and that was too long ago
	shown  time.Time // when an event was mirrored last
	listed time.Time // when logs were looked for last
	helm   helm
	tails  tails
}

// Follow starts the run where it has not begun elsewhere, and passes on what happens.
func (f *follower) Follow(
	ctx context.Context, run *state.Run, o orchestrator.Options, emit func(state.Event) bool,
) (orchestrator.Ending, []state.Gate, error) {
	f.emit = emit
	f.id = WorkflowID(run.Config.RunID, run.Config.Sessions)
	calm := context.WithoutCancel(ctx)
	if f.Session != nil {
		if err := f.begin(calm, run, o); err != nil {
			return orchestrator.Ending{Cause: orchestrator.Broken, Err: err}, nil, nil
		}
	}
	return f.follow(ctx, run)
}

// begin pushes the line and the spec, and starts the workflow.
func (f *follower) begin(ctx context.Context, run *state.Run, o orchestrator.Options) error {
	in, err := f.push(ctx, run)
	if err != nil {
		return err
	}
	in, err = f.input(in, run, o)
	if err != nil {
		return err
	}
	listed := f.listing(run)
	start := client.StartWorkflowOptions{
		ID: f.id, TaskQueue: in.Queue, WorkflowTaskTimeout: 30 * time.Second,
		WorkflowIDReusePolicy:                    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticSummary:                            fmt.Sprintf("%d phases", f.Local.Plan.Len()),
		Memo:                                     listed.memo(),
	}
	in.Listing, in.Listed = wire.Noted, wire.Running
	if f.searchable(ctx) {
		in.Listing, start.TypedSearchAttributes = wire.Indexed, listed.attributes()
	}
	_, err = f.conn.ExecuteWorkflow(ctx, start, wire.Workflow, in)
	if _, refused := errors.AsType[*serviceerror.InvalidArgument](err); refused &&
		in.Listing == wire.Indexed {
		in.Listing, start.TypedSearchAttributes = wire.Noted, temporal.SearchAttributes{}
		_, err = f.conn.ExecuteWorkflow(ctx, start, wire.Workflow, in)
	}
	if err != nil {
		return fmt.Errorf("starting the workflow %s: %w", f.id, err)
	}
	return nil
}

// push brings to the remote what workers need: the line, the spec and unfinished work. It returns
// an input with their names.
func (f *follower) push(ctx context.Context, run *state.Run) (in wire.Input, err error) {
	config := run.Config
	spec, err := f.spec(ctx, run, f.Spec.Plan.Text)
	if err != nil {
		return in, err
	}
	if in.Spec, err = spec.Write(ctx, f.git); err != nil {
		return in, err
	}
	unlock, err := f.space.Line.Lock(ctx)
	if err != nil {
		return in, err
	}
	tip := f.space.Line.Tip()
	unlock()
	if in.Refs, err = f.unfinished(ctx, run); err != nil {
		return in, err
	}
	specs := []string{
		tip + ":" + dataplane.Line(config.RunID),
		"+" + in.Spec + ":" + dataplane.SpecRef(config.RunID, config.Sessions),
	}
	for _, list := range in.Refs {
		specs = append(specs, "+"+list[0].Work+":"+dataplane.Head(list[0].Branch))
	}
	if err = f.remote.Push(ctx, f.git, nil, specs...); err != nil {
		return in, fmt.Errorf("pushing the run's line to %s: %w", f.remote.URL, err)
	}
	identity, err := f.git.Identity(ctx, tip)
	in.Queue = Queue(identity)
	return in, err
}

// input completes the input of the workflow with the run as it stands. It is an error if the input
// is larger than Temporal takes.
func (f *follower) input(
	pushed wire.Input, run *state.Run, o orchestrator.Options,
) (wire.Input, error) {
	config, own := run.Config, o.Policy.Attempts()
	in := wire.Input{
		Run: config.RunID, Session: config.Sessions, Spec: pushed.Spec, Seq: run.Seq,
		Options: wire.ThinOptions(o, own), Final: f.Local.Final != nil, Queue: pushed.Queue,
		Lease: DefaultLease, Refs: pushed.Refs, Without: run.Without, Deliver: config.Deliver,
		Phases: f.thin(f.Local.Plan, run, o), Whole: wire.Whole(f.Local.Plan), Rows: true,
	}
	if seconds, err := strconv.Atoi(f.Call.Environ.Get("TEMPORAL_AUTOBUILD_LEASE")); err == nil &&
		seconds > 0 {
		in.Lease = seconds
	}
	in.Options.Jobs = min(orDefault(o.Jobs), wire.MaxJobs)
	if raw, err := json.Marshal(in); err != nil || len(raw) > maxInput {
		return in, fmt.Errorf("the plan has %d phases, too many for one payload of Temporal "+
			"(%d bytes of %d); run it in parts with --only or --from", len(in.Phases), len(raw),
			maxInput)
	}
	return in, nil
}

// thin are the phases of a plan as they may travel. The run is the plan's.
func (f *follower) thin(p *plan.Plan, run *state.Run, o orchestrator.Options) []wire.Phase {
	return wire.Thin(p, run, func(id string) int {
		if policy, ok := o.Policies[id]; ok {
			return policy.Attempts()
		}
		return o.Policy.Attempts()
	}, f.runsOn)
}

func orDefault(jobs int) int {
	if jobs <= 0 {
		return orchestrator.DefaultJobs
	}
	return jobs
}

// Queue is the task queue of a repository.
func Queue(identity string) string { return "autobuild-" + identity }

// runsOn are the labels that a phase asks for; the configuration comes first.
func (f *follower) runsOn(p plan.Phase) string {
	if own, ok := f.Run.Config.Choices[p.ID][plan.SettingRunsOn]; ok {
		return own
	}
	return p.Setting(plan.SettingRunsOn)
}

// unfinished is the work of earlier attempts that the line here keeps, so that the next attempts go
// on from it.
func (f *follower) unfinished(ctx context.Context, run *state.Run) (wire.Refs, error) {
	refs := make(wire.Refs)
	for i := range run.Phases {
		p := &run.Phases[i]
		if p.Status == state.Complete || p.Status == state.Skipped || p.Was == "" {
			continue
		}
		work, err := f.space.Line.Kept(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		what := ""
		if work != "" {
			what, err = f.git.Secret(ctx, work)
		}
		if err != nil {
			return nil, err
		}
		if what != "" {
			f.Call.Note("the unfinished work of %s is not pushed: it holds %s", p.Label, what)
		} else if work != "" {
			refs[p.ID] = []wire.Ref{{
				Work: work, Branch: dataplane.Branch(run.Config.RunID, p.ID, 0, work),
			}}
		}
	}
	return refs, nil
}

// spec is the session as its workers make it again.
func (f *follower) spec(
	ctx context.Context, run *state.Run, text string,
) (dataplane.Spec, error) {
	stored := run.Config
	s := dataplane.Spec{
		Run: stored.RunID, Base: stored.Base, Branch: stored.Branch, Started: stored.Started,
		Plan: f.Spec.Plan.Name, Text: text, Stored: run, Dir: f.Project.Root,
	}
	var err error
	if s.Host, err = os.Hostname(); err != nil {
		s.Host = "a machine without a name"
	}
	if s.Config, s.Args, err = f.settings(text); err != nil {
		return s, err
	}
	raw, err := safefile.Read(filepath.Join(f.Project.StateDir, "baseline.json"), 8<<20)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return s, err
	}
	s.Baseline = string(raw)
	// unset values are those of autobuild
	s.Name, _ = f.git.Run(ctx, "config", "user.name")
	s.Email, _ = f.git.Run(ctx, "config", "user.email")
	return s, nil
}

// settings are the configuration and the flags with which a worker makes the session again. It is
// an error if they, or the plan's text, hold a secret: all of it is pushed to the git remote.
func (f *follower) settings(text string) (file string, args []string, err error) {
	path := filepath.Join(f.Project.Root, config.Name)
	if f.Call.ConfigFile != "" {
		path = f.Call.Path(f.Call.ConfigFile)
	}
	raw, err := safefile.ReadNamed(path, config.MaxSize)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", nil, err
	}
	known := secret.Values(f.Call.Environ)
	if file, err = config.Travels(raw, f.Call.Shown(path), known); err != nil {
		return "", nil, err
	}
	const next = "let what needs it read it from a variable of the workers' environment"
	n := 0
	for line := range strings.Lines(text) {
		n++
		if what := secret.Holds(line, known); what != "" {
			return "", nil, call.Usage(fmt.Sprintf("%s:%d: the plan holds %s, which would be pushed "+
				"to the git remote", f.Spec.Plan.Name, n, what), next)
		}
	}
	args = arguments(f.Parts)
	for _, arg := range args {
		if what := secret.Holds(arg, known); what != "" {
			flag, _, _ := strings.Cut(arg, "=")
			return "", nil, call.Usage(fmt.Sprintf("%s holds %s, which would be pushed to the git "+
				"remote", flag, what), next)
		}
	}
	return file, args, nil
}

// arguments are the flags with which a worker makes the session again.
func arguments(p session.Parts) []string {
	c, s := p.Run.Config, p.Spec
	args := []string{
		"--engine=temporal", "--progress=plain", "--isolation=" + string(state.Worktree),
		"--commit=" + string(c.CommitMode), "--jobs=1", "--fresh",
		"--schedule=" + c.Schedule, "--retry-policy=" + c.RetryPolicy,
		"--timeout=" + s.Limits.Timeout.String(), "--idle-timeout=" + s.Limits.Idle.String(),
		"--gate-timeout=" + s.Limits.Gate.String(),
		"--max-cost=" + strconv.FormatFloat(s.Limits.CostUSD, 'g', -1, 64),
		"--max-tokens=" + strconv.FormatInt(s.Limits.Tokens, 10),
		"--on-limit=" + s.OnLimit, "--knowledge=" + s.Knowledge,
		"--baseline=" + s.Checks.Baseline, "--guard=" + s.Checks.Guard,
		"--referee=" + s.Checks.Referee, "--proof=" + s.Checks.Proof,
		"--allow-empty=" + strconv.FormatBool(s.Checks.AllowEmpty),
	}
	if s.Sandbox.Mode != "" {
		args = append(args, "--sandbox="+s.Sandbox.Mode)
	}
	if c.AgentCmd != "" {
		args = append(args, "--agent-cmd="+c.AgentCmd)
	} else {
		agents := c.Agent
		for _, other := range c.Fallbacks {
			agents += "," + other
		}
		args = append(args, "--agent="+agents)
	}
	if c.Model != "" {
		args = append(args, "--model="+c.Model)
	}
	return slices.Clip(args)
}

var _ session.Engine = (*Engine)(nil)
