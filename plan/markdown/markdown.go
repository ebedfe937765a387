// Package markdown reads plans that people write in markdown, and ticks off in them what is done.
// Whatever the dialect, goldmark gives the blocks, a dialect says which of them are phases, and one
// shared reading of their sections finds tasks, files, gates and dependencies; so all plans end in
// the same plan.Plan. It does not run phases.
package markdown

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/dialect"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/receipts"
	"autobuild/plan/markdown/words"
)

// Options say how to read a plan. The zero value detects the dialect.
type Options struct {
	Dialect string // read it as this dialect; empty means to find it by its signs
	Strict  bool   // treat findings about contradictory or doubtful plans as errors
}

// Parse reads the plan in src. path is only what messages and the plan call it. The error is
// plan.Problems when the document is at fault, with every mistake in it, and an ordinary error when
// the options are.
func Parse(path string, src []byte, opts Options) (*plan.Plan, error) {
	r, err := open(src, opts)
	if err != nil {
		return nil, err
	}
	return planOf(r, path, src, opts)
}

// ParseMarked is Parse, and the Marker of the plan from the same reading.
func ParseMarked(path string, src []byte, opts Options) (*plan.Plan, *Marker, error) {
	r, err := open(src, opts)
	if err != nil {
		return nil, nil, err
	}
	m := &Marker{Start: r.Doc.Text}
	// It differs in line ends or a byte order mark.
	if m.Start != string(src) {
		m.Start = string(src)
	}
	m.adopt(r, m.Start)
	m.plan, err = planOf(r, path, src, opts)
	return m.plan, m, err
}

// planOf makes the plan of a reading.
func planOf(r *reading.Reading, path string, src []byte, opts Options) (*plan.Plan, error) {
	p, err := plan.New(draft(r, path, src, opts))
	if err == nil {
		receipts.Account(r, p)
	}
	return p, err
}

// open reads a document as far as its phases.
func open(src []byte, opts Options) (*reading.Reading, error) {
	if names := dialect.Names(); opts.Dialect != "" && !slices.Contains(names, opts.Dialect) {
		return nil, fmt.Errorf("unknown plan dialect %q; the dialects are %s", opts.Dialect,
			strings.Join(names, ", "))
	}
	r, problem := dialect.Read(src, opts.Dialect)
	if problem != nil {
		return nil, plan.Problems{*problem}
	}
	return r, nil
}

// draft puts the reading into the form that plan.New checks.
func draft(r *reading.Reading, path string, src []byte, opts Options) plan.Draft {
	sum := sha256.Sum256(src)
	d := plan.Draft{
		Path: path, Title: r.Title(), Dialect: r.Dialect, Hash: hex.EncodeToString(sum[:]),
		Found: append(r.Doc.Found, r.Found...), Line: r.Doc.Line, Group: r.Doc.GroupOf,
		Elsewhere: r.Elsewhere, Other: r.Other, Final: r.Final,
		Within: r.Within, Done: words.MarkedDone,
		Constraints: r.Constraints, Judged: r.IsJudged(),
	}
	d.Phases = make([]plan.DraftPhase, 0, len(r.Units))
	for i := range r.Units {
		d.Phases = append(d.Phases, r.Units[i].DraftPhase)
	}
	if len(d.Phases) == 0 && len(d.Found.Errors()) == 0 {
		d.Found = append(d.Found, noPhases(r, opts.Dialect))
	}
	if opts.Strict {
		d.Refuse = []string{"W-DEP-CONFLICT", "W-ONLY-TABLE", "W-ONLY-HEADING", "W-FENCE", "W-DUP"}
	}
	return d
}

// noPhases is the problem of a document without phases: what comes nearest, and what to add.
func noPhases(r *reading.Reading, chosen string) plan.Problem {
	message, other := "the document has no phases that can be recognised", orImport
	switch {
	case len(bytes.TrimSpace([]byte(r.Doc.Text))) == 0:
		message, other = "the plan is empty", ""
	case chosen != "":
		message = fmt.Sprintf("the document has no phases when read as %s", chosen)
	default:
		if near, pos := nearest(r.Doc); near != "" {
			return plan.Problem{
				Code: "E-NO-PHASES", Severity: plan.Error, Pos: pos, Line: r.Doc.Line(pos.Line),
				Message: message + ": " + near,
				Hint: "number them, as in \"## Phase 1: Name\", or list them in a table with " +
					"the columns Phase and Depends On" + orImport,
			}
		}
	}
	return plan.Problem{
		Code: "E-NO-PHASES", Severity: plan.Error, Message: message,
		Hint: "give each phase a heading such as \"## Phase 1: Name\", or an overview table " +
			"with the columns Phase and Depends On" + other,
	}
}

const orImport = "; or let an agent do it: autobuild import PLAN --agent NAME"

// nearest describes what in a document comes closest to phases, and what it lacks.
func nearest(d *document.Document) (what string, pos plan.Pos) {
	with := 0
	for i := range d.Headings {
		h := &d.Headings[i]
		own := d.ItemsIn(h.Line, h.End)
		if h.Level > 1 &&
			slices.ContainsFunc(own, func(it document.Item) bool { return it.Box != 0 }) {
			if with == 0 {
				pos = d.HeadingPos(h)
			}
			with++
		}
	}
	if with == 1 {
		return fmt.Sprintf("nearest is the heading on line %d, which has boxes and no id",
			pos.Line), pos
	}
	if with > 0 {
		return fmt.Sprintf("nearest are %s with boxes, from line %d on, but they have no ids",
			text.Count(with, "heading"), pos.Line), pos
	}
	for i := range d.Items {
		if it := &d.Items[i]; it.Box != 0 {
			return fmt.Sprintf("nearest is the list of boxes on line %d, but they have no ids",
					it.Line),
				d.Pos(it.BoxOffset - 1)
		}
	}
	for i := range d.Tables {
		if t := &d.Tables[i]; document.ReadColumns(t).Needs >= 0 {
			return fmt.Sprintf(
				"nearest is the table on line %d, but none of its columns is one of ids",
				t.Line), plan.Pos{Line: t.Line, Col: 1}
		}
	}
	return "", plan.Pos{}
}

// Dialects lists the names that Options.Dialect accepts.
func Dialects() []string { return dialect.Names() }
