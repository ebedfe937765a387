package git

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// pushProtocols are those by which Push may reach a remote: none of them is a command line.
const pushProtocols = "file:git:http:https:ssh"

// ErrNoRemote says that the repository has no remote to push to.
var ErrNoRemote = errors.New("the repository has no remote")

// Remote is where a branch is pushed: the remote that the user has set for it, else origin, else
// the only one. url is the address that the user has given it. The error may be ErrNoRemote.
func (r *Repository) Remote(ctx context.Context, branch string) (name, url string, err error) {
	c, err := r.Config(ctx)
	if err != nil {
		return "", "", err
	}
	var names []string
	for _, setting := range c {
		if strings.HasPrefix(setting.Key, "remote.") && strings.HasSuffix(setting.Key, ".url") {
			names = append(names, strings.TrimSuffix(setting.Key[len("remote."):], ".url"))
		}
	}
	short := ShortRef(branch)
	for _, name = range []string{
		c.Get("branch." + short + ".pushremote"), c.Get("remote.pushdefault"),
		c.Get("branch." + short + ".remote"), "origin",
	} {
		if slices.Contains(names, name) {
			break
		}
		name = ""
	}
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	if name == "" {
		return "", "", ErrNoRemote
	}
	return name, cmp.Or(c.Get("remote."+name+".pushurl"), c.Get("remote."+name+".url")), nil
}

// Push makes branches of a remote lead to commits, by their short names. It runs no hook, asks for
// no password, and never takes a commit away: a branch that has others refuses. Its error has git's
// own words.
func (r *Repository) Push(ctx context.Context, remote string, branches map[string]string) error {
	args := gitDirArgs(r.GitDir, "push", "--porcelain", "--no-verify", "--no-follow-tags", remote)
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		args = append(args, branches[name]+":refs/heads/"+name)
	}
	out, _, err := r.guard(func() ([]byte, int, error) {
		return r.program.do(ctx, command{
			dir: r.Top, args: args,
			env: map[string]string{"GIT_WORK_TREE": r.Top, "GIT_ALLOW_PROTOCOL": pushProtocols},
		})
	})
	if why := rejection(out); err != nil && why != "" {
		return &RejectedError{Why: why}
	}
	return err
}

// RejectedError says that a remote did not take a branch.
type RejectedError struct{ Why string } // in git's words: [rejected] (fetch first)

// Error is git's reason.
func (e *RejectedError) Error() string { return "the remote did not take the branch: " + e.Why }

// rejection is the first reason in the output of a push; empty: it has none.
func rejection(porcelain []byte) string {
	for line := range strings.Lines(string(porcelain)) {
		if parts := strings.Split(strings.TrimSpace(line), "\t"); parts[0] == "!" && len(parts) > 2 {
			return parts[2]
		}
	}
	return ""
}
