package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// Kind says what an agent of a scenario does.
type Kind string

// The kinds. A cheat changes what judges it, a loud agent breaks in the open, an honest one does
// what the plan asks for.
const (
	Cheat  Kind = "cheat"
	Loud   Kind = "loud"
	Honest Kind = "honest"
)

// Names of the sections that are no file of the repository or of the home directory.
const (
	sectionPlan = "plan.md"
	// the agent; also its second attempt, unless there is sectionSecond
	sectionAgent   = "agent.sh"
	sectionSecond  = "agent2.sh" // the agent's second attempt
	sectionGood    = "good.sh"   // an agent that does the work; the oracle has to accept it
	sectionOracle  = "oracle.sh" // exit 0 in a clean checkout: the landed work is right
	sectionSetup   = "setup.sh"  // prepares home and repository before the first commit
	sectionLibrary = "lib.sh"    // functions for the agents of one base
	folderRepo     = "repo/"
	folderHome     = "home/"
)

// Scenario is one agent, the repository in which it works, and the oracle that judges what landed.
type Scenario struct {
	Name  string
	Shows string // the first line of the file
	Kind  Kind
	Stack string
	Mode  string // of --referee; empty: its default
	// the truth is "done": of honest scenarios, and of loud ones whose agent recovers
	Done    bool
	Needs   []string
	Gate    string   // the tests that a loop runs
	Args    []string // further flags of autobuild
	Timeout time.Duration
	Files   map[string]string // by section
}

// LoadScenarios reads bases/*.txtar and scenarios/*.txtar of a directory; scenarios are sorted by
// kind and name.
func LoadScenarios(dir fs.FS) ([]Scenario, error) {
	names, err := fs.Glob(dir, "scenarios/*.txtar")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("no file matches scenarios/*.txtar")
	}
	var all []Scenario
	for _, name := range names {
		s, err := load(dir, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, s)
	}
	order := []Kind{Cheat, Loud, Honest}
	slices.SortStableFunc(all, func(a, b Scenario) int {
		return slices.Index(order, a.Kind) - slices.Index(order, b.Kind)
	})
	return all, nil
}

// load reads one scenario. Sections of its base apply where it has none of that name.
func load(dir fs.FS, name string) (Scenario, error) {
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		return Scenario{}, err
	}
	archive := txtar.Parse(text)
	shows, keys, err := header(string(archive.Comment))
	if err != nil {
		return Scenario{}, err
	}
	files := make(map[string]string)
	if base := keys["base"]; base != "" {
		if err = inherit(dir, base, files, keys); err != nil {
			return Scenario{}, fmt.Errorf("base %s: %w", base, err)
		}
	}
	if err = sections(files, archive.Files); err != nil {
		return Scenario{}, err
	}
	s := Scenario{Name: strings.TrimSuffix(path.Base(name), ".txtar"), Shows: shows, Files: files}
	err = s.apply(keys)
	return s, err
}

// inherit adds the sections of a base, and those of its keys that the scenario does not have; the
// needs of both are joined.
func inherit(dir fs.FS, base string, files, keys map[string]string) error {
	text, err := fs.ReadFile(dir, "bases/"+base+".txtar")
	if err != nil {
		return err
	}
	ground := txtar.Parse(text)
	_, inherited, err := header(string(ground.Comment))
	if err != nil {
		return err
	}
	for key, value := range inherited {
		if key == "needs" {
			keys[key] = value + " " + keys[key]
		} else if _, ok := keys[key]; !ok {
			keys[key] = value
		}
	}
	return sections(files, ground.Files)
}

// header splits the comment of an archive into its first line and its keys.
func header(comment string) (shows string, keys map[string]string, err error) {
	first, rest, _ := strings.Cut(comment, "\n")
	shows, ok := strings.CutPrefix(first, "# ")
	if !ok || !strings.HasSuffix(shows, ".") {
		return "", nil, errors.New(`line 1 is not "# " and a sentence`)
	}
	keys = make(map[string]string)
	for line := range strings.SplitSeq(strings.TrimSpace(rest), "\n") {
		if line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return "", nil, fmt.Errorf("%q is not KEY: VALUE", line)
		}
		if _, twice := keys[key]; twice {
			return "", nil, fmt.Errorf("%s stands twice", key)
		}
		keys[key] = strings.TrimSpace(value)
	}
	return shows, keys, nil
}

// sections adds the files of an archive. An empty section "repo/NAME" removes the base's file of
// that name.
func sections(into map[string]string, files []txtar.File) error {
	known := []string{
		sectionPlan, sectionAgent, sectionSecond, sectionGood, sectionOracle, sectionSetup,
		sectionLibrary,
	}
	seen := make(map[string]bool)
	for _, f := range files {
		inside := strings.HasPrefix(f.Name, folderRepo) || strings.HasPrefix(f.Name, folderHome)
		if !inside && !slices.Contains(known, f.Name) {
			return fmt.Errorf("section %s is not known", f.Name)
		}
		if seen[f.Name] {
			return fmt.Errorf("section %s stands twice", f.Name)
		}
		seen[f.Name] = true
		if inside && len(f.Data) == 0 {
			delete(into, f.Name)
			continue
		}
		into[f.Name] = string(f.Data)
	}
	return nil
}

// apply reads the keys and checks that nothing is missing.
func (s *Scenario) apply(keys map[string]string) error {
	known := []string{"kind", "base", "stack", "mode", "want", "needs", "gate", "args", "timeout"}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("key %s is not known", key)
		}
	}
	s.Kind, s.Stack, s.Mode = Kind(keys["kind"]), keys["stack"], keys["mode"]
	s.Gate, s.Args = keys["gate"], strings.Fields(keys["args"])
	s.Needs = strings.Fields(keys["needs"])
	switch want := keys["want"]; {
	case s.Kind == Cheat && want == "", s.Kind == Loud && want == "failed":
	case s.Kind == Honest && want == "", s.Kind == Loud && want == "done":
		s.Done = true
	default:
		return fmt.Errorf("kind %q with want %q; loud: done or failed; others: none", s.Kind, want)
	}
	s.Timeout = time.Minute
	if text := keys["timeout"]; text != "" {
		limit, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		s.Timeout = limit
	}
	required := []string{sectionPlan, sectionAgent, sectionOracle}
	if s.Kind == Cheat {
		required = append(required, sectionGood)
	}
	for _, section := range required {
		if s.Files[section] == "" {
			return fmt.Errorf("section %s is missing", section)
		}
	}
	if s.Stack == "" || s.Gate == "" {
		return errors.New("stack or gate is missing")
	}
	return nil
}

// phases lists the ids of the plan's sections, in their order.
func (s *Scenario) phases() []string {
	var ids []string
	for line := range strings.Lines(s.Files[sectionPlan]) {
		if rest, ok := strings.CutPrefix(line, "## Phase "); ok {
			id, _, _ := strings.Cut(rest, ":")
			ids = append(ids, strings.ToLower(strings.TrimSpace(id)))
		}
	}
	return ids
}
