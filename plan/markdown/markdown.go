// Package markdown reads plans that people write in markdown, and ticks off in them what is done.
// Whatever the dialect, goldmark gives the blocks, a dialect says which of them are phases, and one
// shared reading of their sections finds tasks, files, gates and dependencies; so all plans end in
// the same plan.Plan. It does not know that phases are ever run.
package markdown

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
)

// Options say how to read a plan. The zero value finds out by itself.
type Options struct {
	Dialect string // read it as this dialect; empty means to find it by its signs
	Strict  bool   // treat findings about contradictory or doubtful plans as errors
}

// dialect is one way of writing plans.
type dialect interface {
	name() string
	signs(d *document) bool // whether the document looks like one of this dialect
	read(r *reading)        // finds the phases
}

// dialects lists the dialects in the order in which their signs are looked for: the particular
// before the general, because a general one would recognise the others as well.
func dialects() []dialect {
	list := []dialect{gsd{}, cursor{}, speckit{}, sisyphus{}, kiro{}, superplan{}, tabled{}, waves{}, prp{}, pdd{}}
	list = append(list, families()...)
	list = append(list, bmad{})
	for _, kind := range unitKinds {
		list = append(list, headed{kind})
	}
	return append(list, openspec{}, sections{}, coded{}, bold{}, itemized{}, tickets{}, numberedBoxes{}, numberedHeads{}, steps{})
}

// Dialects lists the names that Options.Dialect accepts.
func Dialects() []string {
	var names []string
	for _, d := range dialects() {
		if !among(names, d.name()) {
			names = append(names, d.name())
		}
	}
	return append(names, taskmasterName)
}

// Parse reads the plan in src. path is only what messages and the plan call it. The error is
// plan.Problems when the document is at fault, with every mistake in it, and an ordinary error when
// the options are.
func Parse(path string, src []byte, opts Options) (*plan.Plan, error) {
	r, err := open(src, opts)
	if err != nil {
		return nil, err
	}
	p, err := plan.New(r.draft(path, src))
	if err == nil {
		r.account(p)
	}
	return p, err
}

// reading is one document on its way to a draft.
type reading struct {
	doc       *document
	dialect   string
	opts      Options
	units     []unit
	found     plan.Problems
	elsewhere func(label string) (string, bool)
	groups    []group
	known     *plan.Index
	speaks    int    // units that state their dependencies
	covered   []bool // by line: whether it belongs to the section of a phase
	final     []plan.Gate

	constraints []plan.Constraint

	headingTasks bool         // tasks are headings, also beside boxes
	ownLines     []bool       // by line: whether it is the row or the item of a phase
	owned        map[int]bool // the items that stand for phases
	chainList    []sequence   // once chainsRead
	chainsRead   bool
}

// open reads a document as far as its phases.
func open(src []byte, opts Options) (*reading, error) {
	if opts.Dialect != "" && !among(Dialects(), opts.Dialect) {
		return nil, fmt.Errorf("unknown plan dialect %q; the dialects are %s", opts.Dialect, strings.Join(Dialects(), ", "))
	}
	if opts.Dialect == taskmasterName || (opts.Dialect == "" && isJSON(src)) {
		s, problem := newSource(src)
		if problem != nil {
			return nil, plan.Problems{*problem}
		}
		r := &reading{doc: &document{source: s}, opts: opts}
		r.tasks(s)
		r.statuses()
		return r, nil
	}
	doc, problem := read(src)
	if problem != nil {
		return nil, plan.Problems{*problem}
	}
	r, rivals := choose(doc, opts)
	if r == nil {
		r = &reading{doc: doc, opts: opts}
	}
	r.forced()
	r.finish()
	r.rivals(rivals)
	return r, nil
}

// forced says so when a document is read as a dialect that it does not look like most.
func (r *reading) forced() {
	if r.opts.Dialect == "" {
		return
	}
	opts := r.opts
	opts.Dialect = ""
	if best, _ := choose(r.doc, opts); best != nil && best.dialect != r.opts.Dialect {
		r.warn("I-DIALECT", plan.Pos{}, fmt.Sprintf("read as %s, as asked for; by its signs the document is %s", r.opts.Dialect, best.dialect), "")
	}
}

