package git

import (
	"fmt"
	"slices"
	"strings"
)

// Setting is one line of a configuration. A key without a value has the value true.
type Setting struct {
	Key, Value string
}

// parseSettings reads what git config --list -z prints.
func parseSettings(entries []string) Config {
	settings := make(Config, 0, len(entries))
	for _, e := range entries {
		key, val, ok := strings.Cut(e, "\n")
		if !ok {
			val = "true"
		}
		settings = append(settings, Setting{key, val})
	}
	return settings
}

// Config is a list of settings in git's order: of two with the same key the last one counts.
type Config []Setting

// Get is the value of a key, upper and lower case alike; empty where it is not set.
func (c Config) Get(key string) string {
	for _, s := range slices.Backward(c) {
		if strings.EqualFold(s.Key, key) {
			return s.Value
		}
	}
	return ""
}

// Is reports whether a key is set to true.
func (c Config) Is(key string) bool { return isTrue(c.Get(key)) }

// isTrue reads a boolean as git does.
func isTrue(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

var settingEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)

// formatSettings is a configuration file that git reads back as the same list.
func formatSettings(settings Config) []byte {
	var b strings.Builder
	for _, s := range settings {
		first, last := strings.IndexByte(s.Key, '.'), strings.LastIndexByte(s.Key, '.')
		if first < 0 {
			continue
		}
		section := s.Key[:first]
		if first != last {
			sub := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s.Key[first+1 : last])
			section += ` "` + sub + `"`
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, s.Key[last+1:],
			settingEscapes.Replace(s.Value))
	}
	return []byte(b.String())
}
