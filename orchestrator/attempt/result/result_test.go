package result

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/state"
)

const nonce = "n0nce-of-this-attempt"

// object is a result of phase 2a with these fields.
func object(fields string) string {
	return `{"nonce": "` + nonce + `", "phase_id": "2a", ` + fields + `}`
}

func fenced(objects ...string) string {
	var b strings.Builder
	for _, o := range objects {
		b.WriteString("text\n```json\n" + o + "\n```\n")
	}
	return b.String()
}

func TestResultAccepted(t *testing.T) {
	complete := object(`"status": "complete"`)
	failed := object(`"status": "failed"`)
	for name, c := range map[string]struct {
		text     string
		complete bool
	}{
		"alone":                        {fenced(complete), true},
		"the last one counts":          {fenced(complete, failed), false},
		"the last valid one counts":    {fenced(complete, "{"), true},
		"… of this attempt":            {fenced(complete, strings.Replace(failed, nonce, "other", 1)), true},
		"… of this phase":              {fenced(complete, strings.Replace(failed, "2a", "2b", 1)), true},
		"label instead of id":          {fenced(strings.Replace(complete, `"2a"`, `"Phase 2-A"`, 1)), true},
		"tildes":                       {"~~~json\n" + complete + "\n~~~", true},
		"long fence":                   {"`````json\n" + complete + "\n`````", true},
		"longer closing fence":         {"```json\n" + complete + "\n``````", true},
		"CRLF":                         {strings.ReplaceAll(fenced(complete), "\n", "\r\n"), true},
		"byte order mark":              {"\uFEFF```json\n\uFEFF" + complete + "\n```", true},
		"indented in a list":           {"- done:\n\n  ```json\n  " + complete + "\n  ```\n", true},
		"capitals":                     {"```JSON\n" + complete + "\n```", true},
		"space before json":            {"``` json\n" + complete + "\n```", true},
		"fence nobody closed":          {"```go\nfunc main() {}\n" + fenced(complete), true},
		"json fence nobody closed":     {"```json\n" + failed + "\n```json\n" + complete + "\n```", true},
		"inside a longer fence":        {"````markdown\n" + fenced(complete) + "````\n", true},
		"inside tildes":                {"~~~\n" + fenced(complete) + "~~~\n", true},
		"inline code first":            {"```x```\n" + fenced(complete), true},
		"other fences around":          {"```\nout\n```\n" + fenced(complete) + "```sh\nls\n```\n", true},
		"unknown fields":               {fenced(object(`"status": "complete", "mood": {"good": [1, 2, {"very": true}]}`)), true},
		"one key in capitals":          {fenced(object(`"STATUS": "complete"`)), true},
		"the same key in two objects":  {fenced(object(`"status": "complete", "a": {"x": 1}, "b": {"x": 1}`)), true},
		"the same text twice in array": {fenced(object(`"status": "complete", "files": {"created": ["a", "a"]}`)), true},
		"arrays and objects as values": {fenced(object(`"x": [[], {}, [{"x": []}]], "y": {"y": {}}, "status": "complete"`)), true},
		"deep, but not too deep": {
			fenced(object(`"status": "complete", "x": ` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1))), true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.text, "2a", nonce)
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			if got.Complete != c.complete {
				t.Errorf("complete = %t, want %t", got.Complete, c.complete)
			}
		})
	}
}

