package fakemodel

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// The names of agents' tools, in the order in which they are preferred.
var (
	shells = []string{
		"Bash", "bash", "run_shell_command", "exec_command", "shell_command",
		"shell",
	}
	writers = []string{"Write", "write", "write_file", "create", "apply_patch", "edit"}
)

// tool is a tool that an agent offers.
type tool struct {
	Properties map[string]struct {
		Type any   `json:"type"`
		Enum []any `json:"enum"`
	} `json:"properties"`
	Required []string `json:"required"`
	freeform bool     // its input is a text without a form
}

// use is a call of a tool as the agent knows it.
type use struct {
	id, name string
	args     object
	input    string // instead of args, of a freeform tool
}

// arguments are the args as JSON text.
func (u use) arguments() string {
	raw, _ := json.Marshal(u.args) // of texts and numbers, which always can be written
	return string(raw)
}

// use turns an abstract call into one of what is offered. Without a tool for files, or without
// knowing where, the shell writes.
func (r *request) use(c Call, id string) use {
	find := func(names []string) string {
		i := slices.IndexFunc(names, func(n string) bool { _, ok := r.tools[n]; return ok })
		if i < 0 {
			return ""
		}
		return names[i]
	}
	name, file := find(writers), path.Join(r.dir(), c.Path)
	switch {
	case c.Tool == "missing":
		return use{id: id, name: "look_around", args: object{"path": "."}}
	case c.Tool == "write" && name == "apply_patch" && r.tools[name].freeform:
		return use{id: id, name: name, input: patch(c)}
	case c.Tool == "write" && name == "apply_patch":
		return use{id: id, name: name, args: object{"input": patch(c)}}
	case c.Tool == "write" && name != "" && r.dir() != "":
		return use{id: id, name: name, args: r.tools[name].fill(object{
			"file_path": file, "filePath": file, "absolute_path": file, "path": file,
			"content": c.Content, "file_text": c.Content,
		})}
	case c.Tool == "write":
		c.Command = "printf '%s' " + quoted(c.Content) + " > " + quoted(c.Path)
	}
	name = find(shells)
	t := r.tools[name]
	command := any(c.Command)
	if kind, _ := t.Properties["command"].Type.(string); kind == "array" {
		command = []string{"bash", "-c", c.Command}
	}
	return use{
		id: id, name: name,
		args: t.fill(object{
			"command": command, "cmd": c.Command,
			"description": "a step of the script", "is_background": false,
		}),
	}
}

// fill keeps of values what the tool knows, and gives it what it insists on besides.
func (t tool) fill(values object) object {
	args := make(object)
	for name := range t.Properties {
		if v, ok := values[name]; ok {
			args[name] = v
		}
	}
	for _, name := range t.Required {
		if _, ok := args[name]; ok {
			continue
		}
		p := t.Properties[name]
		kind, _ := p.Type.(string)
		switch {
		case len(p.Enum) > 0:
			args[name] = p.Enum[0]
		case kind == "boolean":
			args[name] = false
		case kind == "integer" || kind == "number":
			args[name] = 1
		case kind == "array":
			args[name] = []any{}
		default:
			args[name] = "step"
		}
	}
	return args
}

// patch is a new file in the form that Codex' tool takes.
func patch(c Call) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** Add File: " + c.Path + "\n")
	for line := range strings.Lines(c.Content) {
		b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

// quoted is a word for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
