package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const sample = `{
  "schema": 1,
  "entries": [
    {
      "name": "jest-types",
      "trigger": "Cannot find name 'describe'",
      "match": "TS2582|TS2304",
      "fix": "Install the types:\nnpm install -D @types/jest",
      "prevent": "npm install -D @types/jest",
      "tags": ["jest"]
    },
    {"name": "a", "trigger": "some trigger", "status": "proposal"}
  ]
}
`

func TestParse(t *testing.T) {
	b, err := Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := b.Find("jest-types"); !ok || e.Status != Accepted || e.Match != "TS2582|TS2304" {
		t.Errorf("%+v", e) // an entry written by hand is intended
	}
	if e, _ := b.Find("a"); e.Status != Proposal || b.Entries()[0].Name != "a" {
		t.Errorf("%+v", e)
	}
	if got := b.Prevent(); len(got) != 1 {
		t.Errorf("prevent: %q", got)
	}
	once := b.JSON()
	again, err := Parse(once)
	if err != nil || !bytes.Equal(again.JSON(), once) {
		t.Errorf("%v: what is written is not what is read:\n%s", err, once)
	}
	for _, nothing := range []string{"", " \n"} {
		if b, err := Parse([]byte(nothing)); err != nil || b.Len() != 0 {
			t.Errorf("%q: %v", nothing, err)
		}
	}
	if got := string((&Book{}).JSON()); got != "{\n  \"schema\": 1,\n  \"entries\": []\n}\n" {
		t.Errorf("an empty book: %q", got)
	}
}

