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

// maxKnown is how many contents a list of known results tells of; the oldest go first.
const maxKnown = 16

const knownSchema = 1

// Known are the gates that fail on contents on which they have run, by Key. The zero value knows nothing.
type Known struct {
	entries []knownEntry // oldest first
}

type knownEntry struct {
	Key   string         `json:"key"`
	Gates []state.Gate   `json:"gates"`           // that failed
	Tests map[string]int `json:"tests,omitempty"` // how many each gate ran that tells
}

type knownFile struct {
	Schema int          `json:"schema"`
	Known  []knownEntry `json:"known"`
}

// Key names what a result holds for: a content, the gates with the tools behind them, and the commands that prepare it.
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
		for _, n := range e.Tests {
			if n < 0 {
				return Known{}, errors.New("it has a number of tests that cannot be")
			}
		}
		for _, g := range e.Gates {
			if e.Key == "" || g.Name == "" || g.Status != state.GateFailed && g.Status != state.GateTimeout || g.Failed < 0 {
				return Known{}, errors.New("it has a result that cannot be")
			}
		}
	}
	return Known{entries: f.Known}, nil
}

// Result are the gates that fail on a content, and how many tests each gate runs that tells; ok is false where they have not run on it.
func (k *Known) Result(key string) (failed []state.Gate, tests map[string]int, ok bool) {
	for _, e := range k.entries {
		if e.Key == key {
			return e.Gates, e.Tests, true
		}
	}
	return nil, nil, false
}

// Put remembers what fails on a content. Where the number of tests is not known, what was known of it stays.
func (k *Known) Put(key string, failed []state.Gate, tests map[string]int) {
	if _, before, _ := k.Result(key); tests == nil {
		tests = before
	}
	k.entries = slices.DeleteFunc(slices.Clone(k.entries), func(e knownEntry) bool { return e.Key == key })
	k.entries = append(k.entries, knownEntry{key, failed, tests})
	k.entries = k.entries[max(0, len(k.entries)-maxKnown):]
}

// Bytes is the list as it is kept.
func (k *Known) Bytes() ([]byte, error) {
	out, err := json.MarshalIndent(knownFile{knownSchema, k.entries}, "", "  ")
	return append(out, '\n'), err
}
