package markdown

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
)

// marks are the pictures that Mark writes.
var marks = map[plan.Status]string{
	plan.StatusTodo: "⬜", plan.StatusInProgress: "🔄", plan.StatusDone: "✅",
	plan.StatusBlocked: "⏸️",
	plan.StatusSkipped: "⏭️",
}

// written are the words that Mark writes where the document gives no example of its own.
var written = map[plan.Status]string{
	plan.StatusTodo: "Pending", plan.StatusInProgress: "In Progress", plan.StatusDone: "Complete",
	plan.StatusBlocked: "Blocked", plan.StatusSkipped: "Skipped",
}

// frontWords are those of the todos of a front matter, which tools read.
var frontWords = map[plan.Status]string{
	plan.StatusTodo: "pending", plan.StatusInProgress: "in_progress", plan.StatusDone: "completed",
	plan.StatusSkipped: "cancelled",
}

// Mark returns src with the status of one phase set, and, when it is done, its boxes ticked. src is
// parsed again, so it may have changed since p was parsed. All other bytes stay as they are, also
// optional and cancelled boxes.
func Mark(src []byte, p *plan.Plan, phaseID string, status plan.Status) ([]byte, error) {
	if marks[status] == "" {
		return nil, fmt.Errorf("cannot mark phase %s as %q: not a status", phaseID, status)
	}
	r, err := open(src, Options{Reading: p.Reading})
	if err != nil {
		return nil, fmt.Errorf("reading %s again to mark phase %s: %w", p.Path, phaseID, err)
	}
	at := slices.IndexFunc(r.units,
		func(u section.Unit) bool { return idOf(u.Label) == phaseID })
	if at < 0 {
		return nil, fmt.Errorf("phase %s is no longer in %s", phaseID, p.Path)
	}
	return []byte(document.Apply(src, edits(r, &r.units[at], status, statusWord(r, status)))), nil
}

// edits are the changes that set the status of a unit; word is the document's word for it.
func edits(
	r *reading, u *section.Unit, status plan.Status, word string,
) []document.Edit {
	var edits []document.Edit
	for _, c := range u.Stated {
		if own := frontWords[status]; r.name == "frontmatter" {
			if own != "" && own != c.Raw {
				from := r.doc.OriginalOffset(r.doc.Pos(c.Offset))
				edits = append(edits, document.Edit{From: from, To: from + len(c.Raw), Text: own})
			}
			continue
		}
		at, length, text, ok := restate(c.Raw, status, word)
		if said := c.Raw[:at] + text + c.Raw[at+length:]; !c.Title && ok && document.StatusOf(said) != status {
			at, length, text, ok = 0, len(c.Raw), word+" (was: "+strings.TrimSpace(c.Raw)+")", true
		}
		if !ok || (c.Title && renames(c.Raw, c.Raw[:at]+text+c.Raw[at+length:])) {
			continue
		}
		from := r.doc.OriginalOffset(r.doc.Pos(c.Offset + at))
		edits = append(edits, document.Edit{From: from, To: from + length, Text: text})
	}
	for _, t := range slices.Concat(u.Tasks, u.Criteria) {
		if status == plan.StatusDone && !t.Done && !t.Optional && t.Pos.Valid() {
			edits = tick(r, edits, t.Pos, 'x', u.Own > 0)
		}
	}
	boxes := map[plan.Status]byte{
		plan.StatusDone: 'x', plan.StatusInProgress: '-',
		plan.StatusTodo: ' ',
	}
	for _, i := range append(slices.Clone(u.OtherBoxes), u.Own-1) {
		if c := boxes[status]; c != 0 && i >= 0 && r.doc.Items[i].Box != 0 {
			edits = tick(r, edits, r.doc.Pos(r.doc.Items[i].BoxOffset-1), c, true)
		}
	}
	return edits
}

// renames reports whether a title would no longer name the same phase.
func renames(before, after string) bool {
	a, b := document.ReadCell(before), document.ReadCell(after)
	return a.Label != b.Label || a.Name != b.Name
}

