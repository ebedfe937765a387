package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// regression is the experiment for a witness whose judge is the base: what passes there and fails
// on the work is broken by the phase, unless the section asks for that. Two more trees show that
// the witness asks what the code does and not what its text is.
func (c Case) regression(f state.Finding) (Experiment, string) {
	w := f.Witness
	if w == nil || w.Content == "" && w.Command == "" {
		return Experiment{}, ""
	}
	lang, command, why := c.readable(*w)
	if why != "" {
		return Experiment{}, why
	}
	names, why := c.names(*w, lang, command)
	if why != "" {
		return Experiment{}, why
	}
	if why := c.excused(f, names); why != "" {
		return Experiment{}, why
	}
	var put []referee.Overlay
	if w.Content != "" {
		put = []referee.Overlay{{Path: w.File, Mode: "100644", Content: w.Content}}
	}
	decoy, same := c.disguised()
	fails := func(g state.Gate) string { return failing(g, f) }
	run := func(name string, base bool, puts []referee.Overlay, check func(state.Gate) string) Run {
		return Run{
			Name: name, Base: base, Puts: slices.Concat(puts, put), Command: command, Check: check,
		}
	}
	return Experiment{Ground: state.GroundRegression, Runs: []Run{
		run("witness", false, nil, fails),
		run("witness-base", true, nil, passing("it fails without the phase's work too")),
		run("witness-decoy", true, decoy, passing("it fails where only the text of the work is")),
		run("witness-same", false, same, fails),
		run("witness-base-again", true, nil, passing("it passes and fails on the same content")),
		run("witness-again", false, nil, fails),
	}}, ""
}

// failing returns why the end of a witness is no failure for the stated reason.
func failing(g state.Gate, f state.Finding) string {
	switch {
	case g.Status == state.GatePassed:
		return "its witness passes on the work"
	case g.Status != state.GateFailed || g.Exit == 126 || g.Exit == 127 || g.Exit < 0:
		return "its witness did not run to its end"
	case strings.Contains(g.Tail, path.Base(f.File)),
		f.Received != "" && holds(g.Tail, f.Received):
		return ""
	}
	return "what its witness prints names neither the place nor the received value"
}

// passing returns a check that a witness passes.
func passing(why string) func(state.Gate) string {
	return func(g state.Gate) string {
		if g.Status == state.GatePassed {
			return ""
		}
		return why
	}
}

// witnessPath are paths that a shell takes as one word, none of them an option, and that lead to no
// hidden place and out of no folder.
var witnessPath = lazyregexp.New(`^(?:\w[\w.-]*/)*\w[\w.-]*\.\w+$`)

var testWord = lazyregexp.New(`(?i)test|spec|witness`)

// readable returns the language of a witness and its command, or why it cannot be read. Its file is
// a new one, in a place where only a test could be.
func (c Case) readable(w state.Witness) (lang *language, command, why string) {
	if w.Content == "" {
		return code(".sh"), w.Command, ""
	}
	file := w.File
	switch lang = code(file); {
	case lang == nil:
		return nil, "", "its witness is in a language that autobuild does not read"
	case !witnessPath.MatchString(file):
		return nil, "", "the path of its witness leads elsewhere, or is no plain one"
	case c.replaces(file):
		return nil, "", "its witness would replace a file"
	case !testWord.MatchString(path.Base(file)) ||
		strings.HasPrefix(path.Base(file), "conftest.") || lang.name == "go" &&
		!strings.HasSuffix(file, "_test.go"):
		return nil, "", "the name of its witness is not that of a test"
	}
	if w.Command != "" {
		return lang, w.Command, ""
	}
	return lang, fmt.Sprintf(lang.runs+"%.0[2]s", file, path.Dir(file)), ""
}

// replaces reports whether a file, or a folder above it, is a file of the base or of the work.
func (c Case) replaces(file string) bool {
	for p := file; p != "."; p = path.Dir(p) {
		if c.there(p) || c.made(p) {
			return true
		}
	}
	return false
}

