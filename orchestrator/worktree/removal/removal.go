// Package removal finds work of other phases that a phase's difference takes away. It compares
// lines as sets with counts, so content that only moved is no loss, and it asks git for trees and
// blobs alone. It does not know how work lands, nor what a loss means for a phase.
package removal

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/git"
)

// Loss is content that another phase landed and that a difference takes away.
type Loss struct {
	Phase string // the phase that landed the work
	Path  string
	How   string // in words: "the file is deleted"
	// lines of the other phase that are deleted or reverted; 0 where the content has no lines
	Lines int
	Names []string // words of the deleted lines, at most 50
}

// Bounds of the search for removed work.
const (
	maxSearched = 500 // paths of the difference
	wholeBlock  = 3   // lines; fewer than these prove no intention
	maxNames    = 50  // of one Loss
)

// Difference is a phase's difference on its base.
type Difference struct {
	Base, Tree string // a commit and a tree
	Plan       string // the path of the plan, which is not part of any phase's work; may be empty
}

// Commit is a commit that another phase landed.
type Commit struct{ ID, Phase string }

// Find compares a difference with commits of other phases on which its base is built. Content that
// they added and the difference deletes is a loss, and so is content that they changed and the
// difference reverts; an edit on top is none, nor is content that only moved. Commits lists those
// commits that changed one of the paths; without paths, all of them. Errors are git's and those of
// commits.
func Find(
	ctx context.Context, scratch *git.ScratchDir, d Difference,
	commits func(paths ...string) ([]Commit, error),
) ([]Loss, error) {
	changed, err := scratch.DiffTree(ctx, d.Base, d.Tree)
	if err != nil {
		return nil, err
	}
	s := search{Difference: d, scratch: scratch}
	moved, err := movedFrom(ctx, scratch, d, changed)
	if err != nil {
		return nil, err
	}
	s.touched = slices.DeleteFunc(slices.Clone(changed),
		func(c git.Change) bool { return c.Status == 'A' || moved[c.Path] })
	if len(s.touched) == 0 {
		return nil, nil
	}
	if err = s.read(ctx, changed); err != nil {
		return nil, err
	}
	paths := make([]string, len(s.touched))
	for i, c := range s.touched {
		paths[i] = c.Path
	}
	if len(paths) > maxSearched {
		paths = nil // too many for one command line
	}
	landed, err := commits(paths...)
	if err != nil {
		return nil, err
	}
	var found []Loss
	for _, c := range landed {
		removals, err := s.of(ctx, c)
		if err != nil {
			return nil, err
		}
		found = append(found, removals...)
	}
	return slices.Clip(found), nil
}

// movedFrom are the old paths of renamed files, by git's rename detection, and of moved empty
// files.
func movedFrom(
	ctx context.Context, scratch *git.ScratchDir, d Difference, changed []git.Change,
) (map[string]bool, error) {
	moved, made := map[string]bool{}, map[string]bool{}
	names, err := scratch.DiffNames(ctx, d.Base, d.Tree)
	for _, n := range names {
		moved[n.From] = n.Status == 'R'
	}
	for _, c := range changed {
		made[c.NewID] = made[c.NewID] || c.Status == 'A'
	}
	for _, c := range changed {
		moved[c.Path] = moved[c.Path] || c.Status == 'D' && made[c.OldID]
	}
	return moved, err
}

// search holds a phase's difference while it is compared with earlier commits.
type search struct {
	Difference

	scratch *git.ScratchDir
	touched []git.Change
	content map[string][]byte // of blobs, by id
	added   lineCount         // lines that the difference adds anywhere
}

// lineCount counts lines that mean something; each is trimmed.
type lineCount map[string]int

// count counts the lines of a text. A text that holds a NUL has none.
func count(text []byte) lineCount {
	n := lineCount{}
	if bytes.IndexByte(text, 0) >= 0 {
		return n
	}
	for line := range bytes.Lines(text) {
		if s := meaning(string(line)); s != "" {
			n[s]++
		}
	}
	return n
}

var letterOrDigit = lazyregexp.New(`[\pL\pN]`)

