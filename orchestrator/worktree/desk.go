package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// desk is a git directory of our own in which all work on content is done: it borrows the repository's objects and holds a
// copy of the configuration from the moment when the run began. What an agent writes into the repository's configuration
// later (filters, merge drivers, monitors, hooks) is simply not there.
type desk struct {
	git        git
	Dir        string // <common>/autobuild-desk/<run>
	Objects    string // where objects are read and written
	Shallow    string // path of the shallow file, or empty
	signed     bool
	IgnoreCase bool     // names that differ in case alone are one file
	Notes      []string // what the user should know of the configuration

	settings config       // all that its configuration holds
	programs config       // the pinned ones
	unsynced *atomic.Bool // the repository's
	pins     *pinned
	trees    *sync.Map // commit → its tree, both by their full names
}

// setting is one line of configuration; git gives a name without a value as plain true.
type setting struct {
	key, value string
}

// deskName is the folder of all desks in git's common directory.
const deskName = "autobuild-desk"

// dropped settings would lead the desk elsewhere, start programs, or describe the checkout rather than its content.
var dropped = []string{
	"core.bare", "core.worktree", "core.hookspath", "core.fsmonitor", "core.splitindex", "core.untrackedcache", "core.pager",
	"core.editor", "extensions.worktreeconfig", "extensions.refstorage", "diff.external",
}

// openDesk makes the desk or brings it up to date.
func openDesk(ctx context.Context, r *Repo, run string) (*desk, error) {
	d := &desk{
		git: r.git, Dir: filepath.Join(r.CommonDir, deskName, run), Objects: filepath.Join(r.CommonDir, "objects"),
		unsynced: &r.unsynced, pins: &r.pins, trees: &sync.Map{},
	}
	for _, name := range foreign {
		if err := safefile.RemoveAll(filepath.Join(d.Dir, name)); err != nil {
			return nil, err
		}
	}
	for _, sub := range []string{"refs", "info", "index"} {
		if err := os.MkdirAll(filepath.Join(d.Dir, sub), 0o700); err != nil {
			return nil, Unusable("git's directory cannot be written", err)
		}
	}
	r.clearDesks()
	d.removeEmptyIndexes()
	if shallow := filepath.Join(r.CommonDir, "shallow"); safefile.Exists(shallow) {
		d.Shallow = shallow
	}
	users, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := d.pin(users)
	if err != nil {
		return nil, err
	}
	// A split index would keep its shared part here, where the user's git does not look for it.
	// With safecrlf, git would refuse a file whose line ends it is told to normalise. Without longpaths, git for Windows would refuse what fits into
	// the checkout and not into a worktree, some thirty letters deeper.
	settings = append(settings, setting{"core.bare", "true"}, setting{"core.hooksPath", nullPath}, setting{"core.fsmonitor", "false"},
		setting{"core.splitIndex", "false"}, setting{"core.safecrlf", "warn"}, setting{"core.longpaths", "true"},
		setting{"diff.ignoreSubmodules", "dirty"}, setting{"core.fsync", objectSync}, setting{"index.threads", "1"})
	if settings.Get("lfs.storage") == "" {
		settings = append(settings, setting{"lfs.storage", filepath.ToSlash(filepath.Join(r.CommonDir, "lfs"))})
	}
	d.IgnoreCase = settings.Is("core.ignorecase")
	d.signed = settings.Is("commit.gpgsign")
	settings = d.identify(settings)
	if settings, err = d.borrowAccount(settings); err != nil {
		return nil, err
	}
	d.settings = settings
	if err := d.Write("config", formatSettings(settings)); err != nil {
		return nil, err
	}
	if err := d.Write("HEAD", []byte("ref: refs/heads/none\n")); err != nil {
		return nil, err
	}
	if err := d.borrow(r); err != nil {
		return nil, err
	}
	d.pins.forbid(d.Dir)
	return d, nil
}

// foreign are names in a git directory that lead git elsewhere, or change what it sees: none of them
// is made here.
var foreign = []string{"refs", "commondir", "config.worktree", "packed-refs", "shallow", "info/grafts"}

// borrow takes copies of the small files that say how content is to be read.
func (d *desk) borrow(r *Repo) error {
	for name, from := range map[string]string{
		"info/exclude": r.CommonDir, "info/attributes": r.CommonDir, "info/sparse-checkout": r.GitDir,
	} {
		data, err := safefile.Read(filepath.Join(from, name), safefile.Large)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Unusable("git's directory cannot be read", err)
		}
		if name == "info/exclude" {
			data = append(data, "\n/.autobuild/\n"...)
		}
		if name == "info/sparse-checkout" && err != nil {
			continue
		}
		if err := d.Write(name, data); err != nil {
			return err
		}
	}
	return nil
}

