package markdown

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
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

// phrases are the words that Mark replaces, for each status; the longer come first.
var phrases = map[plan.Status][]string{
	plan.StatusTodo: {
		"not started", "not yet started", "to do", "todo", "pending", "planned", "open",
		"backlog", "queued", "ready",
	},
	plan.StatusInProgress: {
		"in progress", "in-progress", "in_progress", "wip", "started", "ongoing",
		"active", "in review",
	},
	plan.StatusDone: {
		"completed", "complete", "done", "finished", "shipped", "merged",
		"implemented",
	},
	plan.StatusBlocked: {"blocked", "on hold", "waiting", "paused", "failed"},
	plan.StatusSkipped: {"skipped", "deferred", "dropped", "cancelled", "canceled"},
}

// Mark returns src with the status of one phase set, and, when it is done, its boxes ticked. src is
// parsed again, so it may have changed since p was parsed. All other bytes stay as they are, also
// optional and cancelled boxes.
func Mark(src []byte, p *plan.Plan, phaseID string, status plan.Status) ([]byte, error) {
	if marks[status] == "" {
		return nil, fmt.Errorf("cannot mark phase %s as %q: not a status", phaseID, status)
	}
	r, err := open(src, Options{Dialect: p.Dialect})
	if err != nil {
		return nil, fmt.Errorf("reading %s again to mark phase %s: %w", p.Path, phaseID, err)
	}
	at := slices.IndexFunc(r.Units,
		func(u section.Unit) bool { return words.NormalID(u.Label) == phaseID })
	if at < 0 {
		return nil, fmt.Errorf("phase %s is no longer in %s", phaseID, p.Path)
	}
	return []byte(document.Apply(src, edits(r, &r.Units[at], status, statusWord(r, status)))), nil
}

// edits are the changes that set the status of a unit; word is the document's word for it.
func edits(
	r *reading.Reading, u *section.Unit, status plan.Status, word string,
) []document.Edit {
	var edits []document.Edit
	stated := u.Stated
	if status == plan.StatusDone {
		stated = slices.Concat(u.Stated, u.Parts)
	}
	for _, c := range stated {
		if own := u.StatusWords[status]; u.StatusWords != nil {
			if own != "" && own != c.Raw {
				from := r.Doc.OriginalOffset(r.Doc.Pos(c.Offset))
				edits = append(edits, document.Edit{From: from, To: from + len(c.Raw), Text: own})
			}
			continue
		}
		at, length, text, ok := restate(c.Raw, status, word)
		if said := c.Raw[:at] + text + c.Raw[at+length:]; !c.Title && words.Limited(said) {
			at, length, text, ok = 0, len(c.Raw), word+" (was: "+strings.TrimSpace(c.Raw)+")", true
		}
		if !ok || (c.Title && renames(c.Raw, c.Raw[:at]+text+c.Raw[at+length:])) {
			continue
		}
		from := r.Doc.OriginalOffset(r.Doc.Pos(c.Offset + at))
		edits = append(edits, document.Edit{From: from, To: from + length, Text: text})
	}
	for _, t := range slices.Concat(u.Tasks, u.Criteria) {
		if status == plan.StatusDone && !t.Done && !t.Optional && t.Pos.Valid() {
			edits = tick(r, edits, t.Pos, 'x')
		}
	}
	boxes := map[plan.Status]byte{
		plan.StatusDone: 'x', plan.StatusInProgress: '-',
		plan.StatusTodo: ' ',
	}
	for _, i := range append(u.OtherBoxes, u.Own-1) {
		if c := boxes[status]; c != 0 && i >= 0 && r.Doc.Items[i].Box != 0 {
			edits = tick(r, edits, r.Doc.Pos(r.Doc.Items[i].BoxOffset-1), c)
		}
	}
	return edits
}

// renames reports whether a title would no longer name the same phase.
func renames(before, after string) bool {
	a, b := words.ReadCell(before), words.ReadCell(after)
	return a.Label != b.Label || a.Name != b.Name
}

