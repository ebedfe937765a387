package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/secret"
)

// reference is a value that names a variable of the environment.
var reference = lazyregexp.New(`^\$(?:(\w+)|\{(\w+)\})$`)

// Resolve is a, the agent of this name, with the values of the variables that its env refers to.
// The error names one that get, which looks up the environment, has not.
func (a Agent) Resolve(name string, get func(name string) string) (Agent, error) {
	env := make(map[string]string, len(a.Env))
	for key, value := range a.Env {
		if m := reference.FindStringSubmatch(value); m != nil {
			variable := cmp.Or(m[1], m[2])
			if value = get(variable); value == "" {
				return a, fmt.Errorf("agent %s: env.%s takes the value of %s, which is not set here; "+
					"set it", name, key, variable)
			}
		}
		env[key] = value
	}
	a.Env = env
	return a, nil
}

// Travels is the text of a configuration as it may leave this machine: without comments and what
// only the machine that starts a run needs. It is an *Error if it holds a secret: one of known, or
// what looks like one.
func Travels(raw []byte, shown string, known []string) (string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil || says(&doc) == nil {
		return "", err //nolint:wrapcheck // it has been read before
	}
	t := traveller{reader: reader{shown: shown}, known: known}
	root := says(&doc)
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "notify" {
			root.Content = slices.Delete(root.Content, i, i+2)
			break
		}
	}
	t.walk(root, nil)
	if len(t.errs) > 0 {
		return "", t.errs[0]
	}
	out, err := yaml.Marshal(root)
	return string(out), err //nolint:wrapcheck // it has been read before
}

// traveller looks for secrets in a document.
type traveller struct {
	reader
	known []string
}

// walk looks at the value of the keys in path.
func (t *traveller) walk(n *yaml.Node, path []string) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			t.walk(n.Content[i], path)
			t.walk(n.Content[i+1], append(path, n.Content[i].Value))
		}
		return
	}
	for _, part := range n.Content {
		t.walk(part, path)
	}
	if n.Kind != yaml.ScalarNode || reference.MatchString(n.Value) {
		return
	}
	key, inEnv := "", len(path) > 1 && path[len(path)-2] == "env"
	if inEnv {
		key = path[len(path)-1]
	}
	what := secret.Holds(n.Value, t.known)
	if what == "" && len(secret.Values([]string{key + "=" + n.Value})) > 0 {
		what = "a secret"
	}
	switch {
	case what == "":
	case inEnv:
		t.bad(n, fmt.Sprintf("write %s: $%s, and set %s in the environment of the workers", key, key,
			key), "%s holds %s, which would be pushed to the git remote", strings.Join(path, "."), what)
	default:
		t.bad(n, "let what needs it read it from a variable of the environment of the workers",
			"%s holds %s, which would be pushed to the git remote", strings.Join(path, "."), what)
	}
}