// tick ticks the box at a place, unless it is ticked or cancelled. Where boxes are
// phases a dash says that one has begun.
func tick(r *reading, edits []document.Edit, box plan.Pos, c byte, own bool) []document.Edit {
	line := r.doc.Line(box.Line)
	for _, p := range inline.EmojiBoxes {
		if p.Box == ' ' && c == 'x' && strings.HasPrefix(line[min(box.Col-1, len(line)):],
			p.Glyph) {
			from := r.doc.OriginalOffset(box)
			// never praise
			return append(edits, document.Edit{From: from, To: from + len(p.Glyph), Text: "☑"})
		}
	}
	if box.Col+1 >= len(line) || line[box.Col-1] != '[' || line[box.Col+1] != ']' {
		return edits
	}
	old := line[box.Col]
	if old == c || (c == 'x' && (old == 'X' || old == '-' && !own)) {
		return edits
	}
	from := r.doc.OriginalOffset(plan.Pos{Line: box.Line, Col: box.Col + 1})
	return append(edits, document.Edit{From: from, To: from + 1, Text: string(c)})
}

// statusWord is the word of the document for a status, as another phase has it, else the usual one.
func statusWord(r *reading, status plan.Status) string {
	for i := range r.units {
		for _, c := range r.units[i].Stated {
			if c.Title {
				continue // its words are about other things
			}
			if at, length, said := document.FindStatus(c.Raw); at >= 0 && said == status {
				return c.Raw[at : at+length]
			}
		}
	}
	return written[status]
}

// restate finds what to replace in the text of a status: its emoji, its word, or both. ok is false
// when the text has that status already.
func restate(raw string, status plan.Status, word string) (at, length int, text string, ok bool) {
	if isTick(raw) {
		return retick(raw, status)
	}
	pictureAt, pictureLength := glyphIn(raw)
	wordAt, wordLength, wordStatus := document.FindStatus(raw)
	switch {
	case pictureLength > 0 && wordLength > 0 && wordAt > pictureAt &&
		wordAt-pictureAt-pictureLength <= 4:
		between := raw[pictureAt+pictureLength : wordAt]
		text = marks[status] + between + styled(word, raw[wordAt:wordAt+wordLength])
		if wordStatus == status {
			text = marks[status] + between + raw[wordAt:wordAt+wordLength]
		}
		at, length = pictureAt, wordAt+wordLength-pictureAt
	case pictureLength > 0:
		at, length, text = pictureAt, pictureLength, marks[status]
	case wordLength > 0:
		if wordStatus == status {
			return 0, 0, "", false
		}
		at, length, text = wordAt, wordLength, styled(word, raw[wordAt:wordAt+wordLength])
	case strings.Trim(raw, "-–— ") == "":
		at, length, text = 0, len(raw), marks[status]
		if raw == "" {
			text += " "
		}
	default:
		at, length, text = 0, 0, marks[status]+" "
	}
	return at, length, text, raw[at:at+length] != text
}

// isTick reports whether a text is nothing but a box, or "yes" or "no".
func isTick(raw string) bool {
	text := strings.ToLower(strings.ReplaceAll(strings.Trim(raw, " `*"), `\`, ""))
	return len(text) == 3 && text[0] == '[' && text[2] == ']' || text == "yes" || text == "no" || text == "x"
}

// retick does the same for a text that is nothing but a box or "yes" and "no".
func retick(raw string, status plan.Status) (at, length int, text string, ok bool) {
	if open := strings.IndexByte(raw, '['); open >= 0 {
		c, known := map[plan.Status]byte{
			plan.StatusDone: 'x', plan.StatusInProgress: '-', plan.StatusTodo: ' ',
		}[status]
		return open + 1, 1, string(c), known && document.StatusOf(raw) != status
	}
	text = "no"
	if status == plan.StatusDone {
		text = "yes"
	}
	at = strings.IndexFunc(raw, unicode.IsLetter)
	length = strings.LastIndexFunc(raw, unicode.IsLetter) + 1 - at
	return at, length, styled(text, raw[at:at+length]),
		(document.StatusOf(raw) == plan.StatusDone) != (status == plan.StatusDone)
}

// glyphIn finds the first status picture of a text, with the selector that may follow it.
func glyphIn(raw string) (at, length int) {
	at = len(raw)
	for _, g := range document.Pictures {
		if k := strings.Index(raw, g.Glyph); k >= 0 && k < at {
			at, length = k, len(g.Glyph)
		}
	}
	if length > 0 && strings.HasPrefix(raw[at+length:], "\ufe0f") {
		length += len("\ufe0f")
	}
	return at, length
}

// styled writes a word the way another one is written: in capitals, small, or with initials.
func styled(word, like string) string {
	switch {
	case like == strings.ToUpper(like):
		return strings.ToUpper(word)
	case like == strings.ToLower(like):
		return strings.ToLower(word)
	}
	return word
}
