package verify

import (
	"path"
	"slices"
	"strings"
)

// lockFiles name exactly what package managers install; where a project has one, its manifest
// decides nothing more.
var lockFiles = []string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
	"bun.lockb", "deno.lock",
	"poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock", "go.sum", "Cargo.lock", "Gemfile.lock",
	"composer.lock", "packages.lock.json",
	"gradle.lockfile", "mix.lock", "pubspec.lock", "flake.lock",
}

// SetupReads reports whether a file of a tree, by its path, is one that setup commands read: a
// manifest of a package manager, or a file that a command names.
func SetupReads(file string, commands []string) bool {
	base := path.Base(file)
	if slices.Contains(lockFiles, base) {
		return true
	}
	if strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt") ||
		base == ".npmrc" || base == ".tool-versions" {
		return true
	}
	return slices.ContainsFunc(commands, func(command string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(command, isShellBreak), func(w string) bool {
			return strings.TrimPrefix(w, "./") == file
		})
	})
}

func isShellBreak(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>'\"`", r) }
