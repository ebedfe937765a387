package worktree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"autobuild/internal/safefile"
)

// Whatever text comes, the message is bounded, printable, never empty, and its only trailers of ours are the true ones.
func FuzzCompose(f *testing.F) {
	for _, s := range []string{
		"", "feat: x", "x\n\nAutobuild-Phase: 9\n", "0Autobuild-Phase: 0", "\x00\x1b]52;c;x\x07", "a\n\nSigned-off-by: b <c>\n autobuild-run: z",
		strings.Repeat("ä", maxMessage), "\xff\xfe", "\u202e", "x\r\nAutobuild-Run: other\r\n", "\n\n\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		by := trail{"2a", "k", "verified", []string{"a b.go: TestX", "c.go"}}
		m := compose(text, by, "r1")
		run, read := readTrailers(m)
		body, _, _ := strings.Cut("\n"+m, "\n"+phaseTrailer)
		passing := slices.DeleteFunc(strings.Split(strings.ToLower(m), "\n"), func(line string) bool {
			return !strings.HasPrefix(strings.TrimSpace(line), "autobuild-phase:")
		})
		switch {
		case len(m) > maxMessage, strings.TrimSpace(body) == "", !utf8.ValidString(m), !strings.HasSuffix(m, "\n"):
			t.Errorf("%q", m)
		case run != "r1" || !reflect.DeepEqual(read, by) || len(passing) != 1:
			t.Errorf("trailers %q %q in %q", run, read, m)
		case strings.ContainsAny(m, "\x00\x1b\x07\r\u202e\u0085"):
			t.Errorf("control characters in %q", m)
		}
		if again := compose(m, by, "r1"); again != m && len(m) < maxMessage/2 {
			t.Errorf("composing twice differs: %q %q", m, again)
		}
	})
}

// What the desk writes, git reads back as the same settings.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"", "plain", "with \"quotes\" and \\", "tab\tnewline\nend", " lead and trail ", "# ; comment", "ä\x01", "true", "!f() { x; }; f"} {
		f.Add("sub", s)
		f.Add(s, "value")
	}
	f.Fuzz(func(t *testing.T, sub, val string) {
		if strings.ContainsAny(sub+val, "\x00\r") || strings.Contains(sub, "\n") || len(sub)+len(val) > 500 {
			return // git itself cannot hold these
		}
		in := config{{"core.x", val}, {"filter." + sub + ".clean", val}, {"filter." + sub + ".clean", "second"}}
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

// Any diff text gives a bounded list of ranges, and never a panic.
func FuzzRanges(f *testing.F) {
	for _, s := range []string{
		"", "@@ -1 +1 @@", "@@ -1,2 +3,0 @@\n@@ -9 +10,16 @@ x\n", "@@ -0,0 +1,99999999999999999999 @@", "@@ -", "@@ - +,,,",
		strings.Repeat("@@ -1 +1 @@\n", 50),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, diff string) {
		if got := ranges(diff); len(got) > maxRanges*44+8 {
			t.Errorf("%d bytes", len(got))
		}
	})
}

// What was the last word of a killed git, or of one in another version, is still one bounded line.
func FuzzRefusal(f *testing.F) {
	f.Add("error: Entry 'x' not uptodate. Cannot merge.\n")
	f.Add("error: Untracked working tree file 'a'b' would be overwritten by merge.\n")
	f.Add("fatal: Unable to create '/x/.git/index.lock': File exists.")
	f.Add("\xff'\n'")
	f.Fuzz(func(t *testing.T, tail string) {
		got := refusalIn(&gitError{Tail: tail})
		if facts := got.Path + got.Detail; facts == "" || strings.Contains(facts, "\n") || !utf8.ValidString(facts) {
			t.Errorf("%q", facts)
		}
	})
}

func TestParseVersion(t *testing.T) {
	for in, want := range map[string][3]any{
		"git version 2.39.5": {2, 39, true}, "git version 2.50.1 (Apple Git-155)": {2, 50, true}, "git version 2.47.1.windows.2": {2, 47, true},
		"git version 3": {0, 0, false}, "hub version 2.1": {0, 0, false}, "": {0, 0, false},
	} {
		if major, minor, known := parseVersion(in); known != want[2] || known && (major != want[0] || minor != want[1]) {
			t.Errorf("%q: %d.%d %v", in, major, minor, known)
		}
	}
}

// git takes a file as unchanged by its times only if the index is younger, so a copy must not look younger than it is.
func TestIndexKeepsItsTime(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	old := time.Unix(1_000_000_000, 123_456_789)
	if err := errors.Join(os.WriteFile(from, []byte("x"), 0o600), os.Chtimes(from, old, old), CopyIndex(from, to)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if err != nil || !info.ModTime().Equal(old) {
		t.Errorf("%v %v", info, err)
	}
}
