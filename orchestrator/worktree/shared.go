package worktree

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
)

// Shared is one directory in which all phases work, for a place without git or a run without
// isolation. Nothing is merged here; what each phase changed is known by comparing the files before
// and after. A file that a sibling changed and landed while a phase ran is the sibling's, unless
// its content changed again: then both did.
type Shared struct {
	dir    string
	skip   func(rel string) bool
	output []fs.FileInfo
	line   *Line // only in a repository: enough of one to commit with

	mu    sync.Mutex
	begun map[string]start
	ended []landing
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

// OpenShared makes dir the place where all phases work, without git. Of the options it takes
// StateDir, PlanPath, Aside and Output. The plan is nobody's work: its marks change while phases
// run.
func OpenShared(dir string, o Options) *Shared {
	state, err := filepath.Rel(safefile.Resolved(dir), safefile.Resolved(o.StateDir))
	if err != nil || !filepath.IsLocal(state) {
		state = ".autobuild"
	}
	state = filepath.ToSlash(state)
	nobodys := make(map[string]bool)
	for _, path := range []string{o.PlanPath, o.Aside} {
		if rel := planPath(dir, path); rel != "" {
			nobodys[rel] = true
		}
	}
	return &Shared{dir: dir, output: o.Output, begun: map[string]start{}, skip: func(rel string) bool {
		return rel == state || rel == ".autobuild" || nobodys[rel]
	}}
}

// Open notes the directory's content as the phase finds it; a retry goes on from the first look.
// Earlier work cannot be set aside here, so clean only forgets it.
func (s *Shared) Open(ctx context.Context, phase string, clean bool) (Tree, error) {
	if err := safe("phase name", phase); err != nil {
		return Tree{}, err
	}
	if err := ctx.Err(); err != nil {
		return Tree{}, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := Tree{Phase: phase, Dir: s.dir}
	if _, again := s.begun[phase]; again && !clean {
		t.Reused = true
		return t, nil
	}
	var last manifest
	for _, b := range s.begun {
		last = b.files // any earlier look saves reading
		break
	}
	files, err := survey(s.dir, s.skip, s.output, last)
	if err != nil {
		return Tree{}, err
	}
	s.tick++
	s.begun[phase] = start{tick: s.tick, files: files}
	return t, nil
}

// Changes tells what changed since the phase began and was not landed by another.
func (s *Shared) Changes(_ context.Context, t Tree) (Changes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mine, beside, _, err := s.diff(t)
	if err != nil {
		return Changes{}, err
	}
	before := s.begun[t.Phase].files
	c := Changes{Beside: beside}
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
func (s *Shared) diff(t Tree) (mine map[string]seen, beside []string, both []ConflictFile, err error) {
	begun, ok := s.begun[t.Phase]
	if !ok {
		return nil, nil, nil, fmt.Errorf("phase %s was not opened", t.Phase)
	}
	now, err := survey(s.dir, s.skip, s.output, begun.files)
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
	for _, e := range s.ended {
		if e.tick < begun.tick || e.phase == t.Phase {
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
				both = append(both, ConflictFile{Path: path, Kind: "contents", Other: e.phase, OtherCommit: e.commit})
			}
		}
	}
	slices.SortFunc(both, func(a, b ConflictFile) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(beside)
	return mine, slices.Compact(beside), both, nil
}

// Land records the phase's changes, and in mode auto commits exactly those files. It gives a
// *ConflictError when a phase that ran at the same time changed the same file.
func (s *Shared) Land(ctx context.Context, t Tree, how Landing) (Landed, error) {
	if how.Phase == "" {
		how.Phase = t.Phase
	}
	if beside := s.landedSince(t); beside && how.Verify != nil {
		if err := how.Verify(ctx, Candidate{}); err != nil {
			return Landed{}, fmt.Errorf("verifying phase %s beside what else landed: %w", t.Phase, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.ended, func(e landing) bool { return e.phase == how.Phase && e.key == how.Key }); i >= 0 {
		return Landed{Commit: s.ended[i].commit, Already: true, Delivered: true}, nil
	}
	mine, _, both, err := s.diff(t)
	if err != nil {
		return Landed{}, err
	}
	if len(both) > 0 {
		return Landed{}, &ConflictError{Phase: how.Phase, Files: both}
	}
	if len(mine) == 0 && !how.AllowEmpty {
		return Landed{}, ErrNoChange
	}
	landed := Landed{Delivered: true}
	if s.line != nil {
		if landed.Commit, err = s.line.commitPaths(git.Uninterrupted(ctx), slices.Sorted(maps.Keys(mine)), how); err != nil {
			return Landed{}, err
		}
	}
	if err = git.Flush(s.dir); err != nil { // the phase's files, and the plan's mark
		return Landed{}, err
	}
	s.tick++
	s.ended = append(s.ended, landing{phase: how.Phase, key: how.Key, commit: landed.Commit, tick: s.tick, files: mine})
	return landed, nil
}

func (s *Shared) landedSince(t Tree) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun, ok := s.begun[t.Phase]
	return ok && slices.ContainsFunc(s.ended, func(e landing) bool { return e.tick > begun.tick && e.phase != t.Phase })
}

// Commits lists the commits that phases of this run have made, oldest first; none without git and
// in the modes that commit later.
func (s *Shared) Commits(ctx context.Context) ([]Commit, error) {
	if s.line == nil {
		return nil, nil
	}
	_, head, err := s.line.repo.ReadHead(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := s.line.log(ctx, s.line.base, head)
	return phaseCommits(entries), err
}

// Landed tells which phases landed, and their commits where there are any.
func (s *Shared) Landed(context.Context) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for _, e := range s.ended {
		out[e.phase] = e.commit
	}
	return out, nil
}

// Done forgets how the phase found the directory.
func (s *Shared) Done(_ context.Context, t Tree) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.begun, t.Phase)
	return nil
}
