// Package markdown reads plans that people write in markdown, and ticks off in them what is done.
// goldmark gives the blocks of a document, the first of four readings that applies says which of
// them are phases, and one shared reading of their sections finds tasks, files, gates and
// dependencies. It lists lines that no phase owns, and refuses a document with
// too many of them (SPEC.md 3). It does not run phases.
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
	"autobuild/plan/markdown/document"
)

// Options say how to read a plan. The zero value takes the first reading that applies.
type Options struct {
	Reading string // one of Readings; empty means to find it
	Strict  bool   // treat findings about contradictory or doubtful plans as errors
}

// Readings lists the names that Options.Reading accepts.
func Readings() []string { return slices.Clone(readings) }

// Parse reads the plan in src. path is only what messages and the plan call it. The error is
// plan.Problems when the document is at fault, with every mistake in it, and an ordinary error when
// the options are.
func Parse(path string, src []byte, opts Options) (*plan.Plan, error) {
	r, err := open(src, opts)
	if err != nil {
		return nil, err
	}
	return r.plan(path, src, opts)
}

// ParseMarked is Parse, and the Marker of the plan from the same reading.
func ParseMarked(path string, src []byte, opts Options) (*plan.Plan, *Marker, error) {
	r, err := open(src, opts)
	if err != nil {
		return nil, nil, err
	}
	m := &Marker{Start: r.doc.Text}
	if m.Start != string(src) { // it differs in line ends or a byte order mark
		m.Start = string(src)
	}
	m.adopt(r, m.Start)
	m.plan, err = r.plan(path, src, opts)
	return m.plan, m, err
}

// Scripts are the fenced sh blocks of a document, in order, for the script agent.
func Scripts(src []byte) (blocks []string) {
	d, problem := document.Read(src)
	if problem != nil {
		return nil
	}
	for _, b := range d.CodeBlocks {
		if b.Info == "sh" {
			blocks = append(blocks, b.Text)
		}
	}
	return blocks
}

// open reads a document as far as its phases.
func open(src []byte, opts Options) (*reading, error) {
	if opts.Reading != "" && !slices.Contains(readings, opts.Reading) {
		return nil, fmt.Errorf("unknown reading %q; the readings are %s", opts.Reading,
			strings.Join(readings, ", "))
	}
	d, problem := document.Read(src)
	if problem != nil {
		return nil, plan.Problems{*problem}
	}
	return read(d, opts.Reading), nil
}

// plan makes the plan of a reading.
func (r *reading) plan(path string, src []byte, opts Options) (*plan.Plan, error) {
	if len(r.units) == 0 && len(r.found.Errors()) == 0 && len(r.doc.Found.Errors()) == 0 {
		r.found = append(r.found, r.noPhases(opts.Reading))
	}
	var receipts []plan.Receipt
	if len(r.units) > 0 {
		receipts = r.account(opts.Reading != "")
	}
	sum := sha256.Sum256(src)
	d := plan.Draft{
		Path: path, Title: r.title(), Reading: r.name, Hash: hex.EncodeToString(sum[:]),
		Found: slices.Concat(r.doc.Found, r.found), Line: r.doc.Line, Final: r.final, Constraints: r.constraints,
		Judged: r.isJudged(), Tasks: r.tasks,
	}
	for i := range r.units {
		d.Phases = append(d.Phases, r.units[i].DraftPhase)
	}
	if opts.Strict {
		d.Refuse = []string{"W-DEP-CONFLICT", "W-ONLY-TABLE", "W-ONLY-HEADING", "W-FENCE", "W-DUP"}
	}
	p, err := plan.New(d)
	if err == nil {
		p.Receipts = receipts
		r.relations(p)
	}
	return p, err
}

// isJudged reports whether the document states criteria for all phases.
func (r *reading) isJudged() bool {
	return slices.ContainsFunc(r.doc.Headings, func(h document.Heading) bool {
		return document.ClassOf(h.Text) == document.ClassCriteria && (r.unit == nil || r.unit[h.Line] == 0)
	})
}

const orImport = "; or let an agent do it: autobuild import PLAN --agent NAME"

// noPhases is the problem of a document without phases: what comes nearest, and what to add.
func (r *reading) noPhases(chosen string) plan.Problem {
	p := plan.Problem{
		Code: "E-NO-PHASES", Severity: plan.Error,
		Message: "the document has no phases that can be recognised",
		Hint: "give each phase a heading such as \"## Phase 1: Name\", or an overview table " +
			"with the columns Phase and Depends On" + orImport,
	}
	switch {
	case len(bytes.TrimSpace([]byte(r.doc.Text))) == 0:
		p.Message, p.Hint = "the plan is empty", strings.TrimSuffix(p.Hint, orImport)
	case chosen != "":
		p.Message = fmt.Sprintf("the document has no phases when read as %s", chosen)
	default:
		if near, line := r.nearest(); near != "" {
			p.Message += ": " + near
			p.Pos, p.Line = plan.Pos{Line: line, Col: 1}, r.doc.Line(line)
			p.Hint = "number them, as in \"## Phase 1: Name\", or list them in a table with " +
				"the columns Phase and Depends On" + orImport
		}
	}
	return p
}

// nearest describes what in a document comes closest to phases, and what it lacks.
func (r *reading) nearest() (what string, line int) {
	with := 0
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		if h.Level > 1 && r.hasBoxes(h.Line, h.End) {
			if with == 0 {
				line = h.Line
			}
			with++
		}
	}
	if with == 1 {
		return fmt.Sprintf("nearest is the heading on line %d, which has boxes and no id", line), line
	}
	if with > 0 {
		return fmt.Sprintf("nearest are %s with boxes, from line %d on, but they have no ids",
			text.Count(with, "heading"), line), line
	}
	for i := range r.doc.Items {
		if it := &r.doc.Items[i]; it.Box != 0 {
			return fmt.Sprintf("nearest is the list of boxes on line %d, but they have no ids", it.Line), it.Line
		}
	}
	for i := range r.doc.Tables {
		t := &r.doc.Tables[i]
		if needs, _ := needsColumn(t); needs >= 0 {
			return fmt.Sprintf("nearest is the table on line %d, but none of its columns is one of ids",
				t.Line), t.Line
		}
	}
	return "", 0
}
