package markdown_test

import (
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// TestCodeSeries: headings with a code and no separator are phases where they are a series.
func TestCodeSeries(t *testing.T) {
	sections := func(heads ...string) string {
		src := "# P\n"
		for _, h := range heads {
			src += "\n## " + h + "\n\n- [ ] do it\n"
		}
		return src
	}
	for name, tt := range map[string]struct {
		src    string
		labels string // empty: it has no phases
		name   string // of the first phase
	}{
		"a series":            {sections("S1 Schema", "S2 Import", "S3 Release"), "S1 S2 S3", "Schema"},
		"a series of letters": {sections("WP1 Inventory", "WP2 Copy"), "WP1 WP2", "Inventory"},
		"one alone":           {sections("S3 Bucket", "Upload"), "", ""},
		"not in order":        {sections("S3 Bucket", "S1 Schema"), "", ""},
		"other letters":       {sections("H2 Database", "V3 Release"), "", ""},
		"no name":             {sections("S1 of many", "S2 of many"), "", ""},
		"requirements":        {sections("R1 Speed", "R2 Size"), "", ""},
		"rows of a table": {
			"| Id | Blocked by |\n|---|---|\n| WP1 | |\n| WP2 | WP1 |\n\n" + sections("WP1 Inventory", "WP2 Copy"),
			"WP1 WP2", "Inventory",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := markdown.Parse("plan.md", []byte(tt.src), markdown.Options{})
			if tt.labels == "" {
				if err == nil {
					t.Errorf("read as %d phases, the first %s", p.Len(), p.At(0).Label)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			for _, phase := range p.Phases() {
				labels = append(labels, phase.Label)
			}
			if got := strings.Join(labels, " "); got != tt.labels || p.At(0).Name != tt.name || len(p.At(0).Tasks) != 1 {
				t.Errorf("phases %q, the first %q with %d tasks", got, p.At(0).Name, len(p.At(0).Tasks))
			}
		})
	}
}
