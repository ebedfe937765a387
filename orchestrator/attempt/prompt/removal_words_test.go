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
