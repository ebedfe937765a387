package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"autobuild/internal/proc"
)

// Work is a small phase that exists twice: as good work, and with a defect that its gates do not
// see.
type Work struct {
	Name    string
	Plan    string
	Base    map[string]string // files before it
	Good    map[string]string
	Bad     map[string]string
	Finding string   // what an honest reviewer says of the defect, as JSON
	Note    bool     // neither plan nor base says what is right, so that nothing can confirm it
	Lies    []string // about good work, as JSON
}

// LoadPhases reads reviews/*.txtar of a directory.
func LoadPhases(dir fs.FS) ([]Work, error) {
	names, err := fs.Glob(dir, "reviews/*.txtar")
	if err != nil || len(names) == 0 {
		return nil, errors.Join(err, errors.New("no file matches reviews/*.txtar"))
	}
	var all []Work
	for _, name := range names {
		raw, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		for _, f := range txtar.Parse(raw).Files {
			who, part, _ := strings.Cut(f.Name, "/")
			if len(all) == 0 || all[len(all)-1].Name != who {
				all = append(all, Work{
					Name: who, Base: map[string]string{}, Good: map[string]string{},
					Bad: map[string]string{},
				})
			}
			if err := all[len(all)-1].take(part, string(f.Data)); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, f.Name, err)
			}
		}
	}
	return all, nil
}

// take reads one part of a work.
func (w *Work) take(part, text string) error {
	kind, file, _ := strings.Cut(part, "/")
	switch kind {
	case "plan":
		w.Plan = text
	case "base":
		w.Base[file] = text
	case "good":
		w.Good[file] = text
	case "bad":
		w.Bad[file] = text
	case "finding", "note":
		w.Finding, w.Note = strings.TrimSpace(text), kind == "note"
		if !json.Valid([]byte(text)) {
			return errors.New("it is not JSON")
		}
	case "lies":
		lines := bufio.NewScanner(strings.NewReader(text))
		for lines.Scan() {
			if !json.Valid(lines.Bytes()) {
				return errors.New("a line is not JSON")
			}
			w.Lies = append(w.Lies, lines.Text())
		}
	default:
		return errors.New("unknown part")
	}
	return nil
}

// tally is how often one reviewer had work refused.
type tally struct {
	reviewer      reviewer
	defects, good int
	missed        []string // defects that could have been confirmed
	refused       []string // good work
}

// playReviews lets every reviewer look at every work, good and bad, and reports each as it ends.
func (c *contest) playReviews(ctx context.Context, all []Work, report func(tally)) error {
	for _, r := range reviewers() {
		t := tally{reviewer: r}
		for _, bad := range []bool{true, false} {
			refused, err := c.reviewRun(ctx, r, all, bad)
			if err != nil {
				return fmt.Errorf("reviewer %s: %w", r.name, err)
			}
			for i, w := range all {
				switch {
				case bad && refused[i]:
					t.defects++
				case bad && !w.Note:
					t.missed = append(t.missed, w.Name)
				case !bad && refused[i]:
					t.good++
					t.refused = append(t.refused, w.Name)
				}
			}
		}
		report(t)
	}
	return nil
}

// reviewRun runs a plan of all works with one reviewer, and says of which of them an attempt was
// refused.
func (c *contest) reviewRun(ctx context.Context, r reviewer, all []Work, bad bool) ([]bool, error) {
	kind := "good"
	if bad {
		kind = "bad"
	}
	p := &place{contest: c, scenario: &Scenario{}, root: filepath.Join(c.root, r.name+"."+kind)}
	files := map[string]string{
		"home/.gitconfig": "[user]\n\tname = Contest\n\temail = contest@example.com\n",
		"home/bin/keep":   "", "tmp/keep": "",
		"agent/agent.sh":  reviewAgent,
		"agent/review.sh": r.script,
		"repo/go.mod":     "module contest\n\ngo 1.24\n",
		"repo/check.sh":   "test -f go.mod\n",
		"repo/plan.md":    reviewPlan(all),
		"repo/autobuild.yaml": "gates:\n  test: sh check.sh\n  lint: false\n  format: false\n  typecheck: false\nproof: off\nreview:\n  agent: script\n" +
			"  run: sh '" + filepath.Join(c.root, r.name+"."+kind, "agent", "review.sh") + "'\n",
	}
	for i, w := range all {
		id := strconv.Itoa(i + 1)
		work := w.Good
		if bad {
			work = w.Bad
		}
		for name, text := range w.Base {
			files["repo/"+name] = text
		}
		for name, text := range work {
			files["agent/"+id+"/"+name] = text
		}
		files["agent/"+id+".json"] = `{"nonce": "NONCE", "phase_id": "` + id +
			`", "status": "complete", "findings": [` + strings.Join(r.findings(w), ",\n") + "]}\n"
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(p.root, filepath.FromSlash(name)), text); err != nil {
			return nil, err
		}
	}
	env := p.env(p.home(), p.path, map[string]string{"PLACE": filepath.Join(p.root, "agent")})
	const begin = "git init -q -b main && git add -A && git commit -qm 'chore: begin'"
	exit, err := p.run(ctx, proc.Command{
		Argv: []string{"sh", "-c", begin}, Dir: p.repo(), Env: env,
	})
	if err == nil && !exit.OK() {
		err = errors.New("git: " + exit.Last)
	}
	if err != nil {
		return nil, err
	}
	exit, err = p.run(ctx, proc.Command{Argv: []string{
		c.program, "plan.md", "--agent-cmd", "sh '" + filepath.Join(p.root, "agent", "agent.sh") + "'",
		"--commit=auto", "--keep-going", "--no-color", "--timeout", "30s",
		"--jobs", strconv.Itoa(4),
	}, Dir: p.repo(), Env: append(env, "AUTOBUILD_KNOWLEDGE=off")})
	if err != nil {
		return nil, err
	}
	if exit.Code != 0 && exit.Code != 1 {
		return nil, fmt.Errorf("autobuild exits with %d: %s", exit.Code, exit.Last)
	}
	return p.rejected(len(all))
}