// borrowAccount copies the user's own lists of ignored files and of attributes, which git would look
// for by their default names even where no setting names them.
func (d *desk) borrowAccount(settings config) (config, error) {
	home := homeOf(d.git.environ)
	config, ok := lookup(d.git.environ, "XDG_CONFIG_HOME")
	if !ok || config == "" {
		config = filepath.Join(home, ".config")
	}
	for key, name := range map[string]string{"core.excludesFile": "ignore", "core.attributesFile": "attributes"} {
		from := settings.Get(key)
		if from == "" {
			from = filepath.Join(config, "git", name)
		} else if below, ok := strings.CutPrefix(from, "~/"); ok {
			from = filepath.Join(home, below)
		}
		var data []byte
		if filepath.IsAbs(from) {
			var err error
			data, err = safefile.Read(from, safefile.Large)
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ENOTDIR) {
				return nil, Unusable("your list of files for git, "+name+", cannot be read", err)
			}
		}
		to := filepath.Join(d.Dir, "info", "account-"+name)
		if err := d.Write("info/account-"+name, data); err != nil {
			return nil, err
		}
		settings = append(settings, setting{key, filepath.ToSlash(to)})
	}
	return settings, nil
}

// Write replaces a file of the directory. Each later call of git compares it with data first, and
// writes it anew where it differs.
func (d *desk) Write(name string, data []byte) error {
	if err := d.pins.write(filepath.Join(d.Dir, name), data); err != nil {
		return Unusable("git's directory cannot be written", err)
	}
	return nil
}

// pin keeps the programs that git may start on content to those of the run's first start: a filter, merge driver or signer that
// was not there then may be an agent's.
func (d *desk) pin(settings config) (config, error) {
	first, err := safefile.ReadPlain(filepath.Join(d.Dir, "programs"), safefile.Large)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, Unusable("git's directory cannot be read", err)
	}
	resumed, pinned := err == nil, parseSettings(SplitNUL(first))
	var kept config
	for _, s := range settings {
		switch {
		case slices.Contains(dropped, s.key), strings.HasPrefix(s.key, "include."), strings.HasPrefix(s.key, "includeif."):
		case !isProgram(s.key):
			kept = append(kept, s)
		case !resumed:
			d.programs = append(d.programs, s)
		case !slices.Contains(pinned, s):
			d.Notes = append(d.Notes, fmt.Sprintf("git setting %s changed since the run began and is not used; start afresh to use it", text.Quote(s.key)))
		}
	}
	if resumed {
		d.programs = pinned
	}
	return append(kept, d.programs...), nil
}

// isProgram reports whether a setting names a program that git starts while it reads, merges or signs content.
func isProgram(key string) bool {
	return strings.HasPrefix(key, "filter.") || strings.HasPrefix(key, "gpg.") || strings.HasPrefix(key, "merge.") && strings.HasSuffix(key, ".driver")
}

// KeepPrograms writes the pinned programs down, so that a later OpenScratchDir uses no others.
func (d *desk) KeepPrograms() error {
	entries := make([]string, 0, len(d.programs))
	for _, s := range d.programs {
		entries = append(entries, s.key+"\n"+s.value)
	}
	return d.Write("programs", JoinNUL(entries))
}

// identify adds a name and an address where the user has configured none.
func (d *desk) identify(settings config) config {
	has := func(key, variable string) bool {
		v, ok := lookup(d.git.environ, variable)
		return ok && v != "" || settings.Get(key) != ""
	}
	var missing []string
	if !has("user.name", "GIT_COMMITTER_NAME") && settings.Get("committer.name") == "" {
		settings, missing = append(settings, setting{"user.name", "autobuild"}), append(missing, "user.name")
	}
	if !has("user.email", "GIT_COMMITTER_EMAIL") && settings.Get("committer.email") == "" {
		settings, missing = append(settings, setting{"user.email", "autobuild@localhost"}), append(missing, "user.email")
	}
	if len(missing) > 0 {
		d.Notes = append(d.Notes, "git has no "+strings.Join(missing, " and no ")+" configured; commits carry autobuild <autobuild@localhost> in its place")
	}
	return settings
}

func parseSettings(entries []string) config {
	settings := make(config, 0, len(entries))
	for _, e := range entries {
		key, val, ok := strings.Cut(e, "\n")
		if !ok {
			val = "true"
		}
		settings = append(settings, setting{key, val})
	}
	return settings
}

// config is a list of settings in git's order: of two with one key the last one holds.
type config []setting

// Get is the value of a key, in any case; empty where it is not set.
func (c config) Get(key string) string {
	for _, s := range slices.Backward(c) {
		if strings.EqualFold(s.key, key) {
			return s.value
		}
	}
	return ""
}