func TestResultRefused(t *testing.T) {
	complete := object(`"status": "complete"`)
	for name, c := range map[string]struct{ text, why string }{
		"nothing":                {"", "no result block"},
		"no fence":               {complete, "no result block"},
		"a second one, cut":      {fenced(complete) + "```json\n" + complete[:len(complete)-9], "ends within"},
		"another language":       {"```yaml\n" + complete + "\n```", "no result block"},
		"… in an open fence":     {"```text\n```yaml\n" + complete + "\n```", "no result block"},
		"unfinished":             {"```json\n" + complete, "no result block"},
		"closed by tildes":       {"```json\n" + complete + "\n~~~", "no result block"},
		"closed by too little":   {"````json\n" + complete + "\n```", "no result block"},
		"empty":                  {fenced(""), "not valid JSON"},
		"malformed":              {fenced(strings.Replace(complete, ":", "=", 1)), "not valid JSON"},
		"cut off":                {fenced(complete[:len(complete)-1]), "not valid JSON"},
		"comma at the end":       {fenced(object(`"status": "complete",`)), "not valid JSON"},
		"two objects":            {fenced(complete + complete), "something follows"},
		"an array":               {fenced("[" + complete + "]"), "not an object"},
		"a number":               {fenced("7"), "not an object"},
		"a stray bracket":        {fenced(complete + "]"), "not valid JSON"},
		"no nonce":               {fenced(`{"phase_id": "2a", "status": "complete"}`), "has no nonce"},
		"empty nonce":            {fenced(strings.Replace(complete, nonce, "", 1)), "has no nonce"},
		"another nonce":          {fenced(strings.Replace(complete, nonce, "n0nce-of-another-attempt", 1)), "another attempt's nonce"},
		"nonce in capitals":      {fenced(strings.Replace(complete, nonce, strings.ToUpper(nonce), 1)), "another attempt's nonce"},
		"another phase":          {fenced(strings.Replace(complete, `"2a"`, `"2b"`, 1)), `for phase "2b", not "2a"`},
		"no phase":               {fenced(`{"nonce": "` + nonce + `", "status": "complete"}`), `for phase ""`},
		"no status":              {fenced(object(`"tasks": {}`)), `status ""`},
		"another status":         {fenced(object(`"status": "done"`)), `status "done"`},
		"status of another type": {fenced(object(`"status": true`)), "does not fit"},
		"negative tasks":         {fenced(object(`"status": "complete", "tasks": {"total": 2, "completed": -2}`)), "less than zero"},
		"endless tasks":          {fenced(object(`"status": "complete", "tasks": {"total": 1e99}`)), "does not fit"},
		"duplicate key":          {fenced(object(`"status": "failed", "status": "complete"`)), `"status" stands twice`},
		"key in two cases":       {fenced(object(`"status": "failed", "STATUS": "complete"`)), `"STATUS" stands twice`},
		"key with a long s":      {fenced(object(`"status": "failed", "ſtatus": "complete"`)), "stands twice"},
		"key with a Kelvin sign": {fenced(object(`"status": "complete", "tasks": {}, "tas\u212As": {}`)), "stands twice"},
		"escaped key":            {fenced(object(`"status": "failed", "\u0073tatus": "complete"`)), "stands twice"},
		"nested duplicate":       {fenced(object(`"status": "complete", "tasks": {"total": 1, "completed": 0, "Completed": 1}`)), `"Completed" stands twice`},
		"duplicate in an array":  {fenced(object(`"status": "complete", "x": [{"a": 1, "a": 2}]`)), `"a" stands twice`},
		"duplicate behind one":   {fenced(object(`"x": {"y": []}, "status": "complete", "x": 1`)), `"x" stands twice`},
		"too deep":               {fenced(object(`"status": "complete", "x": ` + strings.Repeat("[", 100) + strings.Repeat("]", 100))), "nested deeper"},
		"just too deep": {
			fenced(object(`"status": "complete", "x": ` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth))), "nested deeper",
		},
		"2 MB": {fenced(object(`"status": "complete", "commit_message": "` + strings.Repeat("a", 2<<20) + `"`)), "more than"},
		"the reason is that of the last one": {
			fenced(strings.Replace(complete, nonce, "x", 1), object(`"status": "done"`)), `status "done"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.text, "2a", nonce)
			if err == nil {
				t.Fatalf("accepted: %+v", got)
			}
			if !strings.Contains(err.Error(), c.why) {
				t.Errorf("refused because %q, want %q in it", err, c.why)
			}
			if len(err.Error()) > 300 {
				t.Errorf("the reason has %d bytes", len(err.Error()))
			}
		})
	}
}

// All that a block says reaches the report, and no text in it is without bound.
func TestReport(t *testing.T) {
	got, err := Parse(fenced(object(`"status": "failed", "tasks": {"total": 4, "completed": 3},
		"quality_gates": {"test": {"passed": true, "output": "ok", "count": 47}, "lint": {"passed": false}},
		"commit_message": "feat: it", "plan_updated": false,
		"files": {"created": ["a"], "modified": ["b", "c"], "deleted": ["d"]},
		"error": {"type": "test_failure", "message": "two tests fail", "more": [1]}`)), "2a", nonce)
	if err != nil {
		t.Fatal(err)
	}
	want := &state.Report{
		Tasks: failure.TaskCount{Total: 4, Done: 3}, Gates: map[string]bool{"test": true, "lint": false}, Commit: "feat: it",
		Created: []string{"a"}, Modified: []string{"b", "c"}, Deleted: []string{"d"},
		Error: "two tests fail", ErrType: "test_failure",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestReportError(t *testing.T) {
	for given, want := range map[string][2]string{
		`null`:                                 {"", ""},
		`"it broke"`:                           {"it broke", ""},
		`{"message": "it broke"}`:              {"it broke", ""},
		`{"type": "timeout", "message": "x"}`:  {"x", "timeout"},
		`{"Type": "timeout", "Message": null}`: {"", "timeout"},
		`["it", "broke"]`:                      {"", ""},
		`17`:                                   {"", ""},
	} {
		got, err := Parse(fenced(object(`"status": "failed", "error": `+given)), "2a", nonce)
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		if got.Error != want[0] || got.ErrType != want[1] {
			t.Errorf("%s: error %q of type %q, want %q", given, got.Error, got.ErrType, want)
		}
	}
}

// TestRefereeChanges: what fits is taken, what does not names nothing, and no shape spoils the
// block.
func TestRefereeChanges(t *testing.T) {
	for list, want := range map[string][]state.ClaimedChange{
		`[{"file": "a_test.go", "test": "TestA", "why": "half to even"}, {"file": "b_test.go", "why": "w"}]`: {
			{File: "a_test.go", Test: "TestA", Why: "half to even"}, {File: "b_test.go", Why: "w"},
		},
		`[{"test": "TestA", "why": "no file"}, 7, "x", {"file": 3}, {"file": "c"}]`: {{File: "c"}},
		`"everything"`: nil,
		`null`:         nil,
		`{}`:           nil,
	} {
		text := fenced(object(`"status": "complete", "referee_changes": ` + list))
		got, err := Parse(text, "2a", nonce)
		if err != nil {
			t.Fatalf("%s: %v", list, err)
		}
		if diff := cmp.Diff(want, got.RefereeChanges); diff != "" {
			t.Errorf("%s (-want +got):\n%s", list, diff)
		}
	}
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"file": "a", "why": "`+strings.Repeat("x", 2*MaxText)+`"},`, 60), ",") + "]"
	got, err := Parse(fenced(object(`"status": "complete", "referee_changes": `+many)), "2a", nonce)
	if err != nil || len(got.RefereeChanges) != 60 || len(got.RefereeChanges[0].Why) != MaxText {
		t.Errorf("many and long: %v", err)
	}
}

