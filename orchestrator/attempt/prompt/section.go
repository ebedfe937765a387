package prompt

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
)

// making and using are the verbs by which a section says that the phase writes a path, or takes
// it for granted. They cover the languages of the plans that can be read.
var (
	making = lazyregexp.New(
		`(?i)\b(?:creat\w*|writ\w*|add\w*|generat\w*|new|produc\w*|mak(?:e|es|ing)|sav(?:e|es|ing)|output\w*|emit\w*|put|build\w*` +
			`|implement\w*|document\w*|draft\w*|deliver\w*|record\w*|export\w*|scaffold\w*|introduc\w*|store|dump\w*` +
			`|erstell\w*|erzeug\w*|anleg\w*|schreib\w*|neue?[nrs]?|cré\w*|écri\w*|ajout\w*|génér\w*|crea\w*|escrib\w*)\b|创建|新建|编写|生成|作成`)
	using = lazyregexp.New(
		`(?i)\b(?:read\w*|analy[sz]\w*|inspect\w*|review\w*|open\w*|load\w*|pars\w*|study|consult\w*|according|based|follow\w*|refer\w*|us(?:e|es|ing)` +
			`|import\w*|from|see|updat\w*|modif\w*|edit\w*|extend\w*|chang\w*|fix\w*|refactor\w*|adapt\w*|renam\w*|mov(?:e|es|ing)|delet\w*|remov\w*` +
			`|lies|lesen|liest|ändern?|lire|modifi\w*|leer|actualiz\w*)\b|读取|阅读|修改|更新|読む`)
	destination = lazyregexp.New("(?i)\\b(?:to|into|as|nach|vers|en)\\s+[`\"'*(\\[]*$")
	item        = lazyregexp.New(`^(?:[-*+]|\d+[.)])\s`)
)

// sentences are the pieces of a phase's text in which a verb and its object stand together, each
// with the line that introduces it where it is an item of a list.
func sentences(p plan.Phase, each func(sentence, lead string)) {
	text := p.Text
	for _, tasks := range [][]plan.Task{p.Tasks, p.Criteria} {
		for _, task := range tasks {
			if !strings.Contains(p.Text, task.Text) {
				text += "\n- " + task.Text
			}
		}
	}
	lead := ""
	for line := range strings.Lines(p.Name + "\n" + text) {
		line = strings.TrimSpace(line)
		listed := item.MatchString(line)
		if line != "" && !listed {
			lead = line
		}
		for _, s := range sentenceEnd.Split(line, -1) {
			if listed {
				each(s, lead)
			} else {
				each(s, line)
			}
		}
	}
}

// role is what a phase's section says about a path.
type role int

const (
	unnamed   role = iota
	taken          // it is read or changed, and so expected to exist
	mentioned      // without a verb
	written        // it comes to be by this phase
)

// roleOf is the strongest role that a phase's files and its text give a path. The verb before the
// path decides, then the one behind it, then that of the line which introduces the list.
func roleOf(p plan.Phase, path string) role {
	if slices.Contains(p.Files.Create, path) || slices.Contains(p.Files.Test, path) {
		return written
	}
	strongest := unnamed
	if slices.Contains(p.Files.All(), path) || slices.Contains(p.Prerequisites.Files, path) {
		strongest = taken
	}
	sentences(p, func(s, lead string) {
		if holdsPath(s, path) {
			strongest = max(strongest, roleIn(s, lead, path))
		}
	})
	return strongest
}

func roleIn(sentence, lead, path string) role {
	before, after, _ := strings.Cut(sentence, path)
	if destination.MatchString(before) {
		return written
	}
	for _, found := range []role{
		nearest(before, true), nearest(after, false),
		nearest(lead, true),
	} {
		if found != unnamed {
			return found
		}
	}
	return mentioned
}

// nearest is what the last verb of a text says, or the first one; unnamed without any.
func nearest(text string, last bool) role {
	at := func(re *lazyregexp.Regexp) int { // the larger, the nearer
		all := re.FindAllStringIndex(text, -1)
		switch {
		case len(all) == 0:
			return -1
		case last:
			return all[len(all)-1][0]
		}
		return len(text) - all[0][0]
	}
	switch writes, takes := at(making), at(using); {
	case writes > takes:
		return written
	case takes > writes:
		return taken
	}
	return unnamed
}

// holdsPath reports whether a path stands in a text, and not as a part of a longer one.
func holdsPath(text, path string) bool {
	for _, found := range aPath.FindAllString(text, -1) {
		if found == path || strings.HasSuffix(found, "/"+path) && strings.HasPrefix(found, ".") {
			return true
		}
	}
	return !aPath.MatchString(path) && StandsIn(text, path)
}

// Makes reports whether a path that does not exist is one for this phase to write. One that its
// section only mentions counts: nothing says that the phase takes it for granted.
func Makes(p plan.Phase, path string) bool { return roleOf(p, path) >= mentioned }

// Creates reports whether a phase's files or its section say that it writes a path.
func Creates(p plan.Phase, path string) bool { return roleOf(p, path) == written }