// names are the names by which a witness speaks of the project, or why it does more than to ask the
// code and compare.
func (c Case) names(w state.Witness, lang *language, command string) ([]string, string) {
	own := ""
	if w.Content != "" {
		own = w.File
	}
	used, why := c.shellUse(command, own)
	switch {
	case why != "" || own == "":
		return used, why
	case lang.name == "shell":
		more, why := c.shellUse(w.Content, own)
		return append(used, more...), why
	}
	content := strings.ReplaceAll(w.Content, `__name__ == "__main__"`, "")
	content = strings.ReplaceAll(content, `__name__ == '__main__'`, "")
	for _, m := range lang.imports.FindAllStringSubmatch(content, -1) {
		for _, module := range strings.FieldsFunc(strings.Join(m[1:], ","),
			func(r rune) bool { return r == ',' }) {
			module, _, _ = strings.Cut(strings.TrimSpace(module), " ")
			if module != "" && !slices.Contains(lang.pure, module) && !c.project(lang, module) {
				return nil, "its witness imports " + text.Clip(module, 60) +
					", which is not needed to ask the project's code"
			}
		}
	}
	if word := lang.never.FindString(lang.blank(content)); word != "" {
		return nil, "its witness looks at more than what the code does: " + text.Clip(word, 40)
	}
	return append(used, spoken(lang, content)...), ""
}

// spoken are the names by which a witness's code speaks of the project. A module's name says where
// something is, not what it does.
func spoken(lang *language, content string) []string {
	text, modules := []byte(content), map[string]bool{}
	if at := goPackage.FindStringSubmatchIndex(content); lang.name == "go" && at != nil {
		copy(text[at[2]:at[3]], strings.Repeat(" ", at[3]-at[2]))
	}
	for _, at := range lang.imports.FindAllStringSubmatchIndex(content, -1) {
		for g := 2; g+1 < len(at); g += 2 {
			for n := at[g]; n >= 0 && n < at[g+1]; n++ {
				text[n] = ' '
			}
			if at[g] >= 0 {
				for _, word := range identifiers.FindAllString(content[at[g]:at[g+1]], -1) {
					modules[word] = true
				}
			}
		}
	}
	blank := lang.blank(string(text))
	made := map[string]bool{}
	for _, m := range lang.declares.FindAllStringSubmatch(blank, -1) {
		for _, name := range m[1:] {
			made[name] = true
		}
	}
	var all []string
	for _, at := range identifiers.FindAllStringIndex(blank, -1) {
		name := blank[at[0]:at[1]]
		if made[name] || modules[name] && strings.HasPrefix(blank[at[1]:], ".") {
			continue
		}
		all = append(all, name)
	}
	return all
}

var anyWord = lazyregexp.New(`[\pL_]\w*`)

var identifiers = lazyregexp.New(`[\pL_]\w+`)

// project reports whether a module is the project's own.
func (c Case) project(lang *language, module string) bool {
	switch lang.name {
	case "node":
		return strings.HasPrefix(module, "./") || strings.HasPrefix(module, "../")
	case "go":
		return slices.ContainsFunc(c.Base, func(file string) bool {
			dir := path.Dir(file)
			return path.Ext(file) == ".go" && (module == dir || strings.HasSuffix(module, "/"+dir) ||
				dir == "." && !strings.Contains(module, "/") && !slices.Contains(lang.pure, module))
		}) && c.there("go.mod")
	}
	file := strings.ReplaceAll(module, ".", "/")
	return slices.ContainsFunc(c.Base, func(have string) bool {
		return strings.HasPrefix(have, file+"/") || strings.HasSuffix("/"+have, "/"+file+".py")
	})
}

// excused returns why a failure of the witness could be what the section asks for, or be about what
// the phase made: the base is no judge of either.
func (c Case) excused(f state.Finding, names []string) string {
	old, added := map[string]bool{}, map[string]bool{}
	for _, e := range c.Edits {
		if code(e.Path) == nil {
			continue
		}
		for _, word := range anyWord.FindAllString(e.Old, -1) {
			old[word] = true
		}
		for _, word := range anyWord.FindAllString(e.New, -1) {
			added[word] = true
		}
	}
	said := c.said()
	for _, name := range names {
		name = strings.TrimLeft(name, "-")
		switch {
		case added[name] && !old[name] && !slices.Contains(frame, name):
			return "its witness speaks of " + text.Clip(name, 60) +
				", which the base does not have; quote the plan for what is new"
		case len(name) < 3:
		case !slices.Contains(frame, name) && mentions(said, name):
			return "the section speaks of " + text.Clip(name, 60) +
				", so that the base is no judge of it"
		}
	}
	for _, value := range append(literals(f.Witness.Content+"\n"+f.Witness.Command),
		f.Expected, f.Received) {
		if len(value) >= 3 && wordOnly.MatchString(value) && holdsWord(c.sectionText(), value) {
			return "the section speaks of " + text.Clip(value, 60) +
				", so that the base is no judge of it"
		}
	}
	if everything.MatchString(c.sectionText()) {
		return "the section asks for a change everywhere, so that the base is no judge"
	}
	return ""
}

