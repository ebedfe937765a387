package gate

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// Hybrid is the work's manifest with the base's gate keys; false where it cannot be made, so that
// the base's has to do.
func (r *Reach) Hybrid(file, old, now string) (string, bool) {
	var text string
	switch base := path.Base(file); {
	case base == "package.json":
		text = r.hybridPackage(file, old, now)
	case base == "go.mod":
		text = hybridGoMod(old, now)
	case tableKeys[base] != nil && base != "composer.json":
		text = hybridTables(old, now, tableKeys[base])
	}
	if text == "" {
		return "", false
	}
	want, err := r.gateKeys(file, old)
	if err != nil {
		return "", false
	}
	got, err := r.gateKeys(file, text)
	if err != nil {
		return "", false
	}
	for _, d := range differences(want, got) {
		was, _ := d.Old.(string)
		now, _ := d.New.(string)
		if !r.keyHarmless(file, d) && !VersionKey(file, d.Key, was, now) { // versions are the work's
			return "", false
		}
	}
	return text, true
}

// member is one key of a JSON object, in order.
type member struct {
	key   string
	value json.RawMessage
}

// members are the keys of a JSON object in their order, which conditions in exports depend on.
func members(text []byte) ([]member, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var out []member
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return nil, false
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return nil, false
		}
		out = append(out, member{name, v})
	}
	_, err := d.Token()
	return out, err == nil
}

func object(all []member) string {
	var b strings.Builder
	b.WriteString("{")
	for i, m := range all {
		if i > 0 {
			b.WriteString(",")
		}
		key, _ := json.Marshal(m.key) // a string always can be
		b.WriteString("\n  " + string(key) + ": " + string(m.value))
	}
	b.WriteString("\n}")
	return b.String()
}

func lookup(all []member, key string) (json.RawMessage, bool) {
	for _, m := range all {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// dependencyKeys are the members with some entries that steer gates.
var dependencyKeys = []string{
	"dependencies", "devDependencies", "optionalDependencies",
	"peerDependencies", "overrides", "resolutions", "pnpm", "bin",
}

func (r *Reach) hybridPackage(file, before, after string) string {
	old, ok1 := members([]byte(before))
	if before == "" {
		ok1 = true
	}
	now, ok2 := members([]byte(after))
	if !ok1 || !ok2 {
		return ""
	}
	whole := append(slices.Clone(RunnerKeys), "config", "workspaces")
	var out []member
	for _, n := range now {
		was, there := lookup(old, n.key)
		switch {
		case n.key == "scripts":
			out = append(out, member{n.key, r.hybridScripts(file, was, n.value)})
		case slices.Contains(whole, n.key):
			if there {
				out = append(out, member{n.key, was})
			}
		case slices.Contains(dependencyKeys, n.key):
			out = append(out, member{n.key, r.hybridEntries(file, n.key, was, n.value)})
		default:
			out = append(out, n)
		}
	}
	for _, o := range old {
		_, there := lookup(now, o.key)
		if !there && (o.key == "scripts" || slices.Contains(whole, o.key)) {
			out = append(out, o)
		}
	}
	return object(out) + "\n"
}

// hybridScripts are the base's scripts, and those of the work that no gate runs.
func (r *Reach) hybridScripts(file string, was, is json.RawMessage) json.RawMessage {
	old, _ := members(was)
	now, ok := members(is)
	if !ok {
		return was
	}
	out := slices.Clone(old)
	for _, n := range now {
		if _, there := lookup(old, n.key); !there && !r.scriptCounts(file, n.key) {
			out = append(out, n)
		}
	}
	return json.RawMessage(object(out))
}

// hybridEntries are the work's dependencies, with the base's entries for programs that gates run.
func (r *Reach) hybridEntries(file, kind string, was, is json.RawMessage) json.RawMessage {
	old, _ := members(was)
	now, ok := members(is)
	if !ok {
		return is
	}
	var out []member
	for _, n := range now {
		c := KeyChange{Key: kind + "." + n.key}
		var before, target string
		value, there := lookup(old, n.key)
		if there && json.Unmarshal(value, &before) == nil {
			c.Old = before
		}
		steers := json.Unmarshal(n.value, &target) == nil && localTarget.MatchString(target)
		c.New = target
		switch {
		case !steers, r.keyHarmless(file, c), there && VersionKey(file, c.Key, before, target):
			out = append(out, n)
		case there:
			out = append(out, member{n.key, value})
		}
	}
	return json.RawMessage(object(out))
}

var goModSteering = []string{"replace", "exclude", "tool", "ignore", "godebug"}

// hybridGoMod is the work's go.mod with the base's directives other than its requirements.
func hybridGoMod(old, now string) string {
	keep, _ := splitGoMod(now)
	_, steering := splitGoMod(old)
	return keep + "\n" + steering
}

// splitGoMod parts the lines that steer the go tool from the others.
func splitGoMod(text string) (product, steering string) {
	var a, b strings.Builder
	block := ""
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			line += "\n"
		}
		code, _, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		out := &a
		switch {
		case block != "":
			if slices.Contains(goModSteering, block) {
				out = &b
			}
			if len(words) == 1 && words[0] == ")" {
				block = ""
			}
		case len(words) == 2 && words[1] == "(":
			block = words[0]
			if slices.Contains(goModSteering, block) {
				out = &b
			}
		case len(words) > 0 && slices.Contains(goModSteering, words[0]):
			out = &b
		}
		out.WriteString(line)
	}
	return a.String(), b.String()
}

var tableHead = lazyregexp.New(`^\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$`)

// chunk is a table of a TOML or INI file with its head.
type chunk struct{ name, text string }

func chunks(text string) []chunk {
	out := []chunk{{}}
	for line := range strings.Lines(text) {
		if h := tableHead.FindStringSubmatch(line); h != nil {
			out = append(out,
				chunk{name: strings.ReplaceAll(strings.ReplaceAll(h[1], `"`, ""), " ", "")})
		}
		if !strings.HasSuffix(line, "\n") {
			line += "\n"
		}
		out[len(out)-1].text += line
	}
	return out
}

// hybridTables is the work's file with the base's tables that steer gates. A table that has both
// kinds of keys is the base's.
func hybridTables(old, now string, keys *lazyregexp.Regexp) string {
	steers := func(c chunk) bool {
		if c.name == "" {
			return false
		}
		if keys.MatchString(c.name) || keys.MatchString(c.name+".") {
			return true
		}
		for line := range strings.Lines(c.text) {
			if key, _, ok := strings.Cut(line, "="); ok &&
				keys.MatchString(c.name+"."+strings.TrimSpace(key)) {
				return true
			}
		}
		return false
	}
	mine := chunks(old)
	var b strings.Builder
	for _, c := range chunks(now) {
		if steers(c) || slices.ContainsFunc(mine, func(o chunk) bool {
			return o.name == c.name && steers(o)
		}) {
			continue
		}
		b.WriteString(c.text)
	}
	for _, c := range mine {
		if steers(c) {
			b.WriteString("\n" + c.text)
		}
	}
	return b.String()
}