// tick ticks the box at a place, unless it is ticked or cancelled.
func tick(r *reading.Reading, edits []document.Edit, box plan.Pos, c byte) []document.Edit {
	line := r.Doc.Line(box.Line)
	for _, p := range inline.EmojiBoxes {
		if p.Box == ' ' && c == 'x' && strings.HasPrefix(line[min(box.Col-1, len(line)):],
			p.Glyph) {
			from := r.Doc.OriginalOffset(box)
			// never praise
			return append(edits, document.Edit{From: from, To: from + len(p.Glyph), Text: "☑"})
		}
	}
	if box.Col+1 >= len(line) || line[box.Col-1] != '[' || line[box.Col+1] != ']' {
		return edits
	}
	old := line[box.Col]
	if old == c || (c == 'x' && (old == 'X' || old == '-' && !dashMeansBegun(r))) {
		return edits
	}
	from := r.Doc.OriginalOffset(plan.Pos{Line: box.Line, Col: box.Col + 1})
	return append(edits, document.Edit{From: from, To: from + 1, Text: string(c)})
}

// dashMeansBegun reports whether "[-]" is a task in progress here; elsewhere it is a cancelled one.
func dashMeansBegun(r *reading.Reading) bool { return r.Dialect == "kiro" }

// statusWord is the word of the document for a status, as another phase has it, else the usual one.
func statusWord(r *reading.Reading, status plan.Status) string {
	for i := range r.Units {
		for _, c := range r.Units[i].Stated {
			if c.Title {
				continue // its words are about other things
			}
			if at, length, said := statusPhrase(c.Raw); said == status {
				return c.Raw[at : at+length]
			}
		}
	}
	return written[status]
}

// restate finds what to replace in the text of a status: its emoji, its word, or both. ok is false
// when the text has that status already.
func restate(raw string, status plan.Status, word string) (at, length int, text string, ok bool) {
	if words.TickStatus(raw) != plan.StatusUnknown {
		return retick(raw, status)
	}
	pictureAt, pictureLength := glyphIn(raw)
	wordAt, wordLength, wordStatus := statusPhrase(raw)
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

// retick does the same for a text that is nothing but a box or "yes" and "no".
func retick(raw string, status plan.Status) (at, length int, text string, ok bool) {
	if open := strings.IndexByte(raw, '['); open >= 0 {
		c, known := map[plan.Status]byte{
			plan.StatusDone: 'x', plan.StatusInProgress: '-',
			plan.StatusTodo: ' ',
		}[status]
		return open + 1, 1, string(c), known && words.TickStatus(raw) != status
	}
	text = "no"
	if status == plan.StatusDone {
		text = "yes"
	}
	at = strings.IndexFunc(raw, unicode.IsLetter)
	length = strings.LastIndexFunc(raw, unicode.IsLetter) + 1 - at
	return at, length, styled(text, raw[at:at+length]),
		words.TickStatus(raw) != words.TickStatus(text)
}

// glyphIn finds the first status picture of a text, with the selector that may follow it.
func glyphIn(raw string) (at, length int) {
	at = len(raw)
	for _, g := range words.StatusEmoji {
		if k := strings.Index(raw, g.Glyph); k >= 0 && k < at {
			at, length = k, len(g.Glyph)
		}
	}
	if length > 0 && strings.HasPrefix(raw[at+length:], "\ufe0f") {
		length += len("\ufe0f")
	}
	return at, length
}

// statusPhrase finds the first status word of a text.
func statusPhrase(raw string) (at, length int, status plan.Status) {
	at = len(raw)
	for _, s := range []plan.Status{
		plan.StatusTodo, plan.StatusInProgress, plan.StatusDone,
		plan.StatusBlocked, plan.StatusSkipped,
	} {
		if k, n := phraseIn(raw, s); n > 0 && k < at {
			at, length, status = k, n, s
		}
	}
	return at, length, status
}

// phraseIn finds a word for one status that is not part of a longer word.
func phraseIn(raw string, status plan.Status) (at, length int) {
	lower := strings.ToLower(raw)
	if len(lower) != len(raw) {
		return 0, 0
	}
	at = len(raw)
	for _, phrase := range phrases[status] {
		k := strings.Index(lower, phrase)
		if k < 0 || k >= at {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(raw[:k])
		after, _ := utf8.DecodeRuneInString(raw[k+len(phrase):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			at, length = k, len(phrase)
		}
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
