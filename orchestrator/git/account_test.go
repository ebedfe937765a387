package git

import (
	"path/filepath"
	"slices"
	"testing"
)

// The user's configuration lies where git looks for it: in HOME, or on Windows, which mostly sets
// none, in the profile.
func TestAccountPaths(t *testing.T) {
	t.Parallel()
	home, profile := t.TempDir(), t.TempDir()
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{[]string{"HOME=" + home, "USERPROFILE=" + profile}, home},
		{[]string{"USERPROFILE=" + profile}, profile},
	} {
		if got := accountPaths(c.environ); !slices.Contains(got, filepath.Join(c.want, ".gitconfig")) || len(got) != 3 {
			t.Errorf("%q: %q", c.environ, got)
		}
	}
	if got := accountPaths([]string{"HOME=relative", "USER=u"}); len(got) != 0 {
		t.Errorf("without a home: %q", got)
	}
}
