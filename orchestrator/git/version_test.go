package git

import (
	"testing"
)

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
