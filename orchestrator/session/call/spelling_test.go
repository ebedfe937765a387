package call

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A name is spelled as its directory lists it, where that is the same file.
func TestSpelling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		names      []string
		same       bool
	}{
		{"plan.md", "PLAN.md", []string{"docs", "PLAN.md"}, true},
		{"plan.md", "plan.md", []string{"docs", "PLAN.md"}, false},
		{"plan.md", "plan.md", []string{"PLAN.md", "plan.md"}, true},
		{"plan.md", "plan.md", []string{"docs", "other.md"}, true},
		{"plan.md", "plan.md", nil, true},
	} {
		if got := spelling(c.names, c.name, func(string) bool { return c.same }); got != c.want {
			t.Errorf("%s of %q, the same %v: %s, want %s", c.name, c.names, c.same, got, c.want)
		}
	}
}

// Where the letters are the disk's nothing changes, nor for what lies elsewhere, is not there, or
// is reached by a link. Where case is folded, other letters become the disk's.
func TestRespelled(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root, outside := filepath.Join(base, "Project"), filepath.Join(base, "outside")
	for _, dir := range []string{filepath.Join(root, "Docs"), outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	plan := filepath.Join(root, "Docs", "PLAN.md")
	if err := os.WriteFile(plan, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	same := []string{root, plan, outside, filepath.Join(root, "none", "x.md"), string(filepath.Separator), filepath.Join(root, "docs.md")}
	if runtime.GOOS != "windows" { // where links need a privilege
		link := filepath.Join(base, "link")
		if err := os.Symlink(root, link); err != nil {
			t.Fatal(err)
		}
		same = append(same, filepath.Join(link, "Docs", "PLAN.md"))
	}
	for _, path := range same {
		if got := Respelled(root, path); got != path {
			t.Errorf("%s became %s", path, got)
		}
	}
	other, want := filepath.Join(base, "project", "docs", "plan.md"), plan
	if _, err := os.Stat(other); err != nil { // the file system is case-sensitive
		want = other
	}
	if got := Respelled(root, other); got != want {
		t.Errorf("%s became %s, want %s", other, got, want)
	}
}
