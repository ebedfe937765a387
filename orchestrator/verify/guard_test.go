package verify_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"autobuild/orchestrator/verify"
)

// Every difference of the corpus is found to be what its file says: rule and weight of each
// finding, and nothing else. Secrets in the corpus are written with {} in their middle, so that no
// scanner takes them for real ones.
func TestGuardCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/guard/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	benign, hostile, rules := 0, 0, map[string]bool{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, text := range strings.Split(string(raw), "\n=====\n") {
			look, name, wanted := readCase(t, text)
			if len(wanted) == 0 {
				benign++
			} else {
				hostile++
			}
			t.Run(fmt.Sprintf("%s/%d %s", filepath.Base(file), n+1, name), func(t *testing.T) {
				var got []string
				for _, f := range verify.Guard(look) {
					rules[f.Rule] = true
					got = append(got, weightNames[f.Weight]+" "+f.Rule+" "+f.File)
				}
				slices.Sort(got)
				slices.Sort(wanted)
				if got = slices.Compact(got); !slices.Equal(got, wanted) {
					t.Errorf("found  %q\nwanted %q\nall: %+v", got, wanted, verify.Guard(look))
				}
			})
		}
	}
	if benign < 18 || hostile < 22 {
		t.Errorf("the corpus has %d harmless and %d other differences; at least 18 and 22 are wanted", benign, hostile)
	}
	for _, r := range []string{
		verify.RuleSuppressed, verify.RuleCI, verify.RuleSecret, verify.RuleScope, verify.RuleMarkers, verify.RuleMode,
	} {
		if !rules[r] {
			t.Errorf("no difference of the corpus breaks rule %s", r)
		}
	}
}

var weightNames = map[verify.Weight]string{verify.Hint: "hint", verify.Objection: "objection", verify.Grave: "grave"}

// readCase reads one case: its comment has the name, then lines of what is wanted and what is
// known; its files are old/PATH and new/PATH, with a mode after a colon where that is not 100644.
func readCase(t *testing.T, text string) (look verify.Look, name string, wanted []string) {
	t.Helper()
	a := txtar.Parse([]byte(strings.TrimPrefix(text, "\n")))
	for i, line := range strings.Split(strings.TrimSpace(string(a.Comment)), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case i == 0:
			name = strings.TrimPrefix(line, "# ")
		case word == "declared":
			look.Declared = append(look.Declared, rest)
		case word == "text":
			look.Text = rest
		case word == "env":
			look.Secrets = append(look.Secrets, rest)
		case word == "message":
			look.Message = rest
		default:
			wanted = append(wanted, line)
		}
	}
	byPath := map[string]*verify.Change{}
	var order []string
	for _, f := range a.Files {
		side, path, _ := strings.Cut(f.Name, "/")
		path, mode, _ := strings.Cut(path, ":")
		c := byPath[path]
		if c == nil {
			c = &verify.Change{Path: path}
			byPath[path] = c
			order = append(order, path)
		}
		if mode == "" {
			mode = "100644"
		}
		data := strings.ReplaceAll(string(f.Data), "{}", "")
		if mode == "120000" {
			data = strings.TrimSpace(data)
		}
		switch side {
		case "old":
			c.OldMode, c.Old = mode, data
		case "new":
			c.NewMode, c.New, c.Size = mode, data, int64(len(data))
		default:
			t.Fatalf("%s: %s is neither old nor new", name, f.Name)
		}
	}
	for _, p := range order {
		look.Changes = append(look.Changes, *byPath[p])
	}
	if len(look.Changes) == 0 && look.Message == "" {
		t.Fatalf("%s: nothing to look at", name)
	}
	return look, name, wanted
}

