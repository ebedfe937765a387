package workspace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Suggestions for a missing path come from its name, case and spelling, the nearest first; an
// unrelated file is none.
func TestLikely(t *testing.T) {
	tree := fstest.MapFS{}
	for _, p := range []string{
		"AGENTS.md", "README.md", "go.mod", "src/api/users.go", "src/api/users_test.go", "src/web/Users.tsx", "src/web/index.tsx", "old/web/index.tsx",
		"node_modules/x/users.ts", ".git/users.ts", ".autobuild/worktrees/1/users.ts", "config/app.yaml", "config/db.yaml", "config/log.yaml", "config/web.yaml",
	} {
		tree[p] = &fstest.MapFile{}
	}
	for missing, want := range map[string]string{
		"CLAUDE.md":         "", // nothing like it: that others of its kind lie there says nothing
		"agents.md":         "AGENTS.md",
		"src/users.go":      "src/api/users.go",
		"src/api/user.go":   "src/api/users.go",
		"src/api/usres.go":  "src/api/users.go",
		"src/web/users.tsx": "src/web/Users.tsx",
		"web/index.tsx":     "", // two are called so
		"lib/users.ts":      "",
		"config/x.yaml":     "",
		"src/apis":          "src/api",
		"Makefile":          "",
	} {
		if got := strings.Join(likely(tree, missing), " "); got != want {
			t.Errorf("%s: %q, want %q", missing, got, want)
		}
	}
}

// A tree of any size is looked at in bounded time: files behind the bound are not found.
func TestLikelyIsBounded(t *testing.T) {
	tree := fstest.MapFS{"zz/meant.go": &fstest.MapFile{}}
	for i := range maxWalked {
		tree[fmt.Sprintf("a/%05d", i)] = &fstest.MapFile{}
	}
	if got := likely(tree, "meant.go"); len(got) > 0 {
		t.Errorf("found %q behind the bound", got)
	}
	for i := range maxWalked / 2 {
		delete(tree, fmt.Sprintf("a/%05d", i))
	}
	if got := likely(tree, "meant.go"); !slices.Equal(got, []string{"zz/meant.go"}) {
		t.Errorf("found %q", got)
	}
}
