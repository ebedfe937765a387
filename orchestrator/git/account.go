package git

import (
	"path/filepath"
)

// accountPaths are the places of the user's own configuration, for all repositories.
func accountPaths(environ []string) []string {
	var paths []string
	if path, ok := lookup(environ, "GIT_CONFIG_GLOBAL"); ok {
		paths = append(paths, path)
	} else if home := homeOf(environ); filepath.IsAbs(home) {
		paths = append(paths, filepath.Join(home, ".gitconfig"),
			filepath.Join(home, ".config", "git", "config"),
			filepath.Join(home, ".config", "git", "attributes"))
	}
	if dir, ok := lookup(environ, "XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		paths = append(paths, filepath.Join(dir, "git", "config"),
			filepath.Join(dir, "git", "attributes"))
	}
	return paths
}

// homeOf is the user's home directory for git; empty where no variable names it.
func homeOf(environ []string) string {
	if home, ok := lookup(environ, "HOME"); ok {
		return home
	}
	home, _ := lookup(environ, "USERPROFILE")
	return home
}
