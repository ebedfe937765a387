// Package forge makes and updates pull requests with the command lines of GitHub (gh) and GitLab
// (glab), and their own logins. It runs them outside of the repository and names that by its
// address, so that no configuration of a checkout steers them. It does not know git, nor runs.
package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"autobuild/internal/text"
)

// Bounds of a request, of which both forges allow a little more.
const (
	MaxTitle = 200   // columns
	MaxBody  = 60000 // bytes
)

// Request is a pull request of one branch.
type Request struct {
	Branch string // that has the work
	Base   string // that it goes to
	Title  string
	Body   string // Markdown
	Draft  bool
}

// Run runs a command line with a text on its stdin and returns its stdout. Its error has the
// command's own words.
type Run func(ctx context.Context, argv []string, stdin string) (stdout string, err error)

// Forge is where pull requests are made.
type Forge struct {
	Program string // gh or glab
	Repo    string // HOST/OWNER/NAME
	Run     Run
}

// At is the forge of a repository with this address. Its program is that of the forge: glab where
// the host's name says GitLab, gh elsewhere. ok is false for an address that names no host.
func At(address string, run Run) (f Forge, ok bool) {
	host, name := split(address)
	if host == "" || strings.Count(name, "/") < 1 {
		return Forge{}, false
	}
	f = Forge{Program: "gh", Repo: host + "/" + name, Run: run}
	if strings.Contains(host, "gitlab") {
		f.Program = "glab"
	}
	return f, true
}

// split takes the address of a remote apart: https://host/owner/name.git, ssh://git@host:22/…, or
// git@host:owner/name.git.
func split(address string) (host, name string) {
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		host, name = u.Hostname(), u.Path
	} else if before, after, ok := strings.Cut(address, ":"); ok &&
		strings.Contains(before, "@") && !strings.ContainsAny(before, "/ ") {
		host, name = before[strings.LastIndex(before, "@")+1:], after
	}
	return strings.ToLower(host), strings.TrimSuffix(strings.Trim(path.Clean("/"+name), "/"), ".git")
}

// Put makes the request for its branch, or updates the one that is open, and returns its address.
func (f Forge) Put(ctx context.Context, r Request) (address string, err error) {
	r.Title, r.Body = text.CleanLine(r.Title, MaxTitle), text.Truncate(r.Body, MaxBody)
	open, err := f.find(ctx, r.Branch)
	if err != nil {
		return "", err
	}
	if f.Program == "glab" {
		return f.putMerge(ctx, r, open)
	}
	if open.Number == 0 {
		argv := []string{
			"gh", "pr", "create", "--repo", f.Repo, "--head", r.Branch, "--base", r.Base,
			"--title", r.Title, "--body-file", "-",
		}
		if r.Draft {
			argv = append(argv, "--draft")
		}
		out, failed := f.Run(ctx, argv, r.Body)
		return f.made(ctx, r.Branch, out, failed)
	}
	number := strconv.Itoa(open.Number)
	if _, err = f.Run(ctx, []string{
		"gh", "pr", "edit", number, "--repo", f.Repo, "--base", r.Base,
		"--title", r.Title, "--body-file", "-",
	}, r.Body); err != nil {
		return open.URL, err
	}
	if open.Draft && !r.Draft {
		_, err = f.Run(ctx, []string{"gh", "pr", "ready", number, "--repo", f.Repo}, "")
	}
	return open.URL, err
}

// putMerge is Put for GitLab's merge requests.
func (f Forge) putMerge(ctx context.Context, r Request, open opened) (string, error) {
	if open.Number == 0 {
		argv := []string{
			"glab", "mr", "create", "--repo", f.Repo, "--source-branch", r.Branch,
			"--target-branch", r.Base, "--title", r.Title, "--description", r.Body, "--yes",
		}
		if r.Draft {
			argv = append(argv, "--draft")
		}
		out, failed := f.Run(ctx, argv, "")
		return f.made(ctx, r.Branch, out, failed)
	}
	argv := []string{
		"glab", "mr", "update", strconv.Itoa(open.Number), "--repo", f.Repo,
		"--target-branch", r.Base, "--title", r.Title, "--description", r.Body,
	}
	if open.Draft && !r.Draft {
		argv = append(argv, "--ready")
	}
	_, err := f.Run(ctx, argv, "")
	return open.URL, err
}

// made is the address of a request that was just made. A program that fails or prints none is asked
// whether there is one: it may have been cut off after it had made it, and its list may be late.
func (f Forge) made(ctx context.Context, branch, out string, failed error) (string, error) {
	if address := lastLine(out); failed == nil && address != "" {
		return address, nil
	}
	open, err := f.find(ctx, branch)
	if failed != nil {
		return open.URL, failed // the next session updates what is there
	}
	if err == nil && open.URL == "" {
		err = fmt.Errorf("%s ended well, and there is no request", f.Program)
	}
	return open.URL, err
}

// opened is a request that is open already; zero: there is none.
type opened struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Draft  bool   `json:"isDraft"`
	Fork   bool   `json:"isCrossRepository"` // its branch of that name is another repository's
}

// find looks for the open request of a branch of the repository itself.
func (f Forge) find(ctx context.Context, branch string) (opened, error) {
	if f.Program == "glab" {
		out, err := f.Run(ctx, []string{
			"glab", "mr", "list", "--repo", f.Repo, "--source-branch", branch, "--output", "json",
		}, "")
		var list []struct {
			Number int    `json:"iid"`
			URL    string `json:"web_url"`
			Draft  bool   `json:"draft"`
			From   int    `json:"source_project_id"`
			To     int    `json:"target_project_id"`
		}
		err = decoded(f.Program, out, &list, err)
		for _, m := range list {
			if err == nil && m.From == m.To {
				return opened{Number: m.Number, URL: m.URL, Draft: m.Draft}, nil
			}
		}
		return opened{}, err
	}
	out, err := f.Run(ctx, []string{
		"gh", "pr", "list", "--repo", f.Repo, "--head", branch, "--state", "open", "--limit", "30",
		"--json", "number,url,isDraft,isCrossRepository",
	}, "")
	var list []opened
	err = decoded(f.Program, out, &list, err)
	for _, o := range list {
		if err == nil && !o.Fork {
			return o, nil
		}
	}
	return opened{}, err
}

// decoded reads what a program has printed, if it did not fail.
func decoded(program, out string, into any, failed error) error {
	if failed != nil || strings.TrimSpace(out) == "" {
		return failed
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		return fmt.Errorf("%s lists requests in another form: %w", program, err)
	}
	return nil
}

// lastLine is the line on which both programs print the address of a new request.
func lastLine(out string) string {
	lines := strings.Fields(out)
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "https://") || strings.HasPrefix(lines[i], "http://") {
			return text.CleanLine(lines[i], 300)
		}
	}
	return ""
}
