package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"autobuild/internal/call"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/workspace"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
)

// summarize draws the last screen, where one is wanted.
func (s *session) summarize(err error) {
	out := s.Stdout
	switch {
	case s.o.Progress.Value == "quiet" && err == nil && s.run.End.Exit == call.ExitOK && s.run.End.Why == "":
		return // nothing is left to do
	case s.o.Progress.Value == "json":
		out = s.Stderr // stdout is the event stream
	}
	_, _ = io.WriteString(out, term.Summary(s.run, s.ending(), s.Style(out)))
	s.summed, s.saidBefore = true, s.Said.Load()
}

// repeat prints the command of the last screen once more after notes below it, so that it is at the
// end again. An error that is still to be printed ends with a command itself.
func (s *session) repeat(err error) {
	if s == nil || !s.summed || s.Said.Load() == s.saidBefore {
		return
	}
	if _, told := errors.AsType[*call.ShownError](err); err == nil || told {
		_, _ = io.WriteString(s.Stderr, term.LastCommand(s.run, s.ending(), s.Style(s.Stderr)))
	}
}

// isEnding reports whether the summary has said all there is to say about err.
func isEnding(err error) bool {
	_, halted := errors.AsType[*orchestrator.HaltError](err)
	_, stopped := errors.AsType[*orchestrator.StopError](err)
	_, interrupted := errors.AsType[*orchestrator.Interrupted](err)
	return halted || stopped || interrupted
}

// close is the last work of a session: deliver what has landed, and write what message-only leaves
// behind.
func (s *session) close(ctx context.Context, end *state.End) error {
	d, err := s.space.Finish(ctx, s.run.Finished() && len(end.Unmet()) == 0, s.summaryMessage())
	if err != nil {
		return err
	}
	end.Merge, end.Branch, end.Obstacle = d.Merge, d.Branch, workspace.Obstacle(d.Why)
	end.Why = render.ObstacleText(end.Obstacle)
	return s.writeScript(ctx)
}

func (s *session) writeScript(ctx context.Context) error {
	if s.config.CommitMode != state.CommitMessage {
		return nil
	}
	files, err := s.space.Script(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := s.keep().Put(f.Name, f.Data, f.Exec); err != nil {
			return err
		}
	}
	return nil
}

// summaryMessage is the message of the one commit of mode single.
func (s *session) summaryMessage() string {
	title := s.plan.Title
	if title == "" {
		title = filepath.Base(s.path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "feat: %s\n\n", text.Clean(title, 60))
	for i := range s.run.Phases {
		if p := &s.run.Phases[i]; p.Status == state.Complete && p.Commit != nil {
			subject, _, _ := strings.Cut(p.Commit.Message, "\n")
			fmt.Fprintf(&b, "- %s: %s\n", p.Label, text.Clean(subject, 100))
		}
	}
	return b.String()
}