// meaning is a line without its indentation, empty where it holds neither letter nor digit: a brace
// alone is not attributed to a phase.
func meaning(line string) string {
	line = strings.TrimSpace(line)
	if !letterOrDigit.MatchString(line) {
		return ""
	}
	return line
}

// beyond gives the lines that n has more often than m.
func (n lineCount) beyond(m lineCount) lineCount {
	out := lineCount{}
	for line, k := range n {
		if k > m[line] {
			out[line] = k - m[line]
		}
	}
	return out
}

// within gives the lines that both have.
func (n lineCount) within(m lineCount) lineCount {
	out := lineCount{}
	for line, k := range n {
		if both := min(k, m[line]); both > 0 {
			out[line] = both
		}
	}
	return out
}

func (n lineCount) total() int {
	sum := 0
	for _, k := range n {
		sum += k
	}
	return sum
}

// read reads both sides of the difference and adds up what it adds.
func (s *search) read(ctx context.Context, changed []git.Change) (err error) {
	if s.content, err = bounded(ctx, s.scratch, changed); err != nil {
		return err
	}
	s.added = lineCount{}
	for _, c := range changed {
		for line, k := range count(s.content[c.NewID]).beyond(count(s.content[c.OldID])) {
			s.added[line] += k
		}
	}
	return nil
}

// bounded reads the blobs of both sides of changes, those alone that fit the bounds of Edits.
func bounded(
	ctx context.Context, d *git.ScratchDir, changes []git.Change,
) (map[string][]byte, error) {
	var ids []string
	for _, c := range changes {
		ids = append(ids, c.OldID, c.NewID)
	}
	sizes, err := d.Sizes(ctx, ids)
	if err != nil {
		return nil, err
	}
	room := int64(git.MaxEdits)
	ids = nil
	for _, c := range changes {
		for _, id := range []string{c.OldID, c.NewID} {
			if size, is := sizes[id]; is && size <= git.MaxEdit && size <= room {
				room -= size
				ids = append(ids, id)
			}
		}
	}
	return d.Blobs(ctx, ids)
}

// of compares the difference with one commit of another phase.
func (s *search) of(ctx context.Context, c Commit) ([]Loss, error) {
	theirs, err := s.scratch.DiffTree(ctx, c.ID+"^", c.ID)
	if err != nil {
		return nil, err
	}
	byPath := map[string]git.Change{}
	for _, t := range theirs {
		byPath[t.Path] = t
	}
	theirs = slices.DeleteFunc(theirs, func(t git.Change) bool {
		return !slices.ContainsFunc(s.touched, func(m git.Change) bool { return m.Path == t.Path })
	})
	content, err := bounded(ctx, s.scratch, theirs)
	if err != nil {
		return nil, err
	}
	var found []Loss
	for _, mine := range s.touched {
		t, both := byPath[mine.Path]
		if !both || mine.Path == s.Plan {
			continue
		}
		places, err := hunks(ctx, s.scratch, s.Base, s.Tree, mine.Path)
		if err != nil {
			return nil, err
		}
		sides := pair{
			mine: mine, theirs: t, hunks: places, moved: s.added,
			before: content[t.OldID], after: content[t.NewID], base: s.content[mine.OldID],
			work: s.content[mine.NewID],
		}
		if r, is := sides.removal(); is {
			r.Phase, r.Path = c.Phase, mine.Path
			found = append(found, r)
		}
	}
	return found, nil
}

// hunk is one place of a difference.
type hunk struct{ removed, added lineCount }

// hunks gives the places in which one path differs between two trees; none for content without
// lines.
func hunks(ctx context.Context, d *git.ScratchDir, from, to, path string) ([]hunk, error) {
	patch, err := d.Patch(ctx, from, to, path, 0)
	if err != nil {
		return nil, err
	}
	return parseHunks(patch), nil
}

func parseHunks(diff string) []hunk {
	var all []hunk
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "@@ ") {
			all = append(all, hunk{lineCount{}, lineCount{}})
			continue
		}
		s := meaning(line[1:])
		if len(all) == 0 || s == "" {
			continue
		}
		switch line[0] {
		case '-':
			all[len(all)-1].removed[s]++
		case '+':
			all[len(all)-1].added[s]++
		}
	}
	return all
}

