package secret_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"autobuild/internal/secret"
)

// Every shape is found where a word begins, at its length, and not below it.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, s := range secret.Shapes {
		if s.Masked {
			continue // the tests of masking have it
		}
		body := strings.Repeat("A7", s.Min)[:s.Min]
		for _, text := range []string{s.Prefix + body, "key: " + s.Prefix + body + "\n", `="` + s.Prefix + body + `"`} {
			if _, found := secret.Find(text); found != s.Prefix+body {
				t.Errorf("%q: found %q", text, found)
			}
		}
		for _, text := range []string{s.Prefix + body[1:], "x" + s.Prefix + body, s.Prefix} {
			if what, found := secret.Find(text); found == s.Prefix+body || found != "" && what == s.What {
				t.Errorf("%q is taken for %s", text, what)
			}
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	got := secret.Values([]string{
		"MY_TOKEN=12345678", "SHORT_KEY=1234567", "HOME=/home/somebody", "DB_PASSWORD=correct horse",
		"DATABASE_URL=postgres://me:hunter2hunter2@db/x", "SITE=https://example.com/a:b@c", "ODD=amqp://u:p%40ssw0rd%21@h", "BAD=://:",
	})
	want := []string{"12345678", "correct horse", "hunter2hunter2", "p@ssw0rd!", "p%40ssw0rd%21"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func ExampleFind() {
	what, found := secret.Find("export GITLAB_TOKEN=glpat-" + strings.Repeat("a", 20))
	fmt.Println(what, len(found))
	// Output: a GitLab token 26
}
