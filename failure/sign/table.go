package sign

import (
	"path"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
)

// Table has all signs. Where several fit, the first one counts.
var Table = slices.Concat(missing, passing, staying, packages, accounts, sentences)

// words are patterns, the clearest first.
func words(patterns ...string) []*lazyregexp.Regexp {
	var all []*lazyregexp.Regexp
	for _, p := range patterns {
		all = append(all, lazyregexp.New(p))
	}
	return all
}

// either is one pattern of several alternatives; flags such as (?i) hold for all of them.
func either(flags string, alternatives ...string) []*lazyregexp.Regexp {
	return words(flags + "(?:" + strings.Join(alternatives, "|") + ")")
}

// Advice on what is missing.
var (
	create = Advice{
		"$1 does not exist. If this phase is to make it, make it. " +
			"Else find out whether another phase does, or whether the path is wrong.",
		"Create $1, or correct its path where it is named",
	}
	set = Advice{
		"The environment variable $1 is not set where the command runs. " +
			"Do not invent a value: use a default where the task allows one, else say that it " +
			"is missing.",
		"Set $1 in the environment of autobuild, " +
			"allow it under env.allow in autobuild.yaml where such a list is kept, and resume",
	}
	reach = Advice{
		"Something that was needed could not be reached ($1). Try it again before you change " +
			"any code.",
		"Find out why it could not be reached ($1): " +
			"a service that is not started, a port, the network; then resume",
	}
	allow = Advice{
		"Access was refused ($1). Do not work around permissions; say what is needed.",
		"Allow what was refused ($1): an owner, a mode, a login",
	}
	provide = Advice{
		"Something that the command needs is not there ($1). " +
			"Provide it if it belongs to this phase, else say that it is missing.",
		"Provide what the command needs ($1)",
	}
)

// inWorktree is the path to a phase's own directory.
var inWorktree = lazyregexp.New(`^.*/worktrees/[^/]+/`)

// filePath is the path that a match names, below the worktree where it lies there; empty where it
// is no path of a file.
func filePath(text string, at []int) string {
	p := strings.ReplaceAll(failure.Line(group(text, at), failure.MaxField), `\`, "/")
	p = inWorktree.ReplaceAllString(p, "")
	switch {
	case p == "" || strings.Contains(p, "://") || strings.ContainsAny(p, "*<>|$") ||
		strings.HasPrefix(p, "-"):
		return ""
	case path.Clean(p) == "." || path.Clean(p) == "/" || strings.Trim(p, "./") == "":
		return ""
	}
	return path.Clean(p)
}

var (
	beforeCount = lazyregexp.New(
		`(?i)(?:\bline|\blines|\bport|\brow|\bcol|\bcolumn|\bpage|\bpid|\bid` +
			`|\bissue|\bthan|\bof|#|\$)\s*:?\s*$`)
	afterCount = lazyregexp.New(
		`(?i)^\s?(?:ms|s|secs?|seconds?|k?b|mb|bytes|px|tests?|specs?|files?|lines?` +
			`|errors?|warnings?|items?|rows?|packages?|modules?|assertions?|passed|passing|failed|failing|skipped` +
			`|examples?|problems?)\b`)
	beforeColon = lazyregexp.New(`(?i)(?:status|code|error|http|err)$`)
)

// statusCode is the matched number where it stands by itself; empty where it is part of another
// number, of a place (a.ts:429:5), of a size, or a count (429 passed).
func statusCode(text string, at []int) string {
	before, after := text[:at[0]], text[at[1]:]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	if joinsLeft(before) || joinsRight(after) || beforeCount.MatchString(before) ||
		afterCount.MatchString(after) {
		return ""
	}
	return text[at[0]:at[1]]
}

// joinsLeft reports whether the text before a number makes it a part of something else.
func joinsLeft(before string) bool {
	if before == "" {
		return false
	}
	last, rest := before[len(before)-1], before[:len(before)-1]
	switch last {
	case ':': // "status:429" is one; "a.ts:429" and "12:429" are none
		return rest != "" && (isWord(rest[len(rest)-1]) || strings.HasSuffix(rest, ")") ||
			strings.HasSuffix(rest, "]")) &&
			!beforeColon.MatchString(rest)
	case 'E': // npm writes E429
		return rest != "" && isWord(rest[len(rest)-1])
	}
	return isWord(last) || strings.IndexByte(`.,-+/@`, last) >= 0
}

// joinsRight is joinsLeft for the text after a number.
func joinsRight(after string) bool {
	switch {
	case after == "":
		return false
	case strings.IndexByte(`.,:`, after[0]) >= 0:
		return len(after) > 1 && after[1] >= '0' && after[1] <= '9'
	}
	return isWord(after[0]) || strings.IndexByte(`-%/`, after[0]) >= 0
}

func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' ||
		b >= 0x80
}
