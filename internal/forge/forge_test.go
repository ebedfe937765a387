package forge

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestAt(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com/owner/name.git":             "gh github.com/owner/name",
		"https://user:secret@github.com/owner/name":     "gh github.com/owner/name",
		"git@github.com:owner/name.git":                 "gh github.com/owner/name",
		"ssh://git@GitHub.example:2222/owner/name.git":  "gh github.example/owner/name",
		"git@gitlab.example:group/sub/name.git":         "glab gitlab.example/group/sub/name",
		"https://gitlab.com/group/../../owner/name.git": "glab gitlab.com/owner/name",
		"/srv/remote.git":                               "",
		"../remote.git":                                 "",
		"file:///srv/remote.git":                        "",
		"git@github.com:name.git":                       "",
		"":                                              "",
		"C:/remote.git":                                 "",
		"ext::sh -c true":                               "",
	} {
		f, ok := At(address, nil)
		got := strings.TrimSpace(f.Program + " " + f.Repo)
		if got != want || ok != (want != "") {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
}

// TestPut: a request is made once, and updated from then on; one that was a draft becomes ready.
func TestPut(t *testing.T) {
	hostile := Request{Branch: "autobuild/r/all", Base: "main", Title: "a\x1b[2J\nb", Body: strings.Repeat("x", 2*MaxBody)}
	for _, c := range []struct {
		address, list, want string
	}{
		{"https://github.com/o/n", "[]", "pr list|pr create"},
		{"https://github.com/o/n", `[{"number":7,"url":"https://github.com/o/n/pull/7","isDraft":true}]`, "pr list|pr edit 7|pr ready 7"},
		{"https://github.com/o/n", `[{"number":6,"url":"https://github.com/o/n/pull/6","isCrossRepository":true}]`, "pr list|pr create"},
		{"https://gitlab.com/o/n", "[]", "mr list|mr create"},
		{"https://gitlab.com/o/n", `[{"iid":6,"web_url":"https://x","source_project_id":1,"target_project_id":2}]`, "mr list|mr create"},
		{"https://gitlab.com/o/n", `[{"iid":7,"web_url":"https://gitlab.com/o/n/-/merge_requests/7","draft":true}]`, "mr list|mr update 7"},
	} {
		var asked []string
		f, _ := At(c.address, func(_ context.Context, argv []string, stdin string) (string, error) {
			words := argv[1:3]
			if words[1] == "edit" || words[1] == "ready" || words[1] == "update" {
				words = argv[1:4]
			}
			asked = append(asked, strings.Join(words, " "))
			for _, word := range append(argv, stdin) {
				if strings.ContainsAny(word, "\x1b") || len(word) > MaxBody {
					t.Errorf("%q is passed on", word[:20])
				}
			}
			if words[1] == "list" {
				return c.list, nil
			}
			return "made it\n" + c.address + "/pull/7\n", nil
		})
		url, err := f.Put(t.Context(), hostile)
		if got := strings.Join(asked, "|"); got != c.want || err != nil || !strings.Contains(url, "7") {
			t.Errorf("%q, %q, %v; want %q", got, url, err, c.want)
		}
	}
}

// TestNoRequest: what a forge prints in place of a list or an address is an error, or is asked
// about; a list that cannot be read makes no second request.
func TestNoRequest(t *testing.T) {
	const there = `[{"number":7,"url":"https://github.com/o/n/pull/7"}]`
	for name, c := range map[string]struct {
		lists   []string
		created string
		want    string
		fails   bool
	}{
		"a page":           {[]string{"<html>429</html>"}, "", "", true},
		"half a list":      {[]string{`[{"number":7,"ur`}, "", "", true},
		"nothing was made": {[]string{"[]", "[]"}, "<html>busy</html>", "", true},
		"made in silence":  {[]string{"[]", there}, "", "https://github.com/o/n/pull/7", false},
	} {
		asked, made := 0, 0
		f, _ := At("https://github.com/o/n", func(_ context.Context, argv []string, _ string) (string, error) {
			if argv[2] == "create" {
				made++
				return c.created, nil
			}
			asked++
			return c.lists[asked-1], nil
		})
		url, err := f.Put(t.Context(), Request{Branch: "b", Base: "main", Title: "t"})
		if url != c.want || (err != nil) != c.fails || asked != len(c.lists) || made > asked-1 && c.created == "" && c.fails {
			t.Errorf("%s: %q, %v after %d lists and %d requests", name, url, err, asked, made)
		}
	}
}

// TestFailedCreate: a request that a failing program has made all the same is named beside the
// error.
func TestFailedCreate(t *testing.T) {
	made := false
	cut := errors.New("exit code 1")
	f, _ := At("https://github.com/o/n", func(_ context.Context, argv []string, _ string) (string, error) {
		if argv[2] == "create" {
			made = true
			return "", cut
		}
		if made {
			return `[{"number":7,"url":"https://github.com/o/n/pull/7"}]`, nil
		}
		return "[]", nil
	})
	url, err := f.Put(t.Context(), Request{Branch: "b", Base: "main", Title: "t"})
	if url != "https://github.com/o/n/pull/7" || !errors.Is(err, cut) {
		t.Errorf("%q, %v", url, err)
	}
}