// draft puts the reading into the form that plan.New checks.
func (r *reading) draft(path string, src []byte) plan.Draft {
	sum := sha256.Sum256(src)
	d := plan.Draft{
		Path: path, Title: r.title(), Dialect: r.dialect, Hash: hex.EncodeToString(sum[:]),
		Found: append(r.doc.found, r.found...), Line: r.doc.line, Elsewhere: r.elsewhere, Final: r.final, Constraints: r.constraints,
	}
	d.Phases = make([]plan.DraftPhase, 0, len(r.units))
	for i := range r.units {
		d.Phases = append(d.Phases, r.units[i].DraftPhase)
	}
	if len(d.Phases) == 0 && len(d.Found.Errors()) == 0 {
		d.Found = append(d.Found, r.noPhases())
	}
	if r.opts.Strict {
		d.Refuse = []string{"W-DEP-CONFLICT", "W-ONLY-TABLE", "W-ONLY-HEADING", "W-FENCE", "W-DUP"}
	}
	return d
}

// noPhases says what a plan would need, for a document that has no phases.
func (r *reading) noPhases() plan.Problem {
	message, other := "the document has no phases that can be recognised", orImport
	switch {
	case len(bytes.TrimSpace([]byte(r.doc.text))) == 0:
		message, other = "the plan is empty", ""
	case r.opts.Dialect != "":
		message = fmt.Sprintf("the document has no phases when read as %s", r.opts.Dialect)
	default:
		if near, pos := r.doc.nearest(); near != "" {
			return plan.Problem{
				Code: "E-NO-PHASES", Severity: plan.Error, Pos: pos, Line: r.doc.line(pos.Line), Message: message + ": " + near,
				Hint: "number them, as in \"## Phase 1: Name\", or list them in a table with the columns Phase and Depends On" + orImport,
			}
		}
	}
	return plan.Problem{
		Code: "E-NO-PHASES", Severity: plan.Error, Message: message,
		Hint: "give each phase a heading such as \"## Phase 1: Name\", or an overview table with the columns Phase and Depends On" + other,
	}
}

const orImport = "; or let an agent do it: autobuild import PLAN --agent NAME"

// nearest is what in a document comes closest to phases, and why it is not enough.
func (d *document) nearest() (what string, pos plan.Pos) {
	with := 0
	for i := range d.heads {
		h := &d.heads[i]
		own := d.itemsIn(h.line, h.end)
		if h.level > 1 && slices.ContainsFunc(own, func(it item) bool { return it.box != 0 }) {
			if with == 0 {
				pos = d.headPos(h)
			}
			with++
		}
	}
	if with == 1 {
		return fmt.Sprintf("nearest is the heading on line %d, which has boxes and no id", pos.Line), pos
	}
	if with > 0 {
		return fmt.Sprintf("nearest are %s with boxes, from line %d on, but they have no ids", counted(with, "heading"), pos.Line), pos
	}
	for i := range d.items {
		if it := &d.items[i]; it.box != 0 {
			return fmt.Sprintf("nearest is the list of boxes on line %d, but they have no ids", it.line), d.pos(it.boxOff - 1)
		}
	}
	for i := range d.tables {
		if t := &d.tables[i]; readColumns(t).needs >= 0 {
			return fmt.Sprintf("nearest is the table on line %d, but none of its columns is one of ids", t.line), plan.Pos{Line: t.line, Col: 1}
		}
	}
	return "", plan.Pos{}
}

func (r *reading) title() string {
	for _, h := range r.doc.heads {
		if h.level == 1 {
			return withoutMarks(h.text)
		}
	}
	if e, ok := top(r.doc.front, "title"); ok {
		return e.value
	}
	if e, ok := top(r.doc.front, "name"); ok {
		return e.value
	}
	return ""
}

func (r *reading) warn(code string, pos plan.Pos, message, hint string) {
	severity := plan.Warning
	switch code[0] {
	case 'E':
		severity = plan.Error
	case 'I':
		severity = plan.Info
	}
	line := r.doc.line(pos.Line)
	width := 0
	if pos.Col >= 1 && pos.Col <= len(line) {
		width = len(strings.TrimRight(line, " ")) - pos.Col + 1
	}
	r.found = append(r.found, plan.Problem{Code: code, Severity: severity, Pos: pos, Width: max(width, 0), Line: line, Message: message, Hint: hint})
}
