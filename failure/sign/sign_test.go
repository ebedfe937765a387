package sign_test

import (
	"cmp"
	"flag"
	"os"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/failure/sign"
)

var update = flag.Bool("update", false, "write the table of signs into failure/README.md")

// Each row has a name of its own, an example that its words match, and at least one meaning.
func TestTable(t *testing.T) {
	seen := map[sign.Name]bool{}
	for _, s := range sign.Table {
		if s.Name == "" || seen[s.Name] {
			t.Errorf("row %q stands twice or has no name", s.Name)
		}
		seen[s.Name] = true
		if !sign.In(s.Name, s.Example) {
			t.Errorf("%s does not match its example %q", s.Name, s.Example)
		}
		if s.Advice != (sign.Advice{}) && !strings.Contains(s.Advice.Guidance, "$1") {
			t.Errorf("%s: its guidance does not name what was found", s.Name)
		}
		if s.In == sign.Output && s.Category == "" && s.Type == "" && s.Class == "" && !s.Passes && s.Indicator == "" {
			t.Errorf("%s has no meaning", s.Name)
		}
	}
	if len(seen) < 40 {
		t.Fatalf("%d signs", len(seen))
	}
}

// Of all rows that give a category to an output, the row of an example is the first that matches
// it.
func TestExamplesFindTheirRow(t *testing.T) {
	missing := func(s sign.Sign) bool { return s.Category == failure.Prerequisite }
	for _, s := range sign.Table {
		if s.In != sign.Output || !missing(s) {
			continue
		}
		if found, ok := sign.Find(sign.Output, s.Example, missing); !ok || found.Name != s.Name {
			t.Errorf("%q is %s, want %s", s.Example, found.Name, s.Name)
		}
	}
}

// A name without a row matches nothing.
func TestUnknownName(t *testing.T) {
	if sign.In("nonsense", "permission denied") {
		t.Error("a row without words matches")
	}
}

// failure/README.md has the table as the code has it.
func TestDocument(t *testing.T) {
	const path, begin, end = "../README.md", "<!-- signs -->\n", "<!-- /signs -->\n"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	old, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the signs", path)
	}
	var b strings.Builder
	b.WriteString("| sign | in | example | means | passes by itself | indicator |\n|---|---|---|---|---|---|\n")
	for _, s := range sign.Table {
		example := strings.NewReplacer("|", `\|`, "`", "'").Replace(s.Example)
		passes := ""
		if s.Passes {
			passes = "yes"
		}
		b.WriteString("| `" + string(s.Name) + "` | " + string(s.In) + " | `" + example + "` | " +
			cmp.Or(meaning(s), "–") + " | " + passes + " | " + s.Indicator + " |\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != old {
		t.Errorf("the table in %s is not that of the code; run: go test ./failure/sign -update", path)
	}
}

func meaning(s sign.Sign) string {
	var all []string
	for _, m := range []string{string(s.Type), string(s.Category), string(s.Class)} {
		if m != "" {
			all = append(all, "`"+m+"`")
		}
	}
	return strings.Join(all, ", ")
}
