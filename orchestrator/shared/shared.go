// Package shared lets all phases work in one directory: without git, or in the user's checkout
// without isolation. What a phase changed is known by comparing the files before and after, and
// nothing is merged. It does not know how files become commits: a line of package worktree does
// that.
package shared

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree"
)

// Dir is one directory in which all phases work. A file that a sibling changed and landed while a
// phase ran is the sibling's, unless its content changed again: then both did. Its methods may be
// called from any number of goroutines.
type Dir struct {
	dir    string
	skip   func(rel string) bool
	output []fs.FileInfo
	line   *worktree.Line // commits files, in a repository; nil without git
	single bool           // all files become one commit at the end

	mu    sync.Mutex
	begun map[string]start
	last  manifest  // of the latest look: files that are as in it are not read again
	ended []landing // by ascending tick
	tick  int
}

// start is the directory as a phase found it.
type start struct {
	tick  int
	files manifest
}

// landing is what a phase was found to have changed, by path; the zero seen is a deletion.
type landing struct {
	phase, key, commit string
	tick               int
	files              map[string]seen
}

// Open makes dir the place where all phases work, without git. Of the options it uses StateDir,
// PlanPath, Aside and Output. The plan counts as no phase's work: its marks change while phases
// run.
func Open(dir string, o worktree.Options) *Dir {
	state, err := filepath.Rel(safefile.Resolved(dir), safefile.Resolved(o.StateDir))
	if err != nil || !filepath.IsLocal(state) {
		state = ".autobuild"
	}
	state = filepath.ToSlash(state)
	nobodys := make(map[string]bool)
	for _, path := range []string{o.PlanPath, o.Aside} {
		if rel := git.PathBelow(dir, path); rel != "" {
			nobodys[rel] = true
		}
	}
	return &Dir{dir: dir, output: o.Output, begun: map[string]start{}, skip: func(rel string) bool {
		return rel == state || rel == ".autobuild" || nobodys[rel]
	}}
}

// Open notes the directory's content as the phase finds it; a retry goes on from the first look.
// Earlier work cannot be set aside here, so clean only forgets it.
func (s *Dir) Open(ctx context.Context, phase string, clean bool) (worktree.Tree, error) {
	if err := worktree.CheckName("phase name", phase); err != nil {
		return worktree.Tree{}, err
	}
	if err := ctx.Err(); err != nil {
		return worktree.Tree{}, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := worktree.Tree{Phase: phase, Dir: s.dir}
	if _, again := s.begun[phase]; again && !clean {
		t.Reused = true
		return t, nil
	}
	files, err := s.look()
	if err != nil {
		return worktree.Tree{}, err
	}
	s.tick++
	s.begun[phase] = start{tick: s.tick, files: files}
	return t, nil
}

// look takes a manifest of the directory. The caller holds mu.
func (s *Dir) look() (manifest, error) {
	files, err := survey(s.dir, s.skip, s.output, s.last)
	if err == nil {
		s.last = files
	}
	return files, err
}

// Changes tells what changed since the phase began and was not landed by another.
func (s *Dir) Changes(_ context.Context, t worktree.Tree) (worktree.Changes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mine, beside, _, err := s.diff(t)
	if err != nil {
		return worktree.Changes{}, err
	}
	before := s.begun[t.Phase].files
	c := worktree.Changes{Beside: beside}
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(mine)) {
		now := mine[path]
		_, was := before[path]
		switch {
		case now.info == nil:
			c.Deleted = append(c.Deleted, path)
		case was:
			c.Modified = append(c.Modified, path)
		default:
			c.Created = append(c.Created, path)
		}
		// a digest takes everything
		_, _ = fmt.Fprintf(h, "%q %x %v\n", path, now.sum, now.info != nil)
	}
	c.Tree = hex.EncodeToString(h.Sum(nil))
	return c, nil
}

