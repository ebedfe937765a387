package worktree_test

import (
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// Begin finds a filter that is required and cannot run before any work, where the repository uses
// it; elsewhere it is ignored.
func TestRequiredFilter(t *testing.T) {
	for _, c := range []struct{ name, attributes, clean, want string }{
		{"used and missing", "*.bin filter=lfs", "no-such-lfs clean", "git's filter lfs is required here, and does not run"},
		{"used further down", "", "no-such-lfs clean", "git's filter lfs is required here, and does not run"},
		{"used and there", "*.bin filter=lfs", "cat", ""},
		{"missing and not used", "*.bin filter=lfs2", "no-such-lfs clean", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			if c.attributes != "" {
				l.write(".gitattributes", c.attributes+"\n")
			} else {
				l.write("deep/er/.gitattributes", "*.bin filter=lfs\n")
			}
			l.git("add", "-A")
			l.git("commit", "-qm", "attributes")
			l.git("config", "filter.lfs.required", "true")
			l.git("config", "filter.lfs.clean", c.clean)
			l.git("config", "filter.lfs.smudge", c.clean)
			_, err := l.tryBegin(worktree.Auto)
			if c.want == "" {
				want(t, "begins", err, nil)
				return
			}
			want(t, "refused", err != nil && strings.Contains(err.Error(), c.want), true)
			want(t, "no trace", l.own("for-each-ref", "refs/autobuild", "refs/heads/autobuild"), "")
		})
	}
}
