package schema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"autobuild/internal/schema"
)

type colour string

type inner struct {
	Note string `json:"note"`
}

type sample struct {
	inner
	Name   string            `json:"name"`
	Colour colour            `json:"colour,omitzero"`
	Took   time.Duration     `json:"took,omitzero"`
	At     time.Time         `json:"at"`
	More   []*sample         `json:"more"`
	Words  map[string]string `json:"words,omitzero"`
	Hidden string            `json:"-"`
}

func source() schema.Source {
	const path = "autobuild/internal/schema_test."
	return schema.Source{
		Comments: map[string]string{path + "sample.Took": "how long", path + "sample.Name": "of it"},
		Words:    map[string][]schema.Word{path + "colour": {{Value: "red", Comment: "like blood"}, {Value: "blue"}}},
	}
}

// TestFields: what is always written is required, what may be null may be null, and embedded fields
// stand with the others.
func TestFields(t *testing.T) {
	m := schema.Maker{Source: source()}
	text, err := schema.Document(m.Make("id", "t", "d", nil, reflect.TypeFor[sample]()))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Properties map[string]map[string]any `json:"properties"`
		Required   []string                  `json:"required"`
		Closed     *bool                     `json:"additionalProperties"`
		Defs       map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if want := []string{"note", "name", "at", "more"}; !slices.Equal(got.Required, want) {
		t.Errorf("required %v, want %v", got.Required, want)
	}
	if _, hidden := got.Properties["Hidden"]; hidden || len(got.Properties) != 7 || got.Closed == nil || *got.Closed {
		t.Errorf("%d properties, closed %v", len(got.Properties), got.Closed)
	}
	for name, want := range map[string]string{
		"took": "how long; nanoseconds", "name": "of it",
	} {
		if d := got.Properties[name]["description"]; d != want {
			t.Errorf("%s is described as %v", name, d)
		}
	}
	if either, ok := got.Properties["more"]["anyOf"].([]any); !ok || len(either) != 2 {
		t.Errorf("more is %v", got.Properties["more"])
	}
	words := got.Defs["schema_test.colour"]
	if fmt.Sprint(words["enum"]) != "[red blue]" || words["description"] != "red: like blood" {
		t.Errorf("the words are %v", words)
	}
	if got.Defs["schema_test.sample"] == nil {
		t.Error("a type that holds itself has no definition")
	}
}

// TestOpen: where more may come, nothing is refused for being unknown.
func TestOpen(t *testing.T) {
	m := schema.Maker{Source: source(), Open: true}
	text, err := schema.Document(m.Make("id", "t", "d", nil, reflect.TypeFor[sample]()))
	if err != nil || strings.Contains(string(text), "additionalProperties\": false") || strings.Contains(string(text), "enum") {
		t.Errorf("%v in\n%s", err, text)
	}
}

// TestRead: comments and words come from the sources, those of tests do not.
func TestRead(t *testing.T) {
	s, err := schema.Read(map[string]string{"autobuild/internal/schema": "."})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.Comments["autobuild/internal/schema.Maker.Open"], "keys and words") || s.Comments["autobuild/internal/schema.sample"] != "" {
		t.Errorf("comments %v", s.Comments)
	}
	if _, err := schema.Read(map[string]string{"x": t.TempDir()}); err == nil {
		t.Error("a folder without sources is no error")
	}
}

func ExampleMaker_Make() {
	type point struct {
		X int `json:"x"`
		Y int `json:"y,omitzero"`
	}
	var m schema.Maker
	text, err := schema.Document(m.Make("https://example.com/point.json", "point", "A place.", nil, reflect.TypeFor[point]()))
	fmt.Println(err, strings.Contains(string(text), `"required": [
    "x"
  ]`))
	// Output: <nil> true
}
