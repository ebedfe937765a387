package cmd

import (
	"context"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
)

// The words of --guard: what becomes of what guards find.
const (
	guardOff    = "off"    // nothing is looked for
	guardWarn   = "warn"   // it is told; secrets refuse the work, because a commit cannot be taken back
	guardStrict = "strict" // it refuses the work
)

// guards look in the work of phases for what must not land.
type guards struct {
	edits   func(ctx context.Context, t attempt.Tree, phase string) ([]worktree.Edit, error)
	strict  bool
	secrets []string
}

// guards are nil where nothing is to be looked for.
func (s *session) guards() attempt.Guard {
	if s.o.guard.value == guardOff {
		return nil
	}
	values := slices.DeleteFunc(secrets(s.environ), func(v string) bool {
		return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~") || strings.HasPrefix(v, ".") // where a secret lies is none
	})
	return &guards{edits: s.space.edits, strict: s.o.guard.value == guardStrict, secrets: values}
}

// Look is verify.Guard on what would land.
func (g *guards) Look(ctx context.Context, t attempt.Tree, work attempt.Work) ([]attempt.Objection, error) {
	edits, err := g.edits(ctx, t, work.Phase.ID)
	if err != nil {
		return nil, err
	}
	look := verify.Look{
		Message: work.Message, Declared: work.Phase.Files.All(), Text: work.Phase.Text, Secrets: g.secrets,
	}
	for _, e := range edits {
		look.Changes = append(look.Changes, verify.Change{
			Path: e.Path, OldMode: e.OldMode, NewMode: e.NewMode, Old: string(e.Old), New: string(e.New), Size: e.Size, Unread: e.Unread,
		})
	}
	var found []attempt.Objection
	for _, f := range verify.Guard(look) {
		o := attempt.Objection{
			Place:   failure.Place{File: f.File, Line: f.Line, Rule: f.Rule, Message: f.Text},
			Refuses: f.Weight == verify.Grave || g.strict && f.Weight == verify.Objection,
		}
		found = append(found, o)
	}
	return found, nil
}

func (l *lineSpace) edits(ctx context.Context, t attempt.Tree, phase string) ([]worktree.Edit, error) {
	edits, err := l.line.Edits(ctx, toTree(phase, t))
	return edits, l.own(err)
}

func (d *sharedSpace) edits(ctx context.Context, t attempt.Tree, phase string) ([]worktree.Edit, error) {
	edits, err := d.files.Edits(ctx, toTree(phase, t))
	return edits, d.own(err)
}

var _ attempt.Guard = (*guards)(nil)
