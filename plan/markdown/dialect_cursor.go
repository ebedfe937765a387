package markdown

import (
	"slices"
	"strings"

	"autobuild/plan"
)

// cursor is a plan whose phases are a list in its front matter: the todos of the Cursor editor, or
// "phases" and the like elsewhere.
type cursor struct{}

func (cursor) name() string { return "cursor" }

func (cursor) signs(d *document) bool { return len(todos(d.front)) > 0 }

// frontLists are the keys of front matter whose lists are phases. All but the first need an id or a
// dependency in each element.
var frontLists = []string{"todos", "phases", "tasks", "steps", "stages", "milestones", "stories", "units", "workstreams"}

// cursorWords are the only words that the editor understands.
var cursorWords = map[plan.Status]string{
	plan.StatusTodo: "pending", plan.StatusInProgress: "in_progress", plan.StatusDone: "completed", plan.StatusSkipped: "cancelled",
}

// todo is one element of the list of todos.
type todo struct {
	line                int
	id, content, status entry
	needs               []entry
	stated              bool
}

// todos reads the list of todos.
func todos(front []entry) []todo {
	var found []todo
	at, name := -1, ""
	for i, e := range front {
		if e.indent == 0 && !e.dash && (name == "" || e.key == frontLists[0]) && slices.Contains(frontLists, e.key) && i+1 < len(front) && front[i+1].dash {
			at, name = i+1, e.key
		}
	}
	if at < 0 {
		return nil
	}
	margin := front[at].indent
	listing := false
	for _, e := range front[at:] {
		if e.indent < margin || (e.indent == margin && !e.dash) {
			break
		}
		if e.indent == margin {
			found = append(found, todo{line: e.line})
			listing = false
		}
		t := &found[len(found)-1]
		switch {
		case e.indent > margin && e.dash:
			if listing {
				t.needs = append(t.needs, e)
			}
			continue
		case e.key == "id":
			t.id = e
		case e.key == "content", e.key == "name", e.key == "title":
			t.content = e
		case e.key == "status":
			t.status = e
		}
		if listing = slices.Contains(needNames, keyWords(e.key)); listing {
			t.stated = true
			if strings.TrimSpace(e.raw) != "" {
				t.needs = append(t.needs, entry{line: e.line, value: strings.Trim(e.raw, "[]")})
			}
		}
	}
	if name != frontLists[0] && slices.ContainsFunc(found, func(t todo) bool { return t.id.value == "" && !t.stated }) {
		return nil
	}
	return found
}

// prior is high: the front matter says what the document is.
func (cursor) prior(*document) int { return 200 }

func (cursor) read(r *reading) {
	d := r.doc
	for _, t := range todos(d.front) {
		u := unit{title: readTitle(t.content.value), offset: d.lines[t.line-1]}
		u.Label, u.Name = u.title.label, u.title.name
		switch {
		case t.id.value == "":
			u.Label, u.Name, u.title = t.content.value, "", title{}
		case u.Label == "" || u.title.kind == "":
			u.Label, u.Name, u.title = t.id.value, t.content.value, title{}
		default:
			u.Aliases = []string{t.id.value}
		}
		u.Pos = plan.Pos{Line: t.line, Col: 1}
		u.Width = len(d.line(t.line))
		u.Text = t.content.value
		if t.status.line > 0 {
			u.statusAt = valueCell(d, t.status)
			u.stated = []cell{u.statusAt}
			u.statusWords = cursorWords
			u.Status = statusOf(strings.ReplaceAll(t.status.value, "_", " "), true)
		}
		for _, need := range t.needs {
			u.Needs = append(u.Needs, plan.Ref{Text: strings.ReplaceAll(need.value, `"`, ""), Pos: plan.Pos{Line: need.line, Col: 1}})
		}
		if t.stated && len(u.Needs) == 0 {
			u.Needs = []plan.Ref{{Text: "none", Pos: u.Pos}}
		}
		r.units = append(r.units, u)
	}
	r.attach()
}

// valueCell is where the value of an entry stands.
func valueCell(d *document, e entry) cell {
	line := d.line(e.line)
	at := strings.LastIndex(line, e.value)
	return cell{raw: e.value, offset: d.lines[e.line-1] + max(at, 0)}
}
