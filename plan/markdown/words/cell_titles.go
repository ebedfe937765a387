package words

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// HeadWords are the words of a column head; "#" is a word here.
func HeadWords(raw string) string {
	if strings.TrimSpace(inline.Plain(raw)) == "#" {
		return "#"
	}
	name := inline.Words(raw)
	if before, _, found := strings.Cut(raw, "("); found {
		name = inline.Words(before)
	}
	if name == "" {
		return strings.TrimSpace(inline.Plain(raw)) // "№"
	}
	return name
}

// ReadCell reads an id cell: a title, or an id with nothing but a status or a name behind it.
func ReadCell(raw string) Title {
	if t := ReadTitle(raw); t.Label != "" {
		return t
	}
	t := Title{Strikethrough: strings.Contains(raw, "~~"), Status: StatusOf(raw, false)}
	text := Bare(inline.Plain(raw))
	kind, core := plan.SplitKind(text)
	label, rest := IDAt(core)
	if word, tail := wholeID(core, label, rest); word != "" {
		label, rest = word, tail
	}
	rest = strings.TrimSpace(rest)
	if label == "" || strings.EqualFold(label, "total") {
		return Title{}
	}
	if len(label) == 1 && letters(label) && rest != "" && wordStatus(rest) == plan.StatusUnknown {
		return Title{} // "A whole sentence"
	}
	t.Kind, t.Label, t.Name = kind, label, rest
	if s := wordStatus(rest); s != plan.StatusUnknown {
		t.Name = ""
		if t.Status == plan.StatusUnknown {
			t.Status = StatusOf(rest, true)
		}
	}
	return t
}

// IsTotal reports whether a row only adds up the others.
func IsTotal(label string) bool {
	return slices.Contains([]string{
		"total", "totals", "sum", "gesamt", "summe", "合计", "总计", "合計", "합계",
		"totaal", "итого", "всего",
	}, strings.ToLower(strings.TrimSpace(label)))
}

// DoneNames head the column of a table of tasks that says which are done.
var DoneNames = []string{
	"completed", "complete", "done", "finished", "erledigt", "fertig", "terminé", "fait", "hecho",
	"completado", "feito", "concluído", "готово",
	"выполнено", "完成", "完了", "완료",
}