// frame are words of test frameworks and languages, which say nothing of the project.
var frame = strings.Fields(`assert assertEqual assertTrue assertFalse assertRaises assertIn
	assertIsNone assertAlmostEqual unittest TestCase main pytest raises test tests describe expect
	toBe toEqual equal strictEqual deepEqual deepStrictEqual notEqual throws node import from
	require const let var function return class def self true false None True False null nil
	undefined package testing func Fatal Fatalf Error Errorf Log Logf Run want got expected received
	result value string int float64 bool error range for if else not and with echo printf exit then
	len append str list dict set tuple strings errors fmt reflect DeepEqual Sprint Sprintf strict
	default describe it async await new json math`)

// everything finds a statement that asks for a change without naming its places.
var everything = lazyregexp.New(`(?im)^[^\n]*\b(?:all|every|everywhere|throughout|whole|entire)\b` +
	`[^\n]*\b(?:messages?|outputs?|functions?|values?|amounts?|files?|callers?|commands?|names?|` +
	`errors?|numbers?|prices?|texts?|code|project|methods?|results?)\b`)

// sectionText is all that the plan says of the phase.
func (c Case) sectionText() string {
	all := []string{c.Phase.Name, c.Phase.Text}
	for _, t := range slices.Concat(c.Phase.Tasks, c.Phase.Criteria) {
		all = append(all, t.Text)
	}
	return strings.Join(all, "\n")
}

// said are the words of the section, in lower case.
func (c Case) said() map[string]bool {
	words := map[string]bool{}
	for _, w := range identifiers.FindAllString(c.sectionText(), -1) {
		words[strings.ToLower(w)] = true
	}
	return words
}

var humps = lazyregexp.New(`[A-Z]?[a-z]+|[A-Z]+|\d+`)

// mentions reports whether a section names an identifier, in any spelling.
func mentions(said map[string]bool, name string) bool {
	if said[strings.ToLower(name)] {
		return true
	}
	parts := humps.FindAllString(name, -1)
	for _, p := range parts {
		if !said[strings.ToLower(p)] {
			return false
		}
	}
	return len(parts) > 1
}

var stringLiteral = lazyregexp.New(`"([^"\n]{3,80})"|'([^'\n]{3,80})'`)

// literals are the texts between quotes.
func literals(s string) []string {
	var all []string
	for _, m := range stringLiteral.FindAllStringSubmatch(s, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}

// disguised are two trees that differ from others in their text alone: the base with the lines of
// the work as comments, and the work with comments more. A witness that sees a difference there
// looks at texts.
func (c Case) disguised() (decoy, same []referee.Overlay) {
	for _, e := range c.Edits {
		lang := code(e.Path)
		if lang == nil || e.Unread {
			continue
		}
		old, now := strings.SplitAfter(e.Old, "\n"), strings.SplitAfter(e.New, "\n")
		head, tail := common(old, now)
		changed := now[head : len(now)-tail]
		put := func(lines []string, at, end int, mode string) referee.Overlay {
			out := slices.Concat(lines[:at], comments(lang, changed), lines[at:end],
				comments(lang, changed), lines[end:])
			return referee.Overlay{Path: e.Path, Mode: mode, Content: strings.Join(out, "")}
		}
		if e.OldMode != "" {
			decoy = append(decoy, put(old, head, len(old)-tail, e.OldMode))
		}
		if e.NewMode != "" {
			same = append(same, put(now, head, len(now)-tail, e.NewMode))
		}
	}
	return decoy, same
}

// common counts the lines that two files share at their beginning and their end. The first line
// counts where it names an interpreter.
func common(a, b []string) (head, tail int) {
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	if head == 0 && len(a) > 0 && len(b) > 0 && strings.HasPrefix(a[0], "#!") &&
		strings.HasPrefix(b[0], "#!") {
		head = 1
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// comments makes one line of comment of each line, as long as before or longer.
func comments(lang *language, lines []string) []string {
	out := []string{"\n"}
	for _, line := range lines {
		out = append(out, lang.comment+" "+strings.TrimRight(line, "\r\n")+"\n")
	}
	return out
}
