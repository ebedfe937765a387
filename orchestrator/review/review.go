// Package review says what a second opinion is worth. A reviewer's finding is a claim like any
// other: Experiments turns it into an experiment that autobuild can run itself, or says why none is
// possible, and only an experiment that ends as the finding says counts. It runs nothing, and does
// not know which agent reviewed or what a rejection means for the phase.
package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// Case is the work of one phase that has passed its gates.
type Case struct {
	Phase     plan.Phase
	Edits     []referee.Edit // from the tip of the line to the work
	Base      []string       // files of the tip, sorted
	Gates     []state.Gate   // that ran on the work
	Proof     state.Proof
	Contested []state.RefereeChange
}

// Modes say which phases are reviewed.
const (
	OnAll   = "all"
	OnRisky = "risky"
	OnOff   = "off"
)

// manyFiles is how many changed files make a phase risky.
const manyFiles = 10

// Risky returns the reasons for which a phase is risky, in words; none: it is not. paths are
// patterns of the configuration: a file, a folder, or a pattern of path.Match.
func (c Case) Risky(paths []string) []string {
	var why []string
	if len(c.Contested) > 0 {
		why = append(why, "it is contested")
	}
	if c.Proof != state.ProofRedGreen {
		why = append(why, "no test proves its change")
	}
	if n := len(c.Edits); n > manyFiles {
		why = append(why, fmt.Sprintf("it changes %d files", n))
	}
	for _, e := range c.Edits {
		if slices.ContainsFunc(paths, func(p string) bool { return covers(p, e.Path) }) {
			return append(why, "it changes "+text.Clip(e.Path, 100))
		}
	}
	return why
}

// covers reports whether a pattern is a file, one of its folders, or matches either.
func covers(pattern, file string) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	for p := file; p != "." && p != "/"; p = path.Dir(p) {
		if ok, err := path.Match(pattern, p); pattern == p || err == nil && ok {
			return true
		}
	}
	return false
}

// edit is the changed file of a path; nil where the work leaves it alone.
func (c Case) edit(file string) *referee.Edit {
	i := slices.IndexFunc(c.Edits, func(e referee.Edit) bool { return e.Path == file })
	if i < 0 || file == "" {
		return nil
	}
	return &c.Edits[i]
}

// there reports whether the tip holds a file.
func (c Case) there(file string) bool {
	_, ok := slices.BinarySearch(c.Base, path.Clean(file))
	return ok
}

// made reports whether the work holds a file.
func (c Case) made(file string) bool {
	if e := c.edit(path.Clean(file)); e != nil {
		return e.NewMode != ""
	}
	return c.there(file)
}

// Experiment shows whether a finding holds: each run must end as Check wants it.
type Experiment struct {
	Ground state.Ground
	Runs   []Run
}

// Run is one command on one tree.
type Run struct {
	Name    string            // part of the log's name
	Base    bool              // on the tip's tree; else on the work's
	Puts    []referee.Overlay // what is put into that tree
	Command string
	// Check returns why the end of the command speaks against the finding; empty: it does not.
	Check func(g state.Gate) string
}

// Experiments returns those of which one has to succeed for the finding to count. Without any,
// why says what the finding lacks.
func (c Case) Experiments(f state.Finding) (all []Experiment, why string) {
	var lacks []string
	if c.edit(f.File) == nil {
		return nil, "its place is not in a file that the phase changes"
	}
	for _, ground := range []func(state.Finding) (Experiment, string){
		c.example, c.ban, c.regression,
	} {
		x, lack := ground(f)
		switch {
		case x.Ground != "":
			all = append(all, x)
		case lack != "":
			lacks = append(lacks, lack)
		}
	}
	if len(all) > 0 {
		return all, ""
	}
	if len(lacks) == 0 {
		lacks = []string{"it has no witness and quotes nothing that can be checked"}
	}
	return nil, strings.Join(lacks, "; ")
}

// code is the language of a file; nil for one of which nothing is known.
func code(file string) *language {
	for i := range languages {
		if slices.Contains(languages[i].ext, path.Ext(file)) {
			return &languages[i]
		}
	}
	return nil
}
