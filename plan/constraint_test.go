package plan_test

import (
	"testing"

	"autobuild/plan"
)

// A constraint covers its paths and what lies below them, and nothing that is only called alike.
func TestConstraint(t *testing.T) {
	c := plan.Constraint{Paths: []string{"api/", "go.mod", "*.pb.go", "db/*.sql", "gen/**"}}
	for file, want := range map[string]bool{
		"api/a.go": true, "api/v1/b.go": true, "go.mod": true, "x/y.pb.go": true, "db/a.sql": true, "gen/a/b": true,
		"apis/a.go": false, "sub/go.mod": false, "db/old/a.sql": false, "main.go": false, "general.go": false,
	} {
		if got := c.Forbids(file); got != want {
			t.Errorf("Forbids(%s) = %t", file, got)
		}
	}
	for text, want := range map[string]bool{
		"Update `go.mod`": true, "Update ./go.mod, too.": true, "Update sub/go.mod": false, "Update go.mod.bak": false, "Update it": false,
	} {
		if got := c.Excepts(plan.Phase{Text: text}, "go.mod"); got != want {
			t.Errorf("%q excepts go.mod: %t", text, got)
		}
	}
	if !c.Excepts(plan.Phase{Files: plan.Files{Modify: []string{"api/a.go"}}}, "api/a.go") {
		t.Error("a declared file is no exception")
	}
}
