package session

import (
	"context"
	"os"
	"sync"

	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/steering"
)

// receiveCommands receives the commands of persons for this run, until deaf is called.
func (s *session) receiveCommands(ctx context.Context) (_ <-chan orchestrator.Request, deaf func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	requests := make(chan orchestrator.Request)
	var group sync.WaitGroup
	group.Go(func() {
		steering.Receive(ctx, s.project.StateDir,
			func(pid int) bool { return proc.InTree(pid, os.Getpid()) },
			func(text string) { s.Note("%s", text) },
			func(r orchestrator.Request) {
				select {
				case requests <- r:
				case <-ctx.Done():
					r.Answer("", &orchestrator.CommandError{
						Why: steering.ErrEnded.Error(), Next: "autobuild status shows how it goes on",
					})
				}
			})
	})
	return requests, func() {
		cancel()
		group.Wait()
	}
}
