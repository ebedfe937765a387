package reading

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// spellings are the heads that a misspelt one is compared with, and how each is called in advice.
// Only these: of rarer words a neighbour is as often another word.
var spellings = []struct {
	right string
	also  []string
	needs bool
}{
	{"Depends On", []string{
		"depends on", "depends", "dependencies", "dependency", "dep on", "deps on",
		"dependson",
	}, true},
	{"Blocked By", []string{"blocked by"}, true},
	{"Prerequisites", []string{"prerequisites", "prerequisite"}, true},
	{"Parallel With", []string{"parallel with", "parallel", "in parallel with"}, false},
	{"Can Run With", []string{"can run with"}, false},
	{"Status", []string{"status"}, false},
	{"Estimate", []string{"estimate", "estimated effort"}, false},
}

// otherWords are heads that resemble a known one and mean something else.
var otherWords = []string{"dependent", "dependents", "stats", "statute"}

// reportMisspelt reports columns of phase tables whose head is a misspelt known one. Without it
// such a table would be read as one without dependencies, and phases would run in another order.
func (r *Reading) reportMisspelt() {
	d := r.Doc
	listed := map[string]bool{}
	for _, u := range r.Units {
		listed[words.NormalID(u.Label)] = true
	}
	whole := document.BestTable(d.PhaseTables()) != nil
	for i := range d.Tables {
		t := &d.Tables[i]
		c := document.WithKey(t, document.ReadColumns(t), nil)
		if c.Key < 0 && len(t.Header) > 1 && nearKey(words.HeadWords(t.Header[0].Raw)) && lists(t, 0, listed) {
			r.reportColumn("W-COLUMN", t.Header[0], "Phase", "the table was left out")
		}
		if c.Key != 0 || !lists(t, c.Key, listed) {
			continue
		}
		for column, head := range t.Header {
			if column == c.Key || slices.Contains(c.All(), column) {
				continue
			}
			right, needs := nearSpelling(words.HeadWords(head.Raw))
			switch {
			case right == "" || needs && (c.Needs >= 0 || !r.relations(t, column)) ||
				right == "Status" && c.Status >= 0 || right == "Estimate" && c.Estimate >= 0,
				!needs && right != "Status" && right != "Estimate" && c.Beside >= 0:
			case needs && !whole:
				r.reportColumn("E-COLUMN", head, right,
					"a table of phases must say what they depend on under a head that is known")
			default:
				r.reportColumn("W-COLUMN", head, right, "the column was left out")
			}
		}
	}
}

func (r *Reading) reportColumn(code string, head document.Cell, right, note string) {
	severity := plan.Warning
	if code[0] == 'E' {
		severity = plan.Error
	}
	pos := r.Doc.Pos(head.Offset)
	r.Found = append(r.Found, plan.Problem{
		Code: code, Severity: severity, Pos: pos, Width: len(head.Raw), Line: r.Doc.Line(pos.Line),
		Message: fmt.Sprintf("unknown column %q: %s", inline.Plain(head.Raw), note),
		Hint: "did you mean " +
			right + "?",
	})
}

// lists reports whether most rows of a table are phases of the document, or, where it has none,
// have ids at all.
func lists(t *document.Table, key int, known map[string]bool) bool {
	hits := 0
	for _, row := range t.Rows {
		if id := words.NormalID(words.ReadCell(row.At(key).Raw).Label); id != "" &&
			(known[id] || len(known) == 0) {
			hits++
		}
	}
	return hits > 0 && hits*2 > len(t.Rows)
}

// relations reports whether the cells of a column can be lists of phases.
func (r *Reading) relations(t *document.Table, column int) bool {
	says, names := 0, 0
	for _, row := range t.Rows {
		text := inline.PlainList(row.At(column).Raw)
		kind, core := plan.SplitKind(text)
		label, _ := words.IDAt(core)
		switch {
		case label != "" || kind != "" || words.RefLike(text):
			says++
			names++
		case text == "" || r.Index().Says(text):
			says++
		}
	}
	return names > 0 && says*4 >= len(t.Rows)*3
}

// nearSpelling finds the known head that a text is one or two edits away from, not counting blanks
// and dots.
func nearSpelling(head string) (right string, needs bool) {
	word := squeezed(head)
	if word == "" || slices.Contains(otherWords, head) || slices.Contains(words.KeyNames, head) ||
		slices.Contains(words.TitleNames, head) || slices.Contains(words.BesideNames, head) ||
		slices.Contains(words.UnlockNames, head) {
		return "", false
	}
	best := 3
	for _, s := range spellings {
		for _, name := range s.also {
			name = squeezed(name)
			most := 2
			if len(name) < 8 {
				most = 1
			}
			far := text.Distance(word, name, most)
			if text.Misspelt(word, name) {
				far = 1
			}
			if far <= most && far < best {
				best, right, needs = far, s.right, s.needs
			}
		}
	}
	return right, needs
}

// nearKey reports whether a head is a misspelt word for phases.
func nearKey(head string) bool {
	return len(head) > 3 && !slices.Contains(words.KeyNames, head) &&
		slices.ContainsFunc(words.KeyNames, func(name string) bool {
			return len(name) > 3 && (text.Distance(head, name, 1) <= 1 || text.Misspelt(head, name))
		})
}

func squeezed(s string) string {
	return strings.NewReplacer(" ", "", "-", "", "/", "", "'", "").Replace(s)
}
