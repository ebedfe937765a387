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
	Host    string    `json:"host"` // of the starter, and its checkout there
	Dir     string    `json:"dir"`

	Plan     string     `json:"plan"` // path from the root, or absolute
	Text     string     `json:"text"`
	Args     []string   `json:"args"` // flags of the call
	Config   string     `json:"config,omitzero"`
	Name     string     `json:"name,omitzero"` // of the committer
	Email    string     `json:"email,omitzero"`
	Baseline string     `json:"baseline,omitzero"`
	Stored   *state.Run `json:"stored"` // the run as the session began
}

// Write makes a commit of the spec in the repository g.
func (s Spec) Write(ctx context.Context, g Git) (string, error) {
	return write(ctx, g, "spec", s)
}

// ReadSpec reads a spec that is here.
func ReadSpec(ctx context.Context, g Git, commit string) (s Spec, err error) {
	err = read(ctx, g, commit, "spec", &s)
	return s, err
}

// write makes a commit of a value: NAME.json.
func write(ctx context.Context, g Git, name string, value any) (string, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	return WriteFiles(ctx, g, name, map[string][]byte{name + ".json": raw})
}

// read is the inverse of write.
func read(ctx context.Context, g Git, commit, name string, value any) error {
	raw, err := g.Run(ctx, "cat-file", "blob", commit+":"+name+".json")
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(raw), value)
}
