package referee

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// maxUnexplained bounds the changes that Unexplained gives.
const maxUnexplained = 12

// Unexplained lists the failures of a referee run that no change explains. A change that names a
// test explains its failure. An open change of a gate, a lever or shared test code explains every
// failure. An adapted test explains the failures of its file. If a change names a test, broken
// files and gates without test names count as explained.
func Unexplained(changes []state.RefereeChange, run Outcome) []state.RefereeChange {
	if run.Passed {
		return nil
	}
	named, adapted := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		switch {
		case c.Ruling == state.RulingRecorded:
		case c.Cause == state.CauseAdapted:
			named[c.Test], adapted[c.File] = true, true
		case c.Test == "", c.Cause == state.CauseGate, c.Cause == state.CauseLever:
			return nil
		default:
			named[c.Test] = true
		}
	}
	var found []state.RefereeChange
	for _, key := range slices.Sorted(maps.Keys(run.Failing)) {
		scope, name, _ := strings.Cut(key, "::")
		explained := slices.ContainsFunc(prefixes(name),
			func(part string) bool { return named[part] }) ||
			slices.ContainsFunc(slices.Collect(maps.Keys(named)),
				func(test string) bool { return strings.HasSuffix(test, name) }) ||
			(scope == "" || name == "") && concerns(cmp.Or(name, scope), adapted) ||
			path.Ext(scope) != "" && concerns(scope, adapted)
		if !explained && len(found) < maxUnexplained {
			found = append(found, unexplained(scope, name))
		}
	}
	if len(named) > 0 || len(found) > 0 {
		return found
	}
	for _, gate := range run.Blind {
		found = append(found, unexplained("", "gate "+gate))
	}
	for _, at := range slices.Sorted(maps.Keys(run.Broken)) {
		if len(found) < maxUnexplained {
			found = append(found, unexplained(at, ""))
		}
	}
	return found
}

// concerns reports whether a runner's name for a file or directory matches one of the files.
func concerns(at string, files map[string]bool) bool {
	at = strings.TrimSuffix(at, "/...")
	for file := range files {
		if file == at || at == "." || at == "" || strings.HasPrefix(file, at+"/") ||
			strings.HasSuffix(at, "/"+file) || strings.HasSuffix(file, "/"+at) {
			return true
		}
	}
	return false
}

func unexplained(file, test string) state.RefereeChange {
	return state.RefereeChange{
		Cause: state.CauseAlone, File: file, Test: test,
		What: "it passes on the base, and fails without the phase's new test files and settings",
	}
}

var sourcing = lazyregexp.New(
	`^\s*(?:\.|source)\s+["']?(?:\./|\$\w+/|\$\{\w+\}/)*([\w./-]+)["']?\s*$`)

// sourcesProduct reports whether a script of tests has all lines that it had, and the new ones that
// a gate could stumble over load product code alone: the base's script judges that.
func sourcesProduct(m Classifier, e Edit) bool {
	if e.OldMode == "" || e.NewMode == "" || !within(e.Old, e.New) {
		return false
	}
	_, added := testunit.Changed(strings.Split(e.Old, "\n"), strings.Split(e.New, "\n"))
	loads := false
	for _, line := range added {
		if f := sourcing.FindStringSubmatch(line); f != nil {
			if m.Class(path.Clean(f[1])) != Product {
				return false
			}
			loads = true
		} else if ending.MatchString(line) {
			return false
		}
	}
	return loads
}

// ending are words that end a shell script, or change what its commands mean.
var ending = lazyregexp.New(
	`\b(?:exit|return|trap|exec|alias|eval|set|unset|export|PATH|source|kill|break|continue)\b|\(\)|^\s*\.\s|\|\||[^=!<>]=[^=]|\bfunction\b`)

// Harmless records new test files that could have steered the run, where the base's referee passes
// without them and every test of the base was seen passing with them.
func Harmless(
	m Classifier, changes []state.RefereeChange, edits []Edit, before, now, run Outcome,
) []state.RefereeChange {
	if !run.Passed || before.Passing == nil || now.Passing == nil ||
		slices.ContainsFunc(changes,
			func(c state.RefereeChange) bool {
				return c.Cause == state.CauseUnseen || c.Cause == state.CauseAlone
			}) {
		return changes
	}
	out := slices.Clone(changes)
	for i, c := range out {
		added := slices.ContainsFunc(edits, func(e Edit) bool {
			return e.Path == c.File && e.OldMode == ""
		})
		if c.Ruling == "" && c.Cause == state.CauseLever && added && m.Class(c.File) == Test {
			out[i].Ruling = state.RulingRecorded
		}
	}
	return out
}

// Loads records scripts of tests that only load more product code, where the base's script passes.
func Loads(
	m Classifier, changes []state.RefereeChange, edits []Edit, run Outcome,
) []state.RefereeChange {
	if !run.Passed {
		return changes
	}
	out := slices.Clone(changes)
	for i, c := range out {
		if c.Ruling == "" && c.Cause == state.CauseGate &&
			slices.ContainsFunc(edits, func(e Edit) bool {
				return e.Path == c.File && sourcesProduct(m, e)
			}) {
			out[i].Ruling = state.RulingRecorded
		}
	}
	return out
}
