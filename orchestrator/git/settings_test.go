package git

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/internal/safefile"
)

// The law: git reads the output of formatSettings back as the same settings.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"", "plain", "with \"quotes\" and \\", "tab\tnewline\nend", " lead and trail ", "# ; comment", "ä\x01", "true", "!f() { x; }; f"} {
		f.Add("sub", s)
		f.Add(s, "value")
	}
	f.Fuzz(func(t *testing.T, sub, val string) {
		if strings.ContainsAny(sub+val, "\x00\r") || strings.Contains(sub, "\n") || len(sub)+len(val) > 500 {
			return // git itself cannot hold these
		}
		in := Config{{"core.x", val}, {"filter." + sub + ".clean", val}, {"filter." + sub + ".clean", "second"}}
		if sub == "" {
			in = in[:1]
		}
		file := filepath.Join(t.TempDir(), "config")
		if err := safefile.Replace(file, formatSettings(in), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("git", "config", "--file", file, "--list", "-z").Output()
		if err != nil {
			t.Fatalf("git does not read %q: %v", formatSettings(in), err)
		}
		if got := parseSettings(SplitNUL(out)); !slices.Equal(got, in) {
			t.Errorf("got %q, want %q", got, in)
		}
	})
}
