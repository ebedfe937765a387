package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"autobuild/state"
)

// maxKnown bounds the contents in a list of known results; the oldest are dropped.
const maxKnown = 16

// knownSchema is the form of the list. Lists of earlier forms hold no names of tests and count as
// empty.
const knownSchema = 3

// Known are the results of gates on contents on which they have run, by Key. The zero value knows
// nothing.
type Known struct {
	entries []knownEntry // oldest first
}

type knownEntry struct {
	Key     string       `json:"key"`
	Gates   []state.Gate `json:"gates"`             // that failed
	Passing []string     `json:"passing,omitempty"` // keys of tests seen passing by name
	Blind   []string     `json:"blind,omitempty"`   // names of blind gates
}

type knownFile struct {
	Schema int          `json:"schema"`
	Known  []knownEntry `json:"known"`
}

// Key names what a result holds for: a content, the gates with the tools behind them, and the
// commands that prepare it.
func Key(content string, gates []state.GateSpec, setup []string) string {
	h := sha256.New()
	say := func(words ...string) {
		for _, w := range words {
			_, _ = fmt.Fprintf(h, "%d:%s", len(w), w) // never fails
		}
	}
	say(content)
	for _, g := range gates {
		say("gate", g.Name, g.Kind, g.Command, g.Tool, g.Timeout.String())
	}
	for _, c := range setup {
		say("setup", c)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ReadKnown reads what Bytes has written. Only what is exactly of that form is believed.
func ReadKnown(data []byte) (Known, error) {
	var earlier struct{ Schema int }
	if json.Unmarshal(data, &earlier) == nil && 0 < earlier.Schema && earlier.Schema < knownSchema {
		return Known{}, nil
	}
	var f knownFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return Known{}, fmt.Errorf("not a list of results: %w", err)
	}
	if f.Schema != knownSchema || d.More() || len(f.Known) > maxKnown {
		return Known{}, errors.New("not a list of results of this version")
	}
	for _, e := range f.Known {
		for _, g := range e.Gates {
			if e.Key == "" || g.Name == "" || g.Status != state.GateFailed &&
				g.Status != state.GateTimeout || g.Failed < 0 {
				return Known{}, errors.New("it has a result that cannot be")
			}
		}
	}
	return Known{entries: f.Known}, nil
}

// Result returns the result of the gates on a content; ok is false if there is none.
func (k *Known) Result(key string) (r Result, ok bool) {
	for _, e := range k.entries {
		if e.Key == key {
			return Result{e.Gates, e.Passing, e.Blind}, true
		}
	}
	return Result{}, false
}

// Result is the result of the gates on a content.
type Result struct {
	Failed  []state.Gate
	Passing []string // keys of tests that were seen passing by name
	Blind   []string // names of gates that pass although the product is spoiled
}

// Put stores a result.
func (k *Known) Put(key string, r Result) {
	k.entries = slices.DeleteFunc(slices.Clone(k.entries),
		func(e knownEntry) bool { return e.Key == key })
	k.entries = append(k.entries, knownEntry{key, r.Failed, r.Passing, r.Blind})
	k.entries = k.entries[max(0, len(k.entries)-maxKnown):]
}

// Bytes is the list as it is kept, at most so many bytes: the oldest results give way.
func (k *Known) Bytes(most int) ([]byte, error) {
	for entries := k.entries; ; entries = entries[1:] {
		out, err := json.MarshalIndent(knownFile{knownSchema, entries}, "", "  ")
		if err != nil || len(out) < most || len(entries) == 0 {
			return append(out, '\n'), err
		}
	}
}
