package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplay replays a history of three commits: one that asks for a value, one that does not, one
// that changes no test.
func TestReplay(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	test := func(half, other string) string {
		return "package a\n\nimport \"testing\"\n\nfunc TestRound(t *testing.T) {\n\tif Round(2.5) != " + half + " {\n\t\tt.Error()\n\t}\n}\n\n" +
			"func TestOther(t *testing.T) {\n\tif Double(10) != " + other + " {\n\t\tt.Error()\n\t}\n}\n"
	}
	write := func(files map[string]string, message string) {
		t.Helper()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "-m", message)
	}
	git("init", "-q")
	alone := "package a\n\nimport \"testing\"\n\nfunc TestAlone(t *testing.T) {\n\tif Alone() != 77 {\n\t\tt.Error()\n\t}\n}\n"
	write(map[string]string{"a_test.go": test("3", "20"), "b_test.go": alone, "go.mod": "module a\n"}, "begin")
	write(map[string]string{"a_test.go": test("2", "20")}, "round: half to even")
	write(map[string]string{"a_test.go": test("2", "30")}, "clean up")
	write(map[string]string{"a.go": "package a\n"}, "code")
	page := filepath.Join(dir, "truth.md")
	if err := os.WriteFile(page, []byte("before\n"+beginMark+"\nold\n"+endMark+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-repo", dir, "-run=false", "-doc", page}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before\n", "| 2 | 1 | 50.0 % |", "| deleted | 2 | 0 | 0.0 % |", "| together | 6 | 0 | 0.0 % |", "\nafter\n"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("without %q:\n%s", want, raw)
		}
	}
}
