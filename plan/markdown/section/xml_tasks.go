package section

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// ReadXMLTasks reads tasks written as <task type="auto"><name>…</name>…</task>. A task without a
// name is called by the first text in it, else by its type.
func (u *Unit) ReadXMLTasks(d *document.Document) {
	var open *xmlTask
	for n := u.From; n < u.To; n++ {
		if d.Code[n] {
			continue
		}
		line := strings.TrimSpace(d.Line(n))
		rest, found := strings.CutPrefix(line, "<task")
		if found && (rest == "" || strings.IndexByte(" \t>/", rest[0]) >= 0) {
			u.addTask(open)
			tag, inner, _ := strings.Cut(rest, ">")
			open = &xmlTask{line: n, kind: attribute(tag, "type"), name: attribute(tag, "name")}
			line = strings.TrimSpace(inner)
			if strings.HasSuffix(tag, "/") {
				u.addTask(open)
				open = nil
			}
		}
		if open == nil {
			continue
		}
		inner, _, closed := strings.Cut(line, "</task>")
		switch {
		case strings.HasPrefix(inner, "<name>"):
			open.name, open.line = element(inner, "name"), n
		case strings.HasPrefix(inner, "<files>"):
			u.Files = addFiles(u.Files, "touch", element(inner, "files"))
		case open.text == "":
			open.text = inline.WithoutTags(inner)
		}
		if closed {
			u.addTask(open)
			open = nil
		}
	}
	u.addTask(open)
}

// xmlTask is one task element.
type xmlTask struct {
	line             int
	name, kind, text string
}

func (u *Unit) addTask(x *xmlTask) {
	if x == nil {
		return
	}
	name := x.name
	switch {
	case name != "":
	case x.text != "":
		name = x.text
	case x.kind != "":
		name = "task of type " + x.kind
	default:
		name = "task"
	}
	u.NoBoxes = true
	u.Tasks = append(u.Tasks, plan.Task{Text: name, Pos: plan.Pos{Line: x.line, Col: 1}})
}

// attribute is the value of an attribute in a tag: type="auto".
func attribute(tag, name string) string {
	_, value, found := strings.Cut(tag, " "+name+"=\"")
	if !found {
		return ""
	}
	value, _, _ = strings.Cut(value, "\"")
	return strings.TrimSpace(value)
}

func element(line, name string) string {
	line = strings.TrimPrefix(line, "<"+name+">")
	text, _, _ := strings.Cut(line, "</"+name+">")
	return inline.Plain(strings.TrimSpace(text))
}
