package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"autobuild/internal/proc"
)

// coprocess is one command of git that stays and answers many requests. It is started when it is
// first asked, and ends when it has not been asked for a while.
type coprocess struct {
	program program
	command command

	mu   sync.Mutex // held by one exchange at a time
	peer *proc.Coprocess
	idle *time.Timer
}

// idleTime is how long a coprocess stays that is not asked.
const idleTime = 20 * time.Second

// ask makes one exchange. Its errors are those of program.do; an error of exchange that git did not
// cause is given as it is.
func (c *coprocess) ask(ctx context.Context, exchange func(io.Writer, *bufio.Reader) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	run, ctx, done := c.program.runner(ctx)
	defer done()
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fresh := c.peer == nil
		if fresh {
			peer, err := c.program.run.Coprocess(c.program.line(c.command))
			if err != nil {
				return startError(err)
			}
			c.peer, c.idle = peer, time.AfterFunc(idleTime, c.end)
		}
		c.idle.Stop()
		exit, err := run.Ask(ctx, c.peer, exchange)
		if err == nil && exit.Ended == proc.Exited {
			c.idle.Reset(idleTime)
			return nil
		}
		c.peer = nil
		if errors.Is(err, errAnswer) {
			return err
		}
		if !fresh && exit.Ended == proc.Exited && exit.Tail == "" {
			continue // another process ended it since it was asked last
		}
		if halted := stopped(ctx, c.command, exit); halted != nil {
			return halted
		}
		return &ExitError{Args: c.command.verb(), Code: exit.Code, Tail: exit.Tail}
	}
}

// end ends the command, between exchanges.
func (c *coprocess) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer != nil {
		c.peer.Close()
		c.peer = nil
	}
}

// errAnswer means that git answered something that cannot be used.
var errAnswer = errors.New("git's answer cannot be used")