func TestReportIsBounded(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`"f",`, 3*maxClaimed), ",")
	long := strings.Repeat("ä", 50<<10)
	got, err := Parse(fenced(object(`"status": "failed", "commit_message": "`+long+`", "error": {"type": "`+long+`", "message": "`+long+`"},
		"quality_gates": {"`+long+`": {"passed": true}},
		"files": {"created": [`+many+`], "modified": [`+many+`], "deleted": [`+many+`]}`)), "2a", nonce)
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string][2]int{
		"created": {len(got.Created), maxClaimed}, "modified": {len(got.Modified), maxClaimed}, "deleted": {len(got.Deleted), maxClaimed},
		"commit": {len(got.Commit), 4 * MaxText}, "error": {len(got.Error), MaxText}, "type": {len(got.ErrType), 60},
	} {
		if n[0] > n[1] || n[0] < n[1]-1 {
			t.Errorf("%s: %d, want %d", what, n[0], n[1])
		}
	}
	for name := range got.Gates {
		if len(name) > 60 {
			t.Errorf("a gate's name has %d bytes", len(name))
		}
	}
}

// The bound of a block is exact: what fits is read, one byte more is not.
func TestBlockBound(t *testing.T) {
	complete := object(`"status": "complete"`)
	fits := complete + strings.Repeat(" ", MaxBytes-len(complete))
	if _, err := Decode(fits, "2a", nonce); err != nil {
		t.Errorf("%d bytes: %v", len(fits), err)
	}
	if _, err := Decode(fits+" ", "2a", nonce); err == nil {
		t.Errorf("%d bytes were read", len(fits)+1)
	}
}

// FuzzResult: no text makes the parser panic, and none yields a report that does not hold nonce and
// phase, in an object that has no key twice.
func FuzzResult(f *testing.F) {
	complete := object(`"status": "complete"`)
	for _, seed := range []string{
		"", fenced(complete), fenced(complete, "{"), "~~~json\n" + complete + "\n~~~", "```json\n```json\n" + complete + "\n```",
		fenced(object(`"status": "failed", "error": {"type": "x", "message": "y"}, "files": {"created": ["a"]}`)),
		fenced(object(`"status": "failed", "STATUS": "complete"`)), fenced(strings.Replace(complete, "2a", "Phase 2-A", 1)),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		report, err := Parse(text, "2a", nonce)
		if (report == nil) == (err == nil) {
			t.Fatalf("report %+v and error %v", report, err)
		}
		if report == nil {
			return
		}
		blocks, _ := fencedJSON(text)
		proven := slices.ContainsFunc(blocks, func(raw string) bool {
			var b struct {
				Nonce   string
				PhaseID string `json:"phase_id"`
			}
			return json.Unmarshal([]byte(raw), &b) == nil && b.Nonce == nonce && samePhase(b.PhaseID, "2a")
		})
		if !proven {
			t.Errorf("a report without the nonce or for another phase: %+v", report)
		}
		if again, err := Parse(text, "2a", nonce); err != nil || !cmp.Equal(report, again) {
			t.Errorf("the same text gives %+v and %+v (%v)", report, again, err)
		}
	})
}
