package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// Trespass is one change outside the worktrees that autobuild did not make.
type Trespass struct {
	Text string // in words
	// Breach is a change that nobody else makes while a run goes on: of autobuild's own refs, of what git is made to do, of branches that
	// no checkout of the user's has moved. Where it is false, the user may have been at work.
	Breach bool
	Mended bool // Breaches has taken it back

	mend    bool // Restore can take it back without loss
	ref     string
	was, is string
	name    string // of one of git's own files
	before  metaFile
	after   metaFile
}

// Trespasses is Diff with what Restore needs.
func (s Snapshot) Trespasses(later Snapshot) []Trespass {
	var out []Trespass
	tell := func(format string, args ...any) { out = append(out, Trespass{Text: fmt.Sprintf(format, args...)}) }
	paths, refs := s.excused(later)
	if s.head != later.head {
		tell("HEAD of the main checkout went from %s to %s", shortRef(s.head), shortRef(later.head))
	}
	for _, ref := range differing(s.refs, later.refs, refs) {
		out = append(out, s.movedRef(later, ref))
	}
	if s.stash != later.stash {
		text := "the stash, which all worktrees share, was changed"
		agents := s.last != later.last && strings.Contains(later.last, "autobuild/")
		out = append(out, Trespass{Text: text, Breach: agents})
	}
	for _, p := range differing(s.index, later.index, paths) {
		tell("%s of the main checkout's index was changed", text.Quote(p))
	}
	for _, p := range differing(s.files, later.files, paths) {
		tell("%s in the main checkout was changed", text.Quote(p))
	}
	return append(out, s.movedMeta(later)...)
}

// excused are the paths and refs that autobuild itself has changed in between, and left as they are now.
func (s Snapshot) excused(later Snapshot) (paths, refs map[string]bool) {
	paths, refs = map[string]bool{}, map[string]bool{}
	for ref, to := range later.ours {
		refs[ref] = later.refs[ref] == to
	}
	if len(later.deeds) > len(s.deeds) {
		for _, d := range later.deeds[len(s.deeds):] {
			if d.ref != "" {
				refs[d.ref] = later.refs[d.ref] == d.to // the last one counts
			}
			for _, p := range d.paths {
				paths[p] = true
			}
		}
	}
	return paths, refs
}

// movedRef judges a ref. A new branch or tag takes nothing away; one that the log of a checkout of the user's knows at its new place
// was moved there; where git keeps no such logs, everything may have been.
func (s Snapshot) movedRef(later Snapshot, ref string) Trespass {
	was, is := s.refs[ref], later.refs[ref]
	t := Trespass{
		Text: text.Quote(strings.TrimPrefix(ref, "refs/")) + " " + verbFor(was, is, "was created", "was deleted", "was moved"),
		ref:  ref, was: was, is: is,
	}
	if last, known := later.ours[ref]; known {
		t.was = last
	}
	own := isOwn(ref)
	byHand, atWork := later.logs == nil, false
	for line := range later.logs {
		if !s.logs[line] && !strings.Contains(line, "\tautobuild: ") {
			atWork = true
			byHand = byHand || is != "" && strings.Contains(line, " "+is+" ")
		}
	}
	t.Breach = own || was != "" && !byHand
	t.mend = t.Breach && (own || !atWork) // the user's own moves in between must not be taken back
	return t
}

