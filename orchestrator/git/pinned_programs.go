package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// dropped settings lead git elsewhere, start programs, or describe the checkout. Settings of http
// and credential are dropped too: they may hold a token, and nothing is fetched.
var dropped = []string{
	"core.bare", "core.worktree", "core.hookspath", "core.fsmonitor", "core.splitindex",
	"core.untrackedcache", "core.pager",
	"core.editor", "extensions.worktreeconfig", "extensions.refstorage", "diff.external",
}

// pin takes the programs in the configuration from the run's first start: a filter, merge driver or
// signer that was added later may be an agent's.
func (d *ScratchDir) pin(settings Config) (Config, error) {
	first, err := safefile.ReadPlain(filepath.Join(d.Dir, "programs"), safefile.Large)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, Unusable("git's directory cannot be read", err)
	}
	resumed, pinned := err == nil, parseSettings(SplitNUL(first))
	var kept Config
	for _, s := range settings {
		switch {
		case slices.Contains(dropped, s.Key), strings.HasPrefix(s.Key, "include."),
			strings.HasPrefix(s.Key, "includeif."), strings.HasPrefix(s.Key, "http."),
			strings.HasPrefix(s.Key, "credential."):
		case !isProgram(s.Key):
			kept = append(kept, s)
		case !resumed:
			d.programs = append(d.programs, s)
		case !slices.Contains(pinned, s):
			d.Notes = append(d.Notes,
				fmt.Sprintf(
					"git setting %s changed since the run began and is not used; start afresh "+
						"to use it",
					text.Quote(s.Key)))
		}
	}
	if resumed {
		d.programs = pinned
	}
	return append(kept, d.programs...), nil
}

// isProgram reports whether a setting names a program that git starts while it reads, merges or
// signs content.
func isProgram(key string) bool {
	return strings.HasPrefix(key, "filter.") || strings.HasPrefix(key, "gpg.") ||
		strings.HasPrefix(key, "merge.") && strings.HasSuffix(key, ".driver")
}

// KeepPrograms saves the pinned programs; a later OpenScratchDir of the run uses no others.
func (d *ScratchDir) KeepPrograms() error {
	entries := make([]string, 0, len(d.programs))
	for _, s := range d.programs {
		entries = append(entries, s.Key+"\n"+s.Value)
	}
	return d.Write("programs", JoinNUL(entries))
}

// identify adds a name and an address where the user has configured none.
func (d *ScratchDir) identify(settings Config) Config {
	has := func(key, variable string) bool {
		v, ok := lookup(d.program.environ, variable)
		return ok && v != "" || settings.Get(key) != ""
	}
	var missing []string
	if !has("user.name", "GIT_COMMITTER_NAME") && settings.Get("committer.name") == "" {
		settings, missing = append(settings, Setting{"user.name", "autobuild"}),
			append(missing, "user.name")
	}
	if !has("user.email", "GIT_COMMITTER_EMAIL") && settings.Get("committer.email") == "" {
		settings, missing = append(settings, Setting{"user.email", "autobuild@localhost"}),
			append(missing, "user.email")
	}
	if len(missing) > 0 {
		d.Notes = append(d.Notes, "git has no "+strings.Join(missing, " and no ")+
			" configured; commits carry autobuild <autobuild@localhost> in its place")
	}
	return settings
}

// TrySigning signs a test commit where commits are to be signed. An *UnusableError says why that
// fails unattended.
func (d *ScratchDir) TrySigning(ctx context.Context, head string) error {
	if !d.signed {
		return nil
	}
	if _, err := d.CommitTree(ctx, head+"^{tree}", "a test of the signature", head); err != nil {
		return &UnusableError{
			What: "commit.gpgSign is on, and signing failed: " + err.Error(),
			Next: "unlock the key (or let its agent keep it), or turn it off for this " +
				"repository: git config commit.gpgSign false",
		}
	}
	return nil
}