// pair is one path that another phase's commit changed and that this phase changes again.
type pair struct {
	mine, theirs git.Change
	// the path in the commit's parent, in the commit, in the base, in the work
	before, after, base, work []byte
	hunks                     []hunk
	moved                     lineCount
}

// removal says what of the other phase's work is gone.
func (p pair) removal() (Loss, bool) {
	before, after, base, work := count(p.before), count(p.after), count(p.base), count(p.work)
	own := after.beyond(before).within(base) // the other phase's lines that the base still has
	gone := own.within(base.beyond(work))
	if lost := gone.beyond(p.moved); own.total() >= wholeBlock {
		gone = lost
	}
	back := before.beyond(after).beyond(base).within(work.beyond(base))
	words := names(gone)
	r := Loss{Lines: gone.total() + back.total(), Names: words[:min(len(words), maxNames)]}
	switch {
	case p.mine.NewMode == git.NoMode && p.theirs.NewMode != git.NoMode:
		r.How = "the file is deleted"
		return r, own.total() == 0 || gone.total()*2 > own.total()
	case p.theirs.NewMode == git.NoMode, derived(p.mine.Path):
		// deleted there, and made again since
		return Loss{}, false
	case p.mine.NewID == p.theirs.OldID && p.mine.OldID != p.theirs.OldID:
		r.How = "the file is as it was before that phase"
		return r, true
	case p.turnedBack(gone, back):
		r.How = "its lines are reverted"
		return r, true
	case p.cutOut(own, gone):
		r.How = "its lines are deleted"
		return r, true
	case p.overwritten(own, gone):
		r.How = "its content is overwritten"
		return r, true
	}
	return Loss{}, false
}

// derived reports whether a file is generated from others, so that a change of its lines expresses
// no decision.
func derived(file string) bool {
	switch path.Base(file) {
	case "go.sum", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
		"bun.lock", "Cargo.lock", "poetry.lock",
		"uv.lock", "Pipfile.lock", "composer.lock", "Gemfile.lock", "mix.lock", "flake.lock":
		return true
	}
	return false
}

// turnedBack reports whether lines that the other phase had replaced stand there again in their
// place, or a block that it had deleted.
func (p pair) turnedBack(gone, back lineCount) bool {
	if back.total() >= wholeBlock &&
		back.total()*2 >= count(p.before).beyond(count(p.after)).total() {
		return true
	}
	return slices.ContainsFunc(p.hunks, func(h hunk) bool {
		return len(h.removed.within(gone)) > 0 && len(h.added.within(back)) > 0
	})
}

// cutOut reports whether a block of the other phase's lines, or all of them, is deleted with
// nothing in its place.
func (p pair) cutOut(own, gone lineCount) bool {
	cut := lineCount{}
	for _, h := range p.hunks {
		if len(h.added) > 0 {
			continue
		}
		for line, k := range h.removed.within(gone) {
			cut[line] += k
		}
	}
	n := cut.within(gone).total()
	return n >= wholeBlock || n > 0 && n == own.total()
}

var identifier = lazyregexp.New(`[\pL_][\pL\pN_]{2,}`)

// names are the words of lines, sorted.
func names(lines lineCount) []string {
	known := map[string]bool{}
	for line := range lines {
		for _, word := range identifier.FindAllString(line, -1) {
			known[word] = true
		}
	}
	all := make([]string, 0, len(known))
	for word := range known {
		all = append(all, word)
	}
	slices.Sort(all)
	return all
}

// overwritten reports whether other content stands where most of the other phase's was, and most of
// the words that it had brought are nowhere in the work. An edit keeps the names.
func (p pair) overwritten(own, gone lineCount) bool {
	if gone.total() < wholeBlock || gone.total()*2 <= own.total() {
		return false
	}
	had, has := names(count(p.before)), slices.Concat(names(count(p.work)), names(p.moved))
	brought := slices.DeleteFunc(names(own), func(w string) bool { return slices.Contains(had, w) })
	lost := slices.DeleteFunc(slices.Clone(brought),
		func(w string) bool { return slices.Contains(has, w) })
	return len(brought) >= wholeBlock && len(lost)*3 >= len(brought)*2
}
