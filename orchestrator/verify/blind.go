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

// noLanguage is a line that no language accepts. PHP passes on what is not marked as code.
const (
	noLanguage    = ")(\n"
	noLanguagePHP = "<?php )(\n"
)

// Spoiled is a tree with the program text of its product replaced by one line that no language
// accepts: a gate that tests has to fail there (SPEC.md 7). It is empty where there is no such
// text, or no test that could see it.
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

// shownFailure is what runners, compilers and interpreters print only of something that failed.
var shownFailure = lazyregexp.New(
	`(?m)^\s*(?:--- FAIL|FAIL\b|not ok \d|FAILED\b|E   \w+Error|error(?:\[E\d+\])?: |npm (?:ERR|error))|SyntaxError: `)

// watchFailure reports, each time that it is called, whether a log shows a failure from an offset
// on.
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
			// the line that is being written is read again
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
