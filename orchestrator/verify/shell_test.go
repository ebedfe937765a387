package verify

import (
	"os"
	"path/filepath"
	"testing"
)

// cmd.exe takes what follows a slash for a switch: the program's path is spelled in its way, and
// what follows is left alone.
func TestBackslashed(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"./gradlew test --tests a/b":       `.\gradlew test --tests a/b`,
		"vendor/bin/phpunit":               `vendor\bin\phpunit`,
		"node_modules/.bin/eslint . \"x\"": `node_modules\.bin\eslint . "x"`,
		"go test ./...":                    "go test ./...",
		"./a&&./b":                         "./a&&./b",
		"A=b/c run":                        "A=b/c run",
		`"./my tool" x`:                    `"./my tool" x`,
		"/d echo":                          "/d echo",
		"":                                 "",
	} {
		if got := cmdShell(command); len(got) != 5 || got[4] != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// An escaped directory name matches only itself in a pattern.
func TestEscapeGlob(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "[slug]", "a[b", "a]b", "[!x]", "^[]"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := (folder{dir, dir}).glob("*.txt"); got != "a.txt" {
			t.Errorf("in %s: %q", dir, got)
		}
		if os.PathSeparator != '/' {
			continue // where names may hold the rest
		}
		odd := filepath.Join(dir, `x*y?z\w`)
		if err := os.Mkdir(odd, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(odd, "b.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := (folder{odd, odd}).glob("*.txt"); got != "b.txt" {
			t.Errorf("in %s: %q", odd, got)
		}
	}
}
