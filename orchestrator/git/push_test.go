package git

import "testing"

// The reason of a refused push is git's own, from the line of the branch.
func TestRejection(t *testing.T) {
	const to = "abc:refs/heads/x\t"
	for out, want := range map[string]string{
		"To /r.git\n!\t" + to + "[rejected] (fetch first)\nDone\n": "[rejected] (fetch first)",
		"!\t" + to + "[remote rejected] (pre-receive hook declined)\n": "[remote rejected] (pre-receive hook " +
			"declined)",
		"To /r.git\n*\t" + to + "[new branch]\nDone\n": "",
		"":  "",
		"!": "",
	} {
		if got := rejection([]byte(out)); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}
