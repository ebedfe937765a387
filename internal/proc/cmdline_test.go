package proc

import "testing"

// A command for cmd.exe reaches it verbatim, and no other program's arguments are changed.
func TestVerbatim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want string
		argv []string
	}{
		{`cmd /d /s /c "go test -run "A b" ./... && echo "ok""`, []string{"cmd", "/d", "/s", "/c", `go test -run "A b" ./... && echo "ok"`}},
		{`cmd /d /s /c "npm ci"`, []string{"cmd", "/d", "/s", "/c", "npm ci"}},
		{"", []string{"cmd", "/d", "/c", "npm ci"}},
		{"", []string{"cmd", "/d", "/s", "/c", "echo", "two words"}},
		{"", []string{"claude", "/d", "/s", "/c", "x"}},
		{"", []string{"sh", "-e", `C:\scratch\script-1.sh`}},
		{"", nil},
	} {
		if got := verbatim(c.argv); got != c.want {
			t.Errorf("%q: %s, want %s", c.argv, got, c.want)
		}
	}
}
