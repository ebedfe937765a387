// Package repair finds contradictions in a state directory, proposes a remedy with its reason, and
// applies it. It compares three witnesses: the files of the phases, the diary and git's commits.
// Where they disagree a phase counts as complete only when its commit exists: running a phase twice
// costs time, and trusting one that never landed costs the work. The package has no notion of
// agents, gates or plans, and does not call git itself.
package repair

import (
	"cmp"
	"slices"

	"autobuild/state"
	"autobuild/state/store"
)

// Evidence is the information from outside the state directory.
type Evidence struct {
	// of the plan's phases, in order; nil when the plan cannot be read
	Seeds   []state.Seed
	Commits []Landed // commits of the run's attempts, oldest first
	Git     bool     // Commits is all there is
	// how the attempts ended that are recorded as running, by id of the phase
	CutOffs map[string]state.CutOff
}

// Landed is the commit of an attempt.
type Landed struct {
	Phase   string // id
	Key     string // of the attempt
	Verdict state.Verdict
	Commit  state.Commit
	// Contested are the changes of tests and gates that a person is to look at.
	Contested []state.RefereeChange
}

// Remedy is the action of a repair on a finding.
type Remedy string

// The remedies.
const (
	Restore Remedy = "restore"   // the file is written anew, from the diary or from git
	Adopt   Remedy = "adopt"     // the phase is complete: its commit is there
	Again   Remedy = "again"     // the phase becomes pending, and runs again
	Aside   Remedy = "set aside" // the file moves into the backup; nothing needs it
	Trim    Remedy = "trim"      // the lines that are no events move into the backup
	Leave   Remedy = "leave"     // only the user can decide it
)

// Finding is one thing that cannot be true, or cannot be read.
type Finding struct {
	store.Position
	Phase   string // id; empty where it is about none
	Label   string
	Cause   string // the problem
	Do      Remedy
	Why     string // the evidence for the remedy
	Next    string // Leave: the user's remedy
	Refused bool   // a run is not resumed while this stands

	base   *state.Phase  // the phase before events, by the repair's reconstruction
	events []state.Event // the events that the repair adds
	config *state.Config
	lines  []int
}

// Report is the result of an examination.
type Report struct {
	// config.json, then the phases in the natural order of their ids, the end, the diary
	Findings []Finding

	config state.Config
	phases []state.Phase // as reconstructed, before any event
	seq    int64         // of the diary's last event
}

// Open reports whether something is left that keeps a run from being resumed.
func (r *Report) Open() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Do == Leave && f.Refused
	})
}

// Mendable counts the findings with a remedy other than Leave.
func (r *Report) Mendable() int {
	n := 0
	for _, f := range r.Findings {
		if f.Do != Leave {
			n++
		}
	}
	return n
}

// exam is one examination.
type exam struct {
	files *store.Files
	diary *Diary
	ev    Evidence
	ids   []string
	bad   map[string]store.BadFile
	good  map[string]store.PhaseFile
	seeds map[string]state.Seed
	truth map[string]state.Phase // as reconstructed, before events
	then  map[string]state.Phase // as a repair leaves it
	about map[string]int         // the finding that changes the phase
	out   []Finding
	blind bool // it is unknown which run this is
}

// Config returns the configuration of the stored run: from config.json, else from the diary. ok is
// false when neither has one.
func Config(files *store.Files, diary *Diary) (c state.Config, ok bool) {
	if files.Config.RunID != "" {
		if f, found := foreign(files, diary); found && f.config != nil {
			return *f.config, true
		}
		return files.Config, true
	}
	return diary.Config, diary.Config.RunID != ""
}

// Examine compares what the witnesses say. It is pure.
func Examine(files *store.Files, diary *Diary, ev Evidence) *Report {
	x := &exam{
		files: files, diary: diary, ev: ev, bad: map[string]store.BadFile{},
		good:  map[string]store.PhaseFile{},
		seeds: map[string]state.Seed{}, truth: map[string]state.Phase{},
		then: map[string]state.Phase{}, about: map[string]int{},
	}
	config, known := Config(files, diary)
	x.blind = !known
	x.files.Config.Isolation = config.Isolation
	x.gather()
	x.config()
	for _, id := range x.ids {
		x.phase(id)
	}
	for _, id := range x.ids {
		x.needs(id)
		x.blocked(id)
	}
	x.extra()
	x.end(config)
	x.witnesses(config)
	r := &Report{Findings: x.out, config: config, seq: diary.seq}
	for _, id := range x.ids {
		if p, ok := x.truth[id]; ok {
			r.phases = append(r.phases, p)
		}
	}
	return r
}

// gather lists every phase that the plan, a file, the diary or a commit names. Of those that the
// plan no longer has, only the files count.
func (x *exam) gather() {
	var ids []string
	for _, s := range x.ev.Seeds {
		x.seeds[s.ID] = s
		ids = append(ids, s.ID)
	}
	for _, b := range x.files.Bad {
		if b.Phase != "" {
			x.bad[b.Phase] = b
			ids = append(ids, b.Phase)
		}
	}
	for _, f := range x.files.Phases {
		x.good[f.ID] = f
		ids = append(ids, f.ID)
	}
	if x.ev.Seeds == nil {
		for i := range x.diary.run.Phases {
			ids = append(ids, x.diary.run.Phases[i].ID)
		}
		for _, c := range x.ev.Commits {
			ids = append(ids, c.Phase)
		}
	}
	slices.SortFunc(ids, store.Natural)
	x.ids = slices.Compact(ids)
}

// find adds a finding.
func (x *exam) find(f Finding) {
	if f.Phase != "" {
		f.Label = x.label(f.Phase)
	}
	if f.base != nil {
		x.truth[f.Phase], x.then[f.Phase] = *f.base, f.after()
		x.about[f.Phase] = len(x.out)
	}
	x.out = append(x.out, f)
}

// after is the phase as the remedy leaves it, in what others look at.
func (f Finding) after() state.Phase {
	p := *f.base
	switch f.Do {
	case Adopt:
		p.Status = state.Complete
	case Again:
		p.Status, p.Was = state.Pending, p.Status
	case Restore, Aside, Trim, Leave:
	}
	return p
}

// changed reports whether a finding changes the phase.
func (x *exam) changed(id string) bool { _, ok := x.about[id]; return ok }

func (x *exam) label(id string) string {
	h, _ := x.diary.run.Find(id)
	if h == nil {
		h = &state.Phase{}
	}
	return cmp.Or(x.good[id].Label, x.seeds[id].Label, h.Label, id)
}

// newest is the last commit of a phase.
func (x *exam) newest(id string) (Landed, bool) {
	for _, c := range slices.Backward(x.ev.Commits) {
		if c.Phase == id {
			return c, true
		}
	}
	return Landed{}, false
}

// of is the commit of an attempt.
func (x *exam) of(id, key string) (Landed, bool) {
	for _, c := range slices.Backward(x.ev.Commits) {
		if c.Phase == id && c.Key == key && key != "" {
			return c, true
		}
	}
	return Landed{}, false
}

// has reports whether a commit is there and is the phase's.
func (x *exam) has(id string, c *state.Commit) bool {
	return c != nil && c.SHA != "" &&
		slices.ContainsFunc(x.ev.Commits, func(l Landed) bool {
			return l.Phase == id && l.Commit.SHA == c.SHA
		})
}

// proof reports whether git can say of a commit that it is missing.
func (x *exam) proof() bool { return x.ev.Git && x.files.Config.Isolation == state.Worktree }

// Plan is the path of the plan in the stored configuration; empty when there is none.
func (r *Report) Plan() string { return r.config.Plan }