// Is reports whether a key is set to true.
func (c config) Is(key string) bool { return isTrue(c.Get(key)) }

func isTrue(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

var settingEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)

// formatSettings writes a configuration file that git reads back as the same list.
func formatSettings(settings config) []byte {
	var b strings.Builder
	for _, s := range settings {
		first, last := strings.IndexByte(s.key, '.'), strings.LastIndexByte(s.key, '.')
		if first < 0 {
			continue
		}
		section := s.key[:first]
		if first != last {
			sub := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s.key[first+1 : last])
			section += ` "` + sub + `"`
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, s.key[last+1:], settingEscapes.Replace(s.value))
	}
	return []byte(b.String())
}

// on describes the files that a call on the desk works with.
type on struct {
	tree  string // working tree; empty: none
	index string // index file; empty: a name that does not exist
}

// do runs a command on the desk.
func (d *desk) do(ctx context.Context, o on, stdin []byte, ok []int, args ...string) ([]byte, int, error) {
	return d.run(ctx, d.call(o, call{args: args, stdin: stdin, ok: ok}))
}

// run makes a call that call has completed, with the directory as it is to be.
func (d *desk) run(ctx context.Context, c call) ([]byte, int, error) {
	return d.pins.guard(func() ([]byte, int, error) { return d.git.do(ctx, c) })
}

// call completes a command for the desk.
func (d *desk) call(o on, c call) call {
	env := map[string]string{
		"GIT_DIR": d.Dir, "GIT_OBJECT_DIRECTORY": d.Objects, "GIT_INDEX_FILE": o.index,
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": nullConfig,
	}
	c.dir = d.Dir
	if o.index == "" {
		env["GIT_INDEX_FILE"] = filepath.Join(d.Dir, "index", "none")
	}
	if o.tree != "" {
		env["GIT_WORK_TREE"], c.dir = o.tree, o.tree
	}
	if d.Shallow != "" {
		env["GIT_SHALLOW_FILE"] = d.Shallow
	}
	c.env = env
	return c
}

// ask is do for commands whose only answer is one line.
func (d *desk) ask(ctx context.Context, o on, stdin []byte, args ...string) (string, error) {
	out, _, err := d.do(ctx, o, stdin, nil, args...)
	return word(out), err
}

// IndexFile is the path of an index of our own, by its name.
func (d *desk) IndexFile(name string) string { return filepath.Join(d.Dir, "index", name) }

// Of is the same directory with the objects of a submodule, of which module is the git directory.
func (d *desk) Of(module string) *desk {
	own := *d
	own.Objects, own.Shallow = filepath.Join(module, "objects"), ""
	if shallow := filepath.Join(module, "shallow"); safefile.Exists(shallow) {
		own.Shallow = shallow
	}
	return &own
}

// Path is the path of a file of the directory.
func (d *desk) Path(name ...string) string {
	return filepath.Join(append([]string{d.Dir}, name...)...)
}

// CloneConfig is the text of a configuration file with the pinned settings, for an ordinary clone:
// without those of the scratch directory, and without signing.
func (d *desk) CloneConfig() string {
	var kept config
	for _, s := range d.settings {
		switch strings.ToLower(s.key) {
		case "core.bare", "core.hookspath", "core.fsync", "core.longpaths", "index.threads", "diff.ignoresubmodules", "commit.gpgsign":
		default:
			kept = append(kept, s)
		}
	}
	return string(formatSettings(append(kept, setting{"core.bare", "false"}, setting{"gc.auto", "0"})))
}

// Remove removes a file of the directory that Write made, and forgets it.
func (d *desk) Remove(name string) error {
	if err := d.pins.remove(filepath.Join(d.Dir, name)); err != nil {
		return Unusable("git's directory cannot be written", err)
	}
	return nil
}

// TrySigning finds out whether commits can be signed unattended, where the user asks for signatures.
func (d *desk) TrySigning(ctx context.Context, head string) error {
	if !d.signed {
		return nil
	}
	if _, err := d.CommitTree(ctx, head+"^{tree}", "a test of the signature", head); err != nil {
		return &UnusableError{
			What: "commit.gpgSign is on, and signing failed: " + err.Error(),
			Next: "unlock the key (or let its agent keep it), or turn it off for this repository: git config commit.gpgSign false",
		}
	}
	return nil
}

// ScratchPath is a path in the folder of all scratch directories.
func (r *Repo) ScratchPath(name string) string { return filepath.Join(r.CommonDir, deskName, name) }

// ScratchFiles lists the files of one name in all scratch directories.
func (r *Repo) ScratchFiles(name string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(r.CommonDir), deskName, "*", name))
	if err != nil {
		return nil, fmt.Errorf("looking for %s of earlier runs: %w", name, err)
	}
	return files, nil
}
