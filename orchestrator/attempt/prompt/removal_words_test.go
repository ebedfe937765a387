package prompt

import (
	"testing"

	"autobuild/plan"
)

// A removal is asked for where one sentence names the file, or a name in what is gone, and a word
// of removal.
func TestRemoves(t *testing.T) {
	const file = "src/api/routes.go"
	names := []string{"listUsers", "cache", "User"}
	for text, want := range map[string]bool{
		"Add a page.": false,
		"Extend src/api/routes.go. Remove the banner.": false,
		"Change routes.go":                        false,
		"Delete src/api/routes.go":                true,
		"- Remove the old routes.go":              true,
		"Move everything in src/api/ to pkg/":     true,
		"Remove the cache":                        false,
		"Remove the `cache`":                      true,
		"Replace listUsers by a query":            true,
		"Delete routes.gone":                      false,
		"Delete other/subroutes.go":               false,
		"Lösche `routes.go`":                      true,
		"Nothing is removed. See routes.go":       false,
		"The User may be removed by an admin":     false,
		"Rewrite api/routes.go with the new mux.": true,
	} {
		if got := Removes(plan.Phase{Text: text}, file, names); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if !Removes(plan.Phase{Files: plan.Files{Delete: []string{"src/api/routes.go"}}}, file, names) {
		t.Error("a file under files to delete")
	}
}

func TestReverts(t *testing.T) {
	other := plan.Phase{Label: "2A", Name: "feat: Add a cache"}
	for p, want := range map[*plan.Phase]bool{
		{Name: `Revert "feat: Add a cache"`}:                               true,
		{Name: "Undo it", Text: "Back out phase 2a: it is slow."}:          true,
		{Name: `Revert "feat: Add a cache for users"`}:                     true,
		{Name: `Revert "feat: Add a cached value"`}:                        false,
		{Name: "Use it", Text: "feat: Add a cache has landed.\nRevert x."}: false,
		{Name: "Phase 2A again"}:                                           false,
	} {
		if got := Reverts(*p, other); got != want {
			t.Errorf("%s: %t", p.Name, got)
		}
	}
}
