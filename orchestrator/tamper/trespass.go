package tamper

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// Diff describes in words, sorted, the changes between s and later, which must come from the same
// line. It leaves out autobuild's own changes.
func (s Snapshot) Diff(later Snapshot) []string {
	var out []string
	for _, t := range s.Trespasses(later) {
		out = append(out, t.Text)
	}
	return out
}

func verbFor(before, after, created, deleted, changed string) string {
	switch {
	case before == "":
		return created
	case after == "":
		return deleted
	}
	return changed
}

// known is the earlier state of a file of git's. The text of a HEAD follows from the ref or commit
// that it named.
func (s Snapshot) known(name string) metaFile {
	if name != "HEAD" {
		return s.meta[name]
	}
	text := s.head + "\n"
	if strings.HasPrefix(s.head, "refs/") {
		text = "ref: " + text
	}
	return metaFile{digest: "a file", mode: 0o644, data: []byte(text)}
}

// Trespass is one change outside the worktrees that autobuild did not make.
type Trespass struct {
	Text string // in words
	// Breach marks a change that neither the user nor git makes while a run goes on: of autobuild's
	// own refs, of settings and hooks that git obeys, of branches that no checkout of the user's
	// has moved. Where it is false, the user may have been at work.
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
	tell := func(format string,
		args ...any,
	) {
		out = append(out, Trespass{Text: fmt.Sprintf(format, args...)})
	}
	paths, refs := s.excused(later)
	if s.head != later.head {
		tell("HEAD of the main checkout went from %s to %s", git.ShortRef(s.head),
			git.ShortRef(later.head))
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

// excused are the paths and refs that autobuild itself has changed in between, and left as they are
// now, and the files of the user's that the run has accepted as they are now.
func (s Snapshot) excused(later Snapshot) (paths, refs map[string]bool) {
	paths, refs = map[string]bool{}, map[string]bool{}
	for p, stamp := range later.accepted {
		paths[p] = later.files[p] == stamp
	}
	for ref, to := range later.ours {
		refs[ref] = later.refs[ref] == to
	}
	if len(later.deeds) > len(s.deeds) {
		for _, d := range later.deeds[len(s.deeds):] {
			if d.Ref != "" {
				refs[d.Ref] = later.refs[d.Ref] == d.To // the last one counts
			}
			for _, p := range d.Paths {
				paths[p] = true
			}
		}
	}
	return paths, refs
}

// movedRef judges a ref. A new branch or tag takes nothing away. Where the log of one of the user's
// checkouts has the ref's new value, the user moved it there. Where git keeps no such logs, any ref
// may have been moved by the user.
func (s Snapshot) movedRef(later Snapshot, ref string) Trespass {
	was, is := s.refs[ref], later.refs[ref]
	t := Trespass{
		Text: text.Quote(strings.TrimPrefix(ref, "refs/")) + " " + verbFor(was, is, "was created",
			"was deleted", "was moved"),
		ref: ref, was: was, is: is,
	}
	if last, known := later.ours[ref]; known {
		t.was = last
	}
	own := git.OwnRef(ref)
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

// movedMeta judges git's own files. Settings that git notes beside a branch are ordinary. A name
// and address are taken back, because the user's next commits would bear them, and are no reason to
// refuse the work.
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
		if back, ours := later.mine[name]; before.digest == after.digest || ours &&
			back == after.digest {
			continue
		}
		t := Trespass{
			Text: fmt.Sprintf("git's %s %s", text.Quote(name),
				verbFor(before.digest, after.digest, "was created", "was deleted", "was changed")),
			Breach: true, mend: before.digest == "" || before.data != nil, name: name,
			before: before, after: after,
		}
		if after.digest != "" && !after.mode.IsRegular() {
			t.Text = fmt.Sprintf("git's %s was replaced by what is no file", text.Quote(name))
		}
		if name == "config" && before.data != nil && after.data != nil {
			switch {
			case bytes.Equal(without(before.data, "branch"), without(after.data, "branch")):
				t.Breach, t.mend = false, false
			case bytes.Equal(without(before.data, "branch", "user"),
				without(after.data, "branch", "user")):
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
			skip = bytes.HasSuffix(text, []byte("]")) &&
				slices.ContainsFunc(sections, func(s string) bool {
					return name == s || strings.HasPrefix(name, s+" ")
				})
		}
		if !skip && len(text) > 0 {
			kept.Write(text)
			kept.WriteByte('\n')
		}
	}
	return kept.Bytes()
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