func TestParseProblems(t *testing.T) {
	entry := func(fields string) string {
		return "{\"schema\": 1, \"entries\": [\n  {\"name\": \"x\", \"trigger\": \"some trigger\"},\n  {\n" + fields + "\n  }\n]}"
	}
	many := strings.Repeat(",\n{\"name\": \"n%d\", \"trigger\": \"some trigger\"}", MaxEntries)
	numbers := make([]any, MaxEntries)
	for i := range numbers {
		numbers[i] = i
	}
	tests := map[string]struct {
		text string
		line int
		what string
	}{
		"cut off":            {"{\n\"schema\": 1,\n", 3, "ends too early"},
		"no JSON":            {"{\n\"schema\": 1,\n<<<<<<< HEAD\n", 3, "not valid JSON"},
		"a list":             {"[]", 1, "the file must begin with {"},
		"two files":          {"{\"schema\": 1, \"entries\": []} {}", 1, "something follows the end"},
		"no schema":          {"{\"entries\": []}", 1, "schema 0 is not known"},
		"a newer schema":     {"{\"schema\": 2, \"entries\": []}", 1, "schema 2 is not known"},
		"no entries":         {"{\"schema\": 1}", 1, "there are no entries"},
		"an unknown field":   {entry("\"name\": \"y\",\n\"triger\": \"abcd\""), 5, `"triger" is no field of an entry`},
		"another case":       {entry("\"Name\": \"y\""), 4, `"Name" is no field of an entry`},
		"a field twice":      {entry("\"name\": \"y\",\n\"name\": \"z\""), 5, `"name" stands twice`},
		"a name twice":       {entry("\"name\": \"x\", \"trigger\": \"abcd\""), 3, `there are two entries "x"`},
		"a wrong type":       {entry("\"name\": \"y\",\n\"cost\": \"much\""), 5, "cost must be a whole number"},
		"a fraction":         {entry("\"name\": \"y\",\n\"cost\": 1.5"), 5, "cost must be a whole number"},
		"null":               {entry("\"name\": null"), 4, "name must be a text in quotes"},
		"a text for a list":  {entry("\"tags\": \"one\""), 4, "tags must be a list"},
		"no name":            {entry("\"trigger\": \"abcd\""), 3, `"" is no name`},
		"a path as name":     {entry("\"name\": \"../x\", \"trigger\": \"abcd\""), 3, "is no name"},
		"nothing to find":    {entry("\"name\": \"y\""), 3, "neither a trigger nor a match"},
		"a short trigger":    {entry("\"name\": \"y\", \"trigger\": \"err\""), 3, "found in every error"},
		"a bad pattern":      {entry("\"name\": \"y\", \"match\": \"(\""), 3, "missing closing ): `(`; the syntax is RE2"},
		"a pattern of all":   {entry("\"name\": \"y\", \"match\": \".*\""), 3, "fits every text"},
		"a pattern bomb":     {entry("\"name\": \"y\", \"match\": \"((a{100}){100}){100}\""), 3, "no regular expression"},
		"a long pattern":     {entry("\"name\": \"y\", \"match\": \"" + strings.Repeat("a", MaxPattern+1) + "\""), 3, "keep it below 1024"},
		"an escape":          {entry("\"name\": \"y\", \"trigger\": \"abcd\", \"fix\": \"\\u001b[2J\""), 3, `fix holds '\x1b'`},
		"text the other way": {entry("\"name\": \"y\", \"trigger\": \"abcd\", \"prevent\": \"make \\u202e x\""), 3, "prevent holds"},
		"half a character":   {entry("\"name\": \"y\", \"trigger\": \"abcd\\ud800\""), 3, "trigger holds"},
		"two commands":       {entry("\"name\": \"y\", \"trigger\": \"abcd\", \"prevent\": \"make\\nrm x\""), 3, "several lines"},
		"a long fix":         {entry("\"name\": \"y\", \"trigger\": \"abcd\", \"fix\": \"" + strings.Repeat("a", MaxField+1) + "\""), 3, "fix has 4097 bytes"},
		"an unknown status":  {entry("\"name\": \"y\", \"trigger\": \"abcd\", \"status\": \"ok\""), 3, `status "ok" is not known`},
		"an unknown type":    {entry("\"name\": \"y\", \"trigger\": \"abcd\", \"type\": \"oops\""), 3, "is no type of failure"},
		"less than nothing":  {entry("\"name\": \"y\", \"trigger\": \"abcd\", \"times_failed\": -1"), 3, "negative"},
		"no day":             {entry("\"name\": \"y\", \"trigger\": \"abcd\", \"learned\": \"today\""), 3, "is no day"},
		"too many":           {entry("\"name\": \"y\", \"trigger\": \"abcd\"}" + fmt.Sprintf(many, numbers...) + ", {\"name\": \"z\", \"trigger\": \"abcd\""), 2003, "more than 2000 entries"},
		"too large":          {strings.Repeat(" \n", MaxBytes/2) + "{}", 1, "keep it below"},
		"bytes":              {"{\"schema\": 1, \"entries\": [], \"x\": \"\xff\"}", 1, "not UTF-8"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			p, ok := errors.AsType[*Problem](err)
			if !ok || p.Line != test.line || !strings.Contains(p.What, test.what) {
				t.Errorf("%v; want line %d: …%s…", err, test.line, test.what)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"schema":1,"entries":[]}`))
	f.Add([]byte(`{"schema":1,"entries":[{"name":"x","match":"a+b","tags":["y"],"type":"test_failure","times_helped":3}]}`))
	f.Add([]byte("{\"schema\": 1,\n<<<<<<< HEAD"))
	// JSON and Parse round-trip: an accepted book is accepted again with the same meaning. A
	// refusal has a line.
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := Parse(raw)
		if err != nil {
			p, ok := errors.AsType[*Problem](err)
			if !ok || p.Line < 1 || p.Line > 1+bytes.Count(raw, []byte{'\n'}) {
				t.Fatalf("%v", err)
			}
			return
		}
		once := b.JSON()
		again, err := Parse(once)
		if err != nil && b.Len() > 0 && len(once) <= MaxBytes {
			t.Fatalf("%v in what was written:\n%s", err, once)
		}
		if err == nil && !bytes.Equal(again.JSON(), once) {
			t.Fatalf("read again it differs:\n%s\n%s", once, again.JSON())
		}
		b.Match(tested("some trigger"))
	})
}
