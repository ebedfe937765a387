package state

import (
	"slices"
	"time"
)

// PlanEdit is what a user has changed in the plan of a run that goes on. The lists hold labels of
// phases in plan order, each at most MaxEdited; Omitted counts the others.
type PlanEdit struct {
	Hash    string   `json:"plan_hash"`        // of the plan's text
	Meaning string   `json:"plan_fingerprint"` // hash of what the plan asks for
	Title   string   `json:"plan_title"`       // of the plan
	Counts  Counts   `json:"counts"`           // of the plan
	Added   []string `json:"added,omitzero"`   // phases
	Removed []string `json:"removed,omitzero"` // phases
	Changed []string `json:"changed,omitzero"` // phases with another text or other settings
	Edges   []string `json:"edges,omitzero"`   // phases that need others than before
	Look    []string `json:"look,omitzero"`    // of Changed: in work or complete, by the text before
	Kept    []string `json:"kept,omitzero"`    // of Removed: in work or complete; their work stays
	Whole   bool     `json:"whole,omitzero"`   // final gates, constraints, title or order
	Omitted int      `json:"omitted,omitzero"` // labels that the lists leave out
}

// MaxEdited bounds each list of a PlanEdit.
const MaxEdited = 100

// IsZero reports whether nothing but the text's hash is different.
func (e PlanEdit) IsZero() bool {
	return len(e.Added)+len(e.Removed)+len(e.Changed)+len(e.Edges) == 0 && !e.Whole
}

// Bounded keeps the first MaxEdited labels of each list.
func (e PlanEdit) Bounded() PlanEdit {
	for _, list := range []*[]string{
		&e.Added, &e.Removed, &e.Changed, &e.Edges, &e.Look, &e.Kept,
	} {
		if more := len(*list) - MaxEdited; more > 0 {
			*list, e.Omitted = slices.Clone((*list)[:MaxEdited]), e.Omitted+more
		}
	}
	return e
}

// edit replaces the phases of the run by those of an edited plan. No phase leaves that is in work
// or complete. What the others have cost stays in the totals.
func (r *Run) edit(e Event) error {
	if e.Edit == nil || len(e.Phases) == 0 || r.End != nil {
		return &TransitionError{Event: e.Type, Why: "it has no phases, or the run has ended"}
	}
	phases, index, err := r.seeded(e)
	if err != nil {
		return err
	}
	former := r.Config.Former
	for i := range r.Phases {
		p := &r.Phases[i]
		if _, stays := index[p.ID]; stays {
			continue
		}
		if p.Status == Running || p.Status == Complete {
			return &TransitionError{
				Event: e.Type, Phase: p.ID, From: p.Status,
				Why: "the event leaves it out",
			}
		}
		former = former.Add(p.Spent)
	}
	for i, seed := range e.Phases {
		p := &phases[i]
		p.Removed = seed.Removed
		switch {
		case !seed.Changed:
			p.Edited = time.Time{}
		case p.Edited.IsZero():
			p.Edited = e.Time
		}
	}
	r.Phases, r.index, r.Config.Former = phases, index, former
	if r.Config.PlanMeaning != "" {
		r.Config.PlanMeaning = e.Edit.Meaning
	}
	r.Config.PlanHash, r.Config.PlanTitle, r.Config.Counts = e.Edit.Hash, e.Edit.Title,
		e.Edit.Counts
	return nil
}

// seeded makes the phases of an event: those that the run has, with the properties of the plan, and
// new ones.
func (r *Run) seeded(e Event) ([]Phase, map[string]int, error) {
	phases := make([]Phase, len(e.Phases))
	index := make(map[string]int, len(e.Phases))
	for i, seed := range e.Phases {
		if _, twice := index[seed.ID]; twice {
			return nil, nil, &TransitionError{
				Event: e.Type, Phase: seed.ID,
				Why: "two phases have this id",
			}
		}
		index[seed.ID] = i
		p := Phase{ID: seed.ID, Status: Pending, Created: e.Time, Updated: e.Time}
		if old, ok := r.Find(seed.ID); ok {
			p = *old
		}
		p.Label, p.Name, p.DependsOn = seed.Label, seed.Name, seed.DependsOn
		// an earlier session may have allowed more
		p.MaxAttempts = max(seed.MaxAttempts, len(p.Attempts))
		phases[i] = p
	}
	return phases, index, nil
}
