package git

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"autobuild/internal/safefile"
)

// borrow copies the repository's lists of ignored files, attributes and sparse paths.
func (d *ScratchDir) borrow(r *Repository) error {
	for name, from := range map[string]string{
		"info/exclude": r.CommonDir, "info/attributes": r.CommonDir,
		"info/sparse-checkout": r.GitDir,
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

// borrowAccount copies the user's own lists of ignored files and of attributes. Without a setting,
// git would look for them at their default places.
func (d *ScratchDir) borrowAccount(settings Config) (Config, error) {
	home := homeOf(d.program.environ)
	config, ok := lookup(d.program.environ, "XDG_CONFIG_HOME")
	if !ok || config == "" {
		config = filepath.Join(home, ".config")
	}
	for key, name := range map[string]string{
		"core.excludesFile":   "ignore",
		"core.attributesFile": "attributes",
	} {
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
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) &&
				!errors.Is(err, syscall.ENOTDIR) {
				return nil, Unusable("your list of files for git, "+name+", cannot be read", err)
			}
		}
		to := filepath.Join(d.Dir, "info", "account-"+name)
		if err := d.Write("info/account-"+name, data); err != nil {
			return nil, err
		}
		settings = append(settings, Setting{key, filepath.ToSlash(to)})
	}
	return settings, nil
}