// diff gives what the phase changed, what changed meanwhile and was landed by a phase beside it,
// and the files that both of them changed.
func (s *Dir) diff(
	t worktree.Tree,
) (mine map[string]seen, beside []string, both []worktree.ConflictFile, err error) {
	begun, ok := s.begun[t.Phase]
	if !ok {
		return nil, nil, nil, fmt.Errorf("phase %s was not opened", t.Phase)
	}
	now, err := s.look()
	if err != nil {
		return nil, nil, nil, err
	}
	mine = map[string]seen{}
	for path, n := range now {
		if b, was := begun.files[path]; !was || !b.same(n) {
			mine[path] = n
		}
	}
	for path := range begun.files {
		if _, is := now[path]; !is {
			mine[path] = seen{}
		}
	}
	for _, e := range s.since(begun.tick) {
		if e.phase == t.Phase {
			continue
		}
		for path, theirs := range e.files {
			_, changed := mine[path]
			is, exists := now[path]
			switch {
			case exists == (theirs.info != nil) && (!exists || is.same(theirs)):
				if changed {
					beside = append(beside, path)
				}
				delete(mine, path)
			case changed:
				both = append(both, worktree.ConflictFile{
					Path: path, Kind: "contents",
					Other: e.phase, OtherCommit: e.commit,
				})
			}
		}
	}
	slices.SortFunc(both,
		func(a, b worktree.ConflictFile) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(beside)
	return mine, slices.Compact(beside), both, nil
}

// Land records the phase's changes, and in mode auto commits exactly those files. It gives a
// *ConflictError when a phase that ran at the same time changed the same file.
func (s *Dir) Land(
	ctx context.Context, t worktree.Tree, how worktree.Landing,
) (worktree.Landed, error) {
	if how.Phase == "" {
		how.Phase = t.Phase
	}
	if beside := s.landedSince(t); beside && how.Verify != nil {
		if err := how.Verify(ctx, worktree.Candidate{}); err != nil {
			return worktree.Landed{}, fmt.Errorf("verifying phase %s beside what else landed: %w",
				t.Phase, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.ended, func(e landing) bool {
		return e.phase == how.Phase && e.key == how.Key
	}); i >= 0 {
		return worktree.Landed{Commit: s.ended[i].commit, Already: true}, nil
	}
	mine, _, both, err := s.diff(t)
	if err != nil {
		return worktree.Landed{}, err
	}
	if len(both) > 0 {
		return worktree.Landed{}, &worktree.ConflictError{Phase: how.Phase, Files: both}
	}
	if len(mine) == 0 && !how.AllowEmpty {
		return worktree.Landed{}, worktree.ErrNoChange
	}
	var landed worktree.Landed
	if s.line != nil {
		if landed.Commit, err = s.line.CommitPaths(git.Uninterrupted(ctx),
			slices.Sorted(maps.Keys(mine)), how); err != nil {
			return worktree.Landed{}, err
		}
	}
	if len(mine) > 0 || landed.Commit != "" { // else the phase has nothing to make durable
		if err = git.Flush(s.dir); err != nil {
			return worktree.Landed{}, err
		}
	}
	s.tick++
	s.ended = append(s.ended, landing{
		phase: how.Phase, key: how.Key, commit: landed.Commit,
		tick: s.tick, files: mine,
	})
	return landed, nil
}

func (s *Dir) landedSince(t worktree.Tree) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun, ok := s.begun[t.Phase]
	return ok && slices.ContainsFunc(s.since(begun.tick),
		func(e landing) bool { return e.phase != t.Phase })
}

// since are the landings after a tick. The caller holds mu.
func (s *Dir) since(tick int) []landing {
	first := len(s.ended)
	for first > 0 && s.ended[first-1].tick > tick {
		first--
	}
	return s.ended[first:]
}

// Commits lists the commits that phases of this run have made, oldest first; none without git and
// in the modes that commit later.
func (s *Dir) Commits(ctx context.Context) ([]worktree.Commit, error) {
	if s.line == nil {
		return nil, nil
	}
	return s.line.CommitsInPlace(ctx)
}

// Landed tells which phases landed, and their commits where there are any.
func (s *Dir) Landed(context.Context) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for _, e := range s.ended {
		out[e.phase] = e.commit
	}
	return out, nil
}

// Done forgets how the phase found the directory.
func (s *Dir) Done(_ context.Context, t worktree.Tree) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.begun, t.Phase)
	return nil
}

// Line gives those calls that look at what lies around the directory: Outside, Breaches, Hold and
// Release. Nil without git.
func (s *Dir) Line() *worktree.Line { return s.line }

// Notes says what the user should be told about how the run begins.
func (s *Dir) Notes() []string {
	if s.line == nil {
		return nil
	}
	return s.line.Notes
}

// Finish ends a complete run; in mode single it commits all files that phases changed, those of
// earlier starts of the run included.
func (s *Dir) Finish(ctx context.Context, message string) (worktree.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := worktree.Delivery{Delivered: true}
	if s.line == nil || !s.single {
		return d, nil
	}
	var err error
	if d.Commit, err = s.line.CommitRecorded(git.Uninterrupted(ctx), message); err != nil {
		return worktree.Delivery{}, err
	}
	return d, nil
}

// Begin makes the user's checkout the place where all phases work. In mode auto every phase becomes
// a commit of the files that it changed; in mode single Finish makes one of all; in mode
// message-only nothing is committed. Errors are those of worktree.BeginInPlace.
func Begin(ctx context.Context, r *git.Repository, o worktree.Options) (*Dir, error) {
	line, commits, err := worktree.BeginInPlace(ctx, r, o)
	if err != nil {
		return nil, err
	}
	s := Open(r.Top, o)
	s.line, s.single = line, o.Mode == worktree.Single
	for _, c := range commits {
		s.ended = append(s.ended, landing{phase: c.Phase, key: c.Key, commit: c.ID})
	}
	return s, nil
}

// Edits is the phase's difference from the commit on which the checkout stands; in the modes that
// commit at the end, earlier phases' changes of the same files are in it too. Without git, there is
// nothing to compare with and nothing is told.
func (s *Dir) Edits(ctx context.Context, t worktree.Tree) ([]git.Edit, error) {
	if s.line == nil {
		return nil, nil
	}
	c, err := s.Changes(ctx, t)
	if err != nil || c.Empty() {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.line.EditsInPlace(ctx, slices.Concat(c.Created, c.Modified, c.Deleted))
}