// A large file is reported by its size, and an unread one as not searched.
func TestGuardSizes(t *testing.T) {
	got := verify.Guard(verify.Look{Changes: []verify.Change{
		{Path: "big.sql", NewMode: "100644", Size: 6 << 20, Unread: true},
		{Path: "some.sql", NewMode: "100644", Size: 2 << 20, Unread: true},
		{Path: "a.bin", NewMode: "100644", Size: 2 << 20, New: "\x00", Unread: true},
		{Path: "b.png", NewMode: "100644", Size: 2000, New: "\x00"},
	}})
	var words []string
	for _, f := range got {
		words = append(words, f.File+" "+f.Rule)
	}
	if want := []string{"a.bin size", "big.sql size", "some.sql unread"}; !slices.Equal(words, want) {
		t.Errorf("found %q, want %q", words, want)
	}
}

// A key in the commit's message is found by its shape alone; a secret that was in one of the files
// before is nothing new.
func TestGuardMessageAndMoves(t *testing.T) {
	key := "ghp_" + strings.Repeat("a1B", 12)
	found := verify.Guard(verify.Look{Message: "feat: x\n\nwith " + key})
	if len(found) != 1 || found[0].Weight != verify.Grave || strings.Contains(found[0].Text, key) {
		t.Errorf("in the message: %+v", found)
	}
	const value = "correct-horse-battery"
	moved := []verify.Change{
		{Path: "a.txt", OldMode: "100644", NewMode: "100644", Old: "x = " + value + "\n", New: "nothing\n", Size: 8},
		{Path: "b.txt", NewMode: "100644", New: "y: " + value + "\n", Size: 25},
	}
	if found = verify.Guard(verify.Look{Changes: moved, Secrets: []string{value}}); len(found) > 0 {
		t.Errorf("what was there before: %+v", found)
	}
	if found = verify.Guard(verify.Look{Changes: moved[1:], Secrets: []string{value}}); len(found) != 1 {
		t.Errorf("what was not: %+v", found)
	}
}

// A finding never contains the secret, in any form or place.
func TestGuardKeepsSecrets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9]{8,40}`).Draw(t, "secret")
		form := rapid.SampledFrom([]string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), "ghp_" + strings.Repeat("a1B", 12) + secret}).Draw(t, "form")
		line := rapid.SampledFrom([]string{"key = \"%s\"\n", "%s\n", "t.Skip(\"%s\")\n", "<<<<<<< %s\n>>>>>>> b\n", "exit 0 %s\n"}).Draw(t, "line")
		path := rapid.SampledFrom([]string{"a.go", "a_test.go", ".golangci.yml", "x/testdata/a"}).Draw(t, "path")
		text := fmt.Sprintf(line, form)
		found := verify.Guard(verify.Look{
			Changes: []verify.Change{{Path: path, OldMode: "100644", NewMode: "100644", New: text, Size: int64(len(text))}}, Secrets: []string{secret},
		})
		if !slices.ContainsFunc(found, func(f verify.Finding) bool { return f.Weight == verify.Grave }) {
			t.Fatalf("%q in %s was not found: %+v", text, path, found)
		}
		for _, f := range found {
			if strings.Contains(f.Text, secret) {
				t.Fatalf("%+v holds the secret", f)
			}
		}
	})
}

// For every difference, Guard ends, is deterministic, and bounds its findings.
func FuzzGuard(f *testing.F) {
	f.Add("a_test.go", "func TestA(t *testing.T) {\n", "t.Skip()\n")
	f.Add(".github/workflows/ci.yml", "on: push\n", "on: [push]\n")
	f.Add("a.txt", "a\n", "<<<<<<< a\n=======\n>>>>>>> b\n")
	f.Fuzz(func(t *testing.T, path, before, after string) {
		l := verify.Look{Changes: []verify.Change{{Path: path, OldMode: "100644", NewMode: "100755", Old: before, New: after}}, Secrets: []string{before}}
		a, b := verify.Guard(l), verify.Guard(l)
		if !slices.Equal(a, b) || len(a) > 200 {
			t.Errorf("%d and %d findings", len(a), len(b))
		}
		same := verify.Guard(verify.Look{Changes: []verify.Change{{Path: path, OldMode: "100644", NewMode: "100644", Old: before, New: before}}})
		if len(same) > 0 && !strings.Contains(path, ".") && !strings.Contains(path, "/") {
			t.Errorf("nothing changed, and %+v", same)
		}
	})
}
