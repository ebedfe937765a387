package gate

import "strings"

// section is a section of an INI file.
type section struct {
	name   string
	keys   []string // in order
	values map[string]string
}

// parseINI reads an INI file as configparser does: a value goes on in indented lines.
func parseINI(text string) []section {
	out := []section{{values: map[string]string{}}}
	key := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		trimmed := strings.TrimSpace(line)
		current := &out[len(out)-1]
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
		case line[0] == ' ' || line[0] == '\t':
			if key != "" {
				current.values[key] = strings.TrimPrefix(current.values[key]+"\n"+trimmed, "\n")
			}
		case trimmed[0] == '[' && strings.HasSuffix(trimmed, "]"):
			out = append(out, section{
				name:   strings.Trim(trimmed, "[]"),
				values: map[string]string{},
			})
			key = ""
		default:
			i := strings.IndexAny(trimmed, "=:")
			if i < 0 {
				i = len(trimmed)
			}
			key = strings.ToLower(strings.TrimSpace(trimmed[:i]))
			current.keys = append(current.keys, key)
			current.values[key] = strings.TrimSpace(strings.TrimLeft(trimmed[i:], "=: "))
		}
	}
	return out
}