// movedMeta judges git's own files. What git notes beside a branch is ordinary; a name and address are taken back, because the user's
// next commits would bear them, and are no reason to refuse the work.
func (s Snapshot) movedMeta(later Snapshot) []Trespass {
	var out []Trespass
	names := slices.Collect(maps.Keys(s.meta))
	for name := range later.meta {
		if _, ok := s.meta[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		before, after := s.known(name), later.meta[name]
		if back, ours := later.mine[name]; before.digest == after.digest || ours && back == after.digest {
			continue
		}
		t := Trespass{
			Text:   fmt.Sprintf("git's %s %s", text.Quote(name), verbFor(before.digest, after.digest, "was created", "was deleted", "was changed")),
			Breach: true, mend: before.digest == "" || before.data != nil, name: name, before: before, after: after,
		}
		if after.digest != "" && !after.mode.IsRegular() {
			t.Text = fmt.Sprintf("git's %s was replaced by what is no file", text.Quote(name))
		}
		if name == "config" && before.data != nil && after.data != nil {
			switch {
			case bytes.Equal(without(before.data, "branch"), without(after.data, "branch")):
				t.Breach, t.mend = false, false
			case bytes.Equal(without(before.data, "branch", "user"), without(after.data, "branch", "user")):
				t.Breach = false
			}
		}
		out = append(out, t)
	}
	return out
}

// without leaves sections out of a configuration, and blank lines.
func without(config []byte, sections ...string) []byte {
	var kept bytes.Buffer
	skip, goesOn := false, false // a value that goes on may look like a section
	for line := range bytes.Lines(config) {
		text := bytes.TrimSpace(line)
		head := bytes.HasPrefix(text, []byte("[")) && !goesOn
		goesOn = bytes.HasSuffix(text, []byte(`\`))
		if head {
			name := strings.ToLower(string(bytes.TrimLeft(bytes.Trim(text, "[]"), " ")))
			skip = bytes.HasSuffix(text, []byte("]")) && slices.ContainsFunc(sections, func(s string) bool { return name == s || strings.HasPrefix(name, s+" ") })
		}
		if !skip && len(text) > 0 {
			kept.Write(text)
			kept.WriteByte('\n')
		}
	}
	return kept.Bytes()
}

// Breaches compares what lies outside with before, takes back what can be taken back without loss, and tells all of it. Where a ref had
// been moved to is kept below refs/autobuild/breach/RUN/, a changed file of git's in breaches/ of the state directory. Files, the index
// and HEAD of the user's checkout are never touched, but for a HEAD that is no file any more. The snapshot is of what lay there before anything was taken back.
func (l *Line) Breaches(ctx context.Context, before Snapshot) ([]Trespass, Snapshot, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return nil, Snapshot{}, err
	}
	defer give()
	lay := l.unblock(before)
	after, err := l.outside(ctx)
	if err != nil {
		return nil, Snapshot{}, err
	}
	maps.Copy(after.meta, lay)
	found := before.Trespasses(after)
	ctx = git.Uninterrupted(ctx)
	for i := range found {
		t := &found[i]
		if !t.mend {
			continue
		}
		var kept string
		var err error
		if t.ref != "" {
			kept, err = l.moveBack(ctx, *t)
		} else {
			l.mending.Lock()
			kept, err = l.writeBack(*t)
			l.mending.Unlock()
		}
		t.putBack(kept, err)
	}
	return found, after, nil
}

// putBack adds what became of the attempt to take it back.
func (t *Trespass) putBack(kept string, err error) {
	t.Mended = err == nil
	switch {
	case err != nil:
		t.Text += "; not put back: " + err.Error()
	case kept != "":
		t.Text += "; put back, and kept in " + kept
	default:
		t.Text += "; put back"
	}
}

// moveBack gives a ref its value again, unless it has moved once more.
func (l *Line) moveBack(ctx context.Context, t Trespass) (kept string, err error) {
	if t.ref == l.ref("integration") {
		t.was = l.tip
	}
	var moves []git.RefUpdate
	if t.is != "" && l.repo.HasCommit(ctx, t.is) { // else there is nothing that could be kept
		kept = fmt.Sprintf("refs/autobuild/breach/%s/%.12s-%s", l.opt.RunID, t.is, strings.ReplaceAll(strings.TrimPrefix(t.ref, "refs/"), "/", "-"))
		moves = append(moves, git.RefUpdate{Ref: kept, New: t.is})
	}
	switch {
	case t.was == "":
		moves = append(moves, git.RefUpdate{Ref: t.ref, Old: t.is})
	case t.is == "":
		moves = append(moves, git.RefUpdate{Ref: t.ref, New: t.was, Create: true})
	default:
		moves = append(moves, git.RefUpdate{Ref: t.ref, New: t.was, Old: t.is})
	}
	return kept, l.repo.UpdateRefs(ctx, "put back", moves...)
}

// writeBack gives one of git's own files its content again.
func (l *Line) writeBack(t Trespass) (kept string, err error) {
	path := cmp.Or(t.before.path, t.after.path)
	if t.after.data != nil {
		dir := filepath.Join(l.opt.StateDir, "breaches")
		if err = os.MkdirAll(dir, 0o700); err != nil {
			return "", git.Unusable("the state directory cannot be written", err)
		}
		copied := filepath.Join(dir, fmt.Sprintf("%s-%s", t.after.digest[len(t.after.digest)-8:], strings.ReplaceAll(t.name, "/", "-")))
		if err = safefile.Replace(copied, t.after.data, 0o600); err != nil {
			return "", git.Unusable("the state directory cannot be written", err)
		}
		kept = filepath.Base(l.opt.StateDir) + "/breaches/" + filepath.Base(copied)
	}
	if t.before.digest == "" {
		err = safefile.IgnoreMissing(os.Remove(path))
	} else {
		err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), safefile.Replace(path, t.before.data, t.before.mode.Perm()))
	}
	if err != nil {
		return "", git.Unusable("git's directory cannot be written", err)
	}
	if l.putBack == nil {
		l.putBack = map[string]string{}
	}
	l.putBack[t.name] = t.before.digest
	return kept, nil
}

// movements are the newest lines of the logs in which git notes where the user's checkouts went: those of this one and of worktrees
// that are not the run's. Nil: git keeps none here.
func (l *Line) movements() map[string]bool {
	names := []string{filepath.Join(l.repo.GitDir, "logs", "HEAD"), filepath.Join(l.repo.CommonDir, "logs", "HEAD")}
	if !safefile.Exists(names[0]) {
		return nil
	}
	admins, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(l.repo.CommonDir), "worktrees", "*"))
	if err != nil {
		admins = nil
	}
	mine := safefile.Resolved(filepath.Join(l.opt.StateDir, "worktrees")) + string(filepath.Separator)
	for _, admin := range admins {
		if !strings.HasPrefix(safefile.Resolved(git.ReadLink(filepath.Join(admin, "gitdir"))), mine) {
			names = append(names, filepath.Join(admin, "logs", "HEAD"))
		}
	}
	lines := map[string]bool{}
	for _, name := range names {
		for line := range strings.Lines(tailOf(name)) {
			lines[line] = true
		}
	}
	return lines
}

// tailOf is the end of a file, at most 64 KiB; empty where it cannot be read.
func tailOf(path string) string {
	const most = 64 << 10
	f, err := safefile.OpenPlain(path, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if info.Size() > most {
		if _, err = f.Seek(-most, io.SeekEnd); err != nil {
			return ""
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	return string(data)
}

func lastLine(path string) string {
	text := strings.TrimSuffix(tailOf(path), "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
