package markdown_test

import (
	"strings"
	"testing"
)

// TestFiles reads paths from a list of files. A drawn tree has none, and a leading dot is part of a
// name.
func TestFiles(t *testing.T) {
	for list, want := range map[string]string{
		"- Create: `.github/workflows/x.yml`\n- `.golangci.yml`, `./cmd/a.go`.": ".github/workflows/x.yml .golangci.yml cmd/a.go",
		"- ├── src/a.go\n- `└── b.go`\n- │   c.go\n- d.go":                      "d.go",
		"- `../outside.go`\n- `...`\n- \"x.go\"":                                "x.go",
	} {
		p := parse(t, "plan.md", []byte("## Phase 1: Read\n\n**Files:**\n\n"+list+"\n\n## Phase 2: Print\n\n- [ ] a\n"))
		if got := strings.Join(p.At(0).Files.All(), " "); got != want {
			t.Errorf("%q: got %q, want %q", list, got, want)
		}
	}
}
