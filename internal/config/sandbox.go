package config

import (
	"go.yaml.in/yaml/v4"

	"autobuild/internal/text"
)

// sandbox reads a word, or {mode, write}.
func (r *reader) sandbox(key, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.flag(key, n)
		return
	}
	r.once(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		inner, value := n.Content[i], n.Content[i+1]
		switch inner.Value {
		case "mode":
			r.flag(key, value)
		case "write":
			r.strings(value, &r.c.Write)
		default:
			r.bad(inner, text.Suggest(inner.Value, []string{"mode", "write"}, SeeHelp), "unknown key %q in %s", inner.Value, SandboxFlag)
		}
	}
}
