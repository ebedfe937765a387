package dialect

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// cursor is a plan whose phases are a list in its front matter: the todos of the Cursor editor, or
// "phases" and the like elsewhere.
type cursor struct{}

func (cursor) name() string { return "cursor" }

func (cursor) signs(d *document.Document) bool { return len(todos(d.Front)) > 0 }

// frontLists are the keys of front matter whose lists are phases. All but the first need an id or a
// dependency in each element.
var frontLists = []string{
	"todos", "phases", "tasks", "steps", "stages", "milestones", "stories", "units",
	"workstreams",
}

// cursorWords are the only words that the editor understands.
var cursorWords = map[plan.Status]string{
	plan.StatusTodo: "pending", plan.StatusInProgress: "in_progress", plan.StatusDone: "completed",
	plan.StatusSkipped: "cancelled",
}

// todo is one element of the list of todos.
type todo struct {
	line                int
	id, content, status document.Entry
	needs               []document.Entry
	stated              bool
}

// todos reads the list of todos.
func todos(front []document.Entry) []todo {
	var found []todo
	at, name := -1, ""
	for i, e := range front {
		if e.Indent == 0 && !e.Dash && (name == "" || e.Key == frontLists[0]) &&
			slices.Contains(frontLists, e.Key) && i+1 < len(front) && front[i+1].Dash {
			at, name = i+1, e.Key
		}
	}
	if at < 0 {
		return nil
	}
	margin := front[at].Indent
	listing := false
	for _, e := range front[at:] {
		if e.Indent < margin || (e.Indent == margin && !e.Dash) {
			break
		}
		if e.Indent == margin {
			found = append(found, todo{line: e.Line})
			listing = false
		}
		t := &found[len(found)-1]
		switch {
		case e.Indent > margin && e.Dash:
			if listing {
				t.needs = append(t.needs, e)
			}
			continue
		case e.Key == "id":
			t.id = e
		case e.Key == "content", e.Key == "name", e.Key == "title":
			t.content = e
		case e.Key == "status":
			t.status = e
		}
		if listing = slices.Contains(words.NeedNames, document.WordsOfKey(e.Key)); listing {
			t.stated = true
			if strings.TrimSpace(e.Raw) != "" {
				t.needs = append(t.needs,
					document.Entry{Line: e.Line, Value: strings.Trim(e.Raw, "[]")})
			}
		}
	}
	if name != frontLists[0] &&
		slices.ContainsFunc(found, func(t todo) bool { return t.id.Value == "" && !t.stated }) {
		return nil
	}
	return found
}

// prior is high: the front matter says what the document is.
func (cursor) prior(*document.Document) int { return 200 }

func (cursor) read(r *reading.Reading) {
	d := r.Doc
	for _, t := range todos(d.Front) {
		u := section.Unit{Title: words.ReadTitle(t.content.Value), Offset: d.Lines[t.line-1]}
		u.Label, u.Name = u.Title.Label, u.Title.Name
		switch {
		case t.id.Value == "":
			u.Label, u.Name, u.Title = t.content.Value, "", words.Title{}
		case u.Label == "" || u.Title.Kind == "":
			u.Label, u.Name, u.Title = t.id.Value, t.content.Value, words.Title{}
		default:
			u.Aliases = []string{t.id.Value}
		}
		u.Pos = plan.Pos{Line: t.line, Col: 1}
		u.Width = len(d.Line(t.line))
		u.Text = t.content.Value
		if t.status.Line > 0 {
			u.StatusAt = valueCell(d, t.status)
			u.Stated = []document.Cell{u.StatusAt}
			u.StatusWords = cursorWords
			u.Status = words.StatusOf(strings.ReplaceAll(t.status.Value, "_", " "), true)
		}
		for _, need := range t.needs {
			u.Needs = append(u.Needs, plan.Ref{
				Text: strings.ReplaceAll(need.Value, `"`, ""),
				Pos:  plan.Pos{Line: need.Line, Col: 1},
			})
		}
		if t.stated && len(u.Needs) == 0 {
			u.Needs = []plan.Ref{{Text: "none", Pos: u.Pos}}
		}
		r.Units = append(r.Units, u)
	}
	r.AttachHeadings()
}

// valueCell is where the value of an entry stands.
func valueCell(d *document.Document, e document.Entry) document.Cell {
	line := d.Line(e.Line)
	at := strings.LastIndex(line, e.Value)
	return document.Cell{Raw: e.Value, Offset: d.Lines[e.Line-1] + max(at, 0)}
}
