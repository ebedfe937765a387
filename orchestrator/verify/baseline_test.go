package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autobuild/state"
)

// A result is believed for exactly what it was found on.
func TestKey(t *testing.T) {
	gates := func() []state.GateSpec {
		return []state.GateSpec{{Name: "test", Kind: "test", Command: "go test", Tool: "go"}}
	}
	seen := map[string]string{Key("tree", gates(), []string{"npm ci"}): "the same"}
	if _, ok := seen[Key("tree", gates(), []string{"npm ci"})]; !ok {
		t.Error("equal content has two keys")
	}
	for name, change := range map[string]func(g *state.GateSpec){
		"name": func(g *state.GateSpec) { g.Name = "t" }, "command": func(g *state.GateSpec) { g.Command += " -v" },
		"tool": func(g *state.GateSpec) { g.Tool = "gotip" }, "timeout": func(g *state.GateSpec) { g.Timeout = time.Second },
		"kind": func(g *state.GateSpec) { g.Kind = "custom" },
	} {
		other := gates()
		change(&other[0])
		key := Key("tree", other, []string{"npm ci"})
		if seen[key] != "" {
			t.Errorf("another %s has the key of %s", name, seen[key])
		}
		seen[key] = name
	}
	for name, key := range map[string]string{
		"content": Key("tree2", gates(), []string{"npm ci"}), "no setup": Key("tree", gates(), nil),
		"setup cut otherwise": Key("tree", gates(), []string{"npm", "ci"}), "no gates": Key("tree", nil, []string{"npm ci"}),
	} {
		if seen[key] != "" {
			t.Errorf("%s has the key of %s", name, seen[key])
		}
		seen[key] = name
	}
}

// The stored results come back, the newest only, and nothing else is accepted.
func TestKnown(t *testing.T) {
	var k Known
	if _, ok := k.Result("k0"); ok {
		t.Error("nothing knows something")
	}
	failed := []state.Gate{{Name: "test", Kind: "test", Command: "go test", Status: state.GateFailed, Failed: 1, Tests: []state.Test{{Name: "TestA", File: "a_test.go"}}, Tail: "FAIL"}}
	for i := range maxKnown + 5 {
		k.Put(fmt.Sprintf("k%d", i), Result{failed, []string{fmt.Sprintf("p::TestB%d", i)}, []string{"lint"}})
	}
	k.Put("k20", Result{Passing: []string{"p::TestA"}})
	raw, err := k.Bytes(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadKnown(raw)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := back.Result("k19"); !ok || cmp.Diff(Result{failed, []string{"p::TestB19"}, []string{"lint"}}, got) != "" {
		t.Errorf("k19 comes back as %+v, %t", got, ok)
	}
	if got, ok := back.Result("k20"); !ok || len(got.Failed)+len(got.Blind) > 0 || !slices.Equal(got.Passing, []string{"p::TestA"}) {
		t.Errorf("k20 passes, and comes back as %+v, %t", got, ok)
	}
	if _, ok := back.Result("k4"); ok || len(back.entries) != maxKnown {
		t.Errorf("%d are kept", len(back.entries))
	}
	for _, bad := range []string{
		"", "null", "[]", "{}", `{"schema": 4, "known": []}`, `{"schema": 3, "known": [], "more": 1}`, string(raw) + "{}", string(raw[:len(raw)/2]),
		strings.Replace(string(raw), `"status": "failed"`, `"status": "passed"`, 1), strings.Replace(string(raw), `"failed": 1`, `"failed": -1`, 1),
	} {
		if got, err := ReadKnown([]byte(bad)); err == nil {
			t.Errorf("%.60q is believed: %d entries", bad, len(got.entries))
		}
	}
	earlier := `{"schema": 1, "known": [{"key": "k", "gates": [], "tests": {"test": 3}}]}`
	if got, err := ReadKnown([]byte(earlier)); err != nil || len(got.entries) > 0 {
		t.Errorf("a list without names of tests counts as empty, not as %+v, %v", got, err)
	}
}

// A list that would become too large loses its oldest results.
func TestKnownIsBounded(t *testing.T) {
	var k Known
	for i := range 4 {
		k.Put(fmt.Sprintf("k%d", i), Result{Passing: []string{strings.Repeat("x", 1000)}})
	}
	raw, err := k.Bytes(2500)
	if err != nil || len(raw) > 2500 {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	back, err := ReadKnown(raw)
	if err != nil {
		t.Fatal(err)
	}
	for key, kept := range map[string]bool{"k0": false, "k1": false, "k2": true, "k3": true} {
		if _, ok := back.Result(key); ok != kept {
			t.Errorf("%s is kept: %t", key, ok)
		}
	}
}
