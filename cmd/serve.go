package cmd

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"autobuild/cmd/serve"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/report"
	"autobuild/orchestrator/steering"
	"autobuild/render/html"
	"autobuild/state/store"
)

func (a *app) serveCommand() *cobra.Command {
	var port int
	c := &cobra.Command{
		Use:   "serve",
		Short: "Show the report in a browser, and follow the run",
		Long: `serve shows the page of autobuild report on this machine (127.0.0.1 only) and keeps it up to date while the run goes on. It prints the
address, which holds a random word: anyone who has it can read the run, logs included, and send it the commands pause,
resume, note, skip and retry. Runs that were set aside by --fresh are listed too. Ctrl-C ends it; runs do not notice.`,
		Example: `  autobuild serve               print an address to open in a browser
  autobuild serve --port 8080   always at the same port`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if port < 0 || port > 65535 {
				return call.Usage(fmt.Sprintf("--port %d is not possible", port),
					"give a number up to 65535; 0 takes any that is free")
			}
			p, err := a.OpenProject(c.Context(), &proc.Runner{}, nil)
			if err != nil {
				return err
			}
			ctx, _, stop := a.Signals.Stop(c.Context(), func(string) {})
			defer stop()
			var l net.ListenConfig
			ln, err := l.Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				return fmt.Errorf(
					"port %d of 127.0.0.1 cannot be used: %w; name another with --port, or "+
						"leave it out",
					port, err)
			}
			return a.serve(ctx, p, ln)
		},
	}
	c.Flags().IntVar(&port, "port", 0, "listen on port `N` (default: any that is free)")
	return c
}

// command sends a command of the page to the run that goes on here.
func (a *app) command(
	ctx context.Context, p *call.Project, c orchestrator.Command,
) (string, error) {
	if err := a.byPerson("serve"); err != nil {
		return "", err
	}
	if c.Phase != "" {
		_, run, _, err := a.LoadRun(ctx)
		if err != nil {
			return "", err
		}
		phase, err := call.FindPhase(run, c.Phase)
		if err != nil {
			return "", &orchestrator.CommandError{Why: err.Error()}
		}
		c.Phase = phase.ID
	}
	if !store.Working(p.StateDir, p.LockDir) {
		return "", &orchestrator.CommandError{Why: "no run goes on here"}
	}
	c.By = "the page of autobuild serve"
	return steering.Ask(ctx, p.StateDir, c,
		func() bool { return store.Working(p.StateDir, p.LockDir) })
}

// serve answers until ctx ends.
func (a *app) serve(ctx context.Context, p *call.Project, ln net.Listener) error {
	v := serve.New(serve.Config{
		StateDir: p.StateDir, LockDir: p.LockDir, Host: ln.Addr().String(), Now: time.Now,
		Page: func(ctx context.Context, stateDir string) (html.Page, error) {
			return report.StoredPage(ctx, a.Call, p, stateDir)
		},
		Command: func(ctx context.Context, c orchestrator.Command) (string, error) {
			return a.command(ctx, p, c)
		},
	})
	a.Print(v.Address() + "\n")
	if !store.Exists(p.StateDir) {
		a.Note("no run here yet; the page shows one as soon as there is one")
	}
	a.Note("anyone with this address can read and steer the run; Ctrl-C stops the server")
	return v.Serve(ctx, ln)
}
