package commands

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"autobuild/orchestrator/session/call"
	"github.com/spf13/cobra"
)

// upTime bounds the start of the dev server.
const upTime = 30 * time.Second

// dev is a server and workers for one machine.
type dev struct {
	call    *call.Call
	repo    string
	workers int
	slots   int
	port    int
	dir     string
	beat    time.Duration
}

func devCommand(c *call.Call) *cobra.Command {
	d := dev{call: c}
	command := &cobra.Command{
		Use:   "dev",
		Short: "Start Temporal's dev server and workers on this machine, to try runs on many",
		Long: `Starts the program temporal as a dev server that keeps its data in a file and listens on 127.0.0.1 alone, and workers for a
repository. Ctrl-C ends them all; runs that are not finished go on at the next start.`,
		Example: `  autobuild-temporal dev --repo /srv/app.git --workers 3`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if d.repo == "" {
				return call.Usage("which repository?",
					"name its remote: autobuild-temporal dev --repo URL")
			}
			ctx, _, stop := c.Signals.Stop(context.Background(), func(string) {})
			defer stop()
			return d.run(ctx)
		},
	}
	f := command.Flags()
	f.StringVar(&d.repo, "repo", "", "the git remote, as `URL` or path")
	f.IntVar(&d.workers, "workers", 2, "start `N` workers")
	f.IntVar(&d.slots, "slots", 2, "at most `N` attempts at once, of each worker")
	f.IntVar(&d.port, "port", 7233, "the server listens on `PORT`; its UI on the one 1000 above")
	f.StringVar(&d.dir, "dir", "", "keep the server's data and the workers' clones in `DIR` (default below the cache directory)")
	f.DurationVar(&d.beat, "heartbeat", 15*time.Second, "time between signs of life of an attempt")
	return command
}

// run starts the server and the workers, and ends them with the context.
func (d dev) run(ctx context.Context) error {
	env := d.call.Environ
	server := env.Find(d.call.Dir, "temporal")
	if server == "" {
		return errors.New("the program temporal is not on PATH; install it: go install " +
			"github.com/temporalio/cli/cmd/temporal@v1.5.1")
	}
	if d.dir == "" {
		base := env.Get("XDG_CACHE_HOME")
		if base == "" {
			base = filepath.Join(env.Home(), ".cache")
		}
		d.dir = filepath.Join(base, "autobuild-temporal", "dev")
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	address := "127.0.0.1:" + strconv.Itoa(d.port)
	children := []*exec.Cmd{d.command(server, "server", "start-dev", "--ip", "127.0.0.1",
		"--port", strconv.Itoa(d.port), "--ui-ip", "127.0.0.1",
		"--ui-port", strconv.Itoa(d.port+1000),
		"--db-filename", filepath.Join(d.dir, "temporal.db"), "--log-level", "error")}
	defer func() { end(children) }()
	if err := children[0].Start(); err != nil {
		return err
	}
	if err := up(ctx, address); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for range d.workers {
		w := d.command(self, "worker", "--repo", d.repo, "--slots", strconv.Itoa(d.slots), "--dir",
			filepath.Join(d.dir, "workers"), "--heartbeat", d.beat.String())
		w.Env = append(w.Env, "TEMPORAL_ADDRESS="+address)
		if err := w.Start(); err != nil {
			return err
		}
		children = append(children, w)
	}
	_, _ = fmt.Fprintf(d.call.Stderr, "autobuild-temporal: the server listens on %s, its UI on "+
		"http://127.0.0.1:%d; in another terminal: TEMPORAL_ADDRESS=%s autobuild-temporal PLAN.md\n",
		address, d.port+1000, address)
	<-ctx.Done()
	return nil
}

// command is a child that writes to this call's stderr and does not hear its terminal's signals.
func (d dev) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), name, args...)
	c.Env, c.Dir = d.call.Environ, d.call.Dir
	c.Stdout, c.Stderr = d.call.Stderr, d.call.Stderr
	return c
}

// up waits until something listens.
func up(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, upTime)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the dev server does not listen on %s: %w", address, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// end asks children to end, the server last, and waits for them.
func end(children []*exec.Cmd) {
	for i := len(children) - 1; i >= 0; i-- {
		if c := children[i]; c.Process != nil {
			_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
			_ = c.Wait()
		}
	}
}
