package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// Only a statement whose paths are the object of a change that it rules out is a constraint; the
// rest is for people.
func TestConstraints(t *testing.T) {
	for statement, want := range map[string][]string{
		"- Do not change `api/public.go`.":                            {"api/public.go"},
		"- Never modify or delete files under `migrations/`":          {"migrations/"},
		"- No changes to `api/` or `web/index.html`":                  {"api/", "web/index.html"},
		"- `api/public.go` must not be modified":                      {"api/public.go"},
		"- The directory vendor/lib/ stays untouched.":                {"vendor/lib/"},
		"- Keep `LICENSE` unchanged":                                  {"LICENSE"},
		"- `go.mod` is read-only":                                     {"go.mod"},
		"- Do not touch generated files: `*.pb.go`":                   {"*.pb.go"},
		"- Do not touch generated files `*.pb.go`":                    {"*.pb.go"},
		"Do not\nchange `api/public.go`. Read `api/README.md` first.": {"api/public.go"},
		"- Do not change the signature of `Parse` in `plan/parse.go`": nil,
		"- Do not change anything outside `src/`":                     nil,
		"- Never change `api/public.go` unless the phase says so":     nil,
		"- Read `api/README.md` before you change anything":           nil,
		"- No new dependencies in `go.mod`":                           nil,
		"- Do not use `eval`":                                         nil,
		"- Performance must not change":                               nil,
		"```\nDo not change `api/public.go`\n```":                     nil,
		"- Rewriting `legacy/`":                                       nil,
	} {
		for _, heading := range []string{"## Constraints", "## Mission", "## Global Constraints"} {
			src := "# A plan\n\n" + heading + "\n\n" + statement + "\n\n## Phase 1: One\n\n- [ ] do\n"
			if got := paths(t, src); !slices.Equal(got, want) {
				t.Errorf("%s, %q: %q, want %q", heading, statement, got, want)
			}
		}
	}
	for src, want := range map[string][]string{
		"# P\n\n## Phase 1: One\n\n- [ ] do\n\n## Non-goals\n\n- Changing `api/`\n- `legacy/`\n- Speed of `db/`, which is slow\n": {"api/", "legacy/"},
		"# P\n\n## Phase 1: One\n\n- [ ] do\n\n### Constraints\n\n- Do not change `api/`\n":                                       nil,
		"# P\n\n## Notes\n\n- Do not change `api/`\n\n## Phase 1: One\n\n- [ ] do\n":                                              nil,
	} {
		if got := paths(t, src); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func paths(t *testing.T, src string) []string {
	t.Helper()
	p, err := markdown.Parse("plan.md", []byte(src), markdown.Options{})
	if err != nil {
		t.Fatalf("%v in %q", err, src)
	}
	var all []string
	for _, c := range p.Constraints {
		if c.Text == "" || strings.ContainsAny(c.Text, "\x00\n") || !c.Pos.Valid() {
			t.Errorf("constraint %+v", c)
		}
		all = append(all, c.Paths...)
	}
	return all
}
