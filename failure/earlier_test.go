package failure

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEarlier(t *testing.T) {
	var files []string
	for i := range 60 {
		files = append(files, strconv.Itoa(i))
	}
	d := Diagnosis{
		Type: FileConflict, Message: "m", Fingerprint: "f", Count: 3, Class: Classification{Class: Conflicting},
		Conflicts: []Conflict{{File: "src/api.ts", Phase: "2A", Other: "2B"}},
	}
	got := d.Earlier(files, Arbitrate)
	want := Earlier{
		Type: FileConflict, Class: Conflicting, Fingerprint: "f", Message: "m", Count: 3, Files: files[:50],
		Action: Arbitrate, Conflict: d.ConflictName(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Conflict == "" {
		t.Error("a conflict without a name cannot be counted")
	}
	files[0] = "changed later"
	if got.Files[0] != "0" {
		t.Error("what is remembered changes with the attempt")
	}
}

func TestLess(t *testing.T) {
	three := Earlier{Type: TestFailure, Count: 3}
	for _, c := range []struct {
		d    Diagnosis
		want bool
	}{
		{Diagnosis{Type: TestFailure, Count: 2}, true},
		{Diagnosis{Type: TestFailure, Count: 3}, false},
		{Diagnosis{Type: TestFailure, Count: 4}, false},
		{Diagnosis{Type: TestFailure}, false}, // not counted
		{Diagnosis{Type: LintError, Count: 2}, false},
	} {
		if got := c.d.Less(three); got != c.want {
			t.Errorf("%s with %d is less than 3 failing tests: %v", c.d.Type, c.d.Count, got)
		}
	}
}
