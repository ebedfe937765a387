package verify

import (
	"context"
	"io"
	"path"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee"
	gatefiles "autobuild/orchestrator/verify/referee/gate"
	"autobuild/state"
)

// noLanguage is a syntax error in every language. PHP needs an opening tag.
const (
	noLanguage    = ")(\n"
	noLanguagePHP = "<?php )(\n"
)

// Spoiled returns a tree in which each source file of the product is a syntax error; tests have to
// fail on it (SPEC.md 7). The tree is empty if the base has no tests, or no source files.
func Spoiled(
	ctx context.Context, trees Trees, base string, gates []state.GateSpec,
) (tree string, err error) {
	source, err := trees.Source(ctx, base)
	if err != nil {
		return "", err
	}
	files := referee.NewMap(source, gates)
	var puts []referee.Overlay
	tests := false
	for _, file := range source.Paths() {
		switch class := files.Class(file); {
		case class == referee.Test:
			tests = true
		case class == referee.Product && gatefiles.IsSource(file):
			puts = append(puts, spoiled(file))
		}
	}
	if !tests || len(puts) == 0 {
		return "", nil
	}
	return trees.Compose(ctx, base, base, puts)
}

func spoiled(file string) referee.Overlay {
	text := noLanguage
	if path.Ext(file) == ".php" {
		text = noLanguagePHP
	}
	return referee.Overlay{Path: file, Mode: "100644", Content: text}
}

// shownFailure matches lines that test runners and interpreters print for failures alone.
var shownFailure = lazyregexp.New(
	`(?m)^\s*(?:--- FAIL|FAIL\b|not ok \d|FAILED\b|E   \w+Error|error(?:\[E\d+\])?: |npm (?:ERR|error))|SyntaxError: `)

// watchFailure returns a function that reports whether a growing log shows a failure behind an
// offset. It reads each part of the log once.
func watchFailure(log io.ReaderAt, from int64) func() bool {
	found := false
	buf := make([]byte, 64<<10)
	return func() bool {
		for !found {
			n, _ := log.ReadAt(buf, from) // what is not there yet is read the next time
			if n == 0 {
				break
			}
			found = shownFailure.MatchString(string(buf[:n]))
			// the last line may be incomplete
			keep := min(n-1, 200)
			if n < len(buf) {
				from += int64(max(0, n-keep))
				break
			}
			from += int64(n - keep)
		}
		return found
	}
}
