package render_test

import (
	"encoding/json"
	"slices"
	"testing"

	"autobuild/failure"
	"autobuild/render"
	"autobuild/render/rendertest"
)

// TestExplainJSON: a machine gets the diagnosis, the decision and the past.
func TestExplainJSON(t *testing.T) {
	out, err := render.ExplainJSON(rendertest.DeepFailure(t))
	rendertest.Check(t, err)
	rendertest.Golden(t, "explain.json", string(out))
	var doc struct {
		Diagnosis *failure.Diagnosis
		Decision  *failure.Decision
		Past      []failure.Earlier
		Siblings  []string
		Policy    string `json:"retry_policy"`
	}
	rendertest.Check(t, json.Unmarshal(out, &doc))
	if doc.Diagnosis.Class.Class != failure.LocalDesign || doc.Decision.Action != failure.Replan || len(doc.Past) != 4 || !slices.Equal(doc.Siblings, []string{"2c"}) || doc.Policy != "adaptive" {
		t.Errorf("%s", out)
	}
}

// TestDocuments holds the JSON documents of a status and of a refused plan against golden files.
func TestDocuments(t *testing.T) {
	text, err := render.StatusJSON(&rendertest.Halted(t, nil).Run, false)
	rendertest.Check(t, err)
	rendertest.Golden(t, "status.json", string(text))
	text, err = render.GraphJSON("docs/plan.md", nil, rendertest.Findings())
	rendertest.Check(t, err)
	rendertest.Golden(t, "refused.json", string(text))
}
