package reading

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan/markdown/words"
)

// readDot reads a graph in the language of Graphviz: `digraph { p1 [label="Phase 1"]; p1 -> p2 }`.
func readDot(text string) *Flow {
	p := dotReader{Flow: newFlow()}
	for _, token := range dotTokens.FindAllString(text, -1) {
		if !strings.HasPrefix(token, "//") && !strings.HasPrefix(token, "/*") &&
			!strings.HasPrefix(token, "\n") && strings.TrimSpace(token) != "" {
			p.tokens = append(p.tokens, token)
		}
	}
	p.at = slices.Index(p.tokens, "{") + 1
	p.statements(nil, false)
	return p.Flow
}

// dotTokens matches comments, strings, arrows, marks and names.
var dotTokens = lazyregexp.New(
	`//[^\n]*|(?s:/\*.*?\*/)|\n#[^\n]*|"(?:[^"\\]|\\.)*"|<(?:[^<>]|<[^<>]*>)*>|->|--|[{}\[\];,=:]|` +
		`(?:[^\s{}\[\];,=:"<>-]|-[^->\s])+`)

// dotReader reads the tokens of a graph.
type dotReader struct {
	*Flow
	tokens []string
	at     int
}

func (p *dotReader) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *dotReader) take() string {
	token := p.peek()
	p.at++
	return token
}

// statements reads up to the closing brace, and lists the nodes that are mentioned. back is whether
// edges point to what comes first.
func (p *dotReader) statements(open []string, back bool) (nodes []string) {
	for p.at < len(p.tokens) {
		token := p.peek()
		next := ""
		if p.at+1 < len(p.tokens) {
			next = p.tokens[p.at+1]
		}
		switch {
		case token == "}":
			p.at++
			return nodes
		case token == ";" || token == ",":
			p.at++
		case next == "[" && slices.Contains([]string{"graph", "node", "edge"}, token):
			p.at++
			if attributes := p.attributes(); token == "edge" {
				back = attributes["dir"] == "back"
			} else if title := attributes["label"]; token == "graph" && title != "" &&
				len(open) > 0 {
				p.Label[open[len(open)-1]] = title
			}
		case next == "=":
			p.at += 2
			if value := unquoted(p.take()); token == "label" && len(open) > 0 {
				p.Label[open[len(open)-1]] = value
			}
		default:
			nodes = append(nodes, p.edge(open, back)...)
		}
	}
	return nodes
}

// edge reads a node with its label, or a path of nodes and groups of nodes.
func (p *dotReader) edge(open []string, back bool) (all []string) {
	path := [][]string{p.operand(open, back)}
	directed := true
	for p.peek() == "->" || p.peek() == "--" {
		directed = p.take() == "->" && directed
		path = append(path, p.operand(open, back))
	}
	attributes := p.attributes()
	if dir, said := attributes["dir"]; said {
		back, directed = dir == "back", directed && dir != "none" && dir != "both"
	}
	if words.WaitsFor(attributes["label"]) {
		back, p.sure = !back, true // a -> b [label="depends on"]
	}
	for k, nodes := range path {
		all = append(all, nodes...)
		switch {
		case k == 0 || !directed:
		case back:
			p.join(nodes, path[k-1])
		default:
			p.join(path[k-1], nodes)
		}
	}
	if label := attributes["label"]; len(path) == 1 && len(path[0]) == 1 && label != "" {
		p.Label[path[0][0]] = label
	}
	return all
}

// operand reads a node, or the nodes of a subgraph.
func (p *dotReader) operand(open []string, back bool) []string {
	token := p.take()
	if token == "subgraph" || token == "{" {
		name := ""
		if token == "subgraph" && p.peek() != "{" {
			name = unquoted(p.take())
		}
		if token == "subgraph" {
			p.take() // the brace
		}
		if len(open) > maxNested {
			return nil
		}
		if name != "" {
			open = append(slices.Clip(open), p.group(name, "", open))
		}
		return p.statements(open, back)
	}
	name := unquoted(token)
	for p.peek() == ":" { // a port
		p.at += 2
	}
	if name == "" || strings.ContainsAny(token[:1], "[]=") {
		return nil
	}
	p.note(name, "", open)
	return []string{name}
}

// attributes reads lists such as [label="Phase 1", shape=box].
func (p *dotReader) attributes() map[string]string {
	list := map[string]string{}
	for p.peek() == "[" {
		p.at++
		for p.at < len(p.tokens) && p.peek() != "]" {
			name := p.take()
			if p.peek() == "=" {
				p.at++
				list[unquoted(name)] = unquoted(p.take())
			}
		}
		p.at++
	}
	return list
}

// dotBreaks are the marks of a line break in a label.
var dotBreaks = strings.NewReplacer(`\n`, " ", `\l`, " ", `\r`, " ", `\"`, `"`)

// dotTag matches the markup in a label.
var dotTag = lazyregexp.New(`<[^<>]*>`)

// unquoted is a name or a label as it is shown.
func unquoted(token string) string {
	if inner, found := strings.CutPrefix(token, "\""); found {
		token = strings.TrimSuffix(inner, "\"")
	} else if strings.HasPrefix(token, "<") && len(token) > 1 {
		token = dotTag.ReplaceAllString(token[1:len(token)-1], " ")
	}
	return strings.TrimSpace(dotBreaks.Replace(token))
}
