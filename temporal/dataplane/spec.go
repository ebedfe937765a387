package dataplane

import (
	"context"
	"encoding/json"
	"time"

	"autobuild/state"
)

// Spec is a session of a run as its workers make it again.
type Spec struct {
	Run     string    `json:"run"`
	Base    string    `json:"base"`   // commit on which the run began
	Branch  string    `json:"branch"` // full ref of the starter's checkout
	Started time.Time `json:"started"`

	Plan     string     `json:"plan"` // path from the root, or absolute
	Text     string     `json:"text"`
	Args     []string   `json:"args"` // flags of the call
	Config   string     `json:"config,omitzero"`
	Name     string     `json:"name,omitzero"` // of the committer
	Email    string     `json:"email,omitzero"`
	Baseline []byte     `json:"baseline,omitzero"`
	Stored   *state.Run `json:"stored"` // the run as the session began
}

// Write makes a commit of the spec in the repository g.
func (s Spec) Write(ctx context.Context, g Git) (string, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return WriteFiles(ctx, g, "spec", map[string][]byte{"spec.json": raw})
}

// ReadSpec reads a spec that is here.
func ReadSpec(ctx context.Context, g Git, commit string) (s Spec, err error) {
	raw, err := g.Run(ctx, "cat-file", "blob", commit+":spec.json")
	if err != nil {
		return s, err
	}
	err = json.Unmarshal([]byte(raw), &s)
	return s, err
}
