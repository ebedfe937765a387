package verify

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestNaming: the environment asks for names and keeps what the user has set.
func TestNaming(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "go")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "env"), []byte("GOPROXY=off\nGOFLAGS=-mod=mod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"XDG_CONFIG_HOME=" + home}, "GOFLAGS=-mod=mod -v"},
		{[]string{"XDG_CONFIG_HOME=" + home, "GOFLAGS=-race"}, "GOFLAGS=-race -v"},
		{[]string{"GOENV=off"}, "GOFLAGS=-v"},
		{[]string{"GOENV=off", "PYTEST_ADDOPTS=-x"}, "PYTEST_ADDOPTS=-x -rap"},
	} {
		if got := naming(c.env); !slices.Contains(got, c.want) {
			t.Errorf("of %q: %q, without %q", c.env, got, c.want)
		}
	}
}