// rejected says of each phase whether the review refused an attempt at it. A phase that failed for
// any other reason is an error.
func (p *place) rejected(n int) ([]bool, error) {
	out := make([]bool, n)
	for i := range out {
		name := filepath.Join(p.repo(), ".autobuild", "phases", fmt.Sprintf("phase-%d.json", i+1))
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var phase struct {
			Status string
			Error  map[string]json.RawMessage
		}
		if err := json.Unmarshal(raw, &phase); err != nil {
			return nil, err
		}
		for _, text := range phase.Error {
			var failure struct{ Type, Message string }
			if json.Unmarshal(text, &failure) != nil || failure.Type == "" {
				continue
			}
			if failure.Type != "review_rejected" {
				return nil, fmt.Errorf("phase %d: %s: %s", i+1, failure.Type, failure.Message)
			}
			out[i] = true
		}
		if phase.Status != "complete" && !out[i] {
			return nil, fmt.Errorf("phase %d is %s", i+1, phase.Status)
		}
	}
	return out, nil
}

// reviewPlan is the plan of all works.
func reviewPlan(all []Work) string {
	var b strings.Builder
	b.WriteString("# Works\n\n| Phase | Name | Depends On |\n|-------|------|------------|\n")
	for i, w := range all {
		fmt.Fprintf(&b, "| %d | %s | - |\n", i+1, w.Name)
	}
	for i, w := range all {
		fmt.Fprintf(&b, "\n## Phase %d: %s\n\n%s", i+1, w.Name, w.Plan)
	}
	return b.String()
}

// reviewTable is a row a reviewer.
func reviewTable(all []tally, works int) string {
	var b strings.Builder
	b.WriteString("| reviewer | defects refused | good work refused |\n|---|---|---|\n")
	for _, t := range all {
		fmt.Fprintf(&b, "| %s | %d of %d | %d of %d |\n", t.reviewer.about, t.defects, works, t.good,
			works)
	}
	return b.String()
}

// checkReviews fails where good work was refused, or where a defect that can be confirmed was not
// although a reviewer finds it.
func checkReviews(all []tally) error {
	var errs []error
	for _, t := range all {
		if t.good > 0 {
			errs = append(errs, fmt.Errorf("reviewer %s had good work refused: %s", t.reviewer.name,
				strings.Join(t.refused, ", ")))
		}
		if t.reviewer.finds && len(t.missed) > 0 {
			errs = append(errs, fmt.Errorf("defects that reviewer %s finds landed: %s",
				t.reviewer.name, strings.Join(t.missed, ", ")))
		}
	}
	return errors.Join(errs...)
}

// reviews plays each nth work of a folder, and prints the table.
func (o options) reviews(ctx context.Context, c *contest, say func(string, ...any)) error {
	all, err := LoadPhases(os.DirFS(o.dir))
	if err != nil {
		return err
	}
	var some []Work
	for i := 0; i < len(all); i += o.each {
		some = append(some, all[i])
	}
	if o.write && len(some) < len(all) {
		return errors.New("-write needs every work; leave out -each")
	}
	if c.program, err = c.build(ctx, o.program); err != nil {
		return err
	}
	var done []tally
	err = c.playReviews(ctx, some, func(t tally) {
		done = append(done, t)
		say("%-8s %2d of %d defects refused, %d good; not: %s\n", t.reviewer.name, t.defects,
			len(some), t.good, strings.Join(t.missed, " "))
	})
	if err != nil {
		return err
	}
	say("\n%s\n", reviewTable(done, len(some)))
	if o.write {
		page := filepath.Join(o.dir, "..", "..", "docs", "review.md")
		if err := between(page, "review-numbers", reviewTable(done, len(some))); err != nil {
			return err
		}
	}
	if o.check {
		return checkReviews(done)
	}
	return nil
}

// file is a changed file of a work's good version: the first by name.
func (w Work) file() string {
	var names []string
	for name := range w.Good {
		names = append(names, name)
	}
	return slices.Min(names)
}

// line is the first line of that file.
func (w Work) line() string {
	line, _, _ := strings.Cut(w.Good[w.file()], "\n")
	return line
}

// criterion is the last line of the plan.
func (w Work) criterion() string {
	lines := strings.Split(strings.TrimSpace(w.Plan), "\n")
	return strings.TrimPrefix(strings.TrimPrefix(lines[len(lines)-1], "- "), "[ ] ")
}

// test is a new file beside the changed one.
func (w Work) test(name string) string { return path.Join(path.Dir(w.file()), name) }
