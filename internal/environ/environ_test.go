package environ

import "testing"

// A variable is found by its name, the last one wins, and where case is folded by any spelling of
// the name.
func TestGet(t *testing.T) {
	t.Parallel()
	environ := []string{"=C:=C:\\work", "Path=first", "PATH=second", "Path=third", "empty", "AppData=roaming"}
	for _, c := range []struct {
		name   string
		folded bool
		want   string
	}{
		{"PATH", false, "second"},
		{"PATH", true, "third"},
		{"path", false, ""},
		{"APPDATA", true, "roaming"},
		{"APPDATA", false, ""},
		{"empty", true, ""},
	} {
		if got := value(environ, c.name, c.folded); got != c.want {
			t.Errorf("%s, folded %v: %q, want %q", c.name, c.folded, got, c.want)
		}
	}
}

// An allow-list takes nothing away without which no program would start.
func TestAllow(t *testing.T) {
	t.Parallel()
	allow := []string{"MY_VAR"}
	for _, c := range []struct {
		name          string
		unix, windows bool
	}{
		{"MY_VAR", true, true},
		{"My_Var", false, true},
		{"PATH", true, true},
		{"Path", false, true},
		{"SystemRoot", false, true},
		{"SYSTEMROOT", false, true},
		{"ProgramFiles(x86)", false, true},
		{"TMPDIR", true, true},
		{"AWS_SECRET_ACCESS_KEY", false, false},
		{"", false, false},
	} {
		if unix, windows := allowed(c.name, allow, false), allowed(c.name, allow, true); unix != c.unix || windows != c.windows {
			t.Errorf("%s: %v and on Windows %v, want %v and %v", c.name, unix, windows, c.unix, c.windows)
		}
	}
}
